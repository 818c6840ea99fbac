/* run_flight.c - which launches must not overlap.
 *
 * PoCL 3.1 keeps compiled kernels in one list for all devices and contexts and finds them again by kernel and local size
 * alone, though it compiles one more for every global size that is wider than those before. Two launches of one kernel
 * with different widths in flight on two devices release the wrong one and abort the process ("found->ref_count > 0").
 * So such launches run one after the other, whatever the local size. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "../trace/recorder.h"

struct cw_run_flight {
    struct cw_run_flight *next;
    uint64_t key; /* of the kernel's source, options and name, which is what PoCL goes by */
    size_t width;
    uint32_t running;
    cl_command_queue native_queue; /* its latest native launch: queue, number there, width */
    uint64_t native_number;
    size_t native_width;
};

static struct cw_run_flight *flights; /* as many as there are kernels; never freed */

struct cw_run_flight *cw_run_flight_of(const struct cw_run_kernel *k)
{
    const struct cw_run_program *p = k->program;
    struct cw_run_flight *f;
    uint64_t key = CW_FNV_START;

    if (!p->source || !p->options)
        return NULL;
    key = cw_fnv1a(key, p->source, strlen(p->source) + 1);
    key = cw_fnv1a(key, p->options, strlen(p->options) + 1);
    key = cw_fnv1a(key, k->name, strlen(k->name));
    for (f = flights; f; f = f->next)
        if (f->key == key)
            return f;
    f = calloc(1, sizeof *f);
    if (f) {
        f->key = key;
        f->next = flights;
        flights = f;
    }
    return f;
}

static size_t widest(cl_uint dims, const size_t *global)
{
    size_t width = 0;

    for (cl_uint i = 0; i < dims; i++)
        width = global[i] > width ? global[i] : width;
    return width;
}

static size_t width_of(const struct cw_run_launch *l)
{
    return widest(l->dims, l->global);
}

void cw_run_flight_native(struct cw_run_kernel *k, const struct cw_run_queue *q, cl_uint dims, const size_t *global)
{
    struct cw_run_flight *f = k->flight;

    if (!f)
        return;
    f->native_queue = (cl_command_queue)(uintptr_t)q->r.handle;
    f->native_number = q->native_given;
    f->native_width = widest(dims, global);
}

bool cw_run_flight_may_move(const struct cw_run_task *t)
{
    const struct cw_run_flight *f = t->launch.kernel->flight;
    const struct cw_run_queue *q = f && f->native_queue ? cw_run_find(f->native_queue, CW_RUN_QUEUE) : NULL;

    return !q || q->native_known >= f->native_number || f->native_width == width_of(&t->launch);
}

bool cw_run_flight_may(const struct cw_run_task *t)
{
    const struct cw_run_flight *f = t->work == CW_RUN_LAUNCH ? t->launch.kernel->flight : NULL;

    return !f || !f->running || f->width == width_of(&t->launch);
}

void cw_run_flight_begin(const struct cw_run_task *t)
{
    struct cw_run_flight *f = t->work == CW_RUN_LAUNCH ? t->launch.kernel->flight : NULL;

    if (!f)
        return;
    f->running++;
    f->width = width_of(&t->launch);
}

void cw_run_flight_end(const struct cw_run_task *t)
{
    struct cw_run_flight *f = t->work == CW_RUN_LAUNCH ? t->launch.kernel->flight : NULL;

    if (!f || --f->running)
        return;
    for (uint32_t i = 0; i < cw_run.num_lanes; i++)
        cw_run.lanes[i].blocked = false; /* they look again */
    if (cw_run.waiters)
        pthread_cond_broadcast(&cw_run.done);
}
