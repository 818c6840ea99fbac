/* object.c - the end of the program's objects: what belongs to a record goes with it. See tasks/object.h. */
#include "object.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "../../../sched/adaptive.h"
#include "../code/build_cache.h"
#include "../code/code.h"
#include "../core/global_lock.h"
#include "../core/image.h"
#include "../core/sampler.h"
#include "../core/state.h"
#include "../core/tile_types.h"
#include "../memory/byte_range.h"
#include "../memory/native_use.h"
#include "../memory/spread.h"
#include "../models/known.h"
#include "../models/program_models.h"
#include "event_list.h"

static void free_context(struct cw_run_context *c)
{
    for (size_t i = 0; c->devices && i < c->devices->n; i++)
        if (i < c->devices->homes) {
            cw_run_global_lock_release_later(CW_RUN_DROP_DEVICE,
                                             c->devices->device[i].device); /* last in, first out */
            cw_run_global_lock_release_later(CW_RUN_DROP_QUEUE, c->places[i].queue);
        }
    for (size_t i = 0; c->devices && i < c->devices->n; i++) {
        cw_run_global_lock_release_later(CW_RUN_DROP_QUEUE, c->places[i].copies);
        cw_run_sampler_release(&c->places[i]);
    }
    if (c->watchable)
        atomic_fetch_sub(&cw_run_passing_held, 1);
    cw_run_native_use_forget(c);
    cw_run_event_list_free(&c->own_events);
    cw_helper_build_disown(c);
    free(c->places);
    free(c->devices);
}

static void free_queue(struct cw_run_queue *q)
{
    if (cw_run_passing_is(&q->passing) && cw_run_passing_is_quiet(&q->passing))
        q->context->passing--; /* else its commands may use any bytes of the context, for good */
    cw_run_native_use_forget(q);
    cw_run_event_list_free(&q->gates);
    cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, q->hold.first);
    cw_run_event_list_free(&q->own_events);
    cw_run_record_unpin(&q->context->r);
}

static void forget_part(struct cw_run_memory *m)
{
    struct cw_run_memory **at = &m->root->parts;

    while (*at != m)
        at = &(*at)->next_part;
    *at = m->next_part;
}

static void free_memory(struct cw_run_memory *m)
{
    if (m->root == m && m->region) {
        cw_run_spread_free(m->region->spread);
        m->region->spread = NULL;
    }
    for (uint32_t i = 0; m->mirrors && i < CW_RUN_WORKERS; i++)
        if (!cw_run.workers[i].quarantine.hung) /* the release might wait for the launch that never ends */
            cw_run_global_lock_release_later(CW_RUN_DROP_MEMORY, m->mirrors[i]);
    free(m->mirrors);
    free(m->image);
    cw_run_global_lock_release_later(CW_RUN_DROP_SVM, m->svm);
    if (m->root == m) {
        cw_run_byte_range_region_destroy(m->region);
        cw_run_record_unpin(&m->context->r);
    } else {
        forget_part(m);
        cw_run_record_unpin(&m->root->r);
    }
}

/* ---- programs and kernels */

static void free_rewritten(struct cw_run_program *p)
{
    struct cw_run_rewritten *r = p->rewritten;
    struct cw_run_context *c = p->context;

    p->rewritten = NULL;
    if (!r)
        return;
    for (size_t i = 0; i < c->devices->n; i++)
        cw_helper_build_drop(c, &c->places[i], r->program[c->places[i].worker->number]);
    cw_rewrite_finish(&r->out);
    cw_run_program_models_release(r->models);
    free(r);
}

void cw_run_object_forget_copies(struct cw_run_program *p)
{
    for (uint32_t i = 0; p->copies && i < CW_RUN_WORKERS; i++) {
        cw_run_global_lock_release_later(CW_RUN_DROP_PROGRAM, p->copies[i]);
        p->copies[i] = NULL;
        p->copy[i] = CW_RUN_COPY_NONE;
    }
    free_rewritten(p);
    cw_run_known_forget(p);
    p->sought_again = p->refused = 0;
    p->seek = (struct cw_run_trial){0};
    p->key = (struct cw_key){{0}};
}

void cw_run_object_free_match(struct cw_run_match *m)
{
    if (!m)
        return;
    free(m->source);
    free(m->text);
    free(m);
}

/* The program has let go of it, or of a kernel of it: one may have been the last. */
static void left_alone(struct cw_run_program *p)
{
    if (!p->r.held_back || p->kernels || p->gone)
        return;
    p->gone = true;
    p->context->own_objects++;
}

static void free_program(struct cw_run_program *p)
{
    p->context->own_objects -= p->gone;
    cw_build_cache_free(p);
    cw_run_object_forget_copies(p);
    cw_program_source_forget(p);
    cw_run_program_models_forget(p);
    free(p->copies);
    free(p->source);
    free(p->given);
    free(p->built_with);
    free(p->options);
    cw_run_object_free_match(p->match);
    for (uint32_t i = 0; i < CW_RUN_WORKERS; i++)
        free(p->warm[i]);
    free(p->linked);
    free(p->compiled);
    free(p->compiled_with);
    cw_run_record_unpin(&p->context->r);
}

static void free_shares(struct cw_run_share *list)
{
    struct cw_run_share *next;

    for (; list; list = next) {
        next = list->next;
        cw_adaptive_destroy(list->control);
        free(list->held);
        free(list);
    }
}

void cw_run_object_free_tiled(struct cw_run_kernel *k)
{
    struct cw_run_tiled *d = k->tiled;

    k->tiled = NULL;
    if (!d)
        return;
    for (uint32_t i = 0; i < CW_RUN_WORKERS; i++) {
        if (d->clones)
            cw_run_global_lock_release_later(CW_RUN_DROP_KERNEL, d->clones[i]);
        if (d->rows)
            cw_run_global_lock_release_later(CW_RUN_DROP_KERNEL, d->rows[i]);
        if (d->set)
            free(d->set[i]);
        if (d->row_set)
            free(d->row_set[i]);
    }
    free_shares(d->shares);
    free(d->args);
    free(d->clones);
    free(d->set);
    free(d->rows);
    free(d->row_set);
    free(d);
}

static void free_args(struct cw_run_kernel *k)
{
    for (uint32_t i = 0; k->args && i < k->count; i++)
        if (k->args[i].capacity)
            free(k->args[i].bytes);
    free(k->args);
}

static void free_kernel(struct cw_run_kernel *k)
{
    const struct cw_run_context *c = k->program->context;

    atomic_fetch_add_explicit(&cw_run_record_kernels_freed, 1, memory_order_relaxed);
    for (size_t i = 0; k->clones && i < c->devices->homes && !k->program->cached; i++)
        k->program->own_kernels -= k->clones[c->places[i].worker->number] != NULL;
    for (uint32_t i = 0; k->clones && i < CW_RUN_WORKERS; i++)
        cw_run_global_lock_release_later(CW_RUN_DROP_KERNEL, k->clones[i]);
    for (uint32_t i = 0; k->set && i < CW_RUN_WORKERS; i++)
        free(k->set[i]);
    free(k->set);
    free_args(k);
    cw_run_object_free_tiled(k);
    cw_run_known_release(k->known);
    free(k->clones);
    free(k->modes);
    free(k->kinds);
    free(k->name);
    k->program->kernels--;
    left_alone(k->program);
    cw_run_record_unpin(&k->program->r);
}

static void free_event(struct cw_run_event *e)
{
    struct cw_run_callback *c, *next;

    if (e->what == CW_RUN_USER && e->status > CL_COMPLETE)
        atomic_fetch_sub(&cw_run_passing_held, 1);
    for (c = e->callbacks; c; c = next) {
        next = c->next;
        free(c);
    }
    if (!e->queue)
        return;
    e->queue->context->events--;
    e->queue->events--;
    cw_run_record_unpin(&e->queue->r);
}

/* ---- all kinds */

static void free_record(struct cw_run_record *r)
{
    switch (r->kind) {
    case CW_RUN_CONTEXT:
        free_context((struct cw_run_context *)r);
        break;
    case CW_RUN_QUEUE:
        free_queue((struct cw_run_queue *)r);
        break;
    case CW_RUN_MEMORY:
        free_memory((struct cw_run_memory *)r);
        break;
    case CW_RUN_PROGRAM:
        free_program((struct cw_run_program *)r);
        break;
    case CW_RUN_KERNEL:
        free_kernel((struct cw_run_kernel *)r);
        break;
    case CW_RUN_EVENT:
        free_event((struct cw_run_event *)r);
        break;
    case CW_RUN_SAMPLER:
    case CW_RUN_OPAQUE:
        break;
    }
    free(r);
}

static const enum cw_run_garbage releases[] = {
    [CW_RUN_CONTEXT] = CW_RUN_DROP_CONTEXT, [CW_RUN_QUEUE] = CW_RUN_DROP_QUEUE,
    [CW_RUN_MEMORY] = CW_RUN_DROP_MEMORY,   [CW_RUN_PROGRAM] = CW_RUN_DROP_PROGRAM,
    [CW_RUN_KERNEL] = CW_RUN_DROP_KERNEL,   [CW_RUN_EVENT] = CW_RUN_DROP_EVENT,
    [CW_RUN_SAMPLER] = CW_RUN_DROP_SAMPLER, [CW_RUN_OPAQUE] = CW_RUN_DROP_MEMORY,
};

/* A call of another thread is in the vendor (core/passing.h). */
static bool is_being_called(const struct cw_run_record *r)
{
    return r->kind == CW_RUN_QUEUE && cw_run_passing_is_called(&((const struct cw_run_queue *)r)->passing);
}

void cw_run_object_free_ended(void)
{
    struct cw_run_record **at = &cw_run_record_ended, *r;

    while ((r = *at)) {
        if (CW_UNLIKELY(r->busy || is_being_called(r))) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        if (r->held_back && r->entry)
            cw_run_global_lock_release_later(releases[r->kind], (void *)(uintptr_t)r->handle);
        free_record(r);
        at = &cw_run_record_ended; /* it may have been the last that needed others */
    }
}

void *cw_run_object_create(const void *handle, enum cw_run_kind kind)
{
    void *r = cw_run_record_create(handle, kind);

    cw_run_object_sweep();
    return r;
}

void cw_run_object_unpin(struct cw_run_record *r)
{
    cw_run_record_unpin(r);
    cw_run_object_sweep();
}

bool cw_run_object_release(const void *handle, enum cw_run_kind kind)
{
    struct cw_run_record *r;
    bool vendor = true;

    if (!cw_run_record_find(handle, kind))
        return true;
    cw_run_global_lock_take();
    cw_run_object_sweep(); /* what has ended does not need it any more */
    r = cw_run_record_find(handle, kind);
    if (r && r->refs > 1) {
        r->refs--;
    } else if (r && r->busy && !r->held_back) {
        r->refs = 0;
        r->held_back = true;
        vendor = false;
        if (kind == CW_RUN_PROGRAM)
            left_alone((struct cw_run_program *)r);
    } else if (r && !r->busy) {
        cw_run_record_end(r);
        cw_run_object_sweep();
    }
    cw_run_global_lock_give();
    return vendor;
}
