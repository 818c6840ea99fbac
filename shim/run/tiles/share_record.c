/* share_record.c - records of a shape, and what earlier runs have measured. See tiles/share.h. */
#include "share.h"

#include <stdlib.h>

#include "../core/state.h"
#include "../tuning/tuning.h"

/* ---- records of a shape, from earlier runs too: as launches of a kernel of its own, of which each device
 * does all work-items */

#define RECORD_KERNEL UINT64_C(0x7469a1e5)
#define RECORD_ITEMS  1e6 /* work-items of which the time is kept */

static uint64_t record_shape(const struct cw_run_share *h)
{
    return h->shape * 4 + h->dim;
}

void cw_run_share_recall(struct cw_run_share *h, const struct cw_run_task *t, size_t groups,
                         double overhead_ns)
{
    const struct cw_run_context *c = t->queue->context;
    const struct cw_run_perf_model *b = cw_run_perf_model_now();
    struct cw_history_estimate e;

    for (uint32_t i = 0; b && i < c->devices->n; i++) {
        uint32_t worker = c->places[i].worker->number;

        if (worker >= b->workers)
            continue;
        cw_history_predict(b->estimator.history, cw_key_as(t->launch.kernel->key, RECORD_KERNEL),
                           record_shape(h), RECORD_ITEMS, &b->estimator.device[worker], NULL, 1, &e);
        if (e.source == CW_HISTORY_EXACT)
            cw_adaptive_know(h->control, i, (double)groups,
                             e.mean_ns * (double)groups * h->group_items / RECORD_ITEMS + overhead_ns);
    }
}

void cw_run_share_keep(const struct cw_run_tiles *x)
{
    const struct cw_run_share *h = x->share;
    const struct cw_run_perf_model *b = cw_run_perf_model_now();

    if (!b || (h->cuts != CW_RUN_TRIAL_POOR && h->cuts % CW_RUN_LOOK_EACH))
        return;
    for (uint32_t i = 0; i < x->parts; i++) {
        double speed = cw_adaptive_speed(h->control, x->part[i].at.place) * h->group_items;

        if (speed > 0 && x->part[i].at.worker < b->workers)
            cw_history_add(b->estimator.history, cw_key_as(x->whole->launch.kernel->key, RECORD_KERNEL),
                           record_shape(h), b->estimator.device[x->part[i].at.worker], RECORD_ITEMS,
                           RECORD_ITEMS / speed);
    }
}
