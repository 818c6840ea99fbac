/* adaptive_internal.h - the state of a controller, shared by its ways. */
#ifndef CW_ADAPTIVE_INTERNAL_H
#define CW_ADAPTIVE_INTERNAL_H

#include "adaptive.h"

#define ADAPTIVE_WORTH 32 /* a part takes at least so many times its overhead: 3 % */

struct adaptive_range {
    uint64_t first, groups;
};

struct adaptive_device {
    double ratio;                      /* R_i; counts until a speed is known */
    double groups[CW_ADAPTIVE_WINDOW]; /* the last parts, a ring */
    double ns[CW_ADAPTIVE_WINDOW];     /* > 0, without overhead */
    uint32_t samples, at;              /* how many of them count; where the next one goes */
    bool lost, left, holds;
    uint32_t passed, patience;  /* launches in a row that it was too slow for; so many, and it is asked again;
                                   0: not yet set */
    bool took, asked;           /* in this launch: it has had a part; it was too slow for one */
    bool reported, looked_at;   /* ever; to be measured by the next report after having been too slow */
    bool held_up;               /* the last part was short and slow, which was not learnt from */
    uint32_t seen;              /* the last event after which it asked */
    struct adaptive_range part; /* when it holds one */
    struct adaptive_range stretch; /* async: the groups of its share that it has not yet taken */
    uint64_t began_ns;
    double extra_ns;       /* of one more part on it, beyond a->overhead_ns */
    uint64_t block_groups; /* sync: its share of the block, taken or not */
    uint64_t block_ns;     /* sync: the time of that block; 0: not measured */
    bool block_open;       /* sync: its share has not been reported */
    bool skipped;          /* sync: the block before was too small to give it anything */
};

struct cw_adaptive {
    enum cw_adaptive_mode mode;
    uint32_t blocks_n, devices;
    double overhead_ns;
    uint64_t groups, done;
    bool began;
    /* groups that are neither held nor done: common ones, those of each device's stretch, and returned ones:
     * each device gives back once in a launch */
    struct adaptive_range common, back[CW_ADAPTIVE_DEVICES + 1];
    uint32_t num_back;
    bool laid_out;     /* stretches are */
    uint64_t rest;     /* held by the caller */
    uint32_t events;   /* start, reports, losses: after each of them every idle device is expected to ask */
    bool event_is_new; /* no device has asked after the last one */
    uint64_t event_ns; /* when a device first asked */
    /* sync */
    uint64_t block, last_block;         /* sizes; 0: none yet */
    double last_speed, this_speed;      /* V of the block before the last one, of the last one; 0: none yet */
    bool growing;                       /* direction of the last change */
    uint32_t blocks;                    /* that have begun in this launch */
    struct adaptive_dispatch *dispatch; /* NULL: another mode */
    struct adaptive_device device[];
};

static inline bool adaptive_counts(const struct adaptive_device *d)
{
    return !d->lost && !d->left && d->ratio > 0;
}

static inline uint64_t adaptive_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The cost of one more part on `d`. */
static inline double adaptive_part_ns(const struct cw_adaptive *a, const struct adaptive_device *d)
{
    return a->overhead_ns + d->extra_ns;
}

/* Groups of a part on `d` that is worth its overhead. */
static inline double adaptive_least_part(const struct cw_adaptive *a, const struct adaptive_device *d,
                                         double speed)
{
    return speed * ADAPTIVE_WORTH * adaptive_part_ns(a, d);
}

/* Groups that are neither held nor done. */
uint64_t cw_adaptive_remaining(const struct cw_adaptive *a);

/* All are free. */
void cw_adaptive_free_all(struct cw_adaptive *a, uint64_t groups);

/* Up to `groups` of those that remain, in one piece; none where none do. */
struct adaptive_range cw_adaptive_take(struct cw_adaptive *a, uint64_t groups);

/* The same for `device`, of its stretch while there are any: up to half as many more then. */
struct adaptive_range cw_adaptive_take_beside(struct cw_adaptive *a, uint32_t device, uint64_t groups);

/* Gives `part` to a device. */
void cw_adaptive_hold(struct cw_adaptive *a, struct adaptive_device *d, struct adaptive_range part,
                      uint64_t now_ns);

/* The speed of each device, groups per ns; those not measured by their ratio to the measured ones. 0: it does
 * not count. False: none is measured, the speeds are the ratios. */
bool cw_adaptive_speeds(const struct cw_adaptive *a, double speed[CW_ADAPTIVE_DEVICES]);

enum cw_adaptive_answer cw_adaptive_next_async(struct cw_adaptive *a, uint32_t device, uint64_t now_ns,
                                               struct cw_adaptive_part *part);
enum cw_adaptive_answer cw_adaptive_next_sync(struct cw_adaptive *a, uint32_t device, uint64_t now_ns,
                                              struct cw_adaptive_part *part);

/* dispatch. Create: false: out of memory. */
bool cw_adaptive_create_dispatch(struct cw_adaptive *a, const uint32_t *region);
void cw_adaptive_destroy_dispatch(struct cw_adaptive *a);
void cw_adaptive_start_dispatch(struct cw_adaptive *a);
enum cw_adaptive_answer cw_adaptive_next_dispatch(struct cw_adaptive *a, uint32_t device, uint64_t now_ns,
                                                  struct cw_adaptive_part *part);
/* The part that the device has held is done. */
void cw_adaptive_done_dispatch(struct cw_adaptive *a, uint32_t device);
/* The device has gone, with or without a part. */
void cw_adaptive_gone_dispatch(struct cw_adaptive *a, uint32_t device);
/* Groups that no device holds and that are not done; takes some of them, in one piece, for the caller. */
uint64_t cw_adaptive_remaining_dispatch(const struct cw_adaptive *a);
struct adaptive_range cw_adaptive_take_dispatch(struct cw_adaptive *a);

void cw_adaptive_start_sync(struct cw_adaptive *a);
/* A share of the block was reported, or its device has gone. */
void cw_adaptive_ended_sync(struct cw_adaptive *a);

#endif
