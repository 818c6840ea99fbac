/* exports.c - door (a): the cl* symbols that a program binds to when we are preloaded. */
#include "door.h"
#include "lock_order.h"
#include "log.h"

#include <errno.h>
#include <pthread.h>

static struct cw_dispatch library; /* the real library's functions */
static bool library_found;
static __thread bool opening __attribute__((tls_model("initial-exec")));

static const struct cw_dispatch *open_door(void);

/* Until the door is open each symbol leads here. */
#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    static ret first_##name params                                                                           \
    {                                                                                                        \
        return open_door()->name args;                                                                       \
    }
#include "api.inc"

/* Written once per member when the door opens, while other threads may be calling. */
static struct cw_dispatch symbol_targets = {
#define CW_API(ret, name, since, fail, handle, params, args) .name = first_##name,
#include "api.inc"
};

#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    __attribute__((visibility("default"))) ret name params                                                   \
    {                                                                                                        \
        return __atomic_load_n(&symbol_targets.name, __ATOMIC_ACQUIRE) args;                                 \
    }
#include "api.inc"

static void set_target(const struct cw_dispatch *entries)
{
#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    __atomic_store_n(&symbol_targets.name, entries && entries->name ? entries->name : library.name,          \
                     __ATOMIC_RELEASE);
#include "api.inc"
}

/* Makes the loader initialise itself, which is when it takes in layers. It reaches no vendor that a first
 * call would not have reached, and is not hooked: the program did not make it. */
static void wake_loader(void)
{
    const struct cw_mode *mode = cw_door_mode();
    cl_uint n = 0;
    cl_int err;
    if (mode->before_loader)
        mode->before_loader();
    cw_door_depth += CW_DOOR_OWN_CALL;
    err = library.clGetPlatformIDs(0, NULL, &n);
    cw_door_depth -= CW_DOOR_OWN_CALL;
    if (err == CL_PLATFORM_NOT_FOUND_KHR || (err == CL_SUCCESS && n == 0))
        cw_log_warning(
            "OpenCL finds no platform, so there is nothing to %s: install a driver (Debian: pocl-opencl-icd)",
            mode->name);
}

/* With `lock` held. Returns the table that the incoming call is sent to. */
static const struct cw_dispatch *open_locked(bool *done)
{
    if (!library_found)
        library_found = cw_loader_resolve(&library);
    if (!library_found)
        return &library; /* one may be loaded later: the next call looks again */
    if (cw_door_wanted())
        wake_loader();
    /* a loader that took us in calls our entries itself; hooking here too would hook each call twice */
    set_target(cw_layer_active() ? NULL : cw_door_open(&library));
    *done = true;
    return &symbol_targets;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&lock, EXPORTS)

static const struct cw_dispatch *open_door(void)
{
    static bool done;
    int saved = errno;
    const struct cw_dispatch *to = &symbol_targets;
    /* a vendor that calls an exported symbol while the loader initialises it comes back on the same thread */
    if (opening)
        return library_found ? &library : &cw_missing;
    opening = true;
    pthread_mutex_lock(&lock);
    if (!done)
        to = open_locked(&done);
    pthread_mutex_unlock(&lock);
    opening = false;
    errno = saved;
    return to;
}
