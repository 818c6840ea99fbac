/* sched.h - everything of the scheduling library that its users need, in one header:
 *
 *     #include <clweave/sched.h>          cc program.c $(pkg-config --cflags --libs clweave-sched)
 *
 * graph.h and platform.h hold the input, policy.h the planners, schedule.h the result, metrics.h and bounds.h
 * its quality, generate.h graphs to try; groups.h puts the tiles of launches in an order for the cache;
 * simulate.h says how a schedule fares in a less orderly world. README.md beside it shows how to use them and
 * how to add a policy. */
#ifndef CW_SCHED_H
#define CW_SCHED_H

#include "bounds.h"
#include "generate.h"
#include "graph.h"
#include "groups.h"
#include "metrics.h"
#include "platform.h"
#include "policy.h"
#include "schedule.h"
#include "simulate.h"
#include "status.h"

#endif
