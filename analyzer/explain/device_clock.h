/* device_clock.h - device times on the host's clock.
 *
 * Device clocks are not the host's. Each device's times are shifted so that every command was queued during
 * its call: the middle of the shifts that allow this, none when the clocks already agree to within a
 * millisecond. */
#ifndef CW_DEVICE_CLOCK_H
#define CW_DEVICE_CLOCK_H

#include "../record/trace.h"

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

#endif
