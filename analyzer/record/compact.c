/* compact.c - what both directions of the compact form share; see compact.h. */
#include "compact.h"

bool cw_compact_is_wait(const struct cw_command *k)
{
    return k->blocking || k->type == CW_HOST_FINISH || k->type == CW_HOST_WAIT || k->type == CW_HOST_POLL;
}

uint32_t cw_compact_back(uint32_t from, uint32_t command, uint32_t wait)
{
    return from == wait ? 0 : command - from;
}

uint32_t cw_compact_from(uint32_t back, uint32_t command, uint32_t wait)
{
    return back ? command - back : wait;
}

void cw_compact_tick(struct cw_compact_clock *clock, const struct cw_command *k)
{
    clock->call_ns = k->call_begin_ns ? k->call_begin_ns : clock->call_ns;
    clock->queued_ns = k->queued_ns ? k->queued_ns : clock->queued_ns;
}
