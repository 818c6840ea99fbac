/* clock.c - see core/clock.h. */
#include "clock.h"

#include "../../device/device.h"
#include "global_lock.h"

uint64_t cw_run_clock_now_ns(void)
{
    if (!cw_device_clock_is_virtual())
        return cw_run_global_lock_now_ns();
    return cw_device_now_ns() + (uint64_t)cw_device_profiling_offset_ns();
}

void cw_run_clock_reached(uint64_t event_ns)
{
    if (cw_device_clock_is_virtual())
        cw_device_reached(event_ns - (uint64_t)cw_device_profiling_offset_ns());
}
