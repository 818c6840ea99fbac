/* adaptive.h - how large the next part of a shared launch is, and whose: adaptive block and ratio.
 *
 * A launch has W groups (the unit in which it is cut), several devices take parts of it, and how long each
 * part took decides about the next ones. Two ways (algorithm A7):
 *
 *   sync    the patent of Xi'an Jiaotong University on dynamic scheduling in OpenCL co-execution, literally:
 *           blocks of W/n groups at first, each divided by the ratio R_i; when all devices have finished
 *           theirs, R_i := V_i / sum V, and the block doubles, halves or stays by whether the change before
 *           made it faster
 *   async   no barrier between blocks: a device that is early takes from the next. Its part is half of the
 *           device's share of the rest until all finish together (so the last parts are small), at most 2/n
 *           of its share of the whole launch, but long enough to be worth `overhead_ns`. Speeds are those of
 *           a short window of parts, which begins anew when a device's speed has changed. A device's parts
 *           lie side by side, but for the last ones
 *   dispatch  blocks of W/n groups, which nothing changes, by the patent of Jiangnan Institute of Computing
 *           Technology on multi-level masters (A9). A device asks the master of its region for one; a master
 *           that has none asks that of all for one for each of its devices
 *   static  one block of the whole launch, divided by the ratio as it was given, which nothing changes: what
 *           the others are compared with
 *
 * Between launches a controller keeps the measured speeds: one for each kernel and shape. A
 * measured speed may come from a bad moment of a busy machine, so a device that is too slow to have a part of
 * launches is asked again, after 2, 4, 8 ... of them, by one group (adaptive.c).
 *
 * Reads no clock, starts no thread, allocates nothing after cw_adaptive_create. Every call is O(devices^2) at
 * most. Deterministic in its calls. Thread-safety: none; the caller's lock. Times are ns. */
#ifndef CW_ADAPTIVE_H
#define CW_ADAPTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "status.h"

enum cw_adaptive_mode { CW_ADAPTIVE_ASYNC, CW_ADAPTIVE_SYNC, CW_ADAPTIVE_STATIC, CW_ADAPTIVE_DISPATCH };

enum {
    CW_ADAPTIVE_DEVICES = 64,  /* at most */
    CW_ADAPTIVE_WINDOW = 4,    /* parts that a device's speed is the mean of */
    CW_ADAPTIVE_BLOCKS_N = 32, /* n where none is given */
};

struct cw_adaptive_options {
    enum cw_adaptive_mode mode;
    uint32_t blocks_n; /* n; 0: CW_ADAPTIVE_BLOCKS_N */
    /* per device, >= 0, relative to each other; 0: it takes no part. NULL: all the same */
    const double *ratio;
    const uint32_t *region; /* dispatch: of each device, any numbers; NULL: all are in one */
    double overhead_ns;     /* the cost of one more part on a device; 0: none, or not known */
};

/* A part to run: groups [first, first + groups). */
struct cw_adaptive_part {
    uint64_t first, groups; /* answer PART */
    /* answer WAIT: ask again at this time if nothing happens before; UINT64_MAX: no need */
    uint64_t again_ns;
};

enum cw_adaptive_answer {
    CW_ADAPTIVE_PART, /* run it, and report it before the device asks again */
    CW_ADAPTIVE_WAIT, /* nothing for this device now: ask again after any report, loss or leave */
    CW_ADAPTIVE_DONE  /* every group has been reported */
};

struct cw_adaptive;

/* A controller for `devices` (1 .. CW_ADAPTIVE_DEVICES). Copies the options; NULL: the defaults. A ratio that
 * sums to 0 counts as none. NULL: out of memory, or too many devices. The caller destroys it. */
struct cw_adaptive *cw_adaptive_create(uint32_t devices, const struct cw_adaptive_options *options);
void cw_adaptive_destroy(struct cw_adaptive *a); /* NULL allowed */

/* Takes a measurement made elsewhere: `device` has done `groups`, which need not be whole, in `ns`. Nothing
 * happens when either is not above 0. */
void cw_adaptive_know(struct cw_adaptive *a, uint32_t device, double groups, double ns);

/* From now on a group is `factor` > 0 times as much work as before, and known speeds are so much lower. No
 * device holds a part. */
void cw_adaptive_resize(struct cw_adaptive *a, double factor);

/* One more part on `device` costs so much beyond options.overhead_ns: copies to its own memory. Parts there
 * are so long that it is worth it, and what is learnt there is without it. */
void cw_adaptive_costs(struct cw_adaptive *a, uint32_t device, double extra_ns);

/* A launch goes by in which `device` has no part, because of its measured speed (elsewhere, or here). Now and
 * then that is forgotten: its speed is not known then, and when it takes part in a launch the next time it is
 * measured by a single group, however slow it seemed to be. */
void cw_adaptive_pass(struct cw_adaptive *a, uint32_t device);

/* A launch of `groups` begins. Parts that devices still hold of an earlier launch are forgotten. Devices that
 * left it take part again, lost ones do not. */
void cw_adaptive_start(struct cw_adaptive *a, uint64_t groups);

/* The next action of `device`, which holds no part, at `now_ns` (any clock that does not run backwards).
 * async: a device that does not ask after two reports is not counted on until it does. Else every device
 * must ask, or leave, or be lost; a block waits for it. A device that left or is lost gets WAIT, then
 * DONE. */
enum cw_adaptive_answer cw_adaptive_next(struct cw_adaptive *a, uint32_t device, uint64_t now_ns,
                                         struct cw_adaptive_part *part);

/* The part that `device` holds is done and took `ns`; 0: that was not measured, nothing is learnt. Nothing
 * happens when it holds none. */
void cw_adaptive_report(struct cw_adaptive *a, uint32_t device, uint64_t ns);

/* `device` takes no part any more, in this launch (leave) or ever (lost); its part goes back to the tail.
 * When all devices have gone, the caller does the rest: cw_adaptive_rest. */
void cw_adaptive_leave(struct cw_adaptive *a, uint32_t device);
void cw_adaptive_lost(struct cw_adaptive *a, uint32_t device);

/* Takes groups that are neither held nor done, as one part, for a caller that does them itself; call
 * cw_adaptive_rest_done when they are done (before the next one is taken). False: there are none. */
bool cw_adaptive_rest(struct cw_adaptive *a, struct cw_adaptive_part *part);
void cw_adaptive_rest_done(struct cw_adaptive *a);

/* The ratio as it is learnt now: the share of `device`; over all devices that are not lost they sum to 1. */
double cw_adaptive_share(const struct cw_adaptive *a, uint32_t device);

/* Groups per ns of `device` as measured; 0: not measured. */
double cw_adaptive_speed(const struct cw_adaptive *a, uint32_t device);

/* Whether the device is lost. */
bool cw_adaptive_is_lost(const struct cw_adaptive *a, uint32_t device);

/* sync: the groups of the block that runs, or that ran last; else: of the part that was given out last. */
uint64_t cw_adaptive_block(const struct cw_adaptive *a);

/* Reads "3:1:0.5" into `ratio` (room for CW_ADAPTIVE_DEVICES) and their number. Errors: CW_ERR_INVALID. */
enum cw_status cw_adaptive_read_ratio(const char *text, double *ratio, uint32_t *devices,
                                      struct cw_error *err);

#endif
