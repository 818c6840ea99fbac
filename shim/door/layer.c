/* layer.c - door (b): the loader's layer interface (cl_loader_layers). */
#include "door.h"

#include <string.h>

#include "layer_env.h"
#include "log.h"

#define EXPORT __attribute__((visibility("default")))

static cl_icd_dispatch layer_table; /* NULL members: the loader puts the target's function there */
static bool active;

bool cw_layer_active(void)
{
    return __atomic_load_n(&active, __ATOMIC_ACQUIRE);
}

cl_int cw_layer_answer(const void *value, size_t bytes, size_t capacity, void *to, size_t *bytes_ret)
{
    if (to && capacity < bytes)
        return CL_INVALID_VALUE;
    if (to)
        memcpy(to, value, bytes);
    if (bytes_ret)
        *bytes_ret = bytes;
    return CL_SUCCESS;
}

EXPORT cl_int clGetLayerInfo(cl_uint param_name, size_t param_value_size, void *param_value,
                             size_t *param_value_size_ret)
{
    static const cl_uint version = CL_LAYER_API_VERSION_100;
    const void *value = param_name == CL_LAYER_API_VERSION ? (const void *)&version : CW_LAYER_NAME;
    size_t size = param_name == CL_LAYER_API_VERSION ? sizeof version : sizeof CW_LAYER_NAME;
    if (param_name != CL_LAYER_API_VERSION && param_name != CL_LAYER_NAME)
        return CL_INVALID_VALUE;
    return cw_layer_answer(value, size, param_value_size, param_value, param_value_size_ret);
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
