/* plan_print.c - plans as tables for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../plan/plan_result.h"

enum { TASK_LIST_MAX = 40, WIDTH_MAX = 100, NAME_MAX_SHOWN = 24, BLOCKS_MAX = 8 };

/* "2.47", or "-" where the figure is not defined. */
static const char *figure(double x, char *text, size_t size)
{
    if (isnan(x))
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%.2f", x);
    return text;
}

static uint32_t shared_tasks(const struct cw_schedule *s)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->tasks; i++)
        n += s->task[i].parts > 1;
    return n;
}

/* "1 cpu + 4 dsp" */
static void print_classes(FILE *f, const struct cw_platform *p)
{
    const char *separator = "";

    for (uint32_t d = 0; d < p->devices; d++) {
        uint32_t n = 0, first = d;
        for (uint32_t k = 0; k < p->devices; k++) {
            bool same = p->device[k].class_id == p->device[d].class_id;
            first = same && k < first ? k : first;
            n += same;
        }
        if (first == d) {
            fprintf(f, "%s%u %s", separator, n, p->device[d].class_name);
            separator = " + ";
        }
    }
}

static void print_head(FILE *f, const struct cw_plan_input *input)
{
    fprintf(f, "%s: %u %s, %u dependences, planned for ", input->file, cw_plan_work_tasks(input),
            input->trace ? "commands" : "tasks", input->graph->edges);
    if (input->platform_name)
        fprintf(f, "%s: ", input->platform_name);
    print_classes(f, input->platform);
    fputs("\n\n", f);
}

static int label_width(const struct cw_plan_result *r, size_t count)
{
    size_t width = 8;

    for (size_t k = 0; k < count; k++)
        width = strlen(r[k].label) > width ? strlen(r[k].label) : width;
    return (int)width;
}

static void print_figures(FILE *f, const struct cw_plan_input *input, const struct cw_plan_result *r,
                          size_t count)
{
    int width = label_width(r, count);
    double like = r[0].metrics.makespan;
    char a[32], b[32], c[32], d[32], e[32], g[32];

    fprintf(f, "%-*s  %11s  %11s  %7s  %7s  %7s  %7s  %7s\n", width, "policy", "makespan", "lower bound",
            "SLR", "NSL", "speedup", "effic.", "shared");
    for (size_t k = 0; k < count; k++) {
        const struct cw_metrics *m = &r[k].metrics;
        fprintf(f, "%-*s  %11s  %11s  %7s  %7s  %7s  %7s  %7u\n", width, r[k].label,
                cw_plan_time(input, m->makespan, like, a, sizeof a),
                cw_plan_time(input, r[k].bound.best, like, b, sizeof b), figure(m->slr, c, sizeof c),
                figure(m->nsl, d, sizeof d), figure(m->speedup, e, sizeof e),
                figure(m->efficiency, g, sizeof g), shared_tasks(r[k].schedule));
    }
}

/* One line per way of sharing that a policy has: all its bounds. */
static void print_bounds(FILE *f, const struct cw_plan_input *input, const struct cw_plan_result *r,
                         size_t count)
{
    static const char *const title[] = {"whole tasks", "shared in a class", "shared by all"};
    double like = r[0].metrics.makespan;
    const char *skipped = NULL;
    char a[32], b[32], c[32], d[32];

    fprintf(f, "\n%-17s  %13s  %11s  %11s  %11s\n", "lower bounds", "critical path", "OCT", "area", "LP");
    for (int way = CW_SHARE_NEVER; way <= CW_SHARE_ALL; way++) {
        size_t k = 0;
        while (k < count && (int)cw_policy_sharing(&r[k].config) != way)
            k++;
        if (k == count)
            continue;
        fprintf(f, "%-17s  %13s  %11s  %11s  %11s\n", title[way],
                cw_plan_time(input, r[k].metrics.bounds.critical_path, like, a, sizeof a),
                way ? "-" : cw_plan_time(input, r[k].metrics.bounds.oct, like, b, sizeof b),
                cw_plan_time(input, r[k].metrics.bounds.area, like, c, sizeof c),
                r[k].bound.lp.solved ? cw_plan_time(input, r[k].bound.lp.bound, like, d, sizeof d) : "-");
        skipped = r[k].bound.lp.solved ? skipped : r[k].bound.lp.reason;
    }
    if (skipped)
        fprintf(f, "(LP was left out: %s)\n", skipped);
}

static int device_width(const struct cw_device *d)
{
    int n = (int)strlen(d->name);

    return n < 5 ? 5 : n > NAME_MAX_SHOWN ? NAME_MAX_SHOWN : n;
}

/* One block: a row per plan, a column per device of first .. last - 1: how much of the makespan it works. */
static void print_use_block(FILE *f, const struct cw_plan_input *input, const struct cw_plan_result *r,
                            size_t count, uint32_t first, uint32_t last)
{
    const struct cw_device *device = input->platform->device;
    int width = label_width(r, count);

    fprintf(f, "\n%-*s", width, "busy");
    for (uint32_t d = first; d < last; d++)
        fprintf(f, "  %*.*s", device_width(&device[d]), NAME_MAX_SHOWN, device[d].name);
    fputc('\n', f);
    for (size_t k = 0; k < count; k++) {
        fprintf(f, "%-*s", width, r[k].label);
        for (uint32_t d = first; d < last; d++)
            fprintf(f, "  %*.0f %%", device_width(&device[d]) - 2, 100 * r[k].metrics.utilisation[d]);
        fputc('\n', f);
    }
}

/* As many blocks as the devices need on lines of WIDTH_MAX; of very wide machines only the beginning. */
static void print_use(FILE *f, const struct cw_plan_input *input, const struct cw_plan_result *r,
                      size_t count)
{
    const struct cw_platform *p = input->platform;
    uint32_t first = 0;

    for (int block = 0; block < BLOCKS_MAX && first < p->devices; block++) {
        uint32_t last = first;
        int used = label_width(r, count);
        while (last < p->devices && (last == first || used + 2 + device_width(&p->device[last]) <= WIDTH_MAX))
            used += 2 + device_width(&p->device[last++]);
        print_use_block(f, input, r, count, first, last);
        first = last;
    }
    if (first < p->devices)
        fprintf(f, "(and %u more devices; --json lists all)\n", p->devices - first);
}

static enum cw_status print_tasks(FILE *f, const struct cw_plan_input *input, const struct cw_plan_result *r)
{
    const struct cw_graph *g = input->graph;
    uint32_t *order = malloc((g->tasks + 1) * sizeof *order), n = 0;
    double like = r->metrics.makespan;
    char start[32], finish[32];

    if (!order || cw_plan_result_order(r, input, order, &n, NULL) != CW_OK) {
        free(order);
        return CW_ERR_NOMEM;
    }
    if (n <= TASK_LIST_MAX)
        fprintf(f, "\n%11s  %11s  %-28s %s\n", "start", "finish", input->trace ? "command" : "task",
                "device (work-groups)");
    for (uint32_t k = 0; k < n && n <= TASK_LIST_MAX; k++) {
        uint32_t i = order[k];
        const char *name = cw_graph_name(g, i);
        fprintf(f, "%11s  %11s  %4u %-23.40s",
                cw_plan_time(input, r->schedule->task[i].start, like, start, sizeof start),
                cw_plan_time(input, r->schedule->task[i].finish, like, finish, sizeof finish),
                input->trace ? cw_trace_command_number(input->trace, i) : i, name ? name : "");
        for (uint32_t a = 0; a < r->schedule->task[i].parts; a++) {
            struct cw_part part = cw_schedule_part(r->schedule, g, i, a);
            fprintf(f, " %s", input->platform->device[part.device].name);
            if (part.groups && r->schedule->task[i].parts > 1)
                fprintf(f, "(%llu)", (unsigned long long)part.groups);
        }
        fputc('\n', f);
    }
    free(order);
    return CW_OK;
}

void cw_plan_result_print(FILE *f, const struct cw_plan_input *input, const struct cw_plan_result *r,
                          size_t count)
{
    print_head(f, input);
    print_figures(f, input, r, count);
    print_bounds(f, input, r, count);
    print_use(f, input, r, count);
    if (count == 1)
        print_tasks(f, input, r);
    for (size_t k = 0; k < count; k++)
        if (*r[k].schedule->note)
            fprintf(f, "\nnote: %s\n", r[k].schedule->note);
}
