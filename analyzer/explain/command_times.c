/* command_times.c - see command_times.h. */
#include "command_times.h"

#include <stdlib.h>
#include <string.h>

#include "../record/command_facts.h"

static const char *name_of(const struct cw_trace *t, const struct cw_command *k)
{
    return k->kernel < t->kernels.count ? t->kernels.v[k->kernel].name : cw_trace_command_short_name(k->type);
}

static int compare_kinds(const struct cw_trace *t, const struct cw_command *x, const struct cw_command *y)
{
    bool a = x->kernel < t->kernels.count, b = y->kernel < t->kernels.count;
    const char *m = name_of(t, x), *n = name_of(t, y);
    int c = strcmp(m ? m : "", n ? n : "");

    if (a != b || c)
        return c ? c : a - b;
    return x->blocking - y->blocking;
}

static int by_kind(const void *a, const void *b, void *trace)
{
    const struct cw_trace *t = trace;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int c = compare_kinds(t, &t->commands.v[x], &t->commands.v[y]);

    return c ? c : (x > y) - (x < y);
}

/* False: the stage's time is not known. */
static bool stage_of(const struct cw_command *k, enum cw_stage stage, uint64_t *ns)
{
    const uint64_t at[] = {k->call_begin_ns, k->call_end_ns, k->queued_ns,
                           k->submit_ns,     k->start_ns,    k->end_ns};
    static const uint8_t from[] = {0, 2, 3, 4};
    uint64_t begin = at[from[stage]], end = at[from[stage] + 1];

    *ns = end - begin;
    return begin && end >= begin && (stage == CW_STAGE_CALL || cw_command_device_ns(k));
}

/* The row of command[0 .. n-1]; `ns` has room for n. */
static struct cw_command_times_row make_row(const struct cw_trace *t, const uint32_t *command, size_t n,
                                            uint64_t *ns)
{
    const struct cw_command *first = &t->commands.v[command[0]];
    struct cw_command_times_row row = {.name = name_of(t, first),
                                       .kernel = first->kernel < t->kernels.count,
                                       .blocking = first->blocking,
                                       .commands = n};

    for (enum cw_stage s = 0; s < CW_STAGES; s++) {
        size_t known = 0;
        for (size_t i = 0; i < n; i++)
            known += stage_of(&t->commands.v[command[i]], s, &ns[known]);
        row.stage[s] = cw_spread_of(ns, known);
    }
    row.all = cw_estimate_make(t, command, n);
    return row;
}

static int by_weight(const void *a, const void *b)
{
    const struct cw_command_times_row *x = a, *y = b;
    uint64_t m = x->stage[CW_STAGE_RUN].sum, n = y->stage[CW_STAGE_RUN].sum;

    if (m != n)
        return m > n ? -1 : 1;
    if (x->commands != y->commands)
        return x->commands > y->commands ? -1 : 1;
    return strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

enum cw_status cw_command_times_init(struct cw_command_times *k, const struct cw_trace *t,
                                     struct cw_error *err)
{
    uint32_t *command = malloc((t->commands.count + 1) * sizeof *command);
    uint64_t *ns = malloc((t->commands.count + 1) * sizeof *ns);
    size_t n = 0, kinds = 0;

    *k = (struct cw_command_times){0};
    for (uint32_t i = 0; command && i < t->commands.count; i++)
        if (cw_trace_command_is_enqueue(&t->commands.v[i]))
            command[n++] = i;
    if (command)
        qsort_r(command, n, sizeof *command, by_kind, (void *)(uintptr_t)t);
    for (size_t i = 0; i < n; i++)
        kinds += !i || compare_kinds(t, &t->commands.v[command[i - 1]], &t->commands.v[command[i]]) != 0;
    k->rows = command && ns ? malloc((kinds + 1) * sizeof *k->rows) : NULL;
    for (size_t i = 0, next; k->rows && i < n; i = next) {
        for (next = i + 1;
             next < n && !compare_kinds(t, &t->commands.v[command[i]], &t->commands.v[command[next]]);)
            next++;
        k->rows[k->count] = make_row(t, command + i, next - i, ns);
        cw_estimate_add(&k->all, &k->rows[k->count++].all);
    }
    if (k->rows)
        qsort(k->rows, k->count, sizeof *k->rows, by_weight);
    free(command);
    free(ns);
    return k->rows ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "report: out of memory");
}

void cw_command_times_finish(struct cw_command_times *k)
{
    free(k->rows);
    *k = (struct cw_command_times){0};
}
