/* dynamic_class.h - eager within the devices of one class, for cpu-only, gpu-only and dsp-only. */
#ifndef CW_DYNAMIC_CLASS_H
#define CW_DYNAMIC_CLASS_H

#include "plan.h"

/* Places the tasks that are not placed yet by one queue in order of rank_u, from which idle devices of class
 * `name` take; of several idle ones a random one first. A task that none of them can run may go to any
 * device; the schedule's note then says how many. Errors: those of cw_dynamic_plan. */
enum cw_status cw_dynamic_plan_class(struct cw_plan *plan, const char *name, struct cw_error *err);

#endif
