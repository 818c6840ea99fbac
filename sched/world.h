/* world.h - a world less orderly than plans take it to be, for simulate.c (plans made before) and dynamic.c
 * (policies that decide as events happen). simulate.h defines noise, contention and failures. Not public.
 *
 * Thread-safety: none; a world belongs to one simulation. */
#ifndef CW_WORLD_H
#define CW_WORLD_H

#include "simulate.h"

struct cw_world {
    const struct cw_platform *platform;
    const struct cw_simulate_options *options;
    struct cw_simulate_result *result; /* counts waited, moved, lost as they happen */
    double *dies;                      /* per device: when it does; INFINITY: never */
    double *link; /* devices x devices, by first device of each memory: when it is free again */
};

/* A world at time 0; `o` and `r`, which is zeroed, must outlive it. Errors: CW_ERR_INVALID (an option out of
 * its range), CW_ERR_NOMEM; the world is then empty. */
enum cw_status cw_world_init(struct cw_world *w, const struct cw_platform *p,
                             const struct cw_simulate_options *o, struct cw_simulate_result *r,
                             struct cw_error *err);
void cw_world_finish(struct cw_world *w); /* safe on a zeroed struct */

/* The real time of a planned `length` of `task` on `device`: the same for every caller, at any time.
 */
double cw_world_length(const struct cw_world *w, double length, uint32_t task, uint32_t device);

/* When `data`, at hand on device `from` since `since`, are on device `to`. `book`: the link is used, and
 * waiting counted. */
double cw_world_arrival(struct cw_world *w, double data, uint32_t from, uint32_t to, double since, bool book);

/* Writes makespan and the number of deaths before it into the result. */
void cw_world_end(struct cw_world *w, double makespan);

#endif
