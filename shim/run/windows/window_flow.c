#include "window.h"

#include <stdlib.h>

#include "../memory/extents.h"
#include "../memory/spread.h"

static bool grow(void *pointer, uint32_t *capacity, uint32_t count, size_t size)
{
    void **p = pointer, *q;

    if (count <= *capacity)
        return true;
    q = realloc(*p, 2 * (size_t)count * size);
    if (!q)
        return false;
    *p = q;
    *capacity = 2 * count;
    return true;
}

/* A piece of `r`'s buffer for a command that reads `bytes` bytes of it, which are valid in `spaces`. As many
 * launches as have found them there are expected to go on finding them, and those of the window will. */
static bool add_piece(struct cw_run_window_flow *f, const struct cw_run_region *r, uint64_t bytes,
                      uint64_t spaces)
{
    if (!grow(&f->piece, &f->pieces, f->n + 1, sizeof *f->piece))
        return false;
    f->piece[f->n++] = (struct cw_plan_piece){.root = r->low,
                                              .root_bytes = r->high - r->low,
                                              .bytes = bytes,
                                              .spaces = spaces,
                                              .launches = r->habits.launches + r->habits.ahead};
    return true;
}

/* Everything that must be in the memory where `t` runs: but for bytes that it surely writes. */
static void need(struct cw_run_flow *flow, const struct cw_run_task *t)
{
    flow->n = 0;
    for (uint32_t k = 0; k < t->accesses.n; k++) {
        const struct cw_run_access *a = &t->accesses.of[k];

        if (!a->region->root) /* the program's own memory: the command runs at home */
            continue;
        if (a->sure == a->sure_end) {
            cw_run_flow_need(flow, a->region, a->low, a->high);
        } else {
            cw_run_flow_need(flow, a->region, a->low, a->sure);
            cw_run_flow_need(flow, a->region, a->sure_end, a->high);
        }
    }
}

static double take(struct cw_run_flow *flow, const struct cw_run_task *before)
{
    uint64_t bytes = 0;

    for (uint32_t k = 0; k < before->accesses.n; k++) {
        const struct cw_run_access *a = &before->accesses.of[k];
        if (a->write)
            bytes += cw_run_flow_take(flow, a->region, a->low, a->high);
    }
    return (double)bytes;
}

/* An earlier access of `t` is to the same buffer as access `k`. */
static bool is_again(const struct cw_run_task *t, uint32_t k)
{
    uint32_t n = 0;

    while (t->accesses.of[n].region != t->accesses.of[k].region)
        n++;
    return n < k;
}

/* All bytes of `r` that `t` writes. */
static double written(const struct cw_run_task *t, const struct cw_run_region *r)
{
    double bytes = 0;

    for (uint32_t k = 0; k < t->accesses.n; k++)
        if (t->accesses.of[k].region == r && t->accesses.of[k].write)
            bytes += (double)(t->accesses.of[k].high - t->accesses.of[k].low);
    return bytes;
}

static bool reads(const struct cw_run_task *t, const struct cw_run_region *r)
{
    bool found = false;

    for (uint32_t k = 0; k < t->accesses.n && !found; k++)
        found = t->accesses.of[k].region == r && !t->accesses.of[k].write;
    return found;
}

static void used(struct cw_run_region *r, bool launch, bool writes, bool read)
{
    struct cw_run_habits *h = &r->habits;

    if (launch) {
        h->launches += h->launches < UINT32_MAX;
        h->written += writes && h->written < UINT32_MAX;
        return;
    }
    if (writes)
        h->launches = 0;
    if (read && h->written) {
        h->per_read = h->written;
        h->written = 0;
    }
}

/* `t` uses the buffer. One that brings it home does not say what the native command behind it does. */
static void learn(const struct cw_run_task *t, struct cw_run_region *r)
{
    if (t->work != CW_RUN_HOME)
        used(r, t->work == CW_RUN_LAUNCH, written(t, r) > 0, reads(t, r));
}

void cw_run_window_flow_native(struct cw_run_region *r, bool launch, bool writes)
{
    used(r, launch, writes, !writes);
}

/* Bytes of the buffer that launch `t` writes and that are read behind the window: its share of them. What
 * the window reads itself is an edge. As long as nothing has shown how often it is read, it is thought to
 * be at once. */
static double read_later(const struct cw_run_window_flow *f, const struct cw_run_task *t,
                         const struct cw_run_region *r)
{
    const struct cw_run_habits *h = &r->habits;
    uint32_t per_read = h->per_read ? h->per_read : h->written < CW_RUN_PLAN_FETCH_OFTEN;

    return t->work == CW_RUN_LAUNCH && per_read && h->read_in != f->window ? written(t, r) / per_read : 0;
}

/* The pieces of `t`: all buffers that it uses, and the needs that are left. */
static bool add_pieces(struct cw_run_window_flow *f, const struct cw_run_task *t)
{
    bool good = true;

    for (uint32_t k = 0; k < t->accesses.n && good; k++) {
        struct cw_run_region *r = t->accesses.of[k].region;
        if (!r->root || is_again(t, k))
            continue;
        r->habits.ahead = t->accesses.of[k].ahead;
        learn(t, r);
        good = add_piece(f, r, 0, 0);
    }
    for (uint32_t k = 0; k < f->flow.n && good; k++) {
        const struct cw_run_flow_range *r = &f->flow.need[k];
        struct cw_extent part = {.high = r->low};

        while (good && cw_run_spread_part(r->region, part.high, r->high, &part))
            good = !part.valid || add_piece(f, r->region, part.high - part.low, part.valid);
    }
    return good;
}

/* `t` is behind the command that is looked at next. */
static void look_ahead(const struct cw_run_task *t, struct cw_run_access *a)
{
    struct cw_run_habits *h = &a->region->habits;

    a->ahead = h->ahead;
    if (t->work == CW_RUN_LAUNCH)
        h->ahead++;
    else if (t->work != CW_RUN_HOME && written(t, a->region) > 0)
        h->ahead = 0;
}

static uint32_t windows; /* so far; lock held */

/* From the last command to the first: what each writes that is read behind the window. */
static void look_back(struct cw_run_window_flow *f, struct cw_run_task *const *task, uint32_t count)
{
    f->window = ++windows;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < task[i]->accesses.n; k++)
            task[i]->accesses.of[k].region->habits.ahead = 0;
    for (uint32_t i = count; i-- > 0;) {
        const struct cw_run_task *t = task[i];

        f->back[i] = 0;
        for (uint32_t k = 0; k < t->accesses.n; k++) {
            struct cw_run_region *r = t->accesses.of[k].region;
            if (!r->root || is_again(t, k))
                continue;
            f->back[i] += read_later(f, t, r);
            look_ahead(t, &t->accesses.of[k]);
            if (t->work != CW_RUN_LAUNCH && reads(t, r))
                r->habits.read_in = f->window;
        }
    }
}

bool cw_run_window_flow_find(struct cw_run_window_flow *f, struct cw_run_task *const *task, uint32_t count,
                             const uint32_t *pred_start, const uint32_t *pred)
{
    bool good = grow(&f->pred_bytes, &f->edges, pred_start[count] + 1, sizeof *f->pred_bytes) &&
                grow(&f->piece_start, &f->tasks, count + 1, sizeof *f->piece_start) &&
                grow(&f->back, &f->backs, count, sizeof *f->back);

    f->n = 0;
    if (good)
        look_back(f, task, count);
    for (uint32_t i = 0; i < count && good; i++) {
        need(&f->flow, task[i]);
        for (uint32_t e = pred_start[i + 1]; e-- > pred_start[i];)
            f->pred_bytes[e] = take(&f->flow, task[pred[e]]);
        f->piece_start[i] = f->n;
        good = add_pieces(f, task[i]);
    }
    if (good)
        f->piece_start[count] = f->n;
    return good;
}
