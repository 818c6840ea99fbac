/* history.h - the times of launches: per kernel, shape of the arguments and device, in memory.
 *
 * One entry per (kernel, shape, device): how often, mean, deviation (Welford 1962; two histories merge after
 * Chan, Golub, LeVeque 1983). Per (kernel, device) a regression over size, time = c * size^b, least squares
 * over the logarithms of the shapes' means, as StarPU's history-based models with regression. history_store.h
 * keeps it in SQLite between runs; nothing here touches a file, and a look-up is two probes of a hash table.
 *
 * Kernel: a key of 128 bits of the program's source, its options and the kernel's name, which
 * stands for all of them here: if two were the same, a time would be estimated wrongly, and nothing else.
 * Shape: a hash of the properties that the time depends on and that come again: dimensions, global and local
 * size, bytes of the memory and local arguments; no values that count up from launch to launch. Size: one
 * number that the time grows with, the work-items. Device: a name, equal for devices that are equally fast
 * ("basic" for every PoCL basic device).
 *
 * Samples: the first launch of a kernel often pays for its compilation, so a first sample that is more than 4
 * times the later ones, in this run or in others, is forgotten; later ones count as at most 8 times the mean
 * (a worker that lost its processor). Past samples weigh as at most CW_HISTORY_MEMORY, so that a machine that
 * has changed, or was busy when it was measured, is learnt anew within a run.
 *
 * Thread-safe; the lock is held for a probe of a table, now and then for its growth, never for a file. In the
 * child of a fork only cw_history_destroy may be called, and cw_history_take_fresh, which takes nothing
 * there. */
#ifndef CW_HISTORY_H
#define CW_HISTORY_H

#include "../io/identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CW_HISTORY_NO_DEVICE UINT32_MAX
#define CW_HISTORY_DEVICES   256 /* names at most */
#define CW_HISTORY_MEMORY    64

struct cw_history;

/* Statistics of many samples. */
struct cw_history_stat {
    double count, mean_ns;
    double squares; /* sum of squared deviations from the mean, ns^2 */
};

struct cw_history_entry {
    struct cw_key kernel;
    uint64_t shape;
    uint32_t device;
    double size;
    struct cw_history_stat stored; /* from earlier runs and other processes, or saved already */
    struct cw_history_stat fresh;  /* not saved yet */
};

/* Where an estimate comes from, best first. */
enum cw_history_source {
    CW_HISTORY_EXACT,      /* this shape ran on this device */
    CW_HISTORY_REGRESSION, /* other shapes of this kernel ran on this device; scaled where another one ran
                              this shape */
    CW_HISTORY_GUESS,      /* the kernel ran on another device of the same question */
    CW_HISTORY_NONE        /* nothing is known; mean_ns and error_ns are 0 */
};

struct cw_history_estimate {
    double mean_ns;
    double error_ns; /* one standard error of the mean; a single sample counts as 30 % */
    double count;    /* samples that it rests on */
    enum cw_history_source source;
};

/* An empty history; NULL when memory is out. */
struct cw_history *cw_history_create(void);
void cw_history_destroy(struct cw_history *h); /* NULL allowed */

/* The number of the device called `name`, which is copied; CW_HISTORY_NO_DEVICE when there are too many or
 * memory is out. Not for every launch: it compares strings. */
uint32_t cw_history_device(struct cw_history *h, const char *name);

/* The name of device `device`; NULL when there is none. Lives as long as `h`. */
const char *cw_history_device_name(const struct cw_history *h, uint32_t device);

/* Adds one measurement. A senseless one (ns negative or not a number, no such device), or one without memory
 * for it, is dropped. */
void cw_history_add(struct cw_history *h, struct cw_key kernel, uint64_t shape, uint32_t device, double size,
                    double ns);

/* Estimates one launch on `count` devices: estimate[k] for device[k]. slowness: how many times slower than
 * the first device each is thought to be while nothing is known (for guesses), NULL: 1. O(count). */
void cw_history_predict(struct cw_history *h, struct cw_key kernel, uint64_t shape, double size,
                        const uint32_t *device, const double *slowness, uint32_t count,
                        struct cw_history_estimate *estimate);

/* The time that trials may still cost. A trial is a launch on a device for which the history holds little
 * about it. 5 ms, or 5 % of all time measured so far if that is more, less the time reported to
 * cw_history_tried; may be negative. */
double cw_history_trial_budget_ns(struct cw_history *h);
void cw_history_tried(struct cw_history *h, double ns);

/* ---- for history_store.c */

/* Merges an entry of another history as stored. False when it makes no sense or memory is out. */
bool cw_history_merge(struct cw_history *h, const struct cw_history_entry *entry);

/* Copies all entries with fresh samples to *entry (malloc, the caller's; NULL when there are none), and
 * counts those as stored from now on. Returns how many; SIZE_MAX when memory is out, with nothing changed. */
size_t cw_history_take_fresh(struct cw_history *h, struct cw_history_entry **entry);

/* Entries in all. */
size_t cw_history_entries(struct cw_history *h);

/* Time = c * size^b: least squares over logarithms, kept as sums that points enter and leave
 * in O(1). Thread-safety: none. */

struct cw_history_fit {
    double points, x, y, xx, xy, yy; /* sums over the points, x = log size, y = log time */
    double least, most;              /* x that occurred */
};

/* Adds (sign 1) or removes (sign -1) a point: a shape of `size` > 0 whose mean is `ns` > 0. */
void cw_history_fit_point(struct cw_history_fit *f, double size, double ns, double sign);

/* Predicts the time of `size`. *error: one standard error, by Student's formula for a prediction, with one
 * imaginary residual of 20 % so that two points are not a certainty; b is kept within 0 .. 3. False when the
 * points do not tell: fewer than two sizes and `size` more than eightfold away, or an error beyond threefold.
 */
bool cw_history_fit_predict(const struct cw_history_fit *f, double size, double *ns, double *error);

/* Count, mean and deviation of samples. Used by history.c. Thread-safety: none. */

#define CW_HISTORY_LONGEST_NS                                                                                \
    1e18 /* of a launch, 30 years: more is nonsense, and sums of squares of it would not be finite */

/* False for statistics that cannot come from samples: no count, a negative time, a time beyond
 * CW_HISTORY_LONGEST_NS, no number. */
bool cw_history_stat_sensible(const struct cw_history_stat *s);

/* Merges `more`, which came later, into `into`, which then weighs at most CW_HISTORY_MEMORY samples. A single
 * sample that is more than 4 times the later ones is forgotten. */
void cw_history_stat_merge(struct cw_history_stat *into, const struct cw_history_stat *more);

/* The key by which the history knows a kernel: equal for run mode, which measures, and for
 * later questions about a trace. */

/* A program of this source, built with these options (NULL: none); never nothing's, unless memory is out. */
struct cw_key cw_history_program(const char *source, const char *options);

/* Its kernel called `name`; likewise. */
struct cw_key cw_history_kernel(struct cw_key program, const char *name);

/* ---- what interleaved timings of two configurations say: the median of the pairs' ratios, and
 * how sure it is. Pure; any thread. */

struct cw_pair_interval {
    double median, low, high;
};

/* Of ratios[0 .. n - 1], n > 0, which this sorts: the median, and the order statistics around it that cover
 * the true median with 95 % whatever the distribution; with fewer than 6 ratios the extremes, which cover
 * it with 1 - 2^(1 - n). */
struct cw_pair_interval cw_pair_ratios_interval(double *ratios, size_t n);

/* Of values[0 .. n - 1], n > 0, which this sorts. */
double cw_pair_ratios_median(double *values, size_t n);

#endif
