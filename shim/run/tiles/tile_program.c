/* tile_program.c - rewritten programs and their kernels on each worker.
 *
 * The source is rewritten once per program, and built for each worker with a definition of its own: tiles of
 * one kernel that differ in width abort PoCL 3.1 when two devices run them at once (workers/exclusion.c),
 * unless it takes them for different kernels. Launches of kernels that the rewriter or the vendor's compiler
 * refuses stay whole.
 */
#include "tile.h"
#include "../../door/lock_order.h"
#include "share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/kernels/models/program_models.h"
#include "../../../analyzer/kernels/rewrite/rewrite.h"
#include "../../../analyzer/kernels/rows/rewrite_rows.h"
#include "../../door/dynamic_loader.h"
#include "../../door/log.h"
#include "../core/fault.h"
#include "../models/program_models.h"
#include "../code/code.h"
#include "../core/global_lock.h"
#include "../core/state.h"

#define TILE_OPTIONS "%s -w -DCW_RUN_TILE=%u%s"

_Static_assert(sizeof(struct cw_rewrite_tile) == CW_RUN_HIDDEN, "the hidden argument");

static pthread_mutex_t rewriting = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&rewriting, REWRITING)

/* Any thread. Who has it may wait for a thread that loads code. */
static void lock_rewriting(void)
{
    if (pthread_mutex_trylock(&rewriting) == 0)
        return;
    cw_dynamic_loader_look();
    pthread_mutex_lock(&rewriting);
}

/* ---- rewriting */

/* Without headers: a source that has models includes no file (vendor_macros.h). */
static bool rewrite(const struct cw_run_program *p, struct cw_run_rewritten *r)
{
    const struct cw_model_set *set = &r->models->set;
    const char **names = calloc((size_t)set->n + 1, sizeof *names);
    struct cw_rewrite_unit unit = {p->source, p->options};
    struct cw_rewrite_in in = {.forms = &cw_rewrite_rows_forms,
                               .unit = &unit,
                               .units = 1,
                               .kernel = names,
                               .kernels = (size_t)set->n,
                               .rows = cw_run_tile_rows_wanted,
                               .rows_context = &r->models->set};
    bool good = false;

    for (int i = 0; names && i < set->n; i++)
        names[i] = set->model[i].kernel;
    if (names && !p->binary)
        good = cw_rewrite(&in, &r->out, NULL) == CW_OK;
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

uint8_t *cw_run_tile_program_state(struct cw_run_program *p, const struct cw_run_worker *l)
{
    struct cw_run_rewritten *r = record(p);

    return r ? &r->state[l->number] : NULL;
}

bool cw_run_tile_program_is_due(struct cw_run_program *p, const struct cw_run_worker *l)
{
    const struct cw_run_rewritten *r = record(p);

    return r && cw_run_global_lock_now_ns() >= r->seek[l->number].until;
}

/* The rewritten form of `p`, made at the first call; NULL: memory is out. The program is busy. */
static struct cw_run_rewritten *rewritten(struct cw_run_program *p)
{
    struct cw_run_rewritten *r;
    bool made;

    cw_run_global_lock_take();
    r = record(p);
    made = r && r->made;
    cw_run_global_lock_give();
    if (!r || made)
        return r;
    lock_rewriting();
    if (!r->made) {
        rewrite(p, r); /* without memory: no source, which is refused */
        cw_run_global_lock_take();
        r->made = true;
        cw_run_global_lock_give();
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

bool cw_run_tile_program_by_offset(const struct cw_run_context_device *place)
{
    return cw_device_has(place->device, CW_VENDOR_FUSES_IN_BACKEND) && !cw_run_relaxed;
}

const char *cw_run_tile_program_refuses(const struct cw_run_kernel *k)
{
    const struct cw_run_rewritten *r = k->program->rewritten;
    int i = r && r->made ? find(r, k->name) : -1;
    bool by_offset = cw_run_tile_program_by_offset(k->program->context->places);

    if (k->program->binary)
        return "only its binary is known, which cannot be rewritten";
    if (!r || !r->made)
        return NULL;
    if (i >= 0 && r->out.kernel[i].verdict != CW_REWRITE_REFUSED)
        return !by_offset || r->out.kernel[i].by_offset
                   ? NULL
                   : "it sees more than global ids, and other code may round otherwise on its device";
    return "the kernel cannot be rewritten for certain";
}

/* ---- on a worker */

static bool any_rows(const struct cw_run_rewritten *r)
{
    bool any = false;

    for (size_t i = 0; i < r->out.kernels; i++)
        any |= r->out.kernel[i].rows;
    return any;
}

/* The caller's to free; NULL: memory is out. */
static char *options_of(const struct cw_run_program *p, const struct cw_run_context_device *place, bool rows)
{
    size_t bytes = strlen(p->options) + 96;
    char *options = malloc(bytes);

    if (options)
        snprintf(options, bytes, TILE_OPTIONS, p->options, place->worker->number + 1,
                 rows ? "" : " -DCW_RUN_NO_ROWS");
    return options;
}

/* Of the binary that an earlier run has left, or of the source (`build`). rows: with the forms for rows. */
static cl_program make(struct cw_run_program *p, const struct cw_run_rewritten *r,
                       struct cw_run_context_device *place, bool build, bool rows)
{
    char *options = options_of(p, place, rows);
    const struct cw_run_recipe recipe = {r->out.source[0], options};
    cl_program program = NULL;

    if (options && cw_pending_builds_begin()) {
        program = (build ? cw_helper_build_build : cw_helper_build_load)(p->context, place, &recipe);
        cw_pending_builds_end();
    }
    free(options);
    return program;
}

/* With the forms for rows, or else without. */
static cl_program make_either(struct cw_run_program *p, struct cw_run_rewritten *r,
                              struct cw_run_context_device *place, bool build)
{
    uint32_t worker = place->worker->number;
    cl_program program = make(p, r, place, build, true);

    r->rowless[worker] = !program && any_rows(r);
    return r->rowless[worker] ? make(p, r, place, build, false) : program;
}

/* The builder's compiler may refuse the forms for rows. */
static bool ask(const struct cw_run_program *p, const struct cw_run_rewritten *r,
                const struct cw_run_context_device *place, bool rows)
{
    char *options = options_of(p, place, rows);
    bool good = options && cw_helper_build_ask(place, &(struct cw_run_recipe){r->out.source[0], options});

    free(options);
    return good || (rows && any_rows(r) && ask(p, r, place, false));
}

/* build: where there is no binary. `rewriting` held. */
static cl_program try(struct cw_run_program *p, struct cw_run_rewritten *r,
                      struct cw_run_context_device *place, bool build)
{
    uint32_t worker = place->worker->number;

    if (cw_run_fault_asks_since(CW_RUN_FAULT_UNBUILT)) {
        r->tried[worker] = true;
        return NULL;
    }
    r->program[worker] = make_either(p, r, place, false);
    r->loaded[worker] = r->program[worker];
    if (r->loaded[worker])
        cw_log_debug("a rewritten program for %s is what an earlier run has kept", place->worker->name);
    if (!r->loaded[worker] && !cw_run.chaos) /* first: the end of the process may cut a build off */
        r->hopeless[worker] = !ask(p, r, place, true);
    if (!r->program[worker] && build)
        r->program[worker] = make_either(p, r, place, true);
    if (!r->loaded[worker] && r->program[worker] && r->rowless[worker] && !cw_run.chaos)
        ask(p, r, place, false);
    r->tried[worker] = r->program[worker] || (build && r->refused[worker]);
    r->refused[worker] |= build;
    return r->program[worker];
}

/* Asked for by the worker of the first tile, where it was not built before (CLWEAVE_MANAGE_ALL). */
static cl_program program_on(struct cw_run_program *p, struct cw_run_rewritten *r,
                             struct cw_run_context_device *place)
{
    uint32_t worker = place->worker->number;

    lock_rewriting(); /* before the lock of run mode */
    if (!r->tried[worker] && try(p, r, place, true) && !r->loaded[worker] && !cw_run.chaos) {
        cw_run_global_lock_take();
        cw_run_account.learns++;
        cw_run_global_lock_give();
    }
    pthread_mutex_unlock(&rewriting);
    return r->program[worker];
}

/* The place's next state after that. Lock held. */
static enum cw_run_copy_state state_after(struct cw_run_rewritten *r, uint32_t worker, bool good)
{
    if (good || r->tried[worker] || !r->out.source)
        return good ? CW_RUN_COPY_READY : CW_RUN_COPY_FAILED;
    if (r->hopeless[worker])
        r->seek[worker].until = UINT64_MAX;
    else
        cw_run_trial_rest(&r->seek[worker], CW_RUN_REST_CODE, cw_run_global_lock_now_ns(), 1);
    return CW_RUN_COPY_MISSED;
}

bool cw_run_tile_program_build(struct cw_run_program *p, uint32_t place)
{
    struct cw_run_context_device *at = &p->context->places[place];
    struct cw_run_rewritten *r = rewritten(p);
    uint32_t worker = at->worker->number;
    bool good = false;

    if (!r) /* it has been built anew meanwhile, and has no models yet */
        return false;
    if (r->out.source && cw_run_tile_program_by_offset(at)) {
        good = true; /* the kernel itself: tiles/share.c */
    } else if (r->out.source) {
        pthread_mutex_lock(&rewriting);
        good = r->tried[worker] ? r->program[worker] != NULL
                                : try(p, r, at, r->state[worker] == CW_RUN_COPY_WANTED) != NULL;
        pthread_mutex_unlock(&rewriting);
    }
    cw_run_global_lock_take();
    cw_run.copies += good; /* there may be more to gain (tuning/bypass.c) */
    r->state[worker] = state_after(r, worker, good);
    cw_run_global_lock_give();
    return good && !r->loaded[worker] && !cw_run_tile_program_by_offset(at);
}

void cw_run_tile_program_ask(struct cw_run_program *p, uint32_t place)
{
    const struct cw_run_rewritten *r = rewritten(p);

    if (r && r->out.source && !cw_run_tile_program_by_offset(&p->context->places[place]))
        ask(p, r, &p->context->places[place], true);
}

/* A clone that takes `count` arguments. */
static cl_kernel make_kernel(cl_program program, const char *name, cl_uint count)
{
    cl_uint has = 0;
    cl_int err;
    cl_kernel kernel = cw_next.clCreateKernel(program, name, &err);

    if (kernel &&
        (cw_next.clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof has, &has, NULL) != CL_SUCCESS ||
         has != count)) {
        cw_next.clReleaseKernel(kernel);
        kernel = NULL;
    }
    return kernel;
}

bool cw_run_tile_program_is_itself(struct cw_run_kernel *k, const struct cw_run_context_device *place)
{
    struct cw_run_rewritten *r = cw_run_tile_program_by_offset(place) ? rewritten(k->program) : NULL;
    int i = r ? find(r, k->name) : -1;

    return i >= 0 && r->out.kernel[i].by_offset;
}

cl_kernel cw_run_tile_program_on(struct cw_run_kernel *k, struct cw_run_context_device *place, bool *hidden)
{
    struct cw_run_rewritten *r = rewritten(k->program);
    cl_kernel *clone = &k->tiled->clones[place->worker->number];
    struct cw_run_set **set = &k->tiled->set[place->worker->number];
    int i = r ? find(r, k->name) : -1;
    cl_program program;

    if (i < 0 || r->out.kernel[i].verdict == CW_REWRITE_REFUSED || cw_run_tile_program_by_offset(place))
        return NULL;
    *hidden = r->out.kernel[i].verdict == CW_REWRITE_DONE;
    if (!*set)
        *set = calloc(k->count + 1, sizeof **set);
    if (*clone || !*set)
        return *set ? *clone : NULL;
    program = program_on(k->program, r, place);
    *clone = program ? make_kernel(program, k->name, k->count + *hidden) : NULL;
    return *clone;
}

cl_kernel cw_run_tile_program_rows_on(struct cw_run_kernel *k, struct cw_run_context_device *place)
{
    struct cw_run_rewritten *r = rewritten(k->program);
    uint32_t worker = place->worker->number;
    cl_kernel *clone = &k->tiled->rows[worker];
    struct cw_run_set **set = &k->tiled->row_set[worker];
    int i = r ? find(r, k->name) : -1;
    char name[256];
    cl_program program;

    if (i < 0 || !r->out.kernel[i].rows || *set) /* a set: it has been tried */
        return i >= 0 && r->out.kernel[i].rows ? *clone : NULL;
    program = program_on(k->program, r, place);
    if (program && (size_t)snprintf(name, sizeof name, CW_REWRITE_ROWS "%s", k->name) < sizeof name &&
        (*set = calloc(k->count + 1, sizeof **set)))
        *clone = make_kernel(program, name, k->count + 2);
    return *clone;
}

/* A launch of a rewritten kernel, or of its form for rows, as the vendor's compiler is asked for it. */
struct wanted {
    char *options, name[256];
    const char *source;
    uint32_t extra; /* arguments behind the kernel's own */
};
static const uint32_t more[] = {sizeof(struct cw_rewrite_tile), sizeof((struct cw_run_rows *)NULL)->size};

/* False: there is none. The options are the caller's to free. */
static bool name_wanted(struct wanted *w, const struct cw_run_launch *l,
                        const struct cw_run_context_device *place, bool by_rows)
{
    struct cw_run_kernel *k = l->kernel;
    struct cw_run_rewritten *r = rewritten(k->program);
    int i = r ? find(r, k->name) : -1;

    w->options = i >= 0 ? options_of(k->program, place, !r->rowless[place->worker->number]) : NULL;
    w->source = i >= 0 ? r->out.source[0] : NULL;
    w->extra = by_rows ? 2 : i >= 0 && r->out.kernel[i].verdict == CW_REWRITE_DONE;
    return w->options && (size_t)snprintf(w->name, sizeof w->name, "%s%s", by_rows ? CW_REWRITE_ROWS : "",
                                          k->name) < sizeof w->name;
}

cl_int cw_run_tile_program_ahead(const struct cw_run_launch *l, struct cw_run_context_device *place,
                                 const struct cw_run_ndrange *range, bool by_rows)
{
    struct wanted w;
    cl_int err = CL_OUT_OF_RESOURCES;

    if (name_wanted(&w, l, place, by_rows))
        err = cw_isolated_launch_ahead(place, &(struct cw_run_recipe){w.source, w.options}, w.name, range, l,
                                       more, w.extra);
    free(w.options);
    return err;
}

bool cw_run_tile_program_knows(const struct cw_run_launch *l, struct cw_run_context_device *place,
                               const struct cw_run_ndrange *range, bool by_rows)
{
    struct wanted w;
    bool known = !name_wanted(&w, l, place, by_rows) ||
                 cw_isolated_launch_knows(place, &(struct cw_run_recipe){w.source, w.options}, w.name, range,
                                          l, more, w.extra);

    free(w.options);
    return known;
}

bool cw_run_tile_program_has_rows(struct cw_run_kernel *k, bool *known)
{
    struct cw_run_rewritten *r;
    bool made;
    int i;

    cw_run_global_lock_take();
    r = record(k->program);
    made = r && r->made;
    cw_run_global_lock_give();
    *known = r && (made || pthread_mutex_trylock(&rewriting) == 0);
    if (*known && !made) {
        pthread_mutex_unlock(&rewriting);
        rewritten(k->program);
    }
    i = *known ? find(r, k->name) : -1;
    return i >= 0 && r->out.kernel[i].rows;
}
