/* native_bytes.c - the bytes that native commands use: brought home before, noted behind. See native.h. */
#include "native.h"

#include <stdlib.h>

#include "../../../analyzer/kernels/source/access_mode.h"
#include "../core/record.h"
#include "../core/state.h"
#include "../memory/byte_range.h"
#include "../memory/native_use.h"
#include "../memory/spread.h"
#include "../models/effects.h"
#include "../tasks/dependence.h"
#include "../tasks/task.h"
#include "../tuning/tuning.h"
#include "../windows/window.h"

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The command may use bytes that no memory object that it names holds. */
static bool uses_any(const struct cw_run_use *use, const struct cw_run_kernel *k)
{
    bool any = use->all || (use->kernel && (!k || !k->args || cw_run_effects_reach_elsewhere(k)));

    for (uint32_t i = 0; !any && k && i < k->count; i++)
        any = k->args[i].kind == CW_RUN_ARG_POINTER;
    return any;
}

/* Buffer `i` of those that the command names, arguments of its kernel behind them; `*r` NULL: it is none of
 * run mode's own bytes. False: there are no more. */
static bool named(const struct cw_run_use *use, const struct cw_run_kernel *k, uint32_t i,
                  struct cw_run_region **r)
{
    uint32_t n = use->memory ? use->n : 0;
    const struct cw_run_arg *a = k && k->args && i >= n && i - n < k->count ? &k->args[i - n] : NULL;
    const void *handle = i < n                                                           ? use->memory[i]
                         : a && a->kind == CW_RUN_ARG_VALUE && a->size == sizeof(cl_mem) ? (void *)a->word
                                                                                         : NULL;
    const struct cw_run_memory *m = handle ? cw_run_record_find(handle, CW_RUN_MEMORY) : NULL;

    *r = m && m->region && m->region->root ? m->region : NULL;
    return i < n || a;
}

/* It may write buffer `i`. */
static bool writes(const struct cw_run_use *use, const struct cw_run_kernel *k, uint32_t i)
{
    uint32_t bits = 8 * sizeof use->written;

    if (i < use->n)
        return use->written >> (i < bits ? i : bits - 1) & 1;
    return !k->modes || k->modes[i - use->n] != CW_ACCESS_READ;
}

static const struct cw_run_kernel *kernel_of(const struct cw_run_use *use)
{
    return use->kernel ? cw_run_record_find(use->kernel, CW_RUN_KERNEL) : NULL;
}

static bool touches(const struct cw_run_use *use, const struct cw_run_region *region)
{
    const struct cw_run_kernel *k = kernel_of(use);
    bool any = uses_any(use, k);
    struct cw_run_region *r;

    for (uint32_t i = 0; !any && named(use, k, i, &r); i++)
        any = r == region;
    return any;
}

/* Memory is out: all is native from here on. */
void cw_run_native_bytes_note(const struct cw_run_native *x)
{
    const struct cw_run_kernel *k = kernel_of(x->use);
    cl_event event = x->unmarked ? NULL : *x->event;
    uint64_t given = x->queue->native_given;
    struct cw_run_region *r;
    bool good = !uses_any(x->use, k) || cw_run_native_use_add(NULL, x->queue, event, given, x->after);

    for (uint32_t i = 0; named(x->use, k, i, &r); i++) {
        if (!r)
            continue;
        good &= cw_run_native_use_add(r, x->queue, event, given, x->after);
        cw_run_window_flow_native(r, i >= x->use->n, writes(x->use, k, i));
    }
    cw_run.off |= !good;
}

bool cw_run_native_bytes_any(const struct cw_run_use *use)
{
    return use->n || use->kernel || use->all;
}

static bool is_touched(const struct cw_run_queue *q, const struct cw_run_use *use,
                       const struct cw_run_region *r)
{
    return r->root->context == q->context && !cw_run_spread_is_at_rest(r) && touches(use, r);
}

static struct cw_run_region *next_touched(const struct cw_run_queue *q, const struct cw_run_use *use,
                                          struct cw_run_region *r)
{
    do
        r = cw_run_spread_after(r);
    while (r && !is_touched(q, use, r));
    return r;
}

/* Of the buffers that the command names, those that are not at rest, each once; of any, those that have left
 * the host's memory. Returns how many; of[]: NULL, or room for so many. */
static uint32_t find_touched(const struct cw_run_queue *q, const struct cw_run_use *use,
                             struct cw_run_region **of)
{
    const struct cw_run_kernel *k = kernel_of(use);
    struct cw_run_region *r, *before;
    uint32_t n = 0;

    if (uses_any(use, k)) {
        for (r = next_touched(q, use, NULL); r; r = next_touched(q, use, r), n++)
            if (of)
                of[n] = r;
        return n;
    }
    for (uint32_t i = 0, j = 0; named(use, k, i, &r); i++) {
        if (!r || r->root->context != q->context || cw_run_spread_is_at_rest(r))
            continue;
        for (j = 0; j < i && named(use, k, j, &before) && before != r;)
            j++;
        if (j < i)
            continue;
        if (of)
            of[n] = r;
        n++;
    }
    return n;
}

/* The bytes of `r` that the command, which names no other kind of thing, may use: [*low, *high). True: it may
 * write some. */
static bool used_of(const struct cw_run_use *use, const struct cw_run_region *r, uint64_t *low,
                    uint64_t *high)
{
    const struct cw_run_memory *m;
    bool write = !use->range;

    *low = write ? 0 : UINT64_MAX;
    *high = write ? r->high - r->low : 0;
    for (uint32_t i = 0; use->range && i < use->n; i++) {
        m = use->memory[i] ? cw_run_record_find(use->memory[i], CW_RUN_MEMORY) : NULL;
        if (m && m->region == r) {
            uint64_t first = least(use->range[i][0], m->bytes);
            uint64_t end = m->offset + first + least(use->range[i][1], m->bytes - first);

            *low = least(*low, m->offset + first);
            *high = *high > end ? *high : end;
            write |= writes(use, NULL, i);
        }
    }
    return write;
}

/* A command of the queue behind which all bytes that a native one may touch are in the host's memory, and,
 * if the native one may write them, there alone. It waits for all that the native one waits for, as that may
 * have written them elsewhere. NULL: none is needed, or, then *failed, memory is out. */
static struct cw_run_task *home_task(const struct cw_run_native *x, bool *failed)
{
    const struct cw_run_use *use = x->use;
    struct cw_run_queue *q = x->queue;
    cl_uint listed = cw_run_dependence_look(q, x->n, x->list) == CW_RUN_WAITS_ODD ? 0 : x->n;
    uint32_t n = find_touched(q, use, NULL);
    struct cw_run_region **of = n ? malloc(n * sizeof *of) : NULL;
    uint64_t now = 0;
    struct cw_run_task *t = of ? cw_run_task_create(n, 0, n * sizeof *t->home.of) : NULL;
    uint64_t low, high;
    bool write;

    *failed = n && !t;
    if (!t) {
        free(of);
        return NULL;
    }
    t->work = CW_RUN_HOME;
    t->behind_native = cw_run_dependence_waits_native(q, listed, x->list);
    t->home.memory = q->context->places->device->memory;
    /* the program may let go of them as soon as the vendor has the native command */
    t->home.of = (struct cw_run_memory **)(t->accesses.of + n);
    find_touched(q, use, of);
    for (uint32_t i = 0; i < n; i++) {
        cw_run_record_pin(&of[i]->root->r);
        t->home.of[t->home.n++] = of[i]->root;
        write = used_of(use, of[i], &low, &high);
        if (low < high)
            cw_run_byte_range_add_access(q, t, of[i], low, high - low, write);
    }
    free(of);
    *failed = !cw_run_dependence_link(q, t, 0, listed, x->list, false, NULL);
    if (*failed)
        return NULL;
    cw_run_activation_enqueued(&now);
    t->home.serves = t->order.recorded;
    t->order.recorded = 0; /* no command of the program's */
    return t;
}

static bool all_over(const void *unused)
{
    (void)unused;
    return !cw_run.unfinished;
}

/* Where no command can do that in its turn. */
void cw_run_native_bytes_all_home(void)
{
    cw_run_window_close();
    cw_run_help(NULL, 0, all_over, NULL);
    cw_run_spread_all_home();
}

/* Bytes that the command may touch are used by others: those wait for no native work, or have begun. */
static bool touched_over(const void *what)
{
    const struct cw_run_native *x = what;
    struct cw_run_region *r = next_touched(x->queue, x->use, NULL);

    while (r && !cw_run_byte_range_is_used(x->queue, r))
        r = next_touched(x->queue, x->use, r);
    return !r;
}

/* The same where no command of the queue can do it. Others may wait for the thread that is here, by native
 * work: so only those on the same bytes are waited for. No launch leaves home meanwhile
 * (q->context->native_calls). */
static void touched_home(const struct cw_run_native *x)
{
    struct cw_run_region *r;

    cw_run_window_close();
    cw_run_help(NULL, 0, touched_over, x);
    r = cw_run_spread_after(NULL);
    while (r)
        r = is_touched(x->queue, x->use, r) ? cw_run_spread_come_home(r) : cw_run_spread_after(r);
}

/* Sets x->home to the number of that command. */
void cw_run_native_bytes_bring_home(struct cw_run_native *x)
{
    struct cw_run_queue *q = x->queue;
    struct cw_run_task *t = NULL;
    bool failed = false;

    if (cw_run.ending && cw_run.off) { /* no worker is left, and all that was to be waited for is over */
        cw_run_spread_all_home();
        return;
    }
    if (!q->managed) {
        touched_home(x);
        return;
    }
    t = home_task(x, &failed);
    if (failed)
        cw_run_native_bytes_all_home();
    x->home = t ? t->order.sequence : 0;
}

bool cw_run_native_bytes_named(const struct cw_run_use *use)
{
    return !uses_any(use, kernel_of(use));
}
