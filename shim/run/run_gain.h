/* run_gain.h - what plans have really gained. A span is the time from the closing of a planned window to the end of the last
 * command of it and of every window that closed meanwhile. What these commands would have taken at home, one after the other,
 * is what the history says that each takes there, with its standard errors added up, as launches of one kernel err together.
 * Spans of which that is not known, or in which anything else ran on the program's queues, are not judged.
 *
 * Lock held in all of them. */
#ifndef CW_RUN_GAIN_H
#define CW_RUN_GAIN_H

#include "run.h"

struct cw_run_gain_window {
    struct cw_run_task *first; /* linked by window_next */
    double home_ns, error_ns;
    bool known;                /* both are */
    bool acted;                /* something was moved, reordered or cut; else it only counts within a span */
};

/* The window is going to run. */
void cw_run_gain_window(const struct cw_run_gain_window *w);

/* A command with `gauged` set is over. */
void cw_run_gain_done(void);

/* Something runs that is in no such window. */
void cw_run_gain_spoilt(void);

/* A line for the summary, with its end of line; 0: no window was planned. Returns its length. */
int cw_run_gain_describe(char *text, unsigned size);

#endif
