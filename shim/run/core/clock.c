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

uint64_t cw_run_clock_devices_ns(void)
{
    return cw_device_clock_is_virtual() ? cw_device_now_ns() : cw_run_global_lock_now_ns();
}

uint64_t cw_run_clock_of_devices(uint64_t event_ns)
{
    return cw_device_clock_is_virtual() ? event_ns - (uint64_t)cw_device_profiling_offset_ns() : event_ns;
}

void cw_run_clock_reached(uint64_t event_ns)
{
    if (cw_device_clock_is_virtual())
        cw_device_reached(cw_run_clock_of_devices(event_ns));
}
