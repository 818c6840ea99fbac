/* energy_bound.h - a lower bound for alike devices: by energetic reasoning, and by whole numbers. */
#ifndef CW_ENERGY_BOUND_H
#define CW_ENERGY_BOUND_H

#include "graph.h"
#include "platform.h"

enum { CW_ENERGY_TASKS_MAX = 256 };

/* The largest T found such that no schedule of whole tasks ends before T, at least `least`, a bound that
 * holds. Where all costs are whole numbers and nothing travels, every schedule without needless waits ends at
 * one, so that `least` is rounded up. Where besides each task costs the same on all devices and there are at
 * most CW_ENERGY_TASKS_MAX of them, a length T is refuted when in some interval the tasks, each as early or
 * as late as T allows, must do more than the devices can (Fernandez, Bussell, IEEE Trans. Computers C-22(8),
 * 1973, made destructive). O(tasks^3) for each T that is tried, of which there are a few. *bound is set on
 * success. Errors: CW_ERR_NOMEM. */
enum cw_status cw_energy_bound(const struct cw_graph *g, const struct cw_platform *p, double least,
                               double *bound, struct cw_error *err);

#endif
