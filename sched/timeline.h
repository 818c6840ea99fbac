/* timeline.h - when one device is busy, and the first moment it is free for long enough.
 *
 * The idle gaps before the last busy moment are kept in a treap ordered by time, each node knowing the
 * longest gap beneath it, so that the insertion-based search of HEFT costs O(log gaps) instead of a scan of
 * the device's tasks. Everything at or after `avail` is idle.
 *
 * Thread-safety: none. */
#ifndef CW_TIMELINE_H
#define CW_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "api.h"

CW_API_BEGIN

struct cw_gap {
    double start, end;
    double longest; /* upper bound of the lengths in this subtree, see timeline.c */
    uint32_t left, right;
    uint32_t priority; /* heap order of the treap */
};

struct cw_timeline {
    double avail; /* the last busy moment's end; 0 when nothing is placed */
    struct cw_gap *gap;
    uint32_t root, gaps, capacity, unused; /* unused: list of free nodes through `left` */
    uint32_t seed;                         /* of the priorities; fixed, so that runs repeat */
};

/* An empty timeline: idle from 0 on. Nothing is allocated yet. */
void cw_timeline_init(struct cw_timeline *t);
void cw_timeline_finish(struct cw_timeline *t);

/* The first s >= ready such that [s, s + length) is idle. length 0 fits everywhere: s = ready. */
double cw_timeline_first_fit(const struct cw_timeline *t, double ready, double length);

/* True when [start, end) is idle; an empty interval always is. */
bool cw_timeline_is_idle(const struct cw_timeline *t, double start, double end);

/* The least s <= end such that [s, end) is idle; s = end when the device is busy just before `end`. */
double cw_timeline_idle_since(const struct cw_timeline *t, double end);

/* Marks [start, end) busy. An empty interval changes nothing. Returns false, changing nothing, when it is not
 * idle or memory is out (the two cannot be confused by a caller that got `start` from first_fit). */
bool cw_timeline_place(struct cw_timeline *t, double start, double end);

/* Undoes cw_timeline_place(start, end): marks [start, end) idle again; the exact interval must have been
 * placed. Returns false when memory is out. */
bool cw_timeline_remove(struct cw_timeline *t, double start, double end);

CW_API_END

#endif
