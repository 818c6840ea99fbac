/* clock.h - the clock of commands' times[]: the vendor's, or a virtual one (device/device.h). */
#ifndef CW_RUN_CLOCK_H
#define CW_RUN_CLOCK_H

#include <stdint.h>

/* Now, in ns. Any thread. */
uint64_t cw_run_clock_now_ns(void);

/* The same on the clock by which devices are busy, to which profiling's offset is not added. Any thread. */
uint64_t cw_run_clock_devices_ns(void);

/* From the one clock to the other, in ns. */
uint64_t cw_run_clock_of_devices(uint64_t event_ns);

/* The program has waited for something that was over at `event_ns`. */
void cw_run_clock_reached(uint64_t event_ns);

#endif
