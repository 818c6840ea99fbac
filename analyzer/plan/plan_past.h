/* plan_past.h - the times of earlier runs, for plans of a trace: the history that `clweave run` keeps, and
 * other traces of the program that have device times.
 *
 * Which of the history's entries are of the very launches of the trace it cannot say, and traces of the same
 * input are no predictions: other sizes of the kernel are asked, by regression (history.h) over the launch's
 * operations where models of both say how many those are, else over work-items. Belongs to one thread. */
#ifndef CW_PLAN_PAST_H
#define CW_PLAN_PAST_H

#include "launch_parts.h"

struct cw_plan_past;

/* Empty; NULL: out of memory. */
struct cw_plan_past *cw_plan_past_create(void);
void cw_plan_past_destroy(struct cw_plan_past *past); /* NULL allowed */

/* True for a file that cw_plan_past_add_history reads. */
bool cw_plan_past_is_history(const char *path);

/* Adds the times that `clweave run --history` keeps. Errors: those of cw_history_load. */
enum cw_status cw_plan_past_add_history(struct cw_plan_past *past, const char *path, struct cw_error *err);

/* Adds the launches of `t` that have device times. parts: the models of its kernels; NULL: none. Returns how
 * many. */
size_t cw_plan_past_add_trace(struct cw_plan_past *past, const struct cw_trace *t,
                              struct cw_launch_parts *parts);

/* The time that the launch `c` takes on the device of `t` that it was enqueued to. parts: as above. False:
 * too little is known of its kernel. */
bool cw_plan_past_predict(struct cw_plan_past *past, const struct cw_trace *t, struct cw_launch_parts *parts,
                          const struct cw_command *c, double *ns);

#endif
