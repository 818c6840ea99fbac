/* ops.h - how many operations the work-items of a launch do: an estimate for cost models.
 *
 * Loops are counted by their tests, with the launch's sizes and scalars; conditions by the share of
 * work-items and iterations for which they hold. Of a large launch a few work-groups are looked at. */
#ifndef CW_FOOTPRINT_OPS_H
#define CW_FOOTPRINT_OPS_H

#include "eval.h"

struct cw_ops_counts {
    double per_item[CW_OPS]; /* the mean over the work-items of the launch */
    bool sure;               /* no condition was taken as true because it depends on data */
    int unknown_loops;       /* loops whose length is not known: counted as if they ran once */
};

/* Counts for `launch`. `e` is an evaluator of `m` (eval.h). Takes tens of microseconds: callers remember it
 * by the launch's shape. */
void cw_ops_count(const struct cw_model *m, struct cw_eval *e, const struct cw_launch *launch,
                  struct cw_ops_counts *counts);

enum { CW_OPS_BOXES = 20000 }; /* for one launch: enough for triangles over thousands of rows */

/* Counts them exactly. Returns NULL, or why they are not known: data or conditions that are not linear decide
 * (static text; *floats then means nothing). *left: how many boxes may still be evaluated, microseconds each;
 * what is used up is taken off. `e` as above. */
const char *cw_ops_floats(const struct cw_model *m, struct cw_eval *e, const struct cw_launch *launch,
                          int64_t *left, struct cw_ops_floats *floats);

/* How many operations the launch does at most, for any data: as if all conditions but those of loops were
 * true. INFINITY when some loop has no bound that sizes, scalars and types give. `e` as above. Tens of
 * microseconds. */
double cw_ops_most(const struct cw_model *m, struct cw_eval *e, const struct cw_launch *launch);

/* "integer", "single fma" ... */
const char *cw_ops_name(enum cw_op op);

#endif
