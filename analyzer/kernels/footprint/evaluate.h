/* evaluate.h - launch files: all their launches and tiles, evaluated and reported. */
#ifndef CW_FOOTPRINT_EVALUATE_H
#define CW_FOOTPRINT_EVALUATE_H

#include "../../../sched/status.h"
#include "model.h"
#include "eval.h"
#include "cut.h"
#include "ops.h"

#include <jansson.h>

/* Finds or makes the model of a kernel: *m is the finder's. CW_ERR_NOTFOUND when there is no such kernel. */
typedef enum cw_status cw_evaluate_find(void *context, const char *kernel, const struct cw_model **m,
                                        struct cw_error *err);

/* Evaluates the launch file at `path` (README.md beside this file) and appends one object per launch to
 * `results`. `time`: adds how long a tile takes. Errors: CW_ERR_FORMAT, with the file's name; CW_ERR_NOMEM;
 * those of `find`. */
enum cw_status cw_evaluate_file(const char *path, cw_evaluate_find *find, void *context, bool time,
                                json_t *results, struct cw_error *err);

/* Launch descriptions in JSON (the file of --eval). */

/* A launch and the memory behind its arguments. */
struct cw_launch_file {
    struct cw_launch launch;
    unsigned char *bytes; /* of scalar arguments */
};

/* Reads {"global":[..],"local":[..],"offset":[..],"args":[..]} for the kernel of `m`. An argument is
 * {"buffer": bytes} (also "allocation": which memory it lies in, a number from 1 on, and "base": where in
 * it), {"image": [sizes in pixels, layers last]},
 * {"scalar": integer or real}, {"bytes": "hexadecimal, memory order"}, {"local": bytes} or null (nothing
 * known). CW_ERR_FORMAT with a message that names the member; CW_ERR_NOMEM. */
enum cw_status cw_evaluate_read_launch(struct cw_launch_file *l, const json_t *j, const struct cw_model *m,
                                       struct cw_error *err);
void cw_evaluate_finish_launch(struct cw_launch_file *l);

/* Models and footprints as JSON. */

/* New references; NULL without memory. The keys are described in README.md beside this file. */
json_t *cw_report_kernel(const struct cw_model *m);
json_t *cw_report_footprint(const struct cw_model *m, const struct cw_arg_footprint *f);

/* Guards as texts. */
json_t *cw_report_conditions(const struct cw_model *m, struct cw_guard_range r);
/* One access: formula, guards, and the statements before a launch. */
json_t *cw_report_access(const struct cw_model *m, const struct cw_access *a);

/* The verdict of a launch, and the one without a launch: {"verdict", "dimension", "contiguous", "reason",
 * "arg", "other_arg", "accesses", "merge"}; without a launch also "certain": whether it holds for every
 * launch. */
json_t *cw_report_cut(const struct cw_model *m, const struct cw_cut_verdict *v);
json_t *cw_report_cut_hope(const struct cw_model *m);

/* The operations of a work-item: in each part of the kernel ([{"guards", "loop", "doubt", "counts"}]), and on
 * the whole in a launch ({"per_item", "sure", "unknown_loops"}). Kinds of operations that do not occur are
 * left out. */
json_t *cw_report_parts(const struct cw_model *m);
json_t *cw_report_work(const struct cw_ops_counts *counts);

#endif
