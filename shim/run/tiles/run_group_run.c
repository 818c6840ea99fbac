/* run_group_run.c - a group run: tiles taken, run, counted; launches that are over. See run_group.h. */
#include "run_group.h"

#include "../plan/run_decide.h"
#include "../lanes/run_fault.h"

#define NONE      UINT32_MAX
#define LOOK      64 /* open tiles of its own that a part looks at */
#define BATCH     16 /* tiles that a synchronous lane takes at a time */
#define FLUSH     16 /* tiles handed to an asynchronous device between flushes */

static uint32_t number(const struct cw_run_group *g, const struct cw_run_task *part)
{
    return (uint32_t)(part - g->part);
}

/* ---- which tile is next */

/* The first tile of part `p` that may run; NONE: *more says whether there is one that has to wait. */
static uint32_t next_of(struct cw_run_group *g, uint32_t p, bool *more)
{
    uint32_t looked = 0, i = g->cursor[p];

    *more = false;
    while (i < g->plan.tiles && (g->lane[i] != p || g->state[i] != CW_RUN_TILE_OPEN))
        i++;
    g->cursor[p] = i;
    for (; i < g->plan.tiles && looked < LOOK; i++) {
        if (g->lane[i] != p || g->state[i] != CW_RUN_TILE_OPEN)
            continue;
        if (g->in_turn || g->waits[i] == g->early[i])
            return i;
        *more = true;
        looked++;
    }
    return NONE;
}

/* Under the planted fault: a tile that depends on `i`, in its place. */
static uint32_t out_of_order(const struct cw_run_group *g, uint32_t i)
{
    const struct cw_groups_tile *t = &g->plan.tile[i];

    for (uint32_t k = 0; k < t->successors; k++) {
        uint32_t s = g->plan.successor[t->first + k];
        if (g->state[s] == CW_RUN_TILE_OPEN)
            return cw_run_fault_now(CW_RUN_FAULT_ORDER) ? s : i;
    }
    return i;
}

/* How tile `i` bears on those of its own lane, which may be in one batch with it. */
static void expect(struct cw_run_group *g, uint32_t i, bool taken)
{
    const struct cw_groups_tile *t = &g->plan.tile[i];

    for (uint32_t k = 0; k < t->successors; k++) {
        uint32_t s = g->plan.successor[t->first + k];
        if (g->lane[s] != g->lane[i])
            continue;
        if (taken)
            g->early[s]++;
        else if (g->early[s]) /* not: it has come from another lane meanwhile */
            g->early[s]--;
    }
}

static uint32_t take(struct cw_run_group *g, const struct cw_run_task *part, bool *more)
{
    uint32_t i = next_of(g, number(g, part), more);
    struct cw_run_step *s;

    if (i == NONE)
        return NONE;
    if (CW_UNLIKELY(cw_run_fault_planted == CW_RUN_FAULT_ORDER))
        i = out_of_order(g, i);
    g->state[i] = CW_RUN_TILE_TAKEN;
    g->taken++;
    expect(g, i, true);
    s = &g->step[g->plan.tile[i].step];
    if (s->task->state < CW_RUN_RUNNING) {
        cw_run_starts(s->task);
        s->start_ns = s->task->timed ? s->task->times[2] : 0;
    }
    return i;
}

/* Tiles that a lane does one after the other, in its own thread, are taken some at a time. */
static uint32_t take_batch(struct cw_run_group *g, const struct cw_run_task *part, uint32_t batch[BATCH], bool *more)
{
    uint32_t n = 0, most = part->queue->context->places[part->place].slot->synchronous ? BATCH : 1;

    if (CW_UNLIKELY(cw_run_fault_planted))
        most = 1;
    else if (cw_run.chaos)
        most = most < 2 ? 1 : 1 + cw_run_group_below(most);
    while (n < most && (batch[n] = take(g, part, more)) != NONE)
        n++;
    return n;
}

static void untake(struct cw_run_group *g, uint32_t i)
{
    g->state[i] = CW_RUN_TILE_OPEN;
    g->taken--;
    expect(g, i, false);
}

/* ---- running one; lane held, lock not held */

/* *queue: has it; NULL: it was refused, nothing of it has run. */
static cl_int submit(struct cw_run_group *g, struct cw_run_task *part, uint32_t i, cl_command_queue *queue)
{
    const struct cw_groups_tile *tile = &g->plan.tile[i];
    const struct cw_run_step *s = &g->step[tile->step];
    struct cw_run_context *c = part->queue->context;
    struct cw_run_place *p = &c->places[part->place];
    struct cw_run_block b = {.first = (size_t)s->from[tile->tile],
                             .groups = (size_t)(s->from[tile->tile + 1] - s->from[tile->tile])};
    cl_int err;

    *queue = NULL;
    if (CW_UNLIKELY(cw_run_fault_planted)) {
        bool half, refuse;
        cw_run_lock();
        half = cw_run_fault_now(CW_RUN_FAULT_HALF);
        refuse = part->lane != part->home_lane && cw_run_fault_since(CW_RUN_FAULT_REFUSE);
        cw_run_unlock();
        if (half || refuse)
            return half ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    }
    err = cw_run_tile_submit_range(&s->task->launch, c, p, &s->cut, &b, queue, NULL);
    if (err != CL_SUCCESS) {
        *queue = NULL;
    } else if (!p->slot->synchronous) {
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
    while (g->next < g->steps && !g->step[g->next].left) {
        struct cw_run_step *s = &g->step[g->next++];
        struct cw_run_task *t = s->task;

        if (t->timed && !g->in_turn) { /* not before the one before it has ended */
            uint64_t now = cw_run_event_now_ns();
            t->times[2] = t->times[2] < g->last_end_ns ? g->last_end_ns : t->times[2];
            g->last_end_ns = t->times[3] = now > t->times[2] ? now : t->times[2] + 1;
        }
        s->task = NULL; /* may be gone after this */
        cw_run_task_done(t, s->status);
    }
}

static void finish(struct cw_run_group *g)
{
    double ns = (double)(cw_run_now_ns() - g->began_ns);

    if (g->run == g->plan.tiles)
        cw_run_chain_ran(g->chain, g->variant, g->steps, ns);
    cw_run_group_free(g);
}

/* ---- a tile is over */

/* Parts that wait and may go on do. */
static void wake(struct cw_run_group *g)
{
    bool woken = false, more;

    for (uint32_t p = 0; p < g->parts; p++)
        if (g->part[p].state == CW_RUN_LINKED && next_of(g, p, &more) != NONE) {
            cw_run_ready(&g->part[p]);
            woken = true;
        }
    if (woken)
        cw_run_kick();
}

static void has_run(struct cw_run_group *g, uint32_t i, cl_int status)
{
    const struct cw_groups_tile *t = &g->plan.tile[i];
    struct cw_run_step *s = &g->step[t->step];

    expect(g, i, false);
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

        t->groupable = false;
        t->state = CW_RUN_LINKED;
        if (!t->waits)
            cw_run_ready(t);
    }
    cw_run_group_free(g);
}

/* ---- parts that cannot */

/* Another part that can, or may yet turn out to; home becomes one where it is none; NONE: there is nobody. */
static uint32_t heir_of(struct cw_run_group *g, uint32_t p)
{
    const struct cw_run_task *part = &g->part[p];
    uint32_t home = part->queue->home, best = NONE;
    bool has_home = false;

    for (uint32_t i = 0; i < g->parts; i++) {
        has_home |= g->part[i].place == home;
        if (i != p && g->fate[i] != CW_RUN_PART_GONE && (best == NONE || g->fate[i] == CW_RUN_PART_ABLE))
            best = i;
    }
    if (best == NONE && !has_home && g->parts < CW_RUN_LANES) {
        best = g->parts++;
        g->part[best] = *part;
        g->part[best].place = home;
        g->part[best].lane = part->home_lane;
        g->part[best].state = CW_RUN_DONE;
    }
    return best;
}

/* Part `p` takes no more tiles, others have those that it had. False: there is nobody else. */
static bool leave(struct cw_run_group *g, uint32_t p)
{
    uint32_t heir = heir_of(g, p);

    if (heir == NONE)
        return false;
    g->fate[p] = CW_RUN_PART_GONE;
    for (uint32_t k = 0; k < g->plan.tiles; k++)
        if (g->lane[k] == p)
            g->lane[k] = (uint8_t)heir;
    g->cursor[heir] = 0;
    if (g->part[heir].state == CW_RUN_DONE) {
        g->part[heir].state = CW_RUN_LINKED;
        g->left++;
    }
    wake(g);
    return true;
}

/* Before its first tile: it has all kernels. So what has begun can be brought to its end. False: the group is no more, or
 * goes on without it. Lock given up meanwhile. */
static bool is_able(struct cw_run_group *g, struct cw_run_task *part, bool *alive)
{
    struct cw_run_context *c = part->queue->context;
    struct cw_run_kernel *kernel[CW_RUN_GROUP_STEPS];
    uint32_t p = number(g, part), bad = 0;
    bool able = true;

    if (g->fate[p] != CW_RUN_PART_NEW)
        return g->fate[p] == CW_RUN_PART_ABLE;
    for (uint32_t i = 0; i < g->steps; i++) /* a launch that ends meanwhile takes no kernel with it */
        if ((kernel[i] = g->step[i].task ? g->step[i].kernel : NULL))
            cw_run_busy(&kernel[i]->r);
    cw_run_unlock();
    for (uint32_t i = 0; i < g->steps && able; i++)
        if (kernel[i] && (i == 0 || kernel[i] != kernel[i - 1])) {
            able = cw_run_tile_has_kernel(kernel[i], c, &c->places[part->place]);
            bad = i;
        }
    cw_run_lock();
    if (!able)
        kernel[bad]->tiled->broken[part->lane] = true;
    for (uint32_t i = 0; i < g->steps; i++)
        if (kernel[i])
            cw_run_idle(&kernel[i]->r);
    if (able) {
        g->fate[p] = CW_RUN_PART_ABLE;
        return true;
    }
    if (leave(g, p))
        return false;
    *alive = false;
    dissolve(g);
    return false;
}

/* `part` was refused tile `i`, which has not begun: somebody else does it; the last one's word is the launch's status. */
static void refused(struct cw_run_group *g, const struct cw_run_task *part, uint32_t i, cl_int status)
{
    g->step[g->plan.tile[i].step].kernel->tiled->broken[part->lane] = true;
    untake(g, i);
    if (leave(g, number(g, part)))
        return;
    g->taken++;
    has_run(g, i, status);
}

/* ---- the part */

/* All tiles are with the device, which does them in turn: waits for it. */
static void drain(struct cw_run_group *g, cl_command_queue queue)
{
    cl_int err;

    cw_run_unlock();
    err = queue ? cw_next.clFinish(queue) : CL_SUCCESS;
    cw_run_lock();
    if (g->recorded)
        cw_run_group_record_in_turn(g);
    for (uint32_t i = 0; i < g->plan.tiles; i++)
        if (g->state[i] == CW_RUN_TILE_TAKEN)
            has_run(g, i, err);
    cw_run_group_share_times(g);
}

/* Runs the `n` tiles of a batch; what comes behind one that was refused has not been taken. Lock given up meanwhile. */
static void run_batch(struct cw_run_group *g, struct cw_run_task *part, const uint32_t *batch, uint32_t n, cl_command_queue *queue)
{
    cl_int err[BATCH];
    uint64_t ended[BATCH + 1] = {0};
    cl_command_queue used = NULL;
    uint32_t done = 0;

    cw_run_unlock();
    ended[0] = g->recorded ? cw_run_event_now_ns() : 0;
    while (done < n) {
        err[done] = submit(g, part, batch[done], &used);
        *queue = used ? used : *queue;
        if (err[done] < 0 && !used)
            break;
        done++;
        ended[done] = g->recorded ? cw_run_event_now_ns() : 0;
    }
    cw_run_lock();
    for (uint32_t k = 0; k < done && g->recorded && !g->in_turn; k++)
        cw_run_group_record(g, part, batch[k], ended[k], ended[k + 1]);
    for (uint32_t k = 0; k < done; k++)
        if (!g->in_turn || err[k] < 0)
            has_run(g, batch[k], err[k]);
    for (uint32_t k = n; k > done + 1; k--)
        untake(g, batch[k - 1]);
    if (done < n)
        refused(g, part, batch[done], err[done]);
    if (!g->in_turn) {
        complete(g);
        wake(g);
    }
}

void cw_run_group_run(struct cw_run_lane *l, struct cw_run_task *part)
{
    struct cw_run_group *g = part->group;
    cl_command_queue queue = NULL;
    bool more = false, alive = true;
    uint32_t batch[BATCH], n;

    l->busy = true;
    cw_run.running++;
    part->state = CW_RUN_RUNNING;
    while (is_able(g, part, &alive) && (n = take_batch(g, part, batch, &more)))
        run_batch(g, part, batch, n, &queue);
    if (alive && g->in_turn && g->taken) {
        drain(g, queue);
        complete(g);
    }
    l->busy = false;
    cw_run.running--;
    if (alive) {
        more &= g->fate[number(g, part)] == CW_RUN_PART_ABLE;
        part->state = more ? CW_RUN_LINKED : CW_RUN_DONE;
        if (!more && !--g->left)
            finish(g);
    }
    cw_run_retire();
}
