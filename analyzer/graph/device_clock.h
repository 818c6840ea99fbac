/* device_clock.h - device times on the host's clock.
 *
 * Device clocks are not the host's. Each device's times are shifted so that every command was queued during
 * its call: the middle of the shifts that allow this, none when the clocks already agree to within a
 * millisecond. */
#ifndef CW_DEVICE_CLOCK_H
#define CW_DEVICE_CLOCK_H

#include "../trace/trace.h"

/* A time as a signed number whose sums and differences cannot overflow: lying traces exist. 2^60 ns are 36
 * years. */
int64_t cw_device_clock_ns(uint64_t ns);

/* Fills shift[0 .. devices-1] with the number to add to that device's times. O(commands * devices). */
void cw_device_clock_shifts(const struct cw_trace *t, int64_t *shift);

#endif
