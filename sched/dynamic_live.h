/* dynamic_live.h - dynamic policies in a world where things do not take what they should (plan->world): what
 * devices were given, when that really ends, and when a policy, which does not know, has to expect it. For
 * dynamic.c only.
 *
 * Thread-safety: none. */
#ifndef CW_DYNAMIC_LIVE_H
#define CW_DYNAMIC_LIVE_H

#include "world.h"

struct cw_dynamic;

struct cw_dynamic_live {
    struct cw_live_task {
        double begin, end; /* really; of a task that a death ends: until then */
        uint32_t next;     /* what the device was given after it */
    } * task;
    struct cw_live_device {
        double avail;         /* when it is really done with all that it was given */
        uint32_t first, last; /* what it is not done with; CW_SCHED_NONE: nothing */
    } * device;
};

/* Errors: CW_ERR_NOMEM; finish is due either way. */
enum cw_status cw_dynamic_live_init(struct cw_dynamic_live *l, uint32_t tasks, uint32_t devices,
                                    struct cw_error *err);
void cw_dynamic_live_finish(struct cw_dynamic_live *l);

/* True when `device` has not died by now. */
bool cw_dynamic_live_is_alive(const struct cw_dynamic *d, uint32_t device);

/* When `device` should be done with what it was given: what runs, if it takes what was planned and at least
 * until now, then the rest. O(what it was given and has not done). */
double cw_dynamic_live_expect(const struct cw_dynamic *d, uint32_t device);

/* `task` goes to `device` now. Returns true and when it runs in *choice, or false when the device dies first:
 * then the task is lost at choice->finish. */
bool cw_dynamic_live_give(struct cw_dynamic *d, uint32_t task, uint32_t device, struct cw_choice *choice);

#endif
