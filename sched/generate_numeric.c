/* generate_numeric.c - graphs of numerical algorithms on unlike devices: FFT, Gauss, Cholesky, LU. */
#include "sketch.h"

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
    cw_sketch_init(&s, o, false, true, 0, 0, err);
    for (uint32_t k = 0; k < 2 * n - 1; k++) { /* a binary tree, heap order */
        uint32_t task = cw_sketch_task(&s, "split", 1, k, -1);
        if (k)
            cw_sketch_edge(&s, (k - 1) / 2, task, 1);
    }
    for (uint32_t first = n - 1, half = 1; half < n; half *= 2) {
        uint32_t next = s.tasks;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t task = cw_sketch_task(&s, "butterfly", 1, half, k);
            cw_sketch_edge(&s, first + k, task, 1);
            cw_sketch_edge(&s, first + (k ^ half), task, 1);
        }
        first = next;
    }
    return cw_sketch_finish(&s, graph, platform);
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
    cw_sketch_init(&s, o, false, true, 1, n, err);
    for (uint32_t k = 0; k + 1 < n; k++) {
        uint32_t pivot = cw_sketch_task(&s, "pivot", 1, k, -1);
        cw_sketch_update(&s, pivot, 0, k);
        for (uint32_t j = k + 1; j < n; j++) {
            uint32_t task = cw_sketch_task(&s, "update", 1, k, j);
            cw_sketch_read(&s, task, 0, k);
            cw_sketch_update(&s, task, 0, j);
        }
    }
    return cw_sketch_finish(&s, graph, platform);
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

    cw_sketch_init(&s, o, false, false, n, n, err);
    for (uint32_t k = 0; k < n; k++) {
        cw_sketch_update(&s, cw_sketch_task(&s, "potrf", 1.0 / 3, k, -1), k, k);
        for (uint32_t i = k + 1; i < n; i++) {
            uint32_t task = cw_sketch_task(&s, "trsm", 1, i, k);
            cw_sketch_read(&s, task, k, k);
            cw_sketch_update(&s, task, i, k);
        }
        for (uint32_t i = k + 1; i < n; i++)
            for (uint32_t j = k + 1; j <= i; j++) {
                uint32_t task = cw_sketch_task(&s, i == j ? "syrk" : "gemm", i == j ? 1 : 2, i, j);
                cw_sketch_read(&s, task, i, k);
                if (i != j)
                    cw_sketch_read(&s, task, j, k);
                cw_sketch_update(&s, task, i, j);
            }
    }
    return cw_sketch_finish(&s, graph, platform);
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

    cw_sketch_init(&s, o, false, false, n, n, err);
    for (uint32_t k = 0; k < n; k++) {
        cw_sketch_update(&s, cw_sketch_task(&s, "getrf", 2.0 / 3, k, -1), k, k);
        for (uint32_t i = k + 1; i < 2 * n - k - 1; i++) { /* the rest of column k, then of row k */
            uint32_t row = i < n ? i : k, column = i < n ? k : i - n + k + 1;
            uint32_t task = cw_sketch_task(&s, "trsm", 1, row, column);
            cw_sketch_read(&s, task, k, k);
            cw_sketch_update(&s, task, row, column);
        }
        for (uint32_t i = k + 1; i < n; i++)
            for (uint32_t j = k + 1; j < n; j++) {
                uint32_t task = cw_sketch_task(&s, "gemm", 2, i, j);
                cw_sketch_read(&s, task, i, k);
                cw_sketch_read(&s, task, k, j);
                cw_sketch_update(&s, task, i, j);
            }
    }
    return cw_sketch_finish(&s, graph, platform);
}

const struct cw_generator cw_generator_lu = {
    .name = "lu",
    .title = "LU factorisation of SIZE x SIZE tiles: t + t (t - 1) + (t - 1) t (2t - 1) / 6 tasks",
    .source = "right-looking tiled algorithm without pivoting",
    .takes = TAKES,
    .generate = make_lu,
};
