/* exports.c - door (a): the cl* symbols that a program binds to when we are preloaded. */
#include "door.h"
#include "lock_order.h"
#include "log.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

/* Door (b): the loader's layer interface (cl_loader_layers). */

#define EXPORT __attribute__((visibility("default")))

static cl_icd_dispatch layer_table; /* NULL members: the loader puts the target's function there */
static bool active;

/* True once a loader has taken us in as a layer. */
static bool layer_active(void)
{
    return __atomic_load_n(&active, __ATOMIC_ACQUIRE);
}

EXPORT cl_int clGetLayerInfo(cl_uint param_name, size_t param_value_size, void *param_value,
                             size_t *param_value_size_ret)
{
    static const cl_uint version = CL_LAYER_API_VERSION_100;
    const void *value = param_name == CL_LAYER_API_VERSION ? (const void *)&version : CW_LAYER_NAME;
    size_t size = param_name == CL_LAYER_API_VERSION ? sizeof version : sizeof CW_LAYER_NAME;
    if (param_name != CL_LAYER_API_VERSION && param_name != CL_LAYER_NAME)
        return CL_INVALID_VALUE;
    if (param_value && param_value_size < size)
        return CL_INVALID_VALUE;
    if (param_value)
        memcpy(param_value, value, size);
    if (param_value_size_ret)
        *param_value_size_ret = size;
    return CL_SUCCESS;
}

/* The target's functions in our order; an older loader's table is shorter, and may have holes. */
static void read_target(struct cw_dispatch *next, const cl_icd_dispatch *target, cl_uint num_entries)
{
#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    next->name = offsetof(cl_icd_dispatch, name) / sizeof(void (*)(void)) < num_entries && target->name      \
                     ? (__typeof__(&name))target->name                                                       \
                     : cw_missing.name;
#include "api.inc"
}

static void fill_layer_table(const struct cw_dispatch *entries)
{
#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    layer_table.name = (__typeof__(layer_table.name))entries->name;
#include "api.inc"
}

/* A second loader in the same process gets the same table: the vendors' objects lead to their own functions
 * whichever loader passes them on. */
EXPORT cl_int clInitLayer(cl_uint num_entries, const cl_icd_dispatch *target_dispatch,
                          cl_uint *num_entries_ret, const cl_icd_dispatch **layer_dispatch_ret)
{
    if (!target_dispatch || !layer_dispatch_ret || !num_entries_ret || !num_entries)
        return CL_INVALID_VALUE;
    cw_layer_env_repair();
    struct cw_dispatch next;
    read_target(&next, target_dispatch, num_entries);
    fill_layer_table(cw_door_open(&next));
    __atomic_store_n(&active, true, __ATOMIC_RELEASE);
    *layer_dispatch_ret = &layer_table;
    *num_entries_ret = sizeof layer_table / sizeof(void (*)(void));
    return CL_SUCCESS;
}

EXPORT cl_int clInitLayerWithProperties(cl_uint num_entries, const cl_icd_dispatch *target_dispatch,
                                        cl_uint *num_entries_ret, const cl_icd_dispatch **layer_dispatch_ret,
                                        const cl_bitfield *properties)
{
    (void)properties; /* none is defined */
    return clInitLayer(num_entries, target_dispatch, num_entries_ret, layer_dispatch_ret);
}

/* Calls may still come from other threads; the mode stops in the library's destructor. */
EXPORT cl_int clDeinitLayer(void)
{
    return CL_SUCCESS;
}

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
    set_target(layer_active() ? NULL : cw_door_open(&library));
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
