/* generator_table.c - the table of generators, and those with a fixed shape. */
#include "generate.h"
#include "nearest_word.h"
#include "random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A task graph being drawn by a generator: costs and data from a few rules, and tiles that know
 * their last writer.
 *
 * Two kinds of machine:
 *   unlike   `devices` devices p0, p1, ... A task's mean cost is mean_cost x work, with `random` times U(0,
 * 2); on one device U(1 - heterogeneity / 2, 1 + heterogeneity / 2) times that (Topcuoglu et al. 2002) board
 * one CPU and `dsps` DSPs; a task costs mean_cost x work on a DSP and three times that on the CPU, and its 64
 *            work-groups can be shared
 * An edge carries ccr x mean_cost x weight, with `random` times U(0, 2). Functions that draw return false
 * once anything has failed, with the reason in the sketch, so that a generator may draw on and look once at
 * the end. */

struct cw_sketch {
    const struct cw_generate_options *o;
    struct cw_graph_builder *builder;
    struct cw_platform *platform;
    uint64_t draws; /* state of cw_random_* */
    bool random, board;
    uint32_t tasks; /* drawn so far */
    double *cost;   /* scratch */
    uint32_t *tile; /* the last task that wrote each tile, CW_SCHED_NONE = none */
    uint32_t columns;
    enum cw_status status;
    struct cw_error *err;
};

static enum cw_status make_platform(struct cw_sketch *s)
{
    uint32_t n = s->board ? (uint32_t)s->o->dsps + 1 : (uint32_t)s->o->devices;
    struct cw_device_spec *spec = calloc(n, sizeof *spec);
    char(*name)[16] = calloc(n, sizeof *name);
    enum cw_status status;

    for (uint32_t d = 0; spec && name && d < n; d++) {
        if (s->board && d == 0)
            snprintf(name[d], sizeof *name, "cpu");
        else
            snprintf(name[d], sizeof *name, "%s%u", s->board ? "dsp" : "p", s->board ? d - 1 : d);
        spec[d].name = name[d];
        spec[d].class_name = !s->board ? "p" : d ? "dsp" : "cpu";
    }
    status = spec && name ? cw_platform_create(spec, n, NULL, 1, NULL, 0, &s->platform, s->err)
                          : cw_error_set(s->err, CW_ERR_NOMEM, "out of memory for %u devices", n);
    free(spec);
    free(name);
    return status;
}

/* Begins; `tiles` = rows x columns of them, 0 for none. */
static void sketch_init(struct cw_sketch *s, const struct cw_generate_options *o, bool board, bool random,
                        uint32_t rows, uint32_t columns, struct cw_error *err)
{
    size_t tiles = (size_t)rows * columns;

    *s = (struct cw_sketch){
        .o = o, .draws = o->seed, .random = random, .board = board, .columns = columns, .err = err};
    s->status = make_platform(s);
    if (s->status != CW_OK)
        return;
    s->builder = cw_graph_builder_create(s->platform->devices);
    s->cost = malloc(s->platform->devices * sizeof *s->cost);
    s->tile = malloc((tiles + 1) * sizeof *s->tile);
    if (!s->builder || !s->cost || !s->tile)
        s->status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for a graph");
    for (size_t k = 0; s->status == CW_OK && k < tiles; k++)
        s->tile[k] = CW_SCHED_NONE;
}

static double spread(struct cw_sketch *s)
{
    return s->random ? cw_random_uniform(&s->draws, 0, 2) : 1;
}

static uint32_t sketch_task(struct cw_sketch *s, const char *name, double work, int64_t i, int64_t j)
{
    struct cw_task_spec spec = {
        .cost = s->cost, .name = name, .groups = s->board ? 64 : 0, .splittable = s->board};
    double mean = s->o->mean_cost * work * spread(s), h = s->o->heterogeneity;
    char text[64];

    if (s->status != CW_OK)
        return 0;
    if (i >= 0 && j >= 0)
        snprintf(text, sizeof text, "%s %" PRId64 " %" PRId64, name, i, j);
    else if (i >= 0)
        snprintf(text, sizeof text, "%s %" PRId64, name, i);
    spec.name = i >= 0 ? text : name;
    for (uint32_t p = 0; p < s->platform->devices; p++)
        s->cost[p] = !s->board ? mean * cw_random_uniform(&s->draws, 1 - h / 2, 1 + h / 2)
                     : p       ? mean
                               : 3 * mean;
    s->status = cw_graph_builder_add_task(s->builder, &spec, s->err);
    return s->tasks++;
}

/* Draws a task and returns its id. The name is `name` with `i`, or `i` and `j`, behind it (negative: none).
 */
static void sketch_edge(struct cw_sketch *s, uint32_t from, uint32_t to, double weight)
{
    if (s->status == CW_OK)
        s->status = cw_graph_builder_add_edge(s->builder, from, to,
                                              s->o->ccr * s->o->mean_cost * weight * spread(s), s->err);
}

/* `task` reads tile (row, column): an edge of weight 1 from its last writer. */
static void sketch_read(struct cw_sketch *s, uint32_t task, uint32_t row, uint32_t column)
{
    if (s->status == CW_OK && s->tile[(size_t)row * s->columns + column] != CW_SCHED_NONE)
        sketch_edge(s, s->tile[(size_t)row * s->columns + column], task, 1);
}

/* `task` reads and writes it. */
static void sketch_update(struct cw_sketch *s, uint32_t task, uint32_t row, uint32_t column)
{
    sketch_read(s, task, row, column);
    if (s->status == CW_OK)
        s->tile[(size_t)row * s->columns + column] = task;
}

/* Ends; hands over the graph and the platform. Returns the first error. */
static enum cw_status sketch_finish(struct cw_sketch *s, struct cw_graph **graph,
                                    struct cw_platform **platform)
{
    free(s->cost);
    free(s->tile);
    if (s->status == CW_OK)
        s->status = cw_graph_builder_finish(s->builder, graph, s->err);
    else
        cw_graph_builder_destroy(s->builder);
    if (s->status == CW_OK)
        *platform = s->platform;
    else
        cw_platform_destroy(s->platform);
    return s->status;
}

#define CW_GENERATOR(name) extern const struct cw_generator cw_generator_##name;
#include "generate_list.inc"
#undef CW_GENERATOR

const struct cw_generator *const cw_generators[] = {
#define CW_GENERATOR(name) &cw_generator_##name,
#include "generate_list.inc"
#undef CW_GENERATOR
    NULL};

const struct cw_generate_options cw_generate_defaults = {
#define CW_GENERATE_OPTION(field, kind, initial, least, most, name, argument, help) .field = initial,
#include "generate_options.inc"
#undef CW_GENERATE_OPTION
};

enum cw_status cw_generator_find(const char *name, const struct cw_generator **generator,
                                 struct cw_error *err)
{
    const char *names[sizeof cw_generators / sizeof *cw_generators] = {0}, *near;
    char list[240] = "";

    for (size_t k = 0; cw_generators[k]; k++) {
        size_t used = strlen(list);
        if (strcmp(cw_generators[k]->name, name) == 0) {
            *generator = cw_generators[k];
            return CW_OK;
        }
        names[k] = cw_generators[k]->name;
        snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", names[k]);
    }
    near = cw_nearest_word(name, names);
    return cw_error_set(err, CW_ERR_NOTFOUND, "unknown generator \"%.60s\"%s%s%s; the generators are: %s",
                        name, near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "", list);
}

/* The HXDSP paper's applications and a stencil, on one CPU and DSPs, tasks divisible by
 * work-groups. */

#define APPS_TAKES (CW_GENERATES(size) | CW_GENERATES(dsps) | CW_GENERATES(ccr) | CW_GENERATES(mean_cost))

/* With size 2, mean-cost 20 and ccr 0.05: the costs and edges of the known answer blockmatmul. */
static enum cw_status make_blockmatmul(const struct cw_generate_options *o, struct cw_graph **graph,
                                       struct cw_platform **platform, struct cw_error *err)
{
    struct cw_sketch s;
    uint32_t n = (uint32_t)o->size;

    if (n > 1024)
        return cw_error_set(err, CW_ERR_INVALID, "blockmatmul: size is %u; it must be at most 1024", n);
    sketch_init(&s, o, true, false, 0, 0, err);
    sketch_task(&s, "split", 1.5, 0, -1);
    sketch_task(&s, "split", 1.5, 1, -1);
    for (uint32_t k = 0; k < n * n * n; k++) {
        uint32_t task = sketch_task(&s, "mul", 1, k, -1);
        sketch_edge(&s, 0, task, 1);
        sketch_edge(&s, 1, task, 1);
    }
    sketch_task(&s, "merge", 0.75, -1, -1);
    for (uint32_t k = 2; k + 1 < s.tasks; k++)
        sketch_edge(&s, k, s.tasks - 1, 1);
    return sketch_finish(&s, graph, platform);
}

const struct cw_generator cw_generator_blockmatmul = {
    .name = "blockmatmul",
    .title = "blocked matrix product: 2 splits, SIZE^3 products, 1 merge",
    .source = "Gu, Ning, Zheng, Computer Systems & Applications 31(11), 2022",
    .takes = APPS_TAKES,
    .generate = make_blockmatmul,
};

static enum cw_status make_mapreduce(const struct cw_generate_options *o, struct cw_graph **graph,
                                     struct cw_platform **platform, struct cw_error *err)
{
    struct cw_sketch s;
    uint32_t n = (uint32_t)o->size;

    sketch_init(&s, o, true, false, 0, 0, err);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t map = sketch_task(&s, "map", 1, k, -1);
        sketch_edge(&s, map, sketch_task(&s, "reduce", 0.5, k, -1), 1);
    }
    sketch_task(&s, "merge", 0.25, -1, -1);
    for (uint32_t k = 0; k < n; k++)
        sketch_edge(&s, 2 * k + 1, 2 * n, 0.1);
    return sketch_finish(&s, graph, platform);
}

const struct cw_generator cw_generator_mapreduce = {
    .name = "mapreduce",
    .title = "SIZE chunks, each mapped and reduced, and a final reduction: 2n + 1 tasks",
    .source = "Gu, Ning, Zheng, Computer Systems & Applications 31(11), 2022",
    .takes = APPS_TAKES,
    .generate = make_mapreduce,
};

static enum cw_status make_featurefusion(const struct cw_generate_options *o, struct cw_graph **graph,
                                         struct cw_platform **platform, struct cw_error *err)
{
    struct cw_sketch s;
    uint32_t n = (uint32_t)o->size;

    sketch_init(&s, o, true, false, 0, 0, err);
    for (uint32_t k = 0; k < n; k++)
        sketch_task(&s, "feature", 1, k, -1);
    sketch_task(&s, "fuse", 0.5, -1, -1);
    sketch_task(&s, "maximum", 0.25, -1, -1);
    sketch_task(&s, "scale", 0.25, -1, -1);
    for (uint32_t k = 0; k < n; k++)
        sketch_edge(&s, k, n, 1);
    sketch_edge(&s, n, n + 1, 1);
    sketch_edge(&s, n, n + 2, 1);
    sketch_edge(&s, n + 1, n + 2, 0.1);
    return sketch_finish(&s, graph, platform);
}

const struct cw_generator cw_generator_featurefusion = {
    .name = "featurefusion",
    .title = "SIZE features of one picture, fused, their maximum found, and scaled: n + 3 tasks",
    .source = "Gu, Ning, Zheng, Computer Systems & Applications 31(11), 2022",
    .takes = APPS_TAKES,
    .generate = make_featurefusion,
};

static enum cw_status make_stencil(const struct cw_generate_options *o, struct cw_graph **graph,
                                   struct cw_platform **platform, struct cw_error *err)
{
    struct cw_sketch s;
    uint32_t n = (uint32_t)o->size;

    sketch_init(&s, o, true, false, 0, 0, err);
    for (uint32_t t = 0; t < o->steps; t++)
        for (uint32_t k = 0; k < n; k++) {
            uint32_t task = sketch_task(&s, "sweep", 1, t, k), before = t ? (t - 1) * n : 0;
            if (t && k > 0)
                sketch_edge(&s, before + k - 1, task, 0.1);
            if (t)
                sketch_edge(&s, before + k, task, 1);
            if (t && k + 1 < n)
                sketch_edge(&s, before + k + 1, task, 0.1);
        }
    return sketch_finish(&s, graph, platform);
}

const struct cw_generator cw_generator_stencil = {
    .name = "stencil",
    .title =
        "SIZE blocks in a row over STEPS time steps, each read by itself and its neighbours: n x steps tasks",
    .source = "own",
    .takes = APPS_TAKES | CW_GENERATES(steps),
    .generate = make_stencil,
};

#define TAKES                                                                                                \
    (CW_GENERATES(size) | CW_GENERATES(devices) | CW_GENERATES(ccr) | CW_GENERATES(heterogeneity) |          \
     CW_GENERATES(mean_cost))

/* The recursive calls, a binary tree whose leaves are the points in bit-reversed order, and log2 m ranks of m
 * butterfly tasks, each fed by two of the rank before. Every task is drawn anew: costs and data as for random
 * graphs. */
static enum cw_status make_fft(const struct cw_generate_options *o, struct cw_graph **graph,
                               struct cw_platform **platform, struct cw_error *err)
{
    struct cw_sketch s;
    uint32_t n = (uint32_t)o->size;

    if (n & (n - 1))
        return cw_error_set(err, CW_ERR_INVALID, "fft: size is %u; it must be a power of 2", n);
    sketch_init(&s, o, false, true, 0, 0, err);
    for (uint32_t k = 0; k < 2 * n - 1; k++) { /* a binary tree, heap order */
        uint32_t task = sketch_task(&s, "split", 1, k, -1);
        if (k)
            sketch_edge(&s, (k - 1) / 2, task, 1);
    }
    for (uint32_t first = n - 1, half = 1; half < n; half *= 2) {
        uint32_t next = s.tasks;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t task = sketch_task(&s, "butterfly", 1, half, k);
            sketch_edge(&s, first + k, task, 1);
            sketch_edge(&s, first + (k ^ half), task, 1);
        }
        first = next;
    }
    return sketch_finish(&s, graph, platform);
}

const struct cw_generator cw_generator_fft = {
    .name = "fft",
    .title = "fast Fourier transform of SIZE points (a power of 2): 2m - 1 + m log2 m tasks",
    .source = "Topcuoglu, Hariri, Wu, TPDS 2002, section 5.3",
    .takes = TAKES,
    .generate = make_fft,
};

/* Step k: a pivot task on column k, then one update of each later column, which reads the pivot's. */
static enum cw_status make_gauss(const struct cw_generate_options *o, struct cw_graph **graph,
                                 struct cw_platform **platform, struct cw_error *err)
{
    struct cw_sketch s;
    uint32_t n = (uint32_t)o->size;

    if (n < 2)
        return cw_error_set(err, CW_ERR_INVALID, "gauss: size is %u; it must be at least 2", n);
    sketch_init(&s, o, false, true, 1, n, err);
    for (uint32_t k = 0; k + 1 < n; k++) {
        uint32_t pivot = sketch_task(&s, "pivot", 1, k, -1);
        sketch_update(&s, pivot, 0, k);
        for (uint32_t j = k + 1; j < n; j++) {
            uint32_t task = sketch_task(&s, "update", 1, k, j);
            sketch_read(&s, task, 0, k);
            sketch_update(&s, task, 0, j);
        }
    }
    return sketch_finish(&s, graph, platform);
}

const struct cw_generator cw_generator_gauss = {
    .name = "gauss",
    .title = "Gaussian elimination of a matrix of order SIZE: (m^2 + m - 2) / 2 tasks",
    .source = "Topcuoglu, Hariri, Wu, TPDS 2002, section 5.3",
    .takes = TAKES,
    .generate = make_gauss,
};

/* Right-looking; work in units of b^3 operations: potrf 1/3, trsm 1, syrk 1, gemm 2. */
static enum cw_status make_cholesky(const struct cw_generate_options *o, struct cw_graph **graph,
                                    struct cw_platform **platform, struct cw_error *err)
{
    struct cw_sketch s;
    uint32_t n = (uint32_t)o->size;

    sketch_init(&s, o, false, false, n, n, err);
    for (uint32_t k = 0; k < n; k++) {
        sketch_update(&s, sketch_task(&s, "potrf", 1.0 / 3, k, -1), k, k);
        for (uint32_t i = k + 1; i < n; i++) {
            uint32_t task = sketch_task(&s, "trsm", 1, i, k);
            sketch_read(&s, task, k, k);
            sketch_update(&s, task, i, k);
        }
        for (uint32_t i = k + 1; i < n; i++)
            for (uint32_t j = k + 1; j <= i; j++) {
                uint32_t task = sketch_task(&s, i == j ? "syrk" : "gemm", i == j ? 1 : 2, i, j);
                sketch_read(&s, task, i, k);
                if (i != j)
                    sketch_read(&s, task, j, k);
                sketch_update(&s, task, i, j);
            }
    }
    return sketch_finish(&s, graph, platform);
}

const struct cw_generator cw_generator_cholesky = {
    .name = "cholesky",
    .title = "Cholesky factorisation of SIZE x SIZE tiles: t + t (t - 1) + t (t - 1) (t - 2) / 6 tasks",
    .source = "right-looking tiled algorithm",
    .takes = TAKES,
    .generate = make_cholesky,
};

/* Right-looking, no pivoting; work in units of b^3 operations: getrf 2/3, trsm 1, gemm 2. */
static enum cw_status make_lu(const struct cw_generate_options *o, struct cw_graph **graph,
                              struct cw_platform **platform, struct cw_error *err)
{
    struct cw_sketch s;
    uint32_t n = (uint32_t)o->size;

    sketch_init(&s, o, false, false, n, n, err);
    for (uint32_t k = 0; k < n; k++) {
        sketch_update(&s, sketch_task(&s, "getrf", 2.0 / 3, k, -1), k, k);
        for (uint32_t i = k + 1; i < 2 * n - k - 1; i++) { /* the rest of column k, then of row k */
            uint32_t row = i < n ? i : k, column = i < n ? k : i - n + k + 1;
            uint32_t task = sketch_task(&s, "trsm", 1, row, column);
            sketch_read(&s, task, k, k);
            sketch_update(&s, task, row, column);
        }
        for (uint32_t i = k + 1; i < n; i++)
            for (uint32_t j = k + 1; j < n; j++) {
                uint32_t task = sketch_task(&s, "gemm", 2, i, j);
                sketch_read(&s, task, i, k);
                sketch_read(&s, task, k, j);
                sketch_update(&s, task, i, j);
            }
    }
    return sketch_finish(&s, graph, platform);
}

const struct cw_generator cw_generator_lu = {
    .name = "lu",
    .title = "LU factorisation of SIZE x SIZE tiles: t + t (t - 1) + (t - 1) t (2t - 1) / 6 tasks",
    .source = "right-looking tiled algorithm without pivoting",
    .takes = TAKES,
    .generate = make_lu,
};
