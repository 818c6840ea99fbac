/* event_times.c - see command_facts.h. */
#include "command_facts.h"

/* No command is made, enqueued and run within a microsecond of the beginning of its device's clock. */
#define LEAST_END_NS 1000
/* A clock is held against the host's where the host has seen that time go by. */
#define LEAST_SPAN_NS 100000000

bool cw_event_times_are_possible(const uint64_t at[4])
{
    uint64_t before = 0;

    for (int i = 0; i < 4; i++) {
        if (at[i] && at[i] < before)
            return false;
        before = at[i] ? at[i] : before;
    }
    return !at[3] || at[3] >= LEAST_END_NS;
}

static bool has_times(const struct cw_command *k)
{
    return k->queued_ns || k->submit_ns || k->start_ns || k->end_ns;
}

static void drop(struct cw_trace *t, struct cw_command *k)
{
    k->queued_ns = k->submit_ns = k->start_ns = k->end_ns = 0;
    t->process.impossible_times++;
}

/* Whether QUEUED of the device's last command is by less than half as far from that of its first as the host
 * says. */
static bool stands_still(const struct cw_trace *t, uint32_t device)
{
    const struct cw_command *first = NULL, *last = NULL;
    uint64_t host, there;

    for (size_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];

        if (!k->queued_ns || !k->call_end_ns || cw_trace_command_device(t, k) != device)
            continue;
        first = first && first->call_begin_ns <= k->call_begin_ns ? first : k;
        last = last && last->call_begin_ns >= k->call_begin_ns ? last : k;
    }
    if (!first || last->call_begin_ns - first->call_begin_ns < LEAST_SPAN_NS)
        return false;
    host = last->call_begin_ns - first->call_end_ns;
    there = last->queued_ns > first->queued_ns ? last->queued_ns - first->queued_ns : 0;
    return last->call_begin_ns > first->call_end_ns && there < host / 2;
}

void cw_event_times_drop(struct cw_trace *t)
{
    if (t->process.run_mode)
        return;
    for (size_t i = 0; i < t->commands.count; i++) {
        struct cw_command *k = &t->commands.v[i];
        const uint64_t at[4] = {k->queued_ns, k->submit_ns, k->start_ns, k->end_ns};

        if (has_times(k) && !cw_event_times_are_possible(at))
            drop(t, k);
    }
    for (uint32_t d = 0; d < t->devices.count; d++) {
        if (!stands_still(t, d))
            continue;
        for (size_t i = 0; i < t->commands.count; i++)
            if (has_times(&t->commands.v[i]) && cw_trace_command_device(t, &t->commands.v[i]) == d)
                drop(t, &t->commands.v[i]);
    }
}
