
#include "farm_master.h"
#include "farm_serve.h"
#include "../io/quantity.h"

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
    t->region = cw_farm_region_serve;
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
