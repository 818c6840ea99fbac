/* generate_apps.c - the HXDSP paper's applications and a stencil, on one CPU and DSPs, tasks divisible by
 * work-groups. */
#include "sketch.h"

#define TAKES (CW_GENERATES(size) | CW_GENERATES(dsps) | CW_GENERATES(ccr) | CW_GENERATES(mean_cost))

/* With size 2, mean-cost 20 and ccr 0.05: the costs and edges of the known answer blockmatmul. */
static enum cw_status make_blockmatmul(const struct cw_generate_options *o, struct cw_graph **graph,
                                       struct cw_platform **platform, struct cw_error *err)
{
    struct cw_sketch s;
    uint32_t n = (uint32_t)o->size;

    if (n > 1024)
        return cw_error_set(err, CW_ERR_INVALID, "blockmatmul: size is %u; it must be at most 1024", n);
    cw_sketch_init(&s, o, true, false, 0, 0, err);
    cw_sketch_task(&s, "split", 1.5, 0, -1);
    cw_sketch_task(&s, "split", 1.5, 1, -1);
    for (uint32_t k = 0; k < n * n * n; k++) {
        uint32_t task = cw_sketch_task(&s, "mul", 1, k, -1);
        cw_sketch_edge(&s, 0, task, 1);
        cw_sketch_edge(&s, 1, task, 1);
    }
    cw_sketch_task(&s, "merge", 0.75, -1, -1);
    for (uint32_t k = 2; k + 1 < s.tasks; k++)
        cw_sketch_edge(&s, k, s.tasks - 1, 1);
    return cw_sketch_finish(&s, graph, platform);
}

const struct cw_generator cw_generator_blockmatmul = {
    .name = "blockmatmul",
    .title = "blocked matrix product: 2 splits, SIZE^3 products, 1 merge",
    .source = "Gu, Ning, Zheng, Computer Systems & Applications 31(11), 2022",
    .takes = TAKES,
    .generate = make_blockmatmul,
};

static enum cw_status make_mapreduce(const struct cw_generate_options *o, struct cw_graph **graph,
                                     struct cw_platform **platform, struct cw_error *err)
{
    struct cw_sketch s;
    uint32_t n = (uint32_t)o->size;

    cw_sketch_init(&s, o, true, false, 0, 0, err);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t map = cw_sketch_task(&s, "map", 1, k, -1);
        cw_sketch_edge(&s, map, cw_sketch_task(&s, "reduce", 0.5, k, -1), 1);
    }
    cw_sketch_task(&s, "merge", 0.25, -1, -1);
    for (uint32_t k = 0; k < n; k++)
        cw_sketch_edge(&s, 2 * k + 1, 2 * n, 0.1);
    return cw_sketch_finish(&s, graph, platform);
}

const struct cw_generator cw_generator_mapreduce = {
    .name = "mapreduce",
    .title = "SIZE chunks, each mapped and reduced, and a final reduction: 2n + 1 tasks",
    .source = "Gu, Ning, Zheng, Computer Systems & Applications 31(11), 2022",
    .takes = TAKES,
    .generate = make_mapreduce,
};

static enum cw_status make_featurefusion(const struct cw_generate_options *o, struct cw_graph **graph,
                                         struct cw_platform **platform, struct cw_error *err)
{
    struct cw_sketch s;
    uint32_t n = (uint32_t)o->size;

    cw_sketch_init(&s, o, true, false, 0, 0, err);
    for (uint32_t k = 0; k < n; k++)
        cw_sketch_task(&s, "feature", 1, k, -1);
    cw_sketch_task(&s, "fuse", 0.5, -1, -1);
    cw_sketch_task(&s, "maximum", 0.25, -1, -1);
    cw_sketch_task(&s, "scale", 0.25, -1, -1);
    for (uint32_t k = 0; k < n; k++)
        cw_sketch_edge(&s, k, n, 1);
    cw_sketch_edge(&s, n, n + 1, 1);
    cw_sketch_edge(&s, n, n + 2, 1);
    cw_sketch_edge(&s, n + 1, n + 2, 0.1);
    return cw_sketch_finish(&s, graph, platform);
}

const struct cw_generator cw_generator_featurefusion = {
    .name = "featurefusion",
    .title = "SIZE features of one picture, fused, their maximum found, and scaled: n + 3 tasks",
    .source = "Gu, Ning, Zheng, Computer Systems & Applications 31(11), 2022",
    .takes = TAKES,
    .generate = make_featurefusion,
};

static enum cw_status make_stencil(const struct cw_generate_options *o, struct cw_graph **graph,
                                   struct cw_platform **platform, struct cw_error *err)
{
    struct cw_sketch s;
    uint32_t n = (uint32_t)o->size;

    cw_sketch_init(&s, o, true, false, 0, 0, err);
    for (uint32_t t = 0; t < o->steps; t++)
        for (uint32_t k = 0; k < n; k++) {
            uint32_t task = cw_sketch_task(&s, "sweep", 1, t, k), before = t ? (t - 1) * n : 0;
            if (t && k > 0)
                cw_sketch_edge(&s, before + k - 1, task, 0.1);
            if (t)
                cw_sketch_edge(&s, before + k, task, 1);
            if (t && k + 1 < n)
                cw_sketch_edge(&s, before + k + 1, task, 0.1);
        }
    return cw_sketch_finish(&s, graph, platform);
}

const struct cw_generator cw_generator_stencil = {
    .name = "stencil",
    .title =
        "SIZE blocks in a row over STEPS time steps, each read by itself and its neighbours: n x steps tasks",
    .source = "own",
    .takes = TAKES | CW_GENERATES(steps),
    .generate = make_stencil,
};
