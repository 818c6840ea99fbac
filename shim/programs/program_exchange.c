/* program_exchange.c - see program_exchange.h. */
#include "program_exchange.h"
#include "../door/lock_order.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../analyzer/settings/options.h"

static struct cw_dispatch below; /* the mode's hooks; complete */
static __thread uint64_t replaced;

/* The programs that were made, the newest last; of a released one until its handle is another's. */
static struct {
    pthread_mutex_t lock;
    struct made {
        cl_program program;
        uint64_t hash;
    } * v;
    size_t count, capacity;
} programs = {.lock = PTHREAD_MUTEX_INITIALIZER};
CW_LOCK_RANK(&programs.lock, EXCHANGE)

uint64_t cw_program_exchange_replaced(void)
{
    return replaced;
}

static struct made *find(cl_program program)
{
    for (size_t i = programs.count; i-- > 0;)
        if (programs.v[i].program == program)
            return &programs.v[i];
    return NULL;
}

/* Where memory is out the program's builds are as the program wants them, and not dumped. */
static void remember(cl_program program, uint64_t hash)
{
    struct made *m, *grown;

    pthread_mutex_lock(&programs.lock);
    m = find(program);
    if (!m && programs.count == programs.capacity &&
        (grown = realloc(programs.v, (programs.capacity + 64) * sizeof *grown))) {
        programs.v = grown;
        programs.capacity += 64;
    }
    if (!m && programs.count < programs.capacity)
        m = &programs.v[programs.count++];
    if (m)
        *m = (struct made){program, hash};
    pthread_mutex_unlock(&programs.lock);
}

/* 0: not known. */
static uint64_t hash_of(cl_program program)
{
    struct made *m;
    uint64_t hash;

    pthread_mutex_lock(&programs.lock);
    m = find(program);
    hash = m ? m->hash : 0;
    pthread_mutex_unlock(&programs.lock);
    return hash;
}

/* ---- making programs */

static size_t length_of(const char *string, const size_t *lengths, cl_uint i)
{
    return lengths && lengths[i] ? lengths[i] : strlen(string);
}

/* The strings in one, *n bytes and a NUL; NULL: the call is wrong, or memory is out. Free the result. */
static char *join(cl_uint count, const char **strings, const size_t *lengths, size_t *n)
{
    char *text;
    size_t at = 0;

    *n = 0;
    for (cl_uint i = 0; i < count; i++) {
        if (!strings || !strings[i])
            return NULL;
        *n += length_of(strings[i], lengths, i);
    }
    text = count ? malloc(*n + 1) : NULL;
    for (cl_uint i = 0; text && i < count; i++) {
        memcpy(text + at, strings[i], length_of(strings[i], lengths, i));
        at += length_of(strings[i], lengths, i);
    }
    if (text)
        text[at] = '\0';
    return text;
}

static cl_program hook_clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                                 const size_t *lengths, cl_int *err)
{
    size_t own_bytes, bytes = 0;
    int saved = errno;
    char *own = join(count, strings, lengths, &own_bytes), *text = NULL;
    uint64_t hash = own ? cw_program_files_hash(own, own_bytes) : 0;
    cl_program program;

    if (own) {
        cw_program_files_dump(hash, 0, "cl", own, own_bytes, false);
        text = cw_program_files_injected(hash, 0, "cl", &bytes);
    }
    free(own);
    errno = saved;
    replaced = text ? hash : 0;
    program = text ? below.clCreateProgramWithSource(context, 1, (const char *[]){text}, &bytes, err)
                   : below.clCreateProgramWithSource(context, count, strings, lengths, err);
    replaced = 0;
    if (program && hash)
        remember(program, hash);
    free(text);
    return program;
}

static cl_program hook_clCreateProgramWithIL(cl_context context, const void *il, size_t length, cl_int *err)
{
    uint64_t hash = il && length ? cw_program_files_hash(il, length) : 0;
    cl_program program;
    char *text = NULL;
    size_t bytes = 0;

    if (hash) {
        cw_program_files_dump(hash, 0, "spv", il, length, false);
        text = cw_program_files_injected(hash, 0, "spv", &bytes);
    }
    replaced = text ? hash : 0;
    program = below.clCreateProgramWithIL(context, text ? text : il, text ? bytes : length, err);
    replaced = 0;
    if (program && hash)
        remember(program, hash);
    free(text);
    return program;
}

/* Of several devices the first binary names the program; only that of a single device is replaced. */
static cl_program hook_clCreateProgramWithBinary(cl_context context, cl_uint n, const cl_device_id *devices,
                                                 const size_t *lengths, const unsigned char **binaries,
                                                 cl_int *status, cl_int *err)
{
    bool known = n && lengths && binaries && binaries[0] && lengths[0];
    uint64_t hash = known ? cw_program_files_hash(binaries[0], lengths[0]) : 0;
    cl_program program;
    char *text = NULL;
    size_t bytes = 0;

    if (hash) {
        cw_program_files_dump(hash, 0, "bin", binaries[0], lengths[0], false);
        text = n == 1 ? cw_program_files_injected(hash, 0, "bin", &bytes) : NULL;
    }
    replaced = text ? hash : 0;
    program =
        text ? below.clCreateProgramWithBinary(context, 1, devices, &bytes,
                                               (const unsigned char *[]){(unsigned char *)text}, status, err)
             : below.clCreateProgramWithBinary(context, n, devices, lengths, binaries, status, err);
    replaced = 0;
    if (program && hash)
        remember(program, hash);
    free(text);
    return program;
}

/* ---- builds */

/* The options of a build of program `hash`: injected ones, which are to be freed, or NULL: its own. */
static char *exchange_options(uint64_t hash, const char *options)
{
    const char *own = options ? options : "";
    uint64_t build = cw_program_files_hash(own, strlen(own));
    char *text;
    size_t n;

    cw_program_files_dump(hash, build, "options", own, strlen(own), false);
    text = cw_program_files_injected(hash, build, "options", &n);
    if (!text)
        text = cw_program_files_injected(hash, 0, "options", &n);
    for (size_t i = 0; text && text[i]; i++) /* a file may end with a line break, and have several lines */
        if (text[i] == '\n' || text[i] == '\r')
            text[i] = ' ';
    return text;
}

/* "DEVICE:\n" and what its compiler said, behind *text of *n bytes. */
static void append_log(char **text, size_t *n, cl_program program, cl_device_id device)
{
    size_t name = 0, log = 0;
    char *grown = NULL;

    if (below.clGetDeviceInfo(device, CL_DEVICE_NAME, 0, NULL, &name) == CL_SUCCESS &&
        below.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &log) == CL_SUCCESS)
        grown = realloc(*text, *n + name + log + 8);
    if (!grown)
        return;
    *text = grown;
    memset(grown + *n, 0, name + log + 8);
    below.clGetDeviceInfo(device, CL_DEVICE_NAME, name, grown + *n, NULL);
    *n += strlen(grown + *n);
    memcpy(grown + *n, ":\n", 2);
    *n += 2;
    below.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log, grown + *n, NULL);
    *n += strlen(grown + *n);
    grown[(*n)++] = '\n';
}

static void dump_log(cl_program program, uint64_t hash, const char *options)
{
    cl_device_id devices[64];
    char *text = NULL;
    size_t bytes = 0, n = 0;
    int saved = errno;

    if (cw_program_files_dumps() &&
        below.clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &bytes) == CL_SUCCESS)
        for (size_t i = 0; i < bytes / sizeof *devices; i++)
            append_log(&text, &n, program, devices[i]);
    if (text)
        cw_program_files_dump(hash,
                              cw_program_files_hash(options ? options : "", options ? strlen(options) : 0),
                              "log", text, n, true);
    free(text);
    errno = saved;
}

static cl_int hook_clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices,
                                  const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                  void *data)
{
    uint64_t hash = hash_of(program);
    int saved = errno;
    char *injected = hash ? exchange_options(hash, options) : NULL;
    cl_int status;

    errno = saved;
    status = below.clBuildProgram(program, n, devices, injected ? injected : options, notify, data);
    if (hash && !notify)
        dump_log(program, hash, options);
    free(injected);
    return status;
}

static cl_int hook_clCompileProgram(cl_program program, cl_uint n, const cl_device_id *devices,
                                    const char *options, cl_uint headers, const cl_program *header,
                                    const char **names, void(CL_CALLBACK *notify)(cl_program, void *),
                                    void *data)
{
    uint64_t hash = hash_of(program);
    int saved = errno;
    char *injected = hash ? exchange_options(hash, options) : NULL;
    cl_int status;

    errno = saved;
    status = below.clCompileProgram(program, n, devices, injected ? injected : options, headers, header,
                                    names, notify, data);
    if (hash && !notify)
        dump_log(program, hash, options);
    free(injected);
    return status;
}

void cw_program_exchange_install(struct cw_dispatch *hooks, const struct cw_options *options)
{
    if (!cw_program_files_start(options->dump_programs, options->inject))
        return;
#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    below.name = hooks->name ? hooks->name : cw_next.name;
#include "../door/api.inc"
    hooks->clCreateProgramWithSource = hook_clCreateProgramWithSource;
    hooks->clCreateProgramWithIL = hook_clCreateProgramWithIL;
    hooks->clCreateProgramWithBinary = hook_clCreateProgramWithBinary;
    hooks->clBuildProgram = hook_clBuildProgram;
    hooks->clCompileProgram = hook_clCompileProgram;
}
