/* macros.c - see builds/macros.h. */
#include "macros.h"
#include "../door/exit.h"

#include <string.h>

#include "../../analyzer/kernels/source/macro_question.h"
#include "../../analyzer/kernels/source/tested_names.h"
#include "../../analyzer/kernels/source/vendor_compiler.h"
#include "isolated_compiler.h"

static cl_device_id whole_device(cl_device_id device)
{
    cl_device_id parent = NULL;

    while (cw_next.clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL) ==
               CL_SUCCESS &&
           parent)
        device = parent;
    return device;
}

static bool describe(cl_device_id device, char *text, size_t size)
{
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS(cw_next.);

    return cw_vendor_describe(&calls, device, text, size);
}

bool cw_macros_compilers_add(struct cw_run_compilers *c, cl_device_id device)
{
    char one[1400], other[1400];

    device = whole_device(device);
    if (!describe(device, one, sizeof one))
        return false;
    for (size_t i = 0; i < c->n; i++)
        if (c->device[i] == device || (describe(c->device[i], other, sizeof other) && !strcmp(one, other)))
            return true;
    if (c->n == CW_RUN_MACRO_DEVICES)
        return false;
    c->device[c->n++] = device;
    return true;
}

bool cw_macros_compilers_identity(const struct cw_run_compilers *c, char *text, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < c->n; i++) {
        if (!describe(c->device[i], text + used, size - used))
            return false;
        used += strlen(text + used);
    }
    return c->n > 0;
}

struct question {
    cl_device_id device;
    const char *options;
    char *const *names;
    size_t n;
    struct cw_macro_value *values;
    bool good;
};

/* Apart (builds/isolated_compiler.h). */
static void put_question(void *question)
{
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS(cw_next.);
    struct question *q = question;

    q->good = cw_vendor_macros(&calls, q->device, q->options, q->names, q->n, q->values);
}

bool cw_macros_ask(void *data, const char *options, char *const *names, size_t n,
                   struct cw_macro_value *values)
{
    const struct cw_run_compilers *c = data;
    struct cw_macro_value others[CW_TESTED_NAMES_MAX];
    bool good = c->n > 0 && n <= CW_TESTED_NAMES_MAX;

    cw_exit_register(); /* as in workers/worker.c, prepare() */
    for (size_t d = 0; good && d < c->n; d++) {
        struct question q = {c->device[d], options, names, n, d ? others : values, false};

        good = cw_isolated_compiler_call(q.device, put_question, &q) && q.good;
        if (good && d)
            cw_macro_agree(values, others, n);
    }
    cw_exit_register();
    return good;
}
