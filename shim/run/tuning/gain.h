/* gain.h - the measured gain of plans. A span is the time from the closing of a planned window to the end
 * of the last command of it and of every window that closed meanwhile. The time of these commands
 * at home, one after the other, is the sum of their mean times in the history, with the standard errors
 * added up, as launches of one kernel err together. Spans of which that is not known, or in which anything
 * else ran on the program's queues, are not judged.
 *
 * On the virtual clock nothing is measured: there the plans' makespan is held against the modelled one. Time
 * in which the windows of several plans run counts once.
 *
 * Lock held in all of them. */
#ifndef CW_RUN_GAIN_H
#define CW_RUN_GAIN_H

#include "../core/types.h"

struct cw_run_gain_window {
    struct cw_run_task *first; /* linked by window_next */
    double home_ns, error_ns;
    double plan_ns; /* by the plan, from now; 0: there is none */
    bool known;     /* home_ns and error_ns are */
    bool acted;     /* something was moved, reordered or cut; else it only counts within a span */
};

/* The planner's figures for a window's tasks: tasks x workers, row by row, of cost and error; the worker
 * that is home and, for launches that are sent elsewhere to be measured, the one. */
struct cw_run_gain_prices {
    const uint32_t *home, *trial;
    const double *cost_ns, *error_ns;
    uint32_t workers;
};

/* Fills *g, but `acted`, for a window of `count` tasks. */
void cw_run_gain_expect(struct cw_run_gain_window *g, struct cw_run_task *const *task, uint32_t count,
                        const struct cw_run_gain_prices *prices);

/* The window is going to run. */
void cw_run_gain_window(const struct cw_run_gain_window *w);

/* `t`, a command with `gauged` set, is over. */
void cw_run_gain_done(const struct cw_run_task *t);

/* Something runs that is in no such window. */
void cw_run_gain_spoilt(void);

/* A line for the summary, with its end of line; 0: no window was planned. Returns its length. */
int cw_run_gain_describe(char *text, unsigned size);

#endif
