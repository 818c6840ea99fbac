/* first_launches.h - how long devices and the host presumably waited for the vendor's compiler.
 *
 * Many vendors compile a kernel when it is launched first: between its submission and its start. No trace
 * says so, but it shows: the device was free, all that the launch depends on was over, and yet it began much
 * later than later launches of that device do. Others compile inside the call that enqueues it, which then
 * takes much longer than later ones. The result is a presumption: other reasons are possible. */
#ifndef CW_FIRST_LAUNCHES_H
#define CW_FIRST_LAUNCHES_H

#include "../record/trace.h"

/* A time in which something was presumably compiled, on the host's clock (device_clock.h). */
struct cw_first_gap {
    int64_t begin, end;
};

struct cw_first_launches {
    uint64_t count;     /* first launches of a kernel (program and name) on a device that began that late */
    uint64_t late_ns;   /* devices were held up by them; summed over devices */
    uint64_t waited_ns; /* at least one host thread was in a call that waits for commands meanwhile */
    uint64_t calls, call_ns;   /* enqueues of first launches that took that long, and their times */
    struct cw_first_gap *gaps; /* of both kinds; owned. Those of late starts do not overlap each other */
    size_t gap_count;
};

/* A start is late from this on, and from so many times the mean of later launches on the device. */
enum { CW_FIRST_LATE_NS = 1000000, CW_FIRST_LATE_TIMES = 8 };

/* The same holds for calls; where there are no later ones, they take long from this on. */
enum { CW_FIRST_CALL_NS = 10000000 };

/* Fills `f`; finish it in any case. Late starts are 0 without device times, and for devices without later
 * launches, of which nothing can be said. Uses t->edges. CW_ERR_NOMEM. O(commands log commands + edges).
 * Thread-safety: reads `t` only. */
enum cw_status cw_first_launches_find(struct cw_first_launches *f, const struct cw_trace *t,
                                      struct cw_error *err);
void cw_first_launches_finish(struct cw_first_launches *f); /* safe on a zeroed struct */

#endif
