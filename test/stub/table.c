/* table.c - the null driver's entry points: every row of the API table, logged, then answered (or echoed). */
#include "nullcl.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

cl_icd_dispatch nullcl_dispatch;
struct cw_dispatch nullcl;

static int log_fd = -1;
static int echo;  /* 0 answer, 1 succeed, 2 fail */
static bool slow; /* log_fd >= 0 || echo */
static bool no_extensions;

/* What a test calls (by dlsym) to change NULLCL_ECHO on its way: 0 answer, 1 succeed, 2 fail. */
EXPORT void nullcl_set_echo(int mode)
{
    echo = mode;
    slow = log_fd >= 0 || echo;
}

/* ---- logging */

static void log_call(const char *name, unsigned platform, const uint64_t *args, size_t n)
{
    char line[512];
    int used = snprintf(line, sizeof line, platform ? "%s@%u" : "%s", name, platform);
    for (size_t i = 0; i < n; i++)
        used += snprintf(line + used, sizeof line - (size_t)used, " %llx", (unsigned long long)args[i]);
    line[used++] = '\n';
    if (log_fd >= 0 && write(log_fd, line, (size_t)used) != used)
        abort();
}

void nullcl_log(const char *line)
{
    if (log_fd >= 0)
        log_call(line, 0, NULL, 0);
}

#include "map.h"
#define WORD(x) , (uint64_t)(uintptr_t)(x)
#define LOG(name, platform, ...)                                                                             \
    do {                                                                                                     \
        const uint64_t words[] = {0 MAP(WORD, __VA_ARGS__)};                                                 \
        log_call(name, platform, words + 1, sizeof words / sizeof *words - 1);                               \
    } while (0)

/* ---- echo: every out-parameter gets something, by its type */

/* clang-format off */
static void put_int(cl_int *p) { if (p) *p = echo == 2 ? -77 : 0; }
static void put_uint(cl_uint *p) { if (p) *p = 1; }
static void put_size(size_t *p) { if (p) *p = 8; }
static void put_nothing(const void *p) { (void)p; }
static void put_event(cl_event *p) { if (p) *p = echo == 2 ? NULL : nullcl_new(K_EVENT, sizeof **p); }
static void put_kernel(cl_kernel *p) { if (p) *p = echo == 2 ? NULL : nullcl_new(K_KERNEL, sizeof **p); }
static void put_device(cl_device_id *p) { if (p) *p = &nullcl_devices[0][0]; }
/* clang-format on */

/* Up to 8 bytes of an untyped result. Its size, where the call says one, is the argument before it. */
static void put_bytes(const char *parameter, uint64_t value, bool untyped, size_t *room)
{
    if (!strcmp(parameter, "param_value_size"))
        *room = value < 8 ? value : 8;
    if (untyped && value)
        memset((void *)value, 0, *room);
}

/* clang-format off */
#define PUT(x)                                                                                               \
    put_bytes(#x, (uint64_t)(uintptr_t)(x), _Generic((x), void *: true, default: false), &room);             \
    _Generic((x), cl_int *: put_int, cl_uint *: put_uint, size_t *: put_size, cl_event *: put_event,         \
             cl_kernel *: put_kernel, cl_device_id *: put_device,                                            \
             default: put_nothing)((void *)(uintptr_t)(x));
/* clang-format on */
#define PUT_ALL(...)                                                                                         \
    do {                                                                                                     \
        size_t room = 8;                                                                                     \
        (void)room;                                                                                          \
        MAP(PUT, __VA_ARGS__)                                                                                \
    } while (0)

/* clang-format off */
static void *echo_cl_context(void) { return nullcl_new(K_CONTEXT, sizeof(struct _cl_context)); }
static void *echo_cl_command_queue(void) { return nullcl_new(K_QUEUE, sizeof(struct _cl_command_queue)); }
static void *echo_cl_mem(void) { return nullcl_new(K_MEM, sizeof(struct _cl_mem)); }
static void *echo_cl_program(void) { return nullcl_new(K_PROGRAM, sizeof(struct _cl_program)); }
static void *echo_cl_kernel(void) { return nullcl_new(K_KERNEL, sizeof(struct _cl_kernel)); }
static void *echo_cl_event(void) { return nullcl_new(K_EVENT, sizeof(struct _cl_event)); }
static void *echo_cl_sampler(void) { return nullcl_new(K_SAMPLER, sizeof(struct _cl_sampler)); }
static void *echo_other(void) { return nullcl_new(K_SAMPLER, 4096); }
/* clang-format on */

#define ECHO_OBJECT(ret)                                                                                     \
    _Generic((ret){0}, cl_context                                                                            \
             : echo_cl_context, cl_command_queue                                                             \
             : echo_cl_command_queue, cl_mem                                                                 \
             : echo_cl_mem, cl_program                                                                       \
             : echo_cl_program, cl_kernel                                                                    \
             : echo_cl_kernel, cl_event                                                                      \
             : echo_cl_event, cl_sampler                                                                     \
             : echo_cl_sampler, default                                                                      \
             : echo_other)()
#define ECHO_CODE(ret, name)    return echo == 2 ? -3000 - CW_ID_##name : CL_SUCCESS
#define ECHO_ERRCODE(ret, name) return echo == 2 ? NULL : ECHO_OBJECT(ret)
#define ECHO_NULLPTR(ret, name) return echo == 2 ? NULL : echo_other()
#define ECHO_NOTHING(ret, name) return

/* ---- entry points */

#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    static ret entry_##name params                                                                           \
    {                                                                                                        \
        if (CW_UNLIKELY(slow)) {                                                                             \
            LOG(#name, 0, CW_UNPAREN args);                                                                  \
            if (echo && !is_real(CW_ID_##name)) {                                                            \
                PUT_ALL(CW_UNPAREN args);                                                                    \
                ECHO_##fail(ret, name);                                                                      \
            }                                                                                                \
        }                                                                                                    \
        return nullcl.name args;                                                                             \
    }

/* What loaders need to find their way is never echoed. */
static bool is_real(enum cw_api_id id)
{
    return id == CW_ID_clGetPlatformIDs || id == CW_ID_clGetPlatformInfo ||
           id == CW_ID_clGetExtensionFunctionAddress || id == CW_ID_clGetExtensionFunctionAddressForPlatform;
}
#include "../../shim/door/api.inc"

/* Extension functions do nothing but echo; one set per platform. */
#define ENTRY_EXT(ret, name, fail, params, args, platform)                                                   \
    static ret ext_##platform##_##name params                                                                \
    {                                                                                                        \
        LOG(#name, platform, CW_UNPAREN args);                                                               \
        PUT_ALL(CW_UNPAREN args);                                                                            \
        ECHO_##fail(ret, name);                                                                              \
    }
#define CW_EXT(ret, name, since, fail, handle, params, args)                                                 \
    ENTRY_EXT(ret, name, fail, params, args, 0)                                                              \
    ENTRY_EXT(ret, name, fail, params, args, 1)                                                              \
    ENTRY_EXT(ret, name, fail, params, args, 2)                                                              \
    ENTRY_EXT(ret, name, fail, params, args, 3)                                                              \
    ENTRY_EXT(ret, name, fail, params, args, 4)                                                              \
    ENTRY_EXT(ret, name, fail, params, args, 5)
#include "../../shim/door/api.inc"

static const struct {
    const char *name;
    void *functions[MAX_PLATFORMS];
} names[] = {
#define CW_API(ret, name, since, fail, handle, params, args) {#name, {(void *)entry_##name}},
#define CW_EXT(ret, name, since, fail, handle, params, args)                                                 \
    {#name,                                                                                                  \
     {(void *)ext_0_##name, (void *)ext_1_##name, (void *)ext_2_##name, (void *)ext_3_##name,                \
      (void *)ext_4_##name, (void *)ext_5_##name}},
#include "../../shim/door/api.inc"
};

static cl_int icd_platforms(cl_uint n, cl_platform_id *to, cl_uint *num)
{
    return nullcl.clGetPlatformIDs(n, to, num);
}

static void *address(const char *name, unsigned platform)
{
    if (!strcmp(name, "clIcdGetPlatformIDsKHR"))
        return (void *)icd_platforms;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i].name, name))
            return i < CW_API_COUNT ? names[i].functions[0]
                   : no_extensions  ? NULL
                                    : names[i].functions[platform];
    return NULL;
}

static void *by_name(const char *name)
{
    return name ? address(name, 0) : NULL;
}

static void *by_name_for_platform(cl_platform_id platform, const char *name)
{
    return name && nullcl_is(platform, K_PLATFORM) ? address(name, platform->index) : NULL;
}

/* The two symbols that loaders look up in a vendor's library. */
EXPORT void *nullcl_get(const char *name) __asm__("clGetExtensionFunctionAddress");
void *nullcl_get(const char *name)
{
    return entry_clGetExtensionFunctionAddress(name);
}
EXPORT cl_int nullcl_icd(cl_uint n, cl_platform_id *to, cl_uint *num) __asm__("clIcdGetPlatformIDsKHR");
cl_int nullcl_icd(cl_uint n, cl_platform_id *to, cl_uint *num)
{
    return icd_platforms(n, to, num);
}

/* ---- what the driver lacks fails */

#define CODE    return CL_INVALID_OPERATION
#define ERRCODE return nullcl_fail(errcode_ret, CL_INVALID_OPERATION)
#define NULLPTR return NULL
#define NOTHING return
#define USE(x)  (void)x;
#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    static ret lacking_##name params                                                                         \
    {                                                                                                        \
        MAP(USE, CW_UNPAREN args)                                                                            \
        fail;                                                                                                \
    }
#include "../../shim/door/api.inc"

__attribute__((constructor)) static void fill(void)
{
    const char *path = getenv("NULLCL_LOG"), *mode = getenv("NULLCL_ECHO");
    nullcl_fill_objects();
    nullcl_fill_platform();
    nullcl_fill_queue();
    nullcl_fill_event();
    nullcl_fill_memory();
    nullcl_fill_image();
    nullcl_fill_transfer();
    nullcl_fill_svm();
    nullcl_fill_program();
    nullcl_fill_kernel();
    nullcl.clGetExtensionFunctionAddress = by_name;
    nullcl.clGetExtensionFunctionAddressForPlatform = by_name_for_platform;
#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    if (!nullcl.name)                                                                                        \
        nullcl.name = lacking_##name;                                                                        \
    nullcl_dispatch.name = (__typeof__(nullcl_dispatch.name))entry_##name;
#include "../../shim/door/api.inc"
    no_extensions = getenv("NULLCL_NO_EXTENSIONS") != NULL;
    if (path && *path) {
        int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        log_fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 200);
        close(fd);
        if (log_fd < 0)
            abort(); /* a test that cannot log must not pass */
    }
    nullcl_set_echo(mode ? atoi(mode) : 0);
}
