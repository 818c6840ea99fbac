/* group_times.c - when launches and tiles of a group run ran: for profiling, and for the recorded log. See
 * groups/group.h. */
#include "group.h"
#include "../core/clock.h"

#include "../../trace/recorder.h"
#include "../core/state.h"

void cw_run_group_times_record_begins(struct cw_run_group *g)
{
    static uint32_t numbered;

    g->recorded = true;
    g->first_group = numbered + 1;
    numbered += g->plan.groups;
}

void cw_run_group_times_record(const struct cw_run_group *g, const struct cw_run_task *part, uint32_t i,
                               uint64_t start_ns, uint64_t end_ns)
{
    const struct cw_groups_tile *t = &g->plan.tile[i];
    const struct cw_run_step *s = &g->step[t->step];

    if (s->task && s->task->order.recorded)
        cw_device_times_part(
            &(struct cw_times_part){.seq = s->task->order.recorded - 1,
                                    .device = cw_run.workers[part->at.worker].recorded,
                                    .dim = s->cut.dim,
                                    .first = (uint64_t)s->from[t->tile],
                                    .groups = (uint64_t)(s->from[t->tile + 1] - s->from[t->tile]),
                                    .start_ns = start_ns,
                                    .end_ns = end_ns,
                                    .priority_group = g->first_group + t->group});
}

/* When its first tile started; `end`, when there is none. */
static uint64_t first_start(const struct cw_run_group *g, uint64_t end)
{
    uint64_t begin = end;

    for (uint32_t i = 0; i < g->steps; i++)
        begin = g->step[i].start_ns && g->step[i].start_ns < begin ? g->step[i].start_ns : begin;
    return begin;
}

void cw_run_group_times_share(struct cw_run_group *g)
{
    uint64_t end = cw_run_clock_now_ns(), begin = first_start(g, end);

    for (uint32_t i = 0; i < g->steps; i++) {
        struct cw_run_task *t = g->step[i].task;
        if (!t->time.wanted)
            continue;
        t->time.at[2] = begin + (end - begin) * i / g->steps;
        t->time.at[3] = begin + (end - begin) * (i + 1) / g->steps;
        t->time.at[3] += t->time.at[2] == t->time.at[3];
    }
}

void cw_run_group_times_record_in_turn(const struct cw_run_group *g)
{
    uint64_t end = cw_run_clock_now_ns(), begin = first_start(g, end);

    for (uint32_t i = 0; i < g->plan.tiles; i++)
        cw_run_group_times_record(g, &g->part[0], i, begin + (end - begin) * i / g->plan.tiles,
                                  begin + (end - begin) * (i + 1) / g->plan.tiles);
}
