/* group_run.c - a group run: tiles taken, run, counted; launches that are over. See groups/group.h. */
#include "group.h"
#include "../core/clock.h"

#include "../core/fault.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../tasks/task.h"
#include "../workers/worker.h"

#define NONE  CW_RUN_NO_TILE
#define FLUSH 16 /* tiles handed to an asynchronous device between flushes */

/* ---- running one; worker held, lock not held */

/* *queue: has it; NULL: it was refused, nothing of it has run. */
static cl_int submit(struct cw_run_group *g, struct cw_run_task *part, uint32_t i, cl_command_queue *queue)
{
    const struct cw_groups_tile *tile = &g->plan.tile[i];
    const struct cw_run_step *s = &g->step[tile->step];
    struct cw_run_context *c = part->queue->context;
    struct cw_run_context_device *p = &c->places[part->at.place];
    struct cw_run_block b = {.first = (size_t)s->from[tile->tile],
                             .groups = (size_t)(s->from[tile->tile + 1] - s->from[tile->tile])};
    cl_int err;

    *queue = NULL;
    if (cw_run_is_away(part) && cw_run_fault_asks_since(CW_RUN_FAULT_REFUSE))
        return CL_OUT_OF_RESOURCES;
    err = cw_run_tile_submit_range(&s->task->launch, NULL, c, p, &s->cut, &b, queue, NULL);
    if (err != CL_SUCCESS) {
        *queue = NULL;
    } else if (!cw_device_has(p->device, CW_VENDOR_IN_CALL)) {
        if (!g->in_turn)
            err = cw_next.clFinish(*queue);
        else if (g->taken % FLUSH == 0)
            cw_next.clFlush(*queue);
    }
    return err;
}

/* ---- launches that are over */

static void complete(struct cw_run_group *g)
{
    while (!g->preparing && g->next < g->steps && !g->step[g->next].left) {
        struct cw_run_step *s = &g->step[g->next++];
        struct cw_run_task *t = s->task;

        if (t->time.wanted && !g->in_turn) { /* not before the one before it has ended */
            uint64_t now = cw_run_clock_now_ns();
            t->time.at[2] = t->time.at[2] < g->last_end_ns ? g->last_end_ns : t->time.at[2];
            g->last_end_ns = t->time.at[3] = now > t->time.at[2] ? now : t->time.at[2] + 1;
        }
        s->task = NULL; /* may be gone after this */
        cw_run_worker_done(t, s->status);
    }
}

static void finish(struct cw_run_group *g)
{
    double ns = (double)(cw_run_global_lock_now_ns() - g->began_ns);

    bool good = g->run == g->plan.tiles;

    for (uint32_t i = 0; i < g->steps; i++)
        good &= g->step[i].status >= 0;
    if (good)
        cw_run_group_choice_ran(g->chain, g->variant, g->steps, ns);
    cw_run_group_free(g);
}

/* ---- a tile is over */

/* Parts that wait and may go on do. */
static void wake(struct cw_run_group *g)
{
    bool woken = false, more;

    for (uint32_t p = 0; p < g->parts; p++)
        if (g->part[p].state == CW_RUN_RELEASED && cw_run_group_take_next(g, p, &more) != NONE) {
            cw_run_worker_ready(&g->part[p]);
            woken = true;
        }
    if (woken)
        cw_run_global_lock_kick();
}

static void has_run(struct cw_run_group *g, uint32_t i, cl_int status)
{
    const struct cw_groups_tile *t = &g->plan.tile[i];
    struct cw_run_step *s = &g->step[t->step];

    cw_run_group_take_expect(g, i, false);
    g->state[i] = CW_RUN_TILE_OVER;
    g->run++;
    s->left--;
    if (status < 0 && !s->status)
        s->status = status;
    for (uint32_t k = 0; k < t->successors; k++)
        g->waits[g->plan.successor[t->first + k]]--;
}

/* Nothing has begun, nor will: all launches are plain again. */
static void dissolve(struct cw_run_group *g)
{
    g->chain->hopeless[g->variant] = true;
    cw_run_group_plain("its rewritten form did not run");
    for (uint32_t i = 0; i < g->steps; i++) {
        struct cw_run_task *t = g->step[i].task;

        t->launch.group.may = false;
        t->state = CW_RUN_RELEASED;
        if (!t->waits)
            cw_run_worker_ready(t);
    }
    cw_run_group_free(g);
}

/* ---- parts that cannot */

/* Another part that is able, or may turn out so; home becomes one where it is none; NONE: there is none. */
static uint32_t heir_of(struct cw_run_group *g, uint32_t p)
{
    const struct cw_run_task *part = &g->part[p];
    uint32_t home = part->queue->home, best = NONE;
    bool has_home = false;

    for (uint32_t i = 0; i < g->parts; i++) {
        has_home |= g->part[i].at.place == home;
        if (i != p && g->fate[i] != CW_RUN_PART_GONE && (best == NONE || g->fate[i] == CW_RUN_PART_ABLE))
            best = i;
    }
    if (best == NONE && !has_home && g->parts < CW_RUN_WORKERS) {
        best = g->parts++;
        g->part[best] = *part;
        g->part[best].at.place = home;
        g->part[best].at.worker = part->queue->home_worker;
        g->part[best].state = CW_RUN_DONE;
    }
    return best;
}

/* Part `p` takes no more tiles, others have those that it had. False: there is no other part. */
static bool leave(struct cw_run_group *g, uint32_t p)
{
    uint32_t heir = heir_of(g, p);
    bool has = false;

    if (heir == NONE)
        return false;
    g->fate[p] = CW_RUN_PART_GONE;
    for (uint32_t k = 0; k < g->plan.tiles; k++)
        if (g->worker[k] == p) {
            g->worker[k] = (uint8_t)heir;
            has |= g->state[k] == CW_RUN_TILE_OPEN;
        }
    g->cursor[heir] = 0;
    if (has && g->part[heir].state == CW_RUN_DONE) { /* else wake() skips it, and the group never ends */
        g->part[heir].state = CW_RUN_RELEASED;
        g->left++;
    }
    wake(g);
    return true;
}

/* No part can run the open tiles: their launches fail. */
static void fail_open(struct cw_run_group *g)
{
    for (uint32_t i = 0; i < g->plan.tiles; i++)
        if (g->state[i] == CW_RUN_TILE_OPEN) {
            g->taken++;
            cw_run_group_take_expect(g, i, true);
            has_run(g, i, CL_OUT_OF_RESOURCES);
        }
}

/* The context device has the code of all parts' tiles; else *bad is the step whose code it lacks. Lock
 * not held; launches that are not over stay. */
static bool has_all_code(const struct cw_run_group *g, struct cw_run_context *c,
                         struct cw_run_context_device *p, uint32_t *bad)
{
    for (uint32_t i = 0; i < g->steps; i++) {
        const struct cw_run_step *s = &g->step[i];

        *bad = i;
        if (s->task && !cw_run_execute_home_has_code(s->task))
            return false;
        for (uint32_t t = 0; s->task && t < s->tiles; t++) {
            struct cw_run_block b = {.first = (size_t)s->from[t],
                                     .groups = (size_t)(s->from[t + 1] - s->from[t])};
            bool new = !t || t + 1 == s->tiles || s->from[t + 1] - s->from[t] != s->from[t] - s->from[t - 1];

            if (new && !cw_run_tile_submit_has_code(&s->task->launch, c, p, &s->cut, &b))
                return false;
        }
    }
    return true;
}

/* Before its first tile: it has all code. So launches that begin also end. False: the group is no
 * more, or goes on without it. Lock given up meanwhile. */
static bool is_able(struct cw_run_group *g, struct cw_run_task *part, bool *alive)
{
    struct cw_run_context *c = part->queue->context;
    uint32_t p = cw_run_group_take_number(g, part), bad = 0;
    bool able;

    if (g->fate[p] != CW_RUN_PART_NEW)
        return g->fate[p] == CW_RUN_PART_ABLE;
    g->preparing++;
    cw_run_global_lock_give();
    able = has_all_code(g, c, &c->places[part->at.place], &bad);
    cw_run_global_lock_take();
    if (!able)
        g->step[bad].kernel->tile_broken |= UINT64_C(1) << part->at.worker;
    g->preparing--;
    if (able) {
        g->fate[p] = CW_RUN_PART_ABLE;
        return true;
    }
    if (leave(g, p))
        return false;
    if (g->taken) {
        g->fate[p] = CW_RUN_PART_GONE;
        fail_open(g);
        return false;
    }
    *alive = false;
    dissolve(g);
    return false;
}

/* `part` was refused tile `i`, which has not begun: another part runs it; the last one's error is the
 * launch's status. */
static void refused(struct cw_run_group *g, const struct cw_run_task *part, uint32_t i, cl_int status)
{
    g->step[g->plan.tile[i].step].kernel->tile_broken |= UINT64_C(1) << part->at.worker;
    cw_run_group_take_back(g, i);
    if (leave(g, cw_run_group_take_number(g, part)))
        return;
    g->taken++;
    has_run(g, i, status);
}

/* ---- the part */

/* All tiles are with the device, which does them in turn: waits for it. */
static void drain(struct cw_run_group *g, cl_command_queue queue)
{
    cl_int err;

    cw_run_global_lock_give();
    err = queue ? cw_next.clFinish(queue) : CL_SUCCESS;
    cw_run_global_lock_take();
    if (g->recorded)
        cw_run_group_times_record_in_turn(g);
    for (uint32_t i = 0; i < g->plan.tiles; i++)
        if (g->state[i] == CW_RUN_TILE_TAKEN)
            has_run(g, i, err);
    cw_run_group_times_share(g);
}

/* Runs the `n` tiles of a batch; tiles behind a refused one count as not taken. Lock given up
 * meanwhile. */
static void run_batch(struct cw_run_group *g, struct cw_run_task *part, const uint32_t *batch, uint32_t n,
                      cl_command_queue *queue)
{
    cl_int err[CW_RUN_GROUP_BATCH];
    uint64_t ended[CW_RUN_GROUP_BATCH + 1] = {0};
    cl_command_queue used = NULL;
    uint32_t done = 0;

    cw_run_global_lock_give();
    ended[0] = g->recorded ? cw_run_clock_now_ns() : 0;
    while (done < n) {
        err[done] = submit(g, part, batch[done], &used);
        *queue = used ? used : *queue;
        if (err[done] < 0 && !used)
            break;
        done++;
        ended[done] = g->recorded ? cw_run_clock_now_ns() : 0;
    }
    cw_run_global_lock_take();
    for (uint32_t k = 0; k < done && g->recorded && !g->in_turn; k++)
        cw_run_group_times_record(g, part, batch[k], ended[k], ended[k + 1]);
    for (uint32_t k = 0; k < done; k++)
        if (!g->in_turn || err[k] < 0)
            has_run(g, batch[k], err[k]);
    for (uint32_t k = n; k > done + 1; k--)
        cw_run_group_take_back(g, batch[k - 1]);
    if (done < n)
        refused(g, part, batch[done], err[done]);
    if (!g->in_turn) {
        complete(g);
        wake(g);
    }
}

void cw_run_group_run_part(struct cw_run_worker *l, struct cw_run_task *part)
{
    struct cw_run_group *g = part->launch.group.run;
    cl_command_queue queue = NULL;
    bool more = false, alive = true;
    uint32_t batch[CW_RUN_GROUP_BATCH], n;

    l->busy = true;
    cw_run.running++;
    part->state = CW_RUN_RUNNING;
    while (is_able(g, part, &alive) && (n = cw_run_group_take(g, part, batch, &more)))
        run_batch(g, part, batch, n, &queue);
    if (alive && g->in_turn && g->taken)
        drain(g, queue);
    if (alive)
        complete(g);
    l->busy = false;
    cw_run.running--;
    if (alive) {
        more &= g->fate[cw_run_group_take_number(g, part)] == CW_RUN_PART_ABLE;
        part->state = more ? CW_RUN_RELEASED : CW_RUN_DONE;
        if (!more && !--g->left)
            finish(g);
    }
    cw_run_worker_retire();
}
