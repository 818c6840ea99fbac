/* macros.c - see builds/macros.h. */
#include "macros.h"
#include "../door/thread.h"

#include <stdlib.h>
#include <string.h>

#include "../../analyzer/kernels/source/vendor_macros.h"
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

struct question { /* its texts are its own */
    cl_device_id device;
    char *options, **names;
    size_t n;
    struct cw_macro_value *values;
    bool good;
};

static void forget(void *question)
{
    struct question *q = question;

    for (size_t i = 0; q->names && i < q->n; i++)
        free(q->names[i]);
    free(q->names);
    free(q->options);
    free(q->values);
    free(q);
}

/* NULL: memory is out. */
static struct question *question_of(cl_device_id device, const char *options, char *const *names, size_t n)
{
    struct question *q = calloc(1, sizeof *q);
    bool good;

    if (!q)
        return NULL;
    *q = (struct question){
        device, strdup(options), calloc(n + 1, sizeof *names), n, calloc(n + 1, sizeof *q->values), false};
    good = q->options && q->names && q->values;
    for (size_t i = 0; good && i < n; i++)
        good = (q->names[i] = strdup(names[i]));
    if (good)
        return q;
    forget(q);
    return NULL;
}

/* Apart (builds/isolated_compiler.h). */
static void put_question(void *question)
{
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS(cw_next.);
    struct question *q = question;

    q->good = cw_vendor_macros(&calls, q->device, q->options, q->names, q->n, q->values);
}

static bool ask(cl_device_id device, const char *options, char *const *names, size_t n,
                struct cw_macro_value *values)
{
    struct question *q = question_of(device, options, names, n);
    bool good;

    if (!q || !cw_isolated_compiler_call(device, put_question, q, forget))
        return false;
    good = q->good;
    memcpy(values, q->values, n * sizeof *values);
    forget(q);
    return good;
}

bool cw_macros_ask(void *data, const char *options, char *const *names, size_t n,
                   struct cw_macro_value *values)
{
    const struct cw_run_compilers *c = data;
    struct cw_macro_value others[CW_TESTED_NAMES_MAX];
    bool good = c->n > 0 && n <= CW_TESTED_NAMES_MAX;

    cw_exit_register(); /* as in workers/worker.c, prepare() */
    for (size_t d = 0; good && d < c->n; d++) {
        good = ask(c->device[d], options, names, n, d ? others : values);
        if (good && d)
            cw_macro_agree(values, others, n);
    }
    cw_exit_register();
    return good;
}
