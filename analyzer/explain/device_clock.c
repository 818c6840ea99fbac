/* device_clock.c - see explain.h. */
#include "explain.h"

#include <stdbool.h>

#define LIMIT ((int64_t)1 << 60)

int64_t cw_device_clock_ns(uint64_t ns)
{
    return ns > (uint64_t)LIMIT ? LIMIT : (int64_t)ns;
}

int64_t cw_device_clock_on_host(uint64_t ns, int64_t shift)
{
    __int128 at = (__int128)ns + shift;

    return at > LIMIT ? LIMIT : at < -LIMIT ? -LIMIT : (int64_t)at;
}

/* `host` less `device`, as far as a shift can be. */
static int64_t difference(uint64_t host, uint64_t device)
{
    __int128 d = (__int128)host - device;

    return d > INT64_MAX ? INT64_MAX : d < INT64_MIN ? INT64_MIN : (int64_t)d;
}

/* The shift of a device of which no command shows when it was queued; `least`: its first start. */
static int64_t unseen(const struct cw_trace *t, uint64_t least)
{
    return least != UINT64_MAX && least > (uint64_t)LIMIT ? difference(t->process.start_ns, least) : 0;
}

static int64_t shift_of(const struct cw_trace *t, uint32_t device)
{
    int64_t low = INT64_MIN, high = INT64_MAX, shift;
    uint64_t least = UINT64_MAX;
    bool seen = false;

    for (size_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        if (cw_trace_command_device(t, k) != device)
            continue;
        least = k->start_ns && k->start_ns < least ? k->start_ns : least;
        if (!k->queued_ns || !k->call_end_ns)
            continue;
        int64_t from = difference(k->call_begin_ns, k->queued_ns),
                to = difference(k->call_end_ns, k->queued_ns);
        low = from > low ? from : low;
        high = to < high ? to : high;
        seen = true;
    }
    if (!seen)
        return unseen(t, least);
    shift = low / 2 + high / 2;
    return shift > -1000000 && shift < 1000000 ? 0 : shift;
}

void cw_device_clock_shifts(const struct cw_trace *t, int64_t *shift)
{
    for (uint32_t d = 0; d < t->devices.count; d++)
        shift[d] = shift_of(t, d);
}
