/* insidecl.c - an OpenCL layer that stands for a vendor which a signal interrupts: inside a call it raises
 * SIGALRM, and every later call of that thread is a call where a lock of the vendor's is held.
 *
 *   INSIDECL=NAME:N  the N-th call of function NAME on the program's first thread raises the signal
 *
 * A call of a thread that is inside such a call ends the process with status 99. */
#include "../../shim/door/dispatch.h"

#include <CL/cl_layer.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static const struct _cl_icd_dispatch *next;
static struct _cl_icd_dispatch table;
static _Thread_local const char *inside; /* the call that the signal has interrupted */
static char wanted[64];
static unsigned left;

static void enter(const char *name)
{
    if (inside) {
        dprintf(STDERR_FILENO, "insidecl: %s inside %s\n", name, inside);
        _exit(99);
    }
    if (gettid() != getpid() || !left || strcmp(name, wanted) || --left)
        return;
    inside = name;
    raise(SIGALRM);
    inside = NULL;
}

#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    static ret CL_API_CALL inside_##name params                                                              \
    {                                                                                                        \
        enter(#name);                                                                                        \
        return ((__typeof__(&name))next->name)args;                                                          \
    }
#include "../../shim/door/api.inc"

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t room, void *value, size_t *bytes)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;

    if (name != CL_LAYER_API_VERSION || (value && room < sizeof version))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, &version, sizeof version);
    if (bytes)
        *bytes = sizeof version;
    return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *target,
                                      cl_uint *entries_out, const struct _cl_icd_dispatch **out)
{
    const char *call = getenv("INSIDECL");

    if (entries < sizeof table / sizeof(void *))
        return CL_INVALID_VALUE;
    if (call && sscanf(call, "%63[^:]:%u", wanted, &left) != 2)
        return CL_INVALID_VALUE;
    next = target;
    table = *target;
#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    table.name = target->name ? (__typeof__(table.name))inside_##name : NULL;
#include "../../shim/door/api.inc"
    *out = &table;
    *entries_out = sizeof table / sizeof(void *);
    return CL_SUCCESS;
}
