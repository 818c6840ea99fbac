/* run_tile_program.c - rewritten programs and their kernels on each lane, and one block of a cut launch.
 *
 * The source is rewritten once per program, and built for each lane with a definition of its own: tiles of one kernel
 * that differ in width abort PoCL 3.1 when two devices run them at once (run_flight.c), unless it takes them for
 * different kernels. What the rewriter or the vendor's compiler refuses stays whole. */
#include "run_tile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/io/file_store.h"
#include "../../../analyzer/kernel/header_files.h"
#include "../../../analyzer/kernel/rewrite.h"
#include "../../door/log.h"
#include "../lanes/run_build.h"
#include "../lanes/run_fault.h"
#include "../hooks/run_hooks.h"
#include "../programs/run_models.h"
#include "../programs/run_private.h"
#include "../lanes/run_room.h"

#define TILE_OPTIONS "%s -w -DCW_RUN_TILE=%u%s"

_Static_assert(sizeof(struct cw_rewrite_tile) == CW_RUN_HIDDEN, "the hidden argument");

struct cw_run_rewritten {
    struct cw_rewrite_out out;    /* immutable once `made` */
    struct cw_run_models *models; /* whose kernels are those of `out`, in their order */
    bool made;
    cl_program program[CW_RUN_LANES]; /* once `tried`, under `rewriting` */
    bool tried[CW_RUN_LANES];
    uint8_t state[CW_RUN_LANES];      /* enum cw_run_copy_state */
};

static pthread_mutex_t rewriting = PTHREAD_MUTEX_INITIALIZER; /* taken before cw_run.lock */

void cw_run_rewritten_free(struct cw_run_program *p)
{
    struct cw_run_rewritten *r = p->rewritten;
    const struct cw_run_context *c = p->context;

    p->rewritten = NULL;
    if (!r)
        return;
    for (uint32_t i = 0; i < CW_RUN_LANES; i++)
        cw_run_drop(CW_RUN_DROP_PROGRAM, r->program[i]);
    for (size_t i = 0; i < c->slots->homes; i++)
        if (r->program[c->places[i].lane->number])
            p->context->own_queues--;
    cw_rewrite_finish(&r->out);
    cw_run_models_release(r->models);
    free(r);
}

/* ---- rewriting */

static const char *read_header(void *files, size_t unit, const char *name, const char *includer)
{
    (void)unit;
    return cw_header_files_read(files, name, includer);
}

static bool rewrite(const struct cw_run_program *p, struct cw_run_rewritten *r)
{
    const struct cw_model_set *set = &r->models->set;
    const char **names = calloc((size_t)set->n + 1, sizeof *names);
    struct cw_rewrite_unit unit = {p->source, p->options};
    struct cw_rewrite_in in = {.unit = &unit, .units = 1, .kernel = names, .kernels = (size_t)set->n};
    struct cw_header_files headers;
    bool good = false;

    for (int i = 0; names && i < set->n; i++)
        names[i] = set->model[i].kernel;
    if (cw_header_files_init(&headers, p->options)) {
        in.read_header = read_header;
        in.context = &headers;
    }
    if (names)
        good = cw_rewrite(&in, &r->out, NULL) == CW_OK;
    cw_header_files_finish(&headers);
    free(names);
    return good;
}

/* The record of `p`, empty at first; NULL: memory is out, or there are no models. Lock held. */
static struct cw_run_rewritten *record(struct cw_run_program *p)
{
    struct cw_run_rewritten *r = p->rewritten;

    if (r || !p->models || !(r = calloc(1, sizeof *r)))
        return r;
    r->models = p->models;
    r->models->refs++;
    return p->rewritten = r;
}

uint8_t *cw_run_rewritten_state(struct cw_run_program *p, const struct cw_run_lane *l)
{
    struct cw_run_rewritten *r = record(p);

    return r ? &r->state[l->number] : NULL;
}

/* The rewritten form of `p`, made at the first call; NULL: memory is out. The program is busy. */
static struct cw_run_rewritten *rewritten(struct cw_run_program *p)
{
    struct cw_run_rewritten *r;
    bool made;

    cw_run_lock();
    r = record(p);
    made = r && r->made;
    cw_run_unlock();
    if (!r || made)
        return r;
    pthread_mutex_lock(&rewriting);
    if (!r->made) {
        rewrite(p, r); /* without memory: no source, which is refused */
        cw_run_lock();
        r->made = true;
        cw_run_unlock();
    }
    pthread_mutex_unlock(&rewriting);
    return r;
}

/* Its number in `out`, or -1. */
static int find(const struct cw_run_rewritten *r, const char *name)
{
    for (int i = 0; r->out.source && i < r->models->set.n; i++)
        if (!strcmp(r->models->set.model[i].kernel, name))
            return i;
    return -1;
}

const char *cw_run_rewritten_refuses(const struct cw_run_kernel *k)
{
    const struct cw_run_rewritten *r = k->program->rewritten;
    int i = r && r->made ? find(r, k->name) : -1;

    if (!r || !r->made || (i >= 0 && r->out.kernel[i].verdict != CW_REWRITE_REFUSED))
        return NULL;
    return "the kernel cannot be rewritten for certain";
}

/* ---- on a lane */

/* As cw_run_fault_since, lock not held. */
static bool fault_since(enum cw_run_fault kind)
{
    bool since;

    if (CW_LIKELY(cw_run_fault_planted != kind))
        return false;
    cw_run_lock();
    since = cw_run_fault_since(kind);
    cw_run_unlock();
    return since;
}

static bool fault_now(enum cw_run_fault kind)
{
    bool now;

    if (CW_LIKELY(cw_run_fault_planted != kind))
        return false;
    cw_run_lock();
    now = cw_run_fault_now(kind);
    cw_run_unlock();
    return now;
}

/* Of source and options. */
static uint64_t key_of(const char *source, const char *options, const struct cw_run_place *place)
{
    uint64_t hash = cw_file_store_hash(CW_FILE_STORE_HASH, source, strlen(source) + 1);

    return cw_run_private_key(place, cw_file_store_hash(hash, options, strlen(options) + 1));
}

static bool any_rows(const struct cw_run_rewritten *r)
{
    bool any = false;

    for (size_t i = 0; i < r->out.kernels; i++)
        any |= r->out.kernel[i].rows;
    return any;
}

/* From a binary that an earlier run has kept, else from source; then `keep` keeps it, before anything of it runs. rows: with
 * the forms for rows. */
static cl_program build(struct cw_run_program *p, const struct cw_run_rewritten *r, struct cw_run_place *place, bool keep,
                        bool rows)
{
    size_t bytes = strlen(p->options) + 96;
    char *options = malloc(bytes);
    const char *source = r->out.source[0];
    cl_program program = NULL;

    if (options && !fault_since(CW_RUN_FAULT_UNBUILT) && cw_run_room() && cw_run_build_begins()) {
        snprintf(options, bytes, TILE_OPTIONS, p->options, place->lane->number + 1, rows ? "" : " -DCW_RUN_NO_ROWS");
        program = cw_run_private_load(place, key_of(source, options, place), options);
        if (program)
            cw_log_debug("a rewritten program for %s is what an earlier run has kept", place->lane->name);
        else if ((program = cw_run_private_build(place, source, options)) && keep)
            cw_run_private_keep(program, key_of(source, options, place));
        cw_run_build_ends();
    }
    free(options);
    return program;
}

static cl_program program_on(struct cw_run_program *p, struct cw_run_rewritten *r, struct cw_run_place *place, bool keep)
{
    uint32_t lane = place->lane->number;

    pthread_mutex_lock(&rewriting);
    if (!r->tried[lane]) {
        r->tried[lane] = true;
        r->program[lane] = build(p, r, place, keep, true);
        if (!r->program[lane] && any_rows(r))
            r->program[lane] = build(p, r, place, keep, false);
        if (r->program[lane] && place->slot->home)
            p->context->own_queues++;
    }
    pthread_mutex_unlock(&rewriting);
    return r->program[lane];
}

void cw_run_rewritten_build(struct cw_run_program *p, uint32_t place, bool keep)
{
    struct cw_run_place *at = &p->context->places[place];
    struct cw_run_rewritten *r = rewritten(p);
    bool good = r && r->out.source && program_on(p, r, at, keep);

    if (!r) /* it has been built anew meanwhile, and has no models yet */
        return;
    cw_run_lock();
    cw_run.copies += good; /* there may be more to gain (run_aside.c) */
    r->state[at->lane->number] = good ? CW_RUN_COPY_READY : CW_RUN_COPY_FAILED;
    cw_run_unlock();
}

/* A clone that takes `count` arguments. */
static cl_kernel make_kernel(cl_program program, const char *name, cl_uint count)
{
    cl_uint has = 0;
    cl_int err;
    cl_kernel kernel = cw_next.clCreateKernel(program, name, &err);

    if (kernel && (cw_next.clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof has, &has, NULL) != CL_SUCCESS || has != count)) {
        cw_next.clReleaseKernel(kernel);
        kernel = NULL;
    }
    return kernel;
}

/* The rewritten kernel; *hidden: it takes the hidden argument. */
static cl_kernel kernel_on(struct cw_run_kernel *k, struct cw_run_place *place, bool *hidden)
{
    struct cw_run_rewritten *r = rewritten(k->program);
    cl_kernel *clone = &k->tiled->clones[place->lane->number];
    struct cw_run_set **set = &k->tiled->set[place->lane->number];
    int i = r ? find(r, k->name) : -1;
    cl_program program;

    if (i < 0 || r->out.kernel[i].verdict == CW_REWRITE_REFUSED)
        return NULL;
    *hidden = r->out.kernel[i].verdict == CW_REWRITE_DONE;
    if (!*set)
        *set = calloc(k->count + 1, sizeof **set);
    if (*clone || !*set)
        return *set ? *clone : NULL;
    program = program_on(k->program, r, place, false);
    *clone = program ? make_kernel(program, k->name, k->count + *hidden) : NULL;
    return *clone;
}

/* Its form for rows; NULL: there is none. */
static cl_kernel rows_on(struct cw_run_kernel *k, struct cw_run_place *place)
{
    struct cw_run_rewritten *r = rewritten(k->program);
    uint32_t lane = place->lane->number;
    cl_kernel *clone = &k->tiled->rows[lane];
    struct cw_run_set **set = &k->tiled->row_set[lane];
    int i = r ? find(r, k->name) : -1;
    char name[256];
    cl_program program;

    if (i < 0 || !r->out.kernel[i].rows || *set) /* a set: it has been tried */
        return i >= 0 && r->out.kernel[i].rows ? *clone : NULL;
    program = program_on(k->program, r, place, false);
    if (program && (size_t)snprintf(name, sizeof name, CW_REWRITE_ROWS "%s", k->name) < sizeof name &&
        (*set = calloc(k->count + 1, sizeof **set)))
        *clone = make_kernel(program, name, k->count + 2);
    return *clone;
}

/* ---- a block */

/* Under planted faults: the ids of a launch that is no more than this block, moved by an offset; without the offset that
 * it has; another local size. */
static void spoil(struct cw_rewrite_tile *tile, const struct cw_run_launch *l, uint32_t d, const size_t *global, size_t local[3])
{
    if (l->has_offset && fault_since(CW_RUN_FAULT_OFFSET)) {
        for (cl_uint i = 0; i < l->dims; i++)
            tile->base[i] -= l->offset[i];
        memset(tile->offset, 0, sizeof tile->offset);
    }
    if (fault_since(CW_RUN_FAULT_NAIVE)) {
        tile->offset[d] = tile->base[d];
        tile->first_group[d] = 0;
        tile->size[d] = global[d];
        tile->groups[d] = global[d] / local[d];
    }
    if (fault_now(CW_RUN_FAULT_LOCAL)) /* once: kernels that lean on their local size write anywhere */
        local[0] /= 2;
}

bool cw_run_tile_has_kernel(struct cw_run_kernel *k, struct cw_run_context *c, struct cw_run_place *p)
{
    bool hidden;

    return cw_run_place_queue(c, p) && kernel_on(k, p, &hidden);
}

cl_int cw_run_tile_submit_range(const struct cw_run_launch *l, struct cw_run_context *c, struct cw_run_place *p,
                                const struct cw_run_cut *cut, const struct cw_run_block *b, cl_command_queue *queue,
                                cl_event *event)
{
    size_t first[3] = {0}, global[3] = {1, 1, 1}, local[3], rest;
    struct cw_run_set *set = NULL;
    struct cw_rewrite_tile tile;
    struct cw_run_rows rows;
    const struct cw_run_range r = {l->dims, NULL, global, local};
    bool hidden = false, first_time;
    cl_kernel kernel, by_rows;
    cl_int err;

    memcpy(global, l->global, l->dims * sizeof *global);
    first[cut->dim] = b->first;
    rest = l->global[cut->dim] - b->first * cut->local[cut->dim];
    global[cut->dim] = b->groups * cut->local[cut->dim];
    if (global[cut->dim] > rest) /* the last work-group is a smaller one */
        global[cut->dim] = rest;
    memcpy(local, cut->local, sizeof local);
    cw_rewrite_tile_fill(&tile, l->dims, l->global, local, l->has_offset ? l->offset : NULL, first);
    if (cut->ragged && rest < local[cut->dim])
        local[cut->dim] = rest;
    *queue = cw_run_place_queue(c, p);
    kernel = *queue ? kernel_on(l->kernel, p, &hidden) : NULL;
    if (kernel)
        set = l->kernel->tiled->set[p->lane->number];
    if (CW_UNLIKELY(cw_run_fault_planted))
        spoil(&tile, l, cut->dim, global, local);
    by_rows = kernel && hidden && cw_run_rows_of(&tile, global, p, &rows) ? rows_on(l->kernel, p) : NULL;
    if (by_rows) {
        kernel = by_rows;
        set = l->kernel->tiled->row_set[p->lane->number];
        memcpy(global, rows.global, sizeof global);
        local[0] = local[1] = local[2] = 1;
    }
    first_time = !cw_run_room_has(l, global, local, p->lane->number, true);
    if (CW_UNLIKELY(first_time) && !cw_run_room())
        return CL_OUT_OF_RESOURCES;
    err = kernel ? cw_run_set_args(kernel, l, p, set) : CL_OUT_OF_RESOURCES;
    if (err == CL_SUCCESS && hidden)
        err = cw_next.clSetKernelArg(kernel, l->kernel->count, sizeof tile, &tile);
    if (err == CL_SUCCESS && by_rows)
        err = cw_next.clSetKernelArg(kernel, l->kernel->count + 1, sizeof rows.size, &rows.size);
    if (err == CL_SUCCESS && CW_UNLIKELY(first_time))
        err = cw_run_build_enqueue(p, *queue, kernel, &r, event);
    else if (err == CL_SUCCESS)
        err = cw_next.clEnqueueNDRangeKernel(*queue, kernel, l->dims, NULL, global, local, 0, NULL, event);
    if (err == CL_SUCCESS && first_time)
        cw_run_room_loaded(l, global, local, p->lane->number, true);
    return err;
}

cl_int cw_run_tile_submit(struct cw_run_task *part, cl_command_queue *queue, cl_event *event)
{
    const struct cw_run_tiles *x = part->part_of;
    struct cw_run_context *c = part->queue->context;
    struct cw_run_place *p = &c->places[part->place];
    struct cw_run_block b = x->block[part->index], last = {.first = x->cut.groups - 1, .groups = 1};
    bool two = x->cut.ragged && b.groups > 1 && b.first + b.groups == x->cut.groups;
    cl_int err;

    b.groups -= two;
    err = cw_run_tile_submit_range(&part->launch, c, p, &x->cut, &b, queue, two ? NULL : event);
    part->begun = err == CL_SUCCESS;
    if (two && part->begun) {
        err = cw_run_tile_submit_range(&part->launch, c, p, &x->cut, &last, queue, event);
        if (err != CL_SUCCESS)
            cw_next.clFinish(*queue); /* what has begun is over before anybody hears of it */
    }
    return err;
}
