/* explain.h - helpers of the folder: places in the code, clocks, sets of intervals. */
#ifndef CW_EXPLAIN_H
#define CW_EXPLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "../record/trace.h"

/* Names of addresses in the traced program's code: source file and line where the program has
 * debug information (by libdw, loaded at run time), else function or module.
 *
 * The modules are read as they are on this machine now; nothing is asked for over the network. Thread-safety:
 * an object belongs to one thread. */

struct cw_code_places; /* opaque */

/* For the modules of `t`, which must outlive it. NULL: out of memory. Opens no file yet. */
struct cw_code_places *cw_code_places_create(const struct cw_trace *t);
void cw_code_places_destroy(struct cw_code_places *p); /* NULL allowed */

enum { CW_CODE_PLACES_TEXT = 120 };

/* The place of the innermost call of `callsite`, in `text`, which is returned: "main.c:57", "main+0x1b",
 * "app+0x11b"; "" where nothing is known. NULL allowed for `p`. */
const char *cw_code_places_name(struct cw_code_places *p, struct cw_slice callsite,
                                char text[CW_CODE_PLACES_TEXT]);

/* Device times on the host's clock.
 *
 * Device clocks are not the host's. Each device's times are shifted so that every command was queued during
 * its call: the middle of the shifts that allow this, none when the clocks already agree to within a
 * millisecond. */

/* A time as a signed number whose sums and differences cannot overflow: lying traces exist. 2^60 ns are 36
 * years. */
int64_t cw_device_clock_ns(uint64_t ns);

/* A time of a device whose shift this is, on the host's clock, in the bounds of cw_device_clock_ns: some
 * clocks count from 1970, or by ticks, and their own times lie above those. */
int64_t cw_device_clock_on_host(uint64_t ns, int64_t shift);

/* Fills shift[0 .. devices-1] with the number to add to that device's times. Where the trace does not show
 * when a device's commands were queued, a clock beyond the bounds begins with the run. O(commands *
 * devices). */
void cw_device_clock_shifts(const struct cw_trace *t, int64_t *shift);

/* How long at least one of several things went on. */

struct cw_interval {
    int64_t begin, end; /* end >= begin */
};

/* The length of the union of v[0 .. n-1], which it sorts. O(n log n), O(n) where they are in order. */
uint64_t cw_interval_union(struct cw_interval *v, size_t n);

#endif
