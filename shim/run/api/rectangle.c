/* rectangle.c - see rectangle.h. */
#include "rectangle.h"
#include "memory.h"
#include "../core/image.h"
#include "../core/record.h"
#include "../core/state.h"
#include "../memory/byte_range.h"
#include "../tasks/dependence.h"
#include "../tasks/task.h"

#define LARGE ((size_t)1 << 40) /* no sum of products of smaller numbers overflows */

bool cw_run_rectangle_make_side(struct cw_run_rectangle_side *s, const size_t *origin, const size_t *region,
                                size_t row, size_t slice)
{
    if (!origin || !region || !region[0] || !region[1] || !region[2])
        return false;
    for (int i = 0; i < 3; i++)
        if (origin[i] >= LARGE || region[i] >= LARGE)
            return false;
    if (row >= LARGE || slice >= LARGE || (row && row < region[0]))
        return false;
    s->row = row ? row : region[0];
    if (slice && (slice < region[1] * s->row || slice % s->row))
        return false;
    s->slice = slice ? slice : region[1] * s->row;
    if (s->slice >= LARGE || region[1] >= LARGE / s->row || region[2] >= LARGE / s->slice ||
        origin[1] >= LARGE / s->row || origin[2] >= LARGE / s->slice)
        return false;
    s->start = origin[2] * s->slice + origin[1] * s->row + origin[0];
    s->span = (region[2] - 1) * s->slice + (region[1] - 1) * s->row + region[0];
    return true;
}

bool cw_run_rectangle_fits(const struct cw_run_rectangle_side *s, const struct cw_run_memory *m)
{
    return s->start <= m->bytes && s->span <= m->bytes - s->start;
}

bool cw_run_rectangle_find_part(const struct cw_run_enqueue *e, struct cw_run_rectangle_part *p, cl_mem image,
                                cl_mem_flags not, const size_t *origin, const size_t *region)
{
    struct cw_run_memory *m = cw_run_memory_image(image);
    const struct cw_run_image *i = m ? m->image : NULL;

    if (!m || m->context != e->queue->context || m->flags & not || !origin || !region)
        return false;
    for (int d = 0; d < 3; d++)
        if (!region[d] || origin[d] > i->extent[d] || region[d] > i->extent[d] - origin[d])
            return false;
    *p = (struct cw_run_rectangle_part){.memory = m,
                                        .origin = origin,
                                        .region = {region[0] * i->pixel, region[1], region[2]},
                                        .side = {.row = i->row, .slice = i->slice}};
    p->side.start = origin[2] * i->slice + origin[1] * i->row + origin[0] * i->pixel;
    p->side.span = (region[2] - 1) * i->slice + (region[1] - 1) * i->row + region[0] * i->pixel;
    return true;
}

struct cw_run_task *cw_run_rectangle_task(struct cw_run_enqueue *e, cl_command_type type,
                                          enum cw_run_work work)
{
    struct cw_run_task *t = cw_run_enqueue_settle(e) ? cw_run_task_create(2, 0, 0) : NULL;

    if (!t)
        return NULL;
    e->type = type;
    t->work = work;
    t->behind_native = cw_run_dependence_waits_native(e->queue, e->n, e->list);
    return t;
}

void cw_run_rectangle_add_access(const struct cw_run_enqueue *e, struct cw_run_task *t,
                                 const struct cw_run_bytes *b, size_t span, bool write)
{
    struct cw_run_memory *m = b->memory;
    uint64_t offset;
    struct cw_run_region *r;

    if (m) {
        cw_run_byte_range_add_memory(e->queue, t, m, b->offset, span, write);
        cw_run_record_pin(&m->r);
    } else {
        r = cw_run_byte_range_region_at(b->host + b->offset, &offset);
        cw_run_byte_range_add_access(e->queue, t, r, offset, span, write);
    }
}

/* The access added last writes all bytes of its range. */
static void all_is_sure(struct cw_run_task *t)
{
    const struct cw_run_access *a = &t->accesses.of[t->accesses.n - 1];

    if (t->accesses.n)
        cw_run_byte_range_is_sure(t, a->low, a->high - a->low);
}

/* The program's own memory is shared virtual memory: the command needs the allocation. Where devices have
 * memories of their own, commands know the host's by its address. */
static void name_svm(struct cw_run_bytes *b, size_t span)
{
    uint8_t *at = b->memory ? NULL : b->host + b->offset;
    struct cw_run_memory *m = at && !cw_run.far_workers ? cw_run_memory_svm(at, span) : NULL;

    if (m)
        *b = (struct cw_run_bytes){.memory = m, .offset = (uint64_t)(at - m->address)};
}

struct cw_run_task *cw_run_rectangle_copy(struct cw_run_enqueue *e, cl_command_type type,
                                          const size_t *region, struct cw_run_memory *to,
                                          const struct cw_run_rectangle_side *to_side,
                                          struct cw_run_memory *from,
                                          const struct cw_run_rectangle_side *from_side, uint8_t *host)
{
    struct cw_run_task *t = cw_run_rectangle_task(e, type, CW_RUN_COPY);

    if (!t) {
        cw_run_enqueue_refuse(e, CW_RUN_R_CHECK);
        return NULL;
    }
    t->copy = (struct cw_run_transfer){.to = {to, to_side->start, to ? NULL : host},
                                       .from = {from, from_side->start, from ? NULL : host},
                                       .region = {region[0], region[1], region[2]},
                                       .to_row = to_side->row,
                                       .to_slice = to_side->slice,
                                       .from_row = from_side->row,
                                       .from_slice = from_side->slice};
    name_svm(&t->copy.from, from_side->span);
    name_svm(&t->copy.to, to_side->span);
    cw_run_rectangle_add_access(e, t, &t->copy.from, from_side->span, false);
    cw_run_rectangle_add_access(e, t, &t->copy.to, to_side->span, true);
    if (region[1] == 1 && region[2] == 1)
        all_is_sure(t);
    return t;
}
