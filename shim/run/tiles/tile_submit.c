/* tile_submit.c - one block of a cut launch, handed to its device. */
#include "tile.h"
#include "../core/context_device.h"

#include <string.h>

#include "../../../analyzer/kernels/rewrite/rewrite.h"
#include "../code/code.h"
#include "../../door/dynamic_loader.h"
#include "../core/fault.h"
#include "../core/global_lock.h"
#include "../tuning/tuning.h"
#include "../core/state.h"
#include "../workers/worker.h"

/* Under planted faults: the ids of a launch that is no more than this block, moved by an offset; without the
 * offset that it has; another local size. */
static void spoil(struct cw_rewrite_tile *tile, const struct cw_run_launch *l, uint32_t d,
                  const size_t *global, size_t local[3])
{
    if (l->has_offset && cw_run_fault_asks_since(CW_RUN_FAULT_OFFSET)) {
        for (cl_uint i = 0; i < l->dims; i++)
            tile->base[i] -= l->offset[i];
        memset(tile->offset, 0, sizeof tile->offset);
    }
    if (cw_run_fault_asks_since(CW_RUN_FAULT_NAIVE)) {
        tile->offset[d] = tile->base[d];
        tile->first_group[d] = 0;
        tile->size[d] = global[d];
        tile->groups[d] = global[d] / local[d];
    }
    if (cw_run_fault_asks_now(
            CW_RUN_FAULT_LOCAL)) /* once: kernels that lean on their local size write anywhere */
        local[0] = (local[0] + 1) / 2;
}

/* A block on a device: a launch of a rewritten kernel. */
struct shape {
    cl_command_queue queue;
    cl_kernel kernel; /* NULL: it cannot be had */
    struct cw_run_set *set;
    struct cw_rewrite_tile tile;
    struct cw_run_rows rows;
    size_t global[3], local[3];
    enum cw_run_form form;
    bool hidden, first_time;
    bool itself; /* the kernel itself, at the offset tile.base */
    size_t offset[3];
    bool open; /* itself, and the program leaves the local size to the device */
};

static struct cw_run_ndrange range_of(const struct shape *s, const struct cw_run_launch *l)
{
    return (struct cw_run_ndrange){l->dims, s->itself ? s->offset : NULL, s->global,
                                   s->open ? NULL : s->local};
}

/* Ids and local size of block `b`. */
static struct shape ids_of(const struct cw_run_launch *l, const struct cw_run_cut *cut,
                           const struct cw_run_block *b)
{
    size_t first[3] = {0}, rest = l->global[cut->dim] - b->first * cut->local[cut->dim];
    struct shape s = {.global = {1, 1, 1}, .form = CW_RUN_TILE};

    memcpy(s.global, l->global, l->dims * sizeof *s.global);
    first[cut->dim] = b->first;
    s.global[cut->dim] = b->groups * cut->local[cut->dim];
    if (s.global[cut->dim] > rest) /* the last work-group is a smaller one */
        s.global[cut->dim] = rest;
    memcpy(s.local, cut->local, sizeof s.local);
    cw_rewrite_tile_fill(&s.tile, l->dims, l->global, s.local, l->has_offset ? l->offset : NULL, first);
    if (cut->ragged && rest < s.local[cut->dim])
        s.local[cut->dim] = 1; /* the kernel cannot see it, and all widths have the same code */
    return s;
}

/* The block runs by rows, as s->rows says. */
static void use_rows(struct shape *s)
{
    s->form = CW_RUN_ROWS;
    memcpy(s->global, s->rows.global, sizeof s->global);
    s->local[0] = s->local[1] = s->local[2] = 1;
}

/* `spoils`: it is going to be launched, so planted faults count it. */
static void shape_of(struct shape *s, const struct cw_run_launch *l, struct cw_run_context *c,
                     struct cw_run_context_device *p, const struct cw_run_cut *cut,
                     const struct cw_run_block *b, bool spoils)
{
    cl_kernel by_rows;

    *s = ids_of(l, cut, b);
    s->queue = cw_run_context_device_queue(c, p);
    s->itself = cw_run_tile_program_is_itself(l->kernel, p);
    s->open = s->itself && !l->has_local;
    s->kernel = !s->queue   ? NULL
                : s->itself ? cw_run_device_kernel_of(l->kernel, p)
                            : cw_run_tile_program_on(l->kernel, p, &s->hidden);
    if (!s->kernel)
        return;
    s->set = s->itself ? l->kernel->set[p->worker->number] : l->kernel->tiled->set[p->worker->number];
    for (int i = 0; i < 3; i++)
        s->offset[i] = s->tile.base[i];
    if (CW_UNLIKELY(spoils && cw_run_fault_planted))
        spoil(&s->tile, l, cut->dim, s->global, s->local);
    by_rows = s->hidden && cw_run_tile_rows_of(&s->tile, s->global, p, &s->rows)
                  ? cw_run_tile_program_rows_on(l->kernel, p)
                  : NULL;
    if (by_rows) {
        s->kernel = by_rows;
        s->set = l->kernel->tiled->row_set[p->worker->number];
        use_rows(s);
    }
    s->first_time = !cw_compiler_kinds_has(l, s->global, s->local, p->worker->number, s->form);
}

static cl_int have_code(const struct shape *s, const struct cw_run_launch *l, struct cw_run_context_device *p)
{
    const struct cw_run_ndrange r = range_of(s, l);

    if (!s->kernel)
        return CL_OUT_OF_RESOURCES;
    return CW_UNLIKELY(s->first_time && !s->itself)
               ? cw_run_tile_program_ahead(l, p, &r, s->form == CW_RUN_ROWS)
               : CL_SUCCESS;
}

bool cw_run_tile_submit_has_code(const struct cw_run_launch *l, struct cw_run_context *c,
                                 struct cw_run_context_device *p, const struct cw_run_cut *cut,
                                 const struct cw_run_block *b)
{
    struct shape s;

    shape_of(&s, l, c, p, cut, b, false);
    return have_code(&s, l, p) == CL_SUCCESS;
}

bool cw_run_tile_submit_compile(const struct cw_run_launch *l, struct cw_run_context_device *p,
                                const struct cw_run_cut *cut, const struct cw_run_block *b, bool compiles)
{
    struct shape s = ids_of(l, cut, b);
    const struct cw_run_ndrange r = {l->dims, NULL, s.global, s.local};
    bool known;

    if (cw_run_tile_program_has_rows(l->kernel, &known) && cw_run_tile_rows_of(&s.tile, s.global, p, &s.rows))
        use_rows(&s);
    return cw_run_tile_program_knows(l, p, &r, s.form == CW_RUN_ROWS) ||
           (compiles && cw_run_tile_program_ahead(l, p, &r, s.form == CW_RUN_ROWS) == CL_SUCCESS);
}

/* Lock held. All workers of a launch that refuse it count once. */
static void wait_for_code(struct cw_run_kernel *k, uint32_t worker)
{
    k->tile_uncoded |= UINT64_C(1) << worker;
    cw_run_trial_seeks(&k->tile_code, cw_run_global_lock_now_ns());
    cw_run_account.learns++;
}

/* The code of these blocks is known, or may be compiled now. Else the builder is asked for it, and the
 * launch runs whole: its other parts would wait for the vendor's compiler. *begun: a build is, which is to
 * be ended. */
static bool may_have_code(const struct cw_run_launch *l, struct cw_run_context_device *p,
                          const struct cw_run_cut *cut, const struct cw_run_block *block, size_t n,
                          bool *begun)
{
    bool known = true;

    for (size_t i = 0; i < n; i++)
        known &= cw_run_tile_submit_compile(l, p, cut, &block[i], false);
    if (known)
        return true;
    cw_run_global_lock_take();
    *begun = cw_run_learn_begins(CW_RUN_LEARN_BUILD);
    if (!*begun)
        wait_for_code(l->kernel, p->worker->number);
    cw_run_global_lock_give();
    return *begun;
}

static void end_build(uint64_t begin)
{
    cw_run_global_lock_take();
    cw_run_learn_ended((double)(cw_run_global_lock_now_ns() - begin));
    cw_run_global_lock_give();
}

/* Of all blocks that the launch may be cut into: one of a work-group, as many as there are, the last one
 * where it is smaller. Vendors compile code of their own for wide ranges and for each local size
 * (builds/isolated_compiler.c). Without an isolated compiler there is room for the vendor to compile it now.
 * */
static bool has_all_code(const struct cw_run_launch *l, struct cw_run_context *c,
                         struct cw_run_context_device *p, const struct cw_run_cut *cut, bool compiles)
{
    const struct cw_run_block block[] = {{.groups = 1},
                                         {.groups = cut->groups - cut->ragged},
                                         {.first = cut->groups - cut->ragged, .groups = 1}};
    const size_t n = cut->ragged ? 3 : 2;
    uint64_t begin = cw_run_global_lock_now_ns();
    bool begun = false, good = true;
    size_t local[3];

    if (cw_dynamic_loader_is_waited_in()) { /* the vendor may have to load what is known */
        cw_run_global_lock_take();
        wait_for_code(l->kernel, p->worker->number);
        cw_run_global_lock_give();
        return false;
    }
    memcpy(local, cut->local, sizeof local);
    local[cut->dim] |= cut->ragged ? SIZE_MAX ^ SIZE_MAX >> 2
                                   : SIZE_MAX ^ SIZE_MAX >> 1; /* how it is cut is part of the kind */
    if (cw_compiler_kinds_has(l, l->global, local, p->worker->number, CW_RUN_ANY_PART))
        return true;
    if (!compiles && !cw_run.eager && !cw_run.chaos && !may_have_code(l, p, cut, block, n, &begun))
        return false;
    for (size_t i = 0; good && i < n; i++)
        good = cw_run_tile_submit_has_code(l, c, p, cut, &block[i]);
    if (begun)
        end_build(begin);
    if (good)
        cw_compiler_kinds_loaded(l, l->global, local, p->worker->number, CW_RUN_ANY_PART);
    return good;
}

cl_int cw_run_tile_submit_range(const struct cw_run_launch *l, const struct cw_run_task *part,
                                struct cw_run_context *c, struct cw_run_context_device *p,
                                const struct cw_run_cut *cut, const struct cw_run_block *b,
                                cl_command_queue *queue, cl_event *event)
{
    struct cw_run_instruction i;
    struct cw_run_ndrange r;
    struct shape s;
    cl_int err;

    shape_of(&s, l, c, p, cut, b, true);
    r = range_of(&s, l);
    i = (struct cw_run_instruction){CW_RUN_I_TILE, s.first_time, p, {.kernel = s.kernel, .range = &r}};
    *queue = s.queue;
    err = have_code(&s, l, p);
    if (err == CL_SUCCESS)
        err = cw_run_execute_set_args(s.kernel, l, p, s.set);
    if (err == CL_SUCCESS && part)
        err = cw_run_tile_merge_set(part, s.kernel, s.set);
    if (err == CL_SUCCESS && s.hidden)
        err = cw_next.clSetKernelArg(s.kernel, l->kernel->count, sizeof s.tile, &s.tile);
    if (err == CL_SUCCESS && s.form == CW_RUN_ROWS)
        err = cw_next.clSetKernelArg(s.kernel, l->kernel->count + 1, sizeof s.rows.size, &s.rows.size);
    if (err == CL_SUCCESS)
        err = (s.first_time ? cw_pending_launches_begin : cw_run_instruction_begin)(&i, event);
    if (err == CL_SUCCESS && s.form == CW_RUN_ROWS)
        atomic_fetch_add_explicit(&cw_run.counts.by_rows, 1, memory_order_relaxed);
    if (err == CL_SUCCESS && s.first_time)
        cw_compiler_kinds_loaded(l, s.global, s.local, p->worker->number, s.form);
    return err;
}

/* Its rows of work-items lie in work-groups of about as many as the program's. */
static struct cw_run_cut cut_of_margins(const struct cw_run_tiles *x)
{
    size_t width = x->whole->launch.global[0], more = x->units;
    struct cw_run_cut cut = x->fine;

    for (; more > 1 && width % (2 * cut.local[0]) == 0; more /= 2)
        cut.local[0] *= 2;
    return cut;
}

/* Margins of which a unit is less than a work-group. */
static cl_int submit_margins(struct cw_run_task *part, const struct cw_run_block *b, cl_command_queue *queue)
{
    const struct cw_run_tiles *x = part->launch.part.of;
    struct cw_run_context *c = part->queue->context;
    const struct cw_run_cut cut = cut_of_margins(x);
    const struct cw_run_block side[] = {{.first = b->first * x->units - b->margin[0], .groups = b->margin[0]},
                                        {.first = (b->first + b->groups) * x->units, .groups = b->margin[1]}};
    cl_int err = CL_SUCCESS;

    for (int i = 0; i < 2 && err == CL_SUCCESS; i++)
        if (side[i].groups)
            err = cw_run_tile_submit_range(&part->launch, part, c, &c->places[part->at.place], &cut, &side[i],
                                           queue, NULL);
    return err;
}

cl_int cw_run_tile_submit(struct cw_run_task *part, cl_command_queue *queue, cl_event *event)
{
    const struct cw_run_tiles *x = part->launch.part.of;
    struct cw_run_context *c = part->queue->context;
    struct cw_run_context_device *p = &c->places[part->at.place];
    struct cw_run_block b = x->block[part->launch.part.block],
                        last = {.first = x->cut.groups - 1, .groups = 1};
    cl_int err;
    bool two;

    if (x->units < 2) {
        b.first -= b.margin[0];
        b.groups += b.margin[0] + b.margin[1];
    }
    two = x->cut.ragged && b.groups > 1 && b.first + b.groups == x->cut.groups;
    /* before its first block: a part that has begun can bring the launch to its end */
    part->launch.part.able =
        part->launch.part.able || (cw_run_execute_home_has_code(part) &&
                                   has_all_code(&part->launch, c, p, &x->cut, x->inherits && x->several));
    if (!part->launch.part.able)
        return CL_OUT_OF_RESOURCES;
    b.groups -= two;
    err = cw_run_tile_submit_range(&part->launch, part, c, p, &x->cut, &b, queue, two ? NULL : event);
    part->launch.begun = err == CL_SUCCESS;
    if (two && part->launch.begun &&
        !p->worker->quarantine.hung) { /* else it was given up, and may have no buffers */
        err = cw_run_tile_submit_range(&part->launch, part, c, p, &x->cut, &last, queue, event);
    }
    if (x->units > 1 && err == CL_SUCCESS && !p->worker->quarantine.hung)
        err = submit_margins(part, &b, queue);
    if (err != CL_SUCCESS && part->launch.begun)
        cw_next.clFinish(*queue); /* the first launch is over before the error is reported */
    return err;
}
