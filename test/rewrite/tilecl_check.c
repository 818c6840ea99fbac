/* tilecl_check.c - one launch, whole and in tiles, on copies of its buffers. See tilecl.h. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "tilecl_private.h"

#include "../../analyzer/kernels/footprint/cut.h"
#include "../../analyzer/kernels/rewrite/rewrite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CONFIGURATIONS = 12 };

static unsigned long long state = 88172645463325252ull;
static size_t random_below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state >> 11) % n;
}

static struct copy *copy_of(struct work *w, cl_mem theirs)
{
    for (size_t i = 0; i < w->copies; i++)
        if (w->copy[i].theirs == theirs)
            return &w->copy[i];
    return NULL;
}

/* Copies the whole memory behind a buffer; a sub-buffer becomes one of the copy of its parent. */
static bool take_copy(struct work *w, cl_mem theirs, cl_command_queue queue)
{
    cl_mem parent = NULL;
    struct copy *c, *owner;

    if (copy_of(w, theirs))
        return true;
    v.clGetMemObjectInfo(theirs, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL);
    if (parent && !take_copy(w, parent, queue))
        return false;
    if (w->copies == MAX_ARGS)
        return false;
    c = &w->copy[w->copies++];
    *c = (struct copy){.theirs = theirs, .owner = !parent};
    if (v.clGetMemObjectInfo(theirs, CL_MEM_SIZE, sizeof c->bytes, &c->bytes, NULL))
        return false;
    if (parent) {
        owner = copy_of(w, parent);
        v.clGetMemObjectInfo(theirs, CL_MEM_OFFSET, sizeof c->origin, &c->origin, NULL);
        c->parent = parent;
        c->ours = v.clCreateSubBuffer(owner->ours, 0, CL_BUFFER_CREATE_TYPE_REGION,
                                      &(cl_buffer_region){c->origin, c->bytes}, NULL);
        return c->ours != NULL;
    }
    c->before = malloc(c->bytes);
    c->expected = malloc(c->bytes);
    c->memory = aligned_alloc(4096, (c->bytes + 4095) / 4096 * 4096);
    if (!c->before || !c->expected || !c->memory ||
        v.clEnqueueReadBuffer(queue, theirs, CL_TRUE, 0, c->bytes, c->before, 0, NULL, NULL))
        return false;
    c->ours = v.clCreateBuffer(side.context, CL_MEM_USE_HOST_PTR, c->bytes, c->memory, NULL);
    return c->ours != NULL;
}

static void release(struct work *w)
{
    for (size_t i = w->copies; i-- > 0;) {
        if (w->copy[i].ours)
            v.clReleaseMemObject(w->copy[i].ours);
        free(w->copy[i].before);
        free(w->copy[i].expected);
        free(w->copy[i].memory);
    }
    if (w->original)
        v.clReleaseKernel(w->original);
    for (int i = 0; i < 2; i++)
        if (w->rewritten[i])
            v.clReleaseKernel(w->rewritten[i]);
    for (int i = 0; i < 2; i++)
        if (w->rows[i])
            v.clReleaseKernel(w->rows[i]);
}

static bool set_arguments(struct work *w, cl_kernel k)
{
    for (cl_uint i = 0; i < w->k->args; i++) {
        const struct arg *a = &w->k->arg[i];
        const struct copy *c = a->is_buffer ? copy_of(w, a->buffer) : NULL;
        if (v.clSetKernelArg(k, i, a->size, a->local ? NULL : c ? (const void *)&c->ours : a->value))
            return false;
    }
    return true;
}

static void restore(struct work *w)
{
    for (size_t i = 0; i < w->copies; i++)
        if (w->copy[i].owner)
            memcpy(w->copy[i].memory, w->copy[i].before, w->copy[i].bytes);
}

/* `what` NULL: nothing is said about a difference. */
static bool compare(struct work *w, const char *what)
{
    for (size_t i = 0; i < w->copies; i++) {
        const struct copy *c = &w->copy[i];
        size_t b = 0;
        if (!c->owner || memcmp(c->memory, c->expected, c->bytes) == 0)
            continue;
        while (c->memory[b] == c->expected[b])
            b++;
        if (what)
            say("DIFFERS kernel %s: %s: byte %zu of a buffer of %zu is %02x, not %02x; dim %d, %zu "
                "groups, %zu tiles, first cut at %zu\n",
                w->k->name, what, b, c->bytes, c->memory[b], c->expected[b], w->dim, w->groups, w->tiles,
                w->at[1]);
        return false;
    }
    return true;
}

static bool run_tile(struct work *w, size_t tile, int device)
{
    const struct launch *l = w->l;
    const char *break_it = getenv("TILECL_BREAK");
    size_t first[3] = {0}, global[3], rest;
    struct cw_rewrite_tile t;
    cl_kernel k = w->rewritten[device];

    memcpy(global, l->global, sizeof global);
    first[w->dim] = w->at[tile];
    rest = l->global[w->dim] - w->at[tile] * l->local[w->dim];
    global[w->dim] = (w->at[tile + 1] - w->at[tile]) * l->local[w->dim];
    if (global[w->dim] > rest)
        global[w->dim] = rest;
    cw_rewrite_tile_fill(&t, l->dims, l->global, l->local, l->offset, first);
    if (break_it && !strcmp(break_it, "base"))
        t.base[w->dim] = l->offset[w->dim];
    if (break_it && !strcmp(break_it, "group"))
        t.first_group[w->dim] = 0;
    if (w->rows[device] && (tile & 1) == 0)
        return tilecl_run_rows(w, &t, global, device, (tile & 2) != 0);
    if (!w->as_is && v.clSetKernelArg(k, w->k->args, sizeof t, &t))
        return false;
    return v.clEnqueueNDRangeKernel(side.queue[device], k, l->dims, NULL, global, l->local, 0, NULL, NULL) ==
           CL_SUCCESS;
}

struct half {
    struct work *w;
    int device;
    bool ok;
};

/* The even or odd places of the order, on one device. */
static void *run_half(void *data)
{
    struct half *h = data;

    h->ok = true;
    for (size_t i = (size_t)h->device; i < h->w->tiles && h->ok; i += 2)
        h->ok = run_tile(h->w, h->w->order[i], h->device);
    h->ok &= v.clFinish(side.queue[h->device]) == CL_SUCCESS;
    return NULL;
}

static bool run_tiles(struct work *w, bool two)
{
    struct half half[2] = {{w, 0, true}, {w, 1, true}};
    pthread_t thread;
    bool ok = true;

    restore(w);
    if (two) {
        if (pthread_create(&thread, NULL, run_half, &half[1]))
            return false;
        run_half(&half[0]);
        pthread_join(thread, NULL);
        ok = half[0].ok && half[1].ok;
    } else {
        for (size_t i = 0; i < w->tiles && ok; i++)
            ok = run_tile(w, w->order[i], 0);
        ok &= v.clFinish(side.queue[0]) == CL_SUCCESS;
    }
    if (!ok)
        say("FAILED kernel %s: a tile could not be run\n", w->k->name);
    return ok && compare(w, two ? "tiles on two devices" : "tiles on one device");
}

/* Configuration c: one cut at c/8 of the groups (1 … 7), else random cuts. */
static void choose_tiles(struct work *w, int c)
{
    w->at[0] = 0;
    w->tiles = 1;
    if (c < 8) {
        size_t cut = w->groups * (size_t)c / 8;
        if (cut > 0 && cut < w->groups)
            w->at[w->tiles++] = cut;
    } else {
        for (size_t g = 1; g < w->groups && w->tiles < MAX_TILES - 1; g++)
            if (random_below(w->groups) < 6)
                w->at[w->tiles++] = g;
    }
    w->at[w->tiles] = w->groups;
    for (size_t i = 0; i < w->tiles; i++) {
        size_t k = random_below(i + 1);
        w->order[i] = w->order[k];
        w->order[k] = i;
    }
}

static bool run_whole(struct work *w, cl_kernel k, bool original)
{
    struct cw_rewrite_tile t;

    restore(w);
    cw_rewrite_tile_fill(&t, w->l->dims, w->l->global, w->l->local, w->l->offset, NULL);
    if (!original && !w->as_is && v.clSetKernelArg(k, w->k->args, sizeof t, &t))
        return false;
    return v.clEnqueueNDRangeKernel(side.queue[0], k, w->l->dims,
                                    original && w->l->offset_given ? w->l->offset : NULL, w->l->global,
                                    w->l->local, 0, NULL, NULL) == CL_SUCCESS &&
           v.clFinish(side.queue[0]) == CL_SUCCESS;
}

/* PoCL's `basic` runs in the calling thread, whose own time a busy machine does not disturb. */
static clockid_t best_clock(void)
{
    const char *two = getenv("TILECL_TWO");

    return two && !strcmp(two, "basic") ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
}

static double seconds_whole(struct work *w, cl_kernel k, bool original)
{
    struct timespec a, b;

    restore(w);
    clock_gettime(best_clock(), &a);
    if (v.clEnqueueNDRangeKernel(side.queue[0], k, w->l->dims,
                                 original && w->l->offset_given ? w->l->offset : NULL, w->l->global,
                                 w->l->local, 0, NULL, NULL) ||
        v.clFinish(side.queue[0]))
        return 1e9;
    clock_gettime(best_clock(), &b);
    return (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}

/* The rewritten kernel uncut against the original: the least of many, taken in turn. */
static void time_both(struct work *w, int times)
{
    double best[2] = {1e9, 1e9};

    for (int i = 0; i < times; i++)
        for (int which = 0; which < 2; which++) {
            double s = seconds_whole(w, which ? w->rewritten[0] : w->original, !which);
            best[which] = s < best[which] ? s : best[which];
        }
    say("time %s original %.2f us rewritten %.2f us ratio %.4f\n", w->k->name, best[0] * 1e6, best[1] * 1e6,
        best[1] / best[0]);
}

static bool make_kernels(struct work *w, size_t which)
{
    struct private_program *q = w->k->program->private;
    const char *name = w->k->name;

    w->original = v.clCreateKernel(q->original, name, NULL);
    w->rewritten[0] = v.clCreateKernel(q->rewritten[0], name, NULL);
    w->rewritten[1] = v.clCreateKernel(q->rewritten[1], name, NULL);
    w->as_is = q->verdict[which] == CW_REWRITE_AS_IS;
    for (int i = 0; i < 2 && q->rows[which]; i++)
        if (!(w->rows[i] = tilecl_rows_kernel(q->rewritten[i], name)) || !set_arguments(w, w->rows[i]))
            return false;
    return w->original && w->rewritten[0] && w->rewritten[1] && set_arguments(w, w->original) &&
           set_arguments(w, w->rewritten[0]) && set_arguments(w, w->rewritten[1]);
}

/* The verdict on cutting; fills w->dim. */
static const char *may_cut(struct work *w)
{
    const struct cw_model *m = cw_model_set_find(&w->k->program->private->models, w->k->name);
    struct cw_launch_arg arg[MAX_ARGS] = {{0}};
    struct cw_launch l = {.work_dim = w->l->dims, .arg = arg};
    struct cw_cut_verdict verdict;
    struct cw_cutter *c = m ? cw_cutter_create(m) : NULL;

    if (!c)
        return "no model";
    for (int d = 0; d < 3; d++) {
        bool used = (cl_uint)d < w->l->dims;
        l.global[d] = used ? (int64_t)w->l->global[d] : 1;
        l.local[d] = used ? (int64_t)w->l->local[d] : 1;
        l.offset[d] = used ? (int64_t)w->l->offset[d] : 0;
    }
    for (cl_uint i = 0; i < w->k->args; i++) {
        const struct arg *a = &w->k->arg[i];
        const struct copy *mem = a->is_buffer ? copy_of(w, a->buffer) : NULL;
        arg[i].value = a->value;
        arg[i].value_bytes = a->size;
        if (mem) {
            arg[i].buffer_bytes = (int64_t)mem->bytes;
            arg[i].allocation = (uint64_t)(uintptr_t)(mem->parent ? mem->parent : mem->theirs);
            arg[i].base = (int64_t)mem->origin;
        }
    }
    cw_cutter_verdict(c, &l, &verdict);
    cw_cutter_destroy(c);
    w->dim = verdict.dim;
    return verdict.cut == CW_CUT_WHOLE ? verdict.why : NULL;
}

/* A size for a launch that names none: the largest divisor up to 16. */
static void pin_local(struct launch *l)
{
    for (cl_uint d = 0; !l->local_given && d < l->dims; d++)
        for (size_t s = 1; s <= (d ? 4 : 16) && s <= l->global[d]; s++)
            if (l->global[d] % s == 0)
                l->local[d] = s;
}

static const char *check(struct work *w, size_t which)
{
    const char *times = getenv("TILECL_TIME"), *why;
    bool ok = true;

    if (w->k->program->private->verdict[which] == CW_REWRITE_REFUSED)
        return "refused";
    if (!make_kernels(w, which))
        return "its kernels could not be made";
    say("original %s\n", w->k->name); /* some never end: who waits for us should know where we are */
    if (!run_whole(w, w->original, true))
        return "the original could not be run";
    for (size_t i = 0; i < w->copies; i++)
        if (w->copy[i].owner)
            memcpy(w->copy[i].expected, w->copy[i].memory, w->copy[i].bytes);
    if (!run_whole(w, w->original, true) || !compare(w, NULL))
        return "the original itself varies";
    say("rewritten %s\n", w->k->name);
    if (!run_whole(w, w->rewritten[0], false) || !compare(w, "rewritten, uncut"))
        return "WRONG uncut";
    if (times)
        time_both(w, atoi(times));
    why = may_cut(w);
    if (why)
        return why;
    w->groups = (w->l->global[w->dim] + w->l->local[w->dim] - 1) / w->l->local[w->dim];
    for (int c = 1; c <= CONFIGURATIONS && ok; c++) {
        choose_tiles(w, c);
        if (w->tiles > 1)
            ok = run_tiles(w, false) && run_tiles(w, true);
    }
    return ok ? NULL : "WRONG in tiles";
}

/* Images are not copied: the program's own must not be written. */
static bool has_images(const struct kernel_record *k)
{
    const struct cw_model *m = cw_model_set_find(&k->program->private->models, k->name);

    for (int i = 0; m && i < m->args; i++)
        if (m->arg[i].kind == CW_ARG_IMAGE)
            return true;
    return !m;
}

void tilecl_check(struct kernel_record *k, const struct launch *launch, cl_command_queue queue)
{
    const char *limit = getenv("TILECL_LAUNCHES"), *seed = getenv("TILECL_SEED"), *why = NULL;
    struct launch l = *launch;
    struct work w = {.k = k, .l = &l, .dim = -1};
    size_t which = 0;

    while (which < k->program->kernels && strcmp(k->program->kernel[which].name, k->name))
        which++;
    if (which == k->program->kernels ||
        k->program->kernel[which].checked++ >= (unsigned)(limit ? atoi(limit) : 2))
        return;
    if (seed)
        state = 88172645463325252ull ^ strtoull(seed, NULL, 0) * 0x9E3779B97F4A7C15ull;
    pin_local(&l);
    why = has_images(k) ? "an image, or no model" : NULL;
    for (cl_uint i = 0; i < k->args && !why; i++) {
        if (!k->arg[i].set)
            why = "an argument is not known";
        else if (k->arg[i].is_buffer && !take_copy(&w, k->arg[i].buffer, queue))
            why = "a buffer could not be copied";
    }
    why = why ? why : check(&w, which);
    say("launch %s (%zu %zu %zu)/(%zu %zu %zu)+%zu: %s%s\n", k->name, l.global[0], l.global[1], l.global[2],
        l.local[0], l.local[1], l.local[2], l.offset[0], why ? "not cut: " : "same bytes in tiles",
        why ? why : "");
    release(&w);
}
