/* least.h - the least recent duration of a piece of work: other processes only ever make it slower. */
#ifndef CW_RUN_LEAST_H
#define CW_RUN_LEAST_H

#include "thresholds.h"

/* The least of late after a measurement `now` > 0; `least`: before it, 0: none was made. Any unit. Pure. */
static inline double cw_run_least_of_late(double least, double now)
{
    double grown = least * CW_RUN_LEAST_FORGETS;

    return least > 0 && grown < now ? grown : now;
}

#endif
