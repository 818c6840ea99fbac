/* plan_past.c - see plan_graph.h. */
#include "plan_graph.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../history/history.h"
#include "../history/history_store.h"

#define BY_OPERATIONS                                                                                        \
    UINT64_C(0x6f70657261746573) /* changes a kernel's key: entries whose size is operations */

struct cw_plan_past {
    struct cw_history *history;
};

struct cw_plan_past *cw_plan_past_create(void)
{
    struct cw_plan_past *past = calloc(1, sizeof *past);

    if (past)
        past->history = cw_history_create();
    if (past && past->history)
        return past;
    free(past);
    return NULL;
}

void cw_plan_past_destroy(struct cw_plan_past *past)
{
    if (past)
        cw_history_destroy(past->history);
    free(past);
}

bool cw_plan_past_is_history(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char begin[sizeof magic] = "";
    struct stat st;
    FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rbe")
                                                          : NULL; /* the bytes read from a pipe are gone */
    bool is = f && fread(begin, 1, sizeof magic, f) == sizeof magic && !memcmp(begin, magic, sizeof magic);

    if (f)
        fclose(f);
    return is;
}

enum cw_status cw_plan_past_add_history(struct cw_plan_past *past, const char *path, struct cw_error *err)
{
    return cw_history_load(past->history, path, err);
}

/* ---- launches */

struct named {
    struct cw_key kernel;
    char device[64];
    double items, operations; /* operations 0: not known */
};

/* By which name run mode knows the device: its worker's without number, and its compute units. */
static void name_device(const struct cw_t_device *d, char *name, size_t size)
{
    const char *what = d->type & CL_DEVICE_TYPE_CPU           ? "cpu"
                       : d->type & CL_DEVICE_TYPE_GPU         ? "gpu"
                       : d->type & CL_DEVICE_TYPE_ACCELERATOR ? "dsp"
                                                              : "other";

    snprintf(name, size, "%s %u", what, (unsigned)d->compute_units);
}

static double count(struct cw_launch_parts *parts, const struct cw_command *c, double items)
{
    struct cw_work_ops ops;
    double each = 0;

    if (!parts || !cw_launch_parts_ops(parts, c, &ops))
        return 0;
    for (int k = 0; k < CW_OPS; k++)
        each += k == CW_OP_LOAD_BYTES || k == CW_OP_STORE_BYTES ? 0 : ops.per_item[k];
    return each * items;
}

/* False: it is an unknown launch. */
static bool name_launch(const struct cw_trace *t, struct cw_launch_parts *parts, const struct cw_command *c,
                        struct named *n)
{
    uint32_t program = c->kernel < t->kernels.count ? t->kernels.v[c->kernel].program : CW_NONE;
    uint32_t device = c->queue < t->queues.count ? t->queues.v[c->queue].device : CW_NONE;
    const struct cw_t_program *p = program < t->programs.count ? &t->programs.v[program] : NULL;

    if (!cw_work_is_kernel(c) || !p || !p->source || !t->kernels.v[c->kernel].name ||
        device >= t->devices.count)
        return false;
    n->kernel = cw_history_kernel(cw_history_program(p->source, p->options), t->kernels.v[c->kernel].name);
    n->items = (double)c->global_size[0] * (double)c->global_size[1] * (double)c->global_size[2];
    n->operations = count(parts, c, n->items);
    name_device(&t->devices.v[device], n->device, sizeof n->device);
    return true;
}

/* Launches of one size are alike. */
static uint64_t shape_of(double size)
{
    uint64_t bits;

    memcpy(&bits, &size, sizeof bits);
    return bits | 1;
}

size_t cw_plan_past_add_trace(struct cw_plan_past *past, const struct cw_trace *t,
                              struct cw_launch_parts *parts)
{
    size_t added = 0;

    for (size_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *c = &t->commands.v[i];
        double ns = (double)c->end_ns - (double)c->start_ns;
        struct named n;
        uint32_t device;

        if (c->status != 0 || !c->start_ns || !(ns > 0) || !name_launch(t, parts, c, &n))
            continue;
        device = cw_history_device(past->history, n.device);
        cw_history_add(past->history, n.kernel, shape_of(n.items), device, n.items, ns);
        if (n.operations > 0)
            cw_history_add(past->history, cw_key_as(n.kernel, BY_OPERATIONS), shape_of(n.operations), device,
                           n.operations, ns);
        added++;
    }
    return added;
}

static bool ask(struct cw_plan_past *past, struct cw_key kernel, const char *device, double size, double *ns)
{
    uint32_t id = cw_history_device(past->history, device);
    struct cw_history_estimate e;

    if (id == CW_HISTORY_NO_DEVICE)
        return false;
    cw_history_predict(past->history, kernel, 0, size, &id, NULL, 1, &e); /* 0: the shape of no launch */
    *ns = e.mean_ns;
    return e.source == CW_HISTORY_REGRESSION;
}

bool cw_plan_past_predict(struct cw_plan_past *past, const struct cw_trace *t, struct cw_launch_parts *parts,
                          const struct cw_command *c, double *ns)
{
    struct named n;
    char chained[80];

    if (!name_launch(t, parts, c, &n))
        return false;
    snprintf(chained, sizeof chained, "%s chained",
             n.device); /* launches that followed another one at once have entries of their own */
    return (n.operations > 0 && ask(past, cw_key_as(n.kernel, BY_OPERATIONS), n.device, n.operations, ns)) ||
           ask(past, n.kernel, n.device, n.items, ns) || ask(past, n.kernel, chained, n.items, ns);
}
