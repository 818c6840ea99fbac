/* run_execute.c - one command on its lane. */
#include "run_decide.h"
#include "run_hooks.h"

#include "../analyzer/platform_file.h"

cl_command_queue cw_run_place_queue(struct cw_run_context *c, struct cw_run_place *p)
{
    struct cw_run_lane *l = p->lane;
    cl_int err;

    if (!p->context) {
        if (!l->context)
            l->context = cw_next.clCreateContext(NULL, 1, &l->device, NULL, NULL, &err);
        if (l->context && !l->queue)
            l->queue = cw_next.clCreateCommandQueue(l->context, l->device, 0, &err);
        p->context = l->context;
        p->queue = l->queue;
    }
    if (!p->queue && p->slot->home) {
        p->queue = cw_next.clCreateCommandQueue(p->context, p->slot->device, 0, &err);
        if (p->queue)
            c->own_queues++;
    }
    return p->queue;
}

static cl_int set_args(cl_kernel kernel, const struct cw_run_launch *l, const struct cw_run_place *p)
{
    cl_int err = CL_SUCCESS;

    for (uint32_t i = 0; err == CL_SUCCESS && i < l->kernel->count; i++) {
        const struct cw_run_arg *a = &l->args[i];
        cl_mem memory;

        if (a->memory) {
            memory = cw_run_memory_on(a->memory, p);
            err = memory ? cw_next.clSetKernelArg(kernel, i, sizeof memory, &memory) : CL_OUT_OF_RESOURCES;
        } else if (a->kind == CW_RUN_ARG_LOCAL) {
            err = cw_next.clSetKernelArg(kernel, i, a->size, NULL);
        } else {
            err = cw_next.clSetKernelArg(kernel, i, a->size, a->size > 8 ? a->bytes : (const void *)&a->word);
        }
    }
    return err;
}

static cl_int launch(struct cw_run_task *t)
{
    struct cw_run_context *c = t->queue->context;
    struct cw_run_place *p = &c->places[t->place];
    const struct cw_run_launch *l = &t->launch;
    cl_command_queue queue = cw_run_place_queue(c, p);
    cl_kernel kernel = queue ? cw_run_kernel_on(l->kernel, p) : NULL;
    cl_int err = kernel ? set_args(kernel, l, p) : CL_OUT_OF_RESOURCES;
    uint64_t start = cw_run_now_ns(), ns;
    double *mean = &l->kernel->mean_ns[p->lane->number];

    if (err == CL_SUCCESS)
        err = cw_next.clEnqueueNDRangeKernel(queue, kernel, l->dims, NULL, l->global, l->has_local ? l->local : NULL, 0, NULL,
                                             NULL);
    if (err == CL_SUCCESS)
        err = cw_next.clFinish(queue);
    ns = cw_run_now_ns() - start;
    cw_run_lock();
    *mean = *mean > 0 && *mean * 1.02 < (double)ns ? *mean * 1.02 : (double)ns; /* the least of late: others disturb */
    if (p->slot->home)
        l->kernel->program->spent_ns += (double)ns;
    cw_run_unlock();
    if (err == CL_SUCCESS)
        cw_run_decide_measured(t, p->lane->number, ns);
    return err;
}

static void copy(const struct cw_run_copy *c)
{
    if (c->region[1] == 1 && c->region[2] == 1) {
        memmove(c->to, c->from, c->region[0]);
        return;
    }
    for (size_t z = 0; z < c->region[2]; z++)
        for (size_t y = 0; y < c->region[1]; y++)
            memmove(c->to + z * c->to_slice + y * c->to_row, c->from + z * c->from_slice + y * c->from_row, c->region[0]);
}

static void fill(const struct cw_run_fill *f)
{
    size_t done = f->pattern_bytes, more;

    memcpy(f->to, f->pattern, f->pattern_bytes);
    for (; done < f->bytes; done += more) {
        more = done < f->bytes - done ? done : f->bytes - done;
        if (more > 65536)
            more = 65536 / f->pattern_bytes * f->pattern_bytes;
        memcpy(f->to + done, f->to, more);
    }
}

cl_int cw_run_execute(struct cw_run_task *t)
{
    switch (t->work) {
    case CW_RUN_LAUNCH:
        return launch(t);
    case CW_RUN_COPY:
        copy(&t->copy);
        break;
    case CW_RUN_FILL:
        fill(&t->fill);
        break;
    case CW_RUN_NOTHING:
        break;
    }
    return CL_COMPLETE;
}
