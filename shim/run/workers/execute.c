/* execute.c - one command on its worker. */
#include <string.h>

#include "worker.h"
#include "../core/context_device.h"
#include "../../door/thread.h"
#include "../core/fault.h"
#include "../core/sampler.h"
#include "../core/state.h"
#include "../memory/mirror.h"
#include "../memory/quarantine.h"
#include "../memory/spread.h"
#include "../tuning/tuning.h"
#include "../code/code.h"
#include "../core/global_lock.h"
#include "../core/recount.h"

/* One argument of a private kernel; nothing is done where it is set so already. */
static cl_int set_arg(cl_kernel kernel, uint32_t i, const struct cw_run_launch *l,
                      struct cw_run_context_device *p, struct cw_run_set *s)
{
    const struct cw_run_arg *a = &l->args[i];
    bool points = a->kind == CW_RUN_ARG_POINTER, is_object = (a->memory || a->sampler) && !points;
    const void *object =
        !is_object  ? NULL
        : a->memory ? (const void *)cw_run_mirror_of(a->memory, p)
                    : (const void *)cw_run_sampler_of(l->kernel->program->context, p, a->sampler - 1u);
    struct cw_run_set want = {.size = a->size, .kind = (uint8_t)a->kind, .id = a->memory ? a->memory->id : 0};
    const void *value = is_object                     ? (const void *)&object
                        : a->kind == CW_RUN_ARG_LOCAL ? NULL
                        : a->size > 8                 ? a->bytes
                                                      : (const void *)&a->word;
    cl_int err;

    if (is_object && !object)
        return CL_OUT_OF_RESOURCES;
    want.word = is_object ? (uintptr_t)object : a->kind != CW_RUN_ARG_LOCAL && a->size <= 8 ? a->word : 0;
    if (s->kind == want.kind && s->size == want.size && s->word == want.word && s->id == want.id &&
        (a->size <= 8 || a->kind == CW_RUN_ARG_LOCAL))
        return CL_SUCCESS;
    /* PoCL's devices take allocations of other contexts, too, as they work in the host's memory */
    err = points ? cw_next.clSetKernelArgSVMPointer(kernel, i, (const void *)(uintptr_t)a->word)
                 : cw_next.clSetKernelArg(kernel, i, a->size, value);
    *s = err == CL_SUCCESS ? want : (struct cw_run_set){.kind = CW_RUN_ARG_UNSET};
    return err;
}

cl_int cw_run_execute_set_args(cl_kernel kernel, const struct cw_run_launch *l,
                               struct cw_run_context_device *p, struct cw_run_set *set)
{
    cl_int err = CL_SUCCESS;

    for (uint32_t i = 0; err == CL_SUCCESS && i < l->kernel->count; i++)
        err = set_arg(kernel, i, l, p, &set[i]);
    return err;
}

bool cw_run_execute_home_has_code(const struct cw_run_task *t)
{
    const struct cw_run_context_device *home = &t->queue->context->places[t->queue->home];
    const struct cw_run_launch *l = &t->launch;
    const struct cw_run_program *p = l->kernel->program;
    const size_t *local = l->has_local ? l->local : NULL;
    const struct cw_run_ndrange r = {l->dims, l->has_offset ? l->offset : NULL, l->global, local};

    if ((!cw_run.eager && !cw_run.chaos) || !cw_device_has(home->device, CW_VENDOR_COMPILES_IN_PROCESS) ||
        !p->source || !p->options || p->given || p->binary ||
        cw_compiler_kinds_has_there(l, l->global, local, home->worker->number, CW_RUN_WHOLE))
        return true;
    return cw_isolated_launch_ahead(home, &(struct cw_run_recipe){p->source, p->options}, l->kernel->name, &r,
                                    l, NULL, 0) == CL_SUCCESS;
}

/* The helper's code for a launch that is the first of its kind there. Compiling takes the vendor some
 * tenths of a second, for which commands behind it would wait: where the rule does not allow that the
 * builder makes it, the launch runs at home, and helpers are left alone for a while. Worker held, lock not
 * held. */
static cl_int get_code(struct cw_run_task *t, const struct cw_run_context_device *p,
                       const struct cw_run_ndrange *r)
{
    struct cw_run_kernel *k = t->launch.kernel;
    uint64_t begin = cw_run_global_lock_now_ns();
    bool compiles;
    cl_int err;

    if (k->known->broken[p->worker->number]) /* by a launch that was planned together with this one */
        return CL_OUT_OF_RESOURCES;
    if (!cw_isolated_compiler_may_load(p->device->device)) {
        t->launch.uncoded = true;
        return CL_OUT_OF_RESOURCES;
    }
    if (cw_run.eager || cw_run.chaos) {
        if (cw_run_execute_home_has_code(t))
            return cw_helper_program_ahead(&t->launch, p, r);
        t->launch.uncoded = true;
        return CL_OUT_OF_RESOURCES;
    }
    if (cw_helper_program_knows(&t->launch, p, r)) {
        cw_run_global_lock_take();
        k->known->code.wait = 0;
        cw_run_global_lock_give();
        return cw_helper_program_ahead(&t->launch, p, r);
    }
    cw_run_global_lock_take();
    compiles = cw_run_learn_begins(CW_RUN_LEARN_BUILD);
    if (!compiles) {
        cw_run_trial_rest(&k->known->code, CW_RUN_REST_CODE, cw_run_global_lock_now_ns(), 1);
        t->launch.uncoded = true;
        cw_run_account.learns++;
    }
    cw_run_global_lock_give();
    if (!compiles)
        return CL_OUT_OF_RESOURCES;
    err = cw_helper_program_ahead(&t->launch, p, r);
    cw_run_global_lock_take();
    cw_run_learn_ended((double)(cw_run_global_lock_now_ns() - begin));
    cw_run_global_lock_give();
    return err;
}

cl_int cw_run_execute_submit(struct cw_run_task *t, cl_command_queue *queue)
{
    struct cw_run_context *c = t->queue->context;
    struct cw_run_context_device *p = &c->places[t->at.place];
    const struct cw_run_launch *l = &t->launch;
    const size_t *local = l->has_local ? l->local : NULL;
    const struct cw_run_ndrange r = {l->dims, l->has_offset ? l->offset : NULL, l->global, local};
    struct cw_run_instruction i = {.kind = CW_RUN_I_RUN, .place = p, .range = &r};
    cl_int err;

    t->launch.vendor = CL_SUCCESS;
    i.first = !cw_compiler_kinds_has(l, l->global, local, p->worker->number, CW_RUN_WHOLE);
    *queue = CW_LIKELY(p->queue != NULL) ? p->queue : cw_run_context_device_queue(c, p);
    i.kernel = *queue ? cw_run_device_kernel_of(l->kernel, p) : NULL;
    t->launch.uncoded |= *queue && !i.kernel && !p->device->home &&
                         cw_helper_program_is(l->kernel->program, p->worker->number, CW_RUN_COPY_MISSED);
    err = i.kernel ? cw_run_execute_set_args(i.kernel, l, p, l->kernel->set[p->worker->number])
                   : CL_OUT_OF_RESOURCES;
    if (err == CL_SUCCESS && CW_UNLIKELY(i.first) && !p->device->home)
        err = get_code(t, p, &r);
    if (err == CL_SUCCESS && CW_UNLIKELY(i.first)) {
        t->launch.vendor = err = cw_pending_launches_begin(&i, NULL);
        cw_exit_register(); /* the vendor may have woken up its code generator */
    } else if (err == CL_SUCCESS) {
        t->launch.vendor = err = cw_run_instruction_begin(&i, NULL);
    }
    t->launch.begun = err == CL_SUCCESS;
    if (t->launch.begun && i.first)
        cw_compiler_kinds_loaded(l, l->global, local, p->worker->number, CW_RUN_WHOLE);
    return err;
}

bool cw_run_execute_begins(struct cw_run_task *t, uint64_t *start_ns)
{
    const struct cw_run_context_device *p = &t->queue->context->places[t->at.place];

    *start_ns = t->launch.measure.wanted ? cw_run_global_lock_now_ns() : 0;
    if (CW_LIKELY(!p->device->memory) || cw_run_context_device_turn_take(p))
        return true;
    t->launch.vendor = CL_DEVICE_NOT_AVAILABLE;
    return false;
}

cl_int cw_run_execute_ends(struct cw_run_task *t, uint64_t start_ns, cl_int err, cl_command_queue queue)
{
    const struct cw_run_context_device *p = &t->queue->context->places[t->at.place];

    if (CW_UNLIKELY(p->device->memory)) {
        if (err < 0 && cw_run_quarantine_is_due(t->launch.vendor))
            p->worker->quarantine.fails = true;
        cw_run_context_device_turn_give(p);
    }
    if (err == CL_SUCCESS && !cw_device_has(p->device, CW_VENDOR_IN_CALL)) /* else it is over */
        t->launch.vendor = err = cw_next.clFinish(queue);
    t->launch.measure.took_ns =
        t->launch.measure.wanted && !t->launch.uncoded ? cw_run_global_lock_now_ns() - start_ns : 0;
    return err;
}

/* Submits a whole launch, and waits until it is over. */
static cl_int run_launch(struct cw_run_task *t)
{
    cl_command_queue queue = NULL;
    uint64_t start_ns;
    cl_int err;

    if (!cw_run_execute_begins(t, &start_ns))
        return t->launch.vendor;
    err = cw_run_execute_submit(t, &queue);
    return cw_run_execute_ends(t, start_ns, err, queue);
}

/* Under a planted fault. */
static cl_int faulty_launch(struct cw_run_task *t)
{
    struct cw_run_task *before;
    uint8_t *saved[256];
    bool stale, late, fail, refuse;
    cl_int err;

    cw_run_global_lock_take();
    stale = t->launch.kernel->count <= 256 && cw_run_fault_now(CW_RUN_FAULT_STALE);
    late = cw_run_is_away(t) && cw_run_fault_now(CW_RUN_FAULT_LATE);
    fail = !cw_run_is_away(t) && cw_run_fault_now(CW_RUN_FAULT_FAIL);
    refuse = cw_run_is_away(t) && cw_run_fault_since(CW_RUN_FAULT_REFUSE);
    before = cw_run_fault_swap(t);
    cw_run_global_lock_give();
    if (t->launch.has_run || fail || refuse)
        return t->launch.has_run ? CL_COMPLETE : CL_OUT_OF_RESOURCES;
    if (before)
        run_launch(before);
    if (stale)
        cw_run_fault_stale_begin(t, saved);
    err = t->launch.vendor = cw_run_fault_launch(t);
    if (err == CL_SUCCESS)
        err = run_launch(t);
    if (err == CL_SUCCESS)
        err = t->launch.vendor = cw_run_fault_launched(t);
    if (stale)
        cw_run_fault_stale_end(t, saved);
    return late && err == CL_SUCCESS ? CL_OUT_OF_RESOURCES : err;
}

static cl_int transfer(struct cw_run_task *t)
{
    const struct cw_run_transfer *c = &t->copy;
    uint8_t *to = cw_run_bytes_address(&c->to);
    const uint8_t *from = cw_run_bytes_address(&c->from);

    if (c->region[1] == 1 && c->region[2] == 1) {
        memmove(to, from, c->region[0]);
        return CL_COMPLETE;
    }
    for (size_t z = 0; z < c->region[2]; z++)
        for (size_t y = 0; y < c->region[1]; y++)
            memmove(to + z * c->to_slice + y * c->to_row, from + z * c->from_slice + y * c->from_row,
                    c->region[0]);
    return CL_COMPLETE;
}

static cl_int fill(struct cw_run_task *t)
{
    const struct cw_run_fill *f = &t->fill;
    size_t done = f->pattern_bytes, more;
    uint8_t *to = cw_run_bytes_address(&f->to);

    memcpy(to, f->pattern, f->pattern_bytes);
    for (; done < f->bytes; done += more) {
        more = done < f->bytes - done ? done : f->bytes - done;
        if (more > 65536)
            more = 65536 / f->pattern_bytes * f->pattern_bytes;
        memcpy(to + done, to, more);
    }
    return CL_COMPLETE;
}

/* The vendor converts the colour. */
static cl_int fill_image(struct cw_run_task *t)
{
    struct cw_run_context_device *p = &t->queue->context->places[t->at.place];
    const struct cw_run_fill *f = &t->fill;
    cl_command_queue queue = cw_run_context_device_queue(t->queue->context, p);
    cl_mem image = queue ? cw_run_mirror_of(f->to.memory, p) : NULL;
    cl_int err =
        image ? cw_next.clEnqueueFillImage(queue, image, f->pattern, f->origin, f->region, 0, NULL, NULL)
              : CL_OUT_OF_RESOURCES;

    return err == CL_SUCCESS ? cw_next.clFinish(queue) : err;
}

static cl_int work(struct cw_run_task *t)
{
    if (CW_UNLIKELY(cw_run_fault_planted) && (t->work == CW_RUN_COPY || t->work == CW_RUN_FILL) &&
        cw_run_fault_omits(CW_RUN_FAULT_OMIT))
        return CL_COMPLETE;
    switch (t->work) {
    case CW_RUN_LAUNCH:
        return CW_UNLIKELY(cw_run_fault_planted) ? faulty_launch(t) : run_launch(t);
    case CW_RUN_COPY:
        return cw_run_spread_read_is(t) ? cw_run_spread_read(t) : transfer(t);
    case CW_RUN_FILL:
        return t->fill.to.memory->image ? fill_image(t) : fill(t);
    case CW_RUN_NOTHING:
    case CW_RUN_HOME:
        break;
    }
    return CL_COMPLETE;
}

cl_int cw_run_execute_command(struct cw_run_task *t)
{
    struct cw_run_timing timing;

    return cw_run_timing_ends(t, &timing, cw_run_timing_begins(t, &timing) ? work(t) : CL_OUT_OF_RESOURCES);
}
