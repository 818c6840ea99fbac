/* stale.c - objects that the program uses behind its last release, and events that it keeps or never uses. */
#include <errno.h>
#include <stdlib.h>

#include "recorder.h"

enum { MOST_SEQS = 65536 }; /* commands that are named as those of kept events */

static _Atomic uint64_t user_events, unused; /* made; events that nothing has used, of those let go */

void cw_stale_after_fork(void)
{
    user_events = unused = 0;
}

void cw_stale_note(const void *handle, enum cw_log_object kind, uint64_t command, uint32_t function)
{
    struct cw_rec r;
    uint32_t id, released, site = 0;
    uint64_t seq;

    if (!cw_object_take_released(handle, kind, &id, &seq, &released))
        return;
    if (!command) {
        cw_calls_describe(function);
        site = cw_callsite_unwound();
    }
    cw_log_rec_begin(&r);
    cw_rec_u(&r, kind);
    if (kind == CW_LOG_O_EVENT)
        cw_rec_s(&r, (int64_t)(seq - r.seq));
    else
        cw_rec_u(&r, id);
    cw_rec_u(&r, command);
    cw_rec_u(&r, command ? 0 : (uint64_t)function + 1);
    cw_rec_u(&r, cw_now_ns());
    cw_rec_u(&r, site);
    cw_rec_u(&r, released);
    cw_log_rec_commit(&r, CW_LOG_STALE);
}

void cw_stale_note_any(const void *handle, uint32_t function)
{
    static const enum cw_log_object kinds[] = {CW_LOG_O_CONTEXT, CW_LOG_O_QUEUE,   CW_LOG_O_MEMORY,
                                               CW_LOG_O_SAMPLER, CW_LOG_O_PROGRAM, CW_LOG_O_KERNEL,
                                               CW_LOG_O_EVENT};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        cw_stale_note(handle, kinds[i], 0, function);
}

void cw_stale_user_event(void)
{
    atomic_fetch_add_explicit(&user_events, 1, memory_order_relaxed);
}

static bool is_unused(const struct cw_object *o)
{
    return !(o->flags & (CW_OBJECT_USED | CW_OBJECT_SEEN_COMPLETE | CW_OBJECT_UNKNOWN_EVENT));
}

void cw_stale_event_released(const struct cw_object *o)
{
    if (CW_UNLIKELY(is_unused(o)))
        atomic_fetch_add_explicit(&unused, 1, memory_order_relaxed);
}

/* ---- the end */

struct found {
    uint64_t user_events, commands, unused;
    uint64_t *seqs; /* of the first MOST_KEPT commands; NULL: memory is out */
};

static void visit(struct cw_object *o, void *context)
{
    struct found *k = context;

    if (o->generation != cw_log_generation || o->flags & CW_OBJECT_UNKNOWN_EVENT)
        return;
    k->unused += is_unused(o);
    if (o->flags & CW_OBJECT_USER_EVENT) {
        k->user_events++;
        return;
    }
    if (k->seqs && k->commands < MOST_SEQS)
        k->seqs[k->commands] = o->seq;
    k->commands++;
}

void cw_stale_write_events(void)
{
    static uint32_t written; /* the generation of the log that has the record */
    int saved = errno;
    struct found k = {.seqs = malloc(MOST_SEQS * sizeof *k.seqs)};
    struct cw_rec r;

    if (written != cw_log_generation) {
        written = cw_log_generation;
        cw_object_each(CW_LOG_O_EVENT, visit, &k);
        cw_log_rec_begin(&r);
        cw_rec_u(&r, user_events);
        cw_rec_u(&r, k.user_events);
        cw_rec_u(&r, unused + k.unused);
        cw_rec_u(&r, k.commands);
        uint64_t named = !k.seqs ? 0 : k.commands < MOST_SEQS ? k.commands : MOST_SEQS;
        cw_rec_u(&r, named);
        for (uint64_t i = 0; i < named; i++)
            cw_rec_s(&r, (int64_t)(k.seqs[i] - r.seq));
        cw_log_rec_commit(&r, CW_LOG_EVENTS);
    }
    free(k.seqs);
    errno = saved;
}
