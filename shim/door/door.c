#include "door.h"
#include "thread.h"
#include "../../analyzer/settings/options.h"
#include "lock_order.h"
#include "log.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A call that comes in while another hooked call of the same thread is under way comes from one of
 * two: the vendor, whose internal calls must not be seen (it resolved cl* to an exported symbol), or a
 * callback of the application, whose calls must. The caller's module decides. */

#define MAX_VENDORS 16

/* Bases of the modules that are not the application: the vendors' and the loader's. Filled once. */
static const void *vendors[MAX_VENDORS];
static unsigned num_vendors;
static const void *loader_base;

static const void *module_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Runs inside a nested call, when the loader and its vendors are up. The vendor's own clIcdGetPlatformIDsKHR
 * lies in the vendor's library; one that has none is not behind a loader, so it is the library that we call
 * itself. */
static void find_vendors(void)
{
    cl_platform_id platforms[MAX_VENDORS];
    cl_uint n = 0;
    loader_base = module_of(*(const void **)&cw_next.clGetPlatformIDs);
    if (cw_next.clGetPlatformIDs(MAX_VENDORS, platforms, &n) != CL_SUCCESS)
        return;
    for (cl_uint i = 0; i < n && i < MAX_VENDORS; i++) {
        void *f = cw_next.clGetExtensionFunctionAddressForPlatform(platforms[i], "clIcdGetPlatformIDsKHR");
        if (f)
            vendors[num_vendors++] = module_of(f);
    }
}

static bool is_vendor(const void *module)
{
    for (unsigned i = 0; i < num_vendors; i++)
        if (vendors[i] == module)
            return true;
    return false;
}

/* The module of the innermost frame that is neither ours nor the loader's; NULL if the stack shows none. */
static const void *outer_module(void)
{
    const void *self = module_of((const void *)find_vendors);
    void *frames[64];
    int n = cw_unwind(frames, 64);
    for (int i = 0; i < n; i++) {
        const void *module = module_of((const char *)frames[i] - 1);
        if (module != self && module != loader_base)
            return module;
    }
    return NULL;
}

/* True if the call that `return_address` returns to was made by the application (a callback), false if by a
 * vendor's library or the loader's. For calls at depth > 0 only: it is slow. */
static bool nested_by_application(const void *return_address)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (cw_door_depth >= CW_DOOR_OWN_CALL)
        return false;
    if (cw_door_depth + 1 == cw_door_callback)
        return true;
    cw_door_depth += CW_DOOR_OWN_CALL;
    pthread_once(&once, find_vendors);
    cw_door_depth -= CW_DOOR_OWN_CALL;
    const void *module = module_of(return_address);
    if (module == loader_base || cw_loader_is_self(return_address))
        module = outer_module();
    return module && module != loader_base && !is_vendor(module);
}

/* Functions that programs ask for by name.
 *
 * A hooked extension function gets a wrapper instead of the vendor's pointer. Platforms may have different
 * functions of one name and the caller's arguments do not always say which platform is meant, so there are
 * CW_WRAPPERS wrappers per function, each with a vendor's pointer of its own; a program with more different
 * ones gets the bare pointer. A core function that is asked for by name gets the door's entry, which finds
 * the vendor by the objects. */

#define CW_WRAPPERS 4

/* ---- wrappers: next[number] is written once, before the wrapper's address is given out */

static const struct cw_ext_hooks *door_hooks_ext(void);

#define WRAPPER(ret, name, number, params, args)                                                             \
    static ret wrapper_##number##_##name params                                                              \
    {                                                                                                        \
        __typeof__(&name) next = __atomic_load_n(&next_##name[number], __ATOMIC_ACQUIRE);                    \
        if (CW_UNLIKELY(cw_door_depth) && !nested_by_application(__builtin_return_address(0)))               \
            return next args;                                                                                \
        CW_DOOR_ENTER;                                                                                       \
        return door_hooks_ext()->name(next, CW_UNPAREN args);                                                \
    }
#define CW_EXT(ret, name, since, fail, handle, params, args)                                                 \
    static __typeof__(&name) next_##name[CW_WRAPPERS];                                                       \
    WRAPPER(ret, name, 0, params, args)                                                                      \
    WRAPPER(ret, name, 1, params, args)                                                                      \
    WRAPPER(ret, name, 2, params, args)                                                                      \
    WRAPPER(ret, name, 3, params, args)
#include "api.inc"

struct extension {
    const char *name;
    size_t hook; /* offset in struct cw_ext_hooks */
    void **next; /* [CW_WRAPPERS] */
    void *wrappers[CW_WRAPPERS];
};

static const struct extension extensions[] = {
#define CW_EXT(ret, name, since, fail, handle, params, args)                                                 \
    {#name,                                                                                                  \
     offsetof(struct cw_ext_hooks, name),                                                                    \
     (void **)next_##name,                                                                                   \
     {(void *)wrapper_0_##name, (void *)wrapper_1_##name, (void *)wrapper_2_##name,                          \
      (void *)wrapper_3_##name}},
#include "api.inc"
};

static const struct {
    const char *name;
    size_t entry; /* offset in struct cw_dispatch */
} core[] = {
#define ROW_0(name)
#define ROW_1(name)                                          {#name, offsetof(struct cw_dispatch, name)},
#define CW_API(ret, name, since, fail, handle, params, args) ROW_##handle(name)
#include "api.inc"
};

static void *door_unseen(const char *name, void *vendor);

static void *wrap_extension(const struct extension *e, void *vendor)
{
    const struct cw_ext_hooks *hooks = door_hooks_ext();
    if (!hooks || !*(void **)((const char *)hooks + e->hook))
        return door_unseen(e->name, vendor);
    for (int i = 0; i < CW_WRAPPERS; i++) {
        void *expected = NULL;
        if (__atomic_compare_exchange_n(&e->next[i], &expected, vendor, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE) ||
            expected == vendor)
            return e->wrappers[i];
    }
    cw_log_warning("%s: more than %d platforms have different ones; calls of the others are not seen",
                   e->name, CW_WRAPPERS);
    return door_unseen(e->name, vendor);
}

static const struct cw_dispatch *door_entries(void);

/* The pointer that the program gets for the vendor's pointer `vendor` under `name`. */
static void *wrap(const char *name, void *vendor)
{
    if (!vendor || !name)
        return vendor;
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (!strcmp(extensions[i].name, name))
            return wrap_extension(&extensions[i], vendor);
    for (size_t i = 0; i < sizeof core / sizeof *core; i++)
        if (!strcmp(core[i].name, name)) {
            void *entry = *(void **)((const char *)door_entries() + core[i].entry);
            return entry ? entry : vendor;
        }
    return door_unseen(name, vendor);
}

static void *extension_address(const char *name)
{
    return wrap(name, cw_next.clGetExtensionFunctionAddress(name));
}

/* Entries for the two address queries. */
static void *extension_address_for_platform(cl_platform_id platform, const char *name)
{
    return wrap(name, cw_next.clGetExtensionFunctionAddressForPlatform(platform, name));
}

struct cw_dispatch cw_next;
__thread unsigned cw_door_depth;
__thread unsigned cw_door_callback;

static struct cw_dispatch entries; /* functions that the doors call; NULL: not hooked */
static struct cw_options options;
/* The mode whose start() succeeded. Stored last and loaded first, so that a thread that sees it sees
 * cw_next and all that start() has set up, even through a loader that orders nothing between its threads. */
static const struct cw_mode *running;
static bool is_open;

const char *cw_door_api_name(enum cw_api_id id)
{
    static const char *const names[] = {
#define CW_API(ret, name, since, fail, handle, params, args) #name,
#include "api.inc"
#define CW_EXT(ret, name, since, fail, handle, params, args) #name,
#include "api.inc"
    };
    return (size_t)id < CW_ID_COUNT ? names[id] : "unknown";
}

const struct cw_mode *cw_door_mode(void)
{
    static const struct cw_mode *const modes[] = {&cw_mode_off, &cw_mode_trace, &cw_mode_run, NULL};
    const char *name = secure_getenv("CLWEAVE_MODE");
    for (const struct cw_mode *const *m = modes; name && *m; m++)
        if (!strcmp((*m)->name, name))
            return *m;
    return &cw_mode_off;
}

bool cw_door_wanted(void)
{
    const struct cw_mode *mode = cw_door_mode();
    return mode->hooks || mode->ext_hooks;
}

static const struct cw_mode *running_mode(void)
{
    return __atomic_load_n(&running, __ATOMIC_ACQUIRE);
}

/* ---- entries: a hook with the depth guard around it */

#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    static ret enter_##name params                                                                           \
    {                                                                                                        \
        if (CW_UNLIKELY(cw_door_depth) && !nested_by_application(__builtin_return_address(0)))               \
            return cw_next.name args;                                                                        \
        CW_DOOR_ENTER;                                                                                       \
        return running_mode()->hooks->name args;                                                             \
    }
#include "api.inc"

static void fill_entries(const struct cw_mode *mode)
{
    if (mode->hooks) {
#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    entries.name = mode->hooks->name ? enter_##name : NULL;
#include "api.inc"
#include "dispatch.h"
    }
    entries.clGetExtensionFunctionAddress = extension_address;
    entries.clGetExtensionFunctionAddressForPlatform = extension_address_for_platform;
}

/* ---- opening */

static void log_settings(const char *mode)
{
    char text[512];
    if (cw_options_describe(&options, text, sizeof text))
        cw_log_info("mode %s; not default: %s", mode, text);
}

/* The program may unload its OpenCL library while commands are under way, of which the vendor's threads know
 * nothing, but ours do: it stays. */
static void keep_library(void)
{
    const void *const *function = (const void *const *)&cw_next.clGetPlatformIDs;
    Dl_info info;

    if (dladdr(*function, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/* Starts the mode; on failure, which has been logged, nothing is hooked. */
static void start_mode(void *unused)
{
    struct cw_error err = {0};
    const struct cw_mode *mode = cw_door_mode();
    if (cw_options_init(&options, &err) || cw_options_from_environment(&options, &err)) {
        cw_log_error("%s; passing every call through unchanged", err.text);
        return;
    }
    (void)unused;
    log_settings(mode->name);
    if (!mode->hooks && !mode->ext_hooks)
        return;
    if (mode->start && !mode->start(&options))
        return;
    keep_library();
    fill_entries(mode);
    __atomic_store_n(&running, mode, __ATOMIC_RELEASE);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&lock, DOOR)

const struct cw_dispatch *cw_door_open(const struct cw_dispatch *next)
{
    int saved = errno;
    pthread_mutex_lock(&lock);
    if (!is_open) {
        cw_next = *next;
        cw_lock_order_watch(&cw_next);
        cw_roomy(start_mode, NULL);
        is_open = true;
    }
    pthread_mutex_unlock(&lock);
    errno = saved;
    return &entries;
}

static const struct cw_dispatch *door_entries(void)
{
    return &entries;
}

/* The same table, and the running mode's hooks of extension functions (NULL: none). The door must be open. */
static const struct cw_ext_hooks *door_hooks_ext(void)
{
    const struct cw_mode *mode = running_mode();
    return mode ? mode->ext_hooks : NULL;
}

/* The pointer that the program gets for a function that no mode hooks, as the running mode says. */
static void *door_unseen(const char *name, void *vendor)
{
    const struct cw_mode *mode = running_mode();

    return mode && mode->unseen ? mode->unseen(name, vendor) : vendor;
}

__attribute__((destructor)) static void stop_mode(void)
{
    const struct cw_mode *mode = running_mode();
    if (mode && mode->stop)
        mode->stop();
}

/* Nothing is hooked: every call goes straight on. */
const struct cw_mode cw_mode_off = {.name = "off"};
