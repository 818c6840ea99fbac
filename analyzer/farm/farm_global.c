#include "farm_master.h"
#include "farm_serve.h"
#include "../io/quantity.h"

#include <string.h>
#include <unistd.h>

struct region {
    struct cw_farm_master m;
    struct cw_farm_up up;
    uint64_t full; /* tasks that it asks for; a batch of so many results is passed on */
    bool asked, over;
};

/* Joins its master, or the successor of that; everything that it holds goes with it. */
static void join(struct region *r)
{
    struct cw_dispatch_queue held = {0};

    r->asked = false;
    if (!cw_dispatch_master_holdings(&r->m.state, &held) || !cw_farm_takeover_hold(&held, &r->m.batch) ||
        !cw_farm_takeover_join(&r->up, &held))
        r->over = true;
    cw_dispatch_queue_finish(&held);
}

/* The link is broken. When the farm ends, the master may still read. */
static void rejoin(struct region *r)
{
    if (cw_farm_tree_ended(r->up.tree)) {
        r->over = true;
        return;
    }
    if (r->up.fd >= 0)
        close(r->up.fd);
    r->up.fd = -1;
    join(r);
}

/* Takes what its master has sent. */
static void hear(struct region *r)
{
    enum cw_farm_received got = cw_farm_link_read(r->up.fd, &r->up.in);
    struct cw_dispatch_range work;
    struct cw_farm_frame f;
    const char *payload;

    while (got == CW_FARM_FULL && (got = cw_farm_link_next(&r->up.in, &f, &payload)) == CW_FARM_FULL) {
        if (f.kind == CW_FARM_WORK && f.bytes == sizeof work) {
            memcpy(&work, payload, sizeof work);
            r->asked = false;
            r->over |= !cw_dispatch_master_add(&r->m.state, work);
        } else if (f.kind == CW_FARM_NO_MORE) {
            r->over = true;
        }
    }
    if (got == CW_FARM_CLOSED || got == CW_FARM_NOMEM)
        rejoin(r);
}

static bool pass_on(struct region *r, uint64_t wanted)
{
    struct cw_farm_bytes *b = &r->m.batch;

    if (r->up.fd < 0 ||
        !cw_farm_link_send(r->up.fd, CW_FARM_REPORT, r->up.epoch, &wanted, sizeof wanted, b->v, b->used))
        return false;
    b->used = r->m.batch_results = 0;
    return true;
}

static bool has_idle_child(const struct cw_farm_master *m)
{
    for (uint32_t k = 0; k < m->children; k++)
        if (m->state.child[k].owed)
            return true;
    return false;
}

/* Asks when it has no tasks to give, and passes results on: with a request, when there are many, when they
 * have waited, or when there is nothing to wait for, as all that it had is done or a child is idle. */
static void speak(struct region *r)
{
    const struct cw_farm_master *m = &r->m;
    bool wants = m->state.queue.used == 0 && !r->asked;
    bool due = m->batch.used &&
               (m->state.left == 0 || m->batch_results >= r->full || m->batch.used > CW_FARM_BATCH_BYTES ||
                cw_monotonic_s() - m->batch_s > CW_FARM_BATCH_S || has_idle_child(m));

    if (!wants && !due)
        return;
    if (!pass_on(r, wants ? r->full : 0))
        rejoin(r);
    else
        r->asked |= wants;
}

/* This process is the regional master `node`, whose address `listening` is. link: to its master; -1: it is a
 * successor, and has none. Returns, as an exit status, when END comes or the farm ends; no process below is
 * left. */
static int farm_region_serve(const struct cw_farm_run *run, struct cw_farm_tree *t, uint32_t node,
                             int listening, int link)
{
    struct cw_error err = {0};
    struct region r = {.m = {.run = run, .tree = t, .node = node, .listening = listening, .err = &err},
                       .up = {.run = run, .tree = t, .node = node, .fd = link},
                       .full = (uint64_t)t->block * t->place[node].below};

    cw_farm_tree_enter(t, node, "farm-region");
    r.up.forget = cw_farm_children_forget;
    r.up.context = &r.m;
    if (cw_farm_master_begin(&r.m))
        join(&r);
    while (r.m.status == CW_OK && !r.m.stopped_by && !r.over) {
        if (cw_farm_master_serve(&r.m, r.up.fd))
            hear(&r);
        if (!r.over)
            speak(&r);
        r.over |= r.up.fd < 0;
    }
    if (r.m.status == CW_OK) {
        cw_farm_master_dismiss(&r.m);
        pass_on(&r, 0);
    }
    cw_farm_master_end(&r.m);
    return r.m.status == CW_OK ? 0 : 1;
}

enum { BLOCK_MAX = 64, PARTS = 32 };

/* Writes the results that have come to the checkpoint. */
static void commit(struct cw_farm_master *m)
{
    struct cw_error err = {0};

    if (!m->batch.used)
        return;
    if (cw_farm_checkpoint_append(m->run->checkpoint, &m->batch, &err) != CW_OK && m->status == CW_OK) {
        m->status = err.status;
        cw_error_set(m->err, err.status, "%s", err.text);
    }
    m->batch.used = m->batch_results = 0;
}

static void serve(struct cw_farm_master *m)
{
    double begin_s = cw_monotonic_s(), tick_s = 0;

    while (m->state.left && m->status == CW_OK && !m->stopped_by) {
        double now;

        cw_farm_master_serve(m, -1);
        now = cw_monotonic_s();
        if (m->batch.used > CW_FARM_BATCH_BYTES || (m->batch.used && now - m->batch_s > CW_FARM_BATCH_S))
            commit(m);
        m->f->seconds = now - begin_s;
        if (m->run->tick && now - tick_s > CW_FARM_TICK_MS / 1e3) {
            tick_s = now;
            m->run->tick(m->run->context, m->f);
        }
    }
}

/* All tasks are done. The tree stands yet, so that a successor can do it again. */
static void finish(struct cw_farm_master *m)
{
    const struct cw_farm_run *run = m->run;

    commit(m);
    if (m->status == CW_OK)
        m->status = cw_farm_checkpoint_flush(run->checkpoint, m->err);
    if (m->status == CW_OK && run->finish)
        m->status = run->finish(run, m->err);
}

/* The tree of this farm, or that of the dead global master. NULL: CW_ERR_NOMEM. */
static struct cw_farm_tree *plant(const struct cw_farm_run *run, struct cw_error *err)
{
    const struct cw_farm_checkpoint *c = run->checkpoint;
    uint32_t workers = run->workers + (run->outside != NULL);
    uint32_t part = (c->tasks - c->done) / (workers * PARTS);
    struct cw_farm_tree *t = run->tree;

    if (!t)
        t = cw_farm_tree_make(workers, run->levels ? run->levels : 1, c->tasks, err);
    if (!t)
        return NULL;
    t->block = run->block ? run->block : part < 1 ? 1 : part > BLOCK_MAX ? BLOCK_MAX : part;
    t->region = farm_region_serve;
    return t;
}

static bool begin(struct cw_farm_master *m)
{
    bool listens = m->tree->levels > 1;

    if (listens && m->listening < 0)
        m->listening = cw_farm_tree_listen(m->tree, 0);
    if (!cw_farm_master_begin(m))
        return false;
    cw_farm_tree_enter(m->tree, 0, "clweave");
    if (listens && m->listening < 0)
        cw_farm_serve_fail(m, CW_ERR_IO, "cannot take an address");
    return m->status == CW_OK;
}

enum cw_status cw_farm_global_run(const struct cw_farm_run *run, struct cw_farm_figures *f, int *stopped_by,
                                  struct cw_error *err)
{
    const struct cw_farm_checkpoint *c = run->checkpoint;
    struct cw_farm_master m = {.run = run, .listening = run->tree ? run->listening : -1, .f = f, .err = err};

    *f = (struct cw_farm_figures){.tasks = c->tasks, .done = c->done, .failed = c->failed};
    *stopped_by = 0;
    m.tree = plant(run, err);
    if (!m.tree)
        return CW_ERR_NOMEM;
    if (begin(&m)) {
        serve(&m);
        if (m.state.left == 0 && m.status == CW_OK)
            finish(&m);
        cw_farm_tree_end(m.tree, false);
        cw_farm_master_dismiss(&m);
        commit(&m);
    }
    cw_farm_tree_end(m.tree, true);
    cw_farm_master_end(&m);
    cw_farm_tree_free(m.tree);
    if (f->done < f->tasks)
        *stopped_by = m.stopped_by;
    if (cw_farm_checkpoint_flush(run->checkpoint, err) != CW_OK && m.status == CW_OK)
        m.status = CW_ERR_IO;
    return m.status;
}
