/* compare.h - shared by the parts of clweave compare: its options, the results, and their output. */
#ifndef CW_COMPARE_H
#define CW_COMPARE_H

#include "../io/table.h"
#include "../plan/plan_result.h"
#include "plan_source.h"

struct cw_compare_options {
    struct cw_cli_list policies, platforms, seeds;
    const char *host_waits, *each, *out, *format, *csv, *json, *plot, *lp, *checkpoint;
    int64_t dsp, processors, jobs, workers;
    bool check, times, farm, resume;
};

/* One cell: an input under a policy. */
struct cw_compare_cell {
    double makespan, bound, slr, speedup, efficiency, nsl, seconds;
    enum cw_bound_kind kind; /* of the bound */
    bool noted;              /* the schedule came with a note */
};

/* A graph for a platform, planned by policies with a seed. */
struct cw_compare_input {
    char *graph;
    const char *platform; /* NULL: the graph's own devices */
    uint64_t seed;
};

struct cw_compare {
    const struct cw_compare_options *o;
    struct cw_policy_args policies;
    struct cw_compare_input *input; /* graphs x platforms x seeds */
    size_t inputs, graphs;
    uint32_t processors;
    uint32_t *tasks;              /* per input */
    struct cw_compare_cell *cell; /* inputs x policies */
};

static inline const struct cw_compare_cell *cw_compare_cell(const struct cw_compare *c, size_t file,
                                                            size_t policy)
{
    return &c->cell[file * c->policies.count + policy];
}

/* The shortest schedule of a file. */
double cw_compare_best(const struct cw_compare *c, size_t file);

/* The same by a farm, a task per file, kept in a checkpoint. `put` writes the results when all are there:
 * false, after a message, when it cannot. Returns an exit status, after a message where it is not 0. */
int cw_compare_farm(struct cw_compare *c, bool (*put)(const struct cw_compare *c));

/* The table for people, to standard output. */
void cw_compare_print(const struct cw_compare *c);

/* A row per file and policy, written to `path` as io/table.h has it. CW_ERR_INVALID, CW_ERR_IO,
 * CW_ERR_NOMEM. */
enum cw_status cw_compare_table(const struct cw_compare *c, const char *path, enum cw_table_form form,
                                struct cw_error *err);

/* A JSON object. Errors of `f` are found by the caller. */
void cw_compare_json(const struct cw_compare *c, FILE *f);

/* CW_ERR_INVALID: `path` ends neither in .svg nor in .png. */
enum cw_status cw_compare_plot_check(const char *path, struct cw_error *err);

/* Draws, by gnuplot, how makespans lie over the best of their graph: for each policy the share of graphs
 * within a factor. `path` ends in .svg or .png. Errors: CW_ERR_UNSUPPORTED (no gnuplot), CW_ERR_IO. */
enum cw_status cw_compare_plot(const struct cw_compare *c, const char *path, struct cw_error *err);

#endif
