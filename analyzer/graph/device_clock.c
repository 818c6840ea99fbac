/* device_clock.c - see device_clock.h. */
#include "device_clock.h"

#include <stdlib.h>

int64_t cw_device_clock_ns(uint64_t ns)
{
    return ns > (uint64_t)1 << 60 ? (int64_t)1 << 60 : (int64_t)ns;
}

void cw_device_clock_shifts(const struct cw_trace *t, int64_t *shift)
{
    for (uint32_t d = 0; d < t->devices.count; d++) {
        int64_t low = INT64_MIN, high = INT64_MAX;
        shift[d] = 0;
        for (size_t i = 0; i < t->commands.count; i++) {
            const struct cw_command *k = &t->commands.v[i];
            if (!k->queued_ns || !k->call_end_ns || cw_trace_command_device(t, k) != d)
                continue;
            int64_t from = cw_device_clock_ns(k->call_begin_ns) - cw_device_clock_ns(k->queued_ns),
                    to = cw_device_clock_ns(k->call_end_ns) - cw_device_clock_ns(k->queued_ns);
            low = from > low ? from : low;
            high = to < high ? to : high;
        }
        if (low == INT64_MIN)
            continue;
        shift[d] = low / 2 + high / 2;
        if (llabs(shift[d]) < 1000000)
            shift[d] = 0;
    }
}
