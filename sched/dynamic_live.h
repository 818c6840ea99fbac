/* dynamic_live.h - dynamic policies in a world where things do not take what they should (plan->world): the
 * tasks of devices, their real ends, and the ends that a policy, which does not know these, has to expect.
 * For dynamic.c only.
 *
 * Thread-safety: none. */
#ifndef CW_DYNAMIC_LIVE_H
#define CW_DYNAMIC_LIVE_H

#include "world.h"

struct cw_dynamic;

struct cw_dynamic_live {
    struct cw_live_task {
        double begin, end; /* really; of a task that a death ends: until then */
        uint32_t next;     /* the next task of the device */
    } * task;
    struct cw_live_device {
        double avail;         /* when it is really done with all that it was given */
        uint32_t first, last; /* the tasks that it has not finished; CW_SCHED_NONE: none */
    } * device;
};

/* Errors: CW_ERR_NOMEM; finish is due either way. */
enum cw_status cw_dynamic_live_init(struct cw_dynamic_live *l, uint32_t tasks, uint32_t devices,
                                    struct cw_error *err);
void cw_dynamic_live_finish(struct cw_dynamic_live *l);

/* True when `device` has not died by now. */
bool cw_dynamic_live_is_alive(const struct cw_dynamic *d, uint32_t device);

/* When `device` should finish the tasks assigned to it: the running one after its planned time, at least
 * until now, then the rest. O(unfinished tasks of the device). */
double cw_dynamic_live_expect(const struct cw_dynamic *d, uint32_t device);

/* `task` goes to `device` now. Returns true and when it runs in *choice, or false when the device dies first:
 * then the task is lost at choice->finish. */
bool cw_dynamic_live_give(struct cw_dynamic *d, uint32_t task, uint32_t device, struct cw_choice *choice);

#endif
