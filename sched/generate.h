/* generate.h - task graphs of the papers, random and structured, the same for the same seed on every machine.
 *
 * A generator is one const struct cw_generator and one line of generate_list.inc. Every function hands back a
 * graph and its platform, both the caller's and NULL on failure. Errors: CW_ERR_INVALID (an option out of its
 * range), CW_ERR_NOMEM. Thread-safe. */
#ifndef CW_GENERATE_H
#define CW_GENERATE_H

#include "api.h"
#include "graph.h"
#include "platform.h"

CW_API_BEGIN

/* Topcuoglu, Hariri, Wu, TPDS 2002, section 5.1.1. Tasks lie on about sqrt(v) / shape levels of about sqrt(v)
 * * shape tasks (uniform around the mean); each task has `out_degree` successors (fewer near the end) drawn
 * from the next level, then from later ones, and every task below the first level has a predecessor one level
 * up. The mean cost of a task is U(0, 2 * mean_cost), on one device U(1 - heterogeneity / 2, 1 +
 * heterogeneity / 2) times that. An edge carries U(0, 2 * ccr * mean_cost) at bandwidth 1. */
struct cw_topcuoglu {
    uint32_t tasks;       /* v >= 1 */
    uint32_t devices;     /* >= 1 */
    double shape;         /* alpha > 0 */
    uint32_t out_degree;  /* >= 1 */
    double ccr;           /* communication to computation ratio >= 0 */
    double heterogeneity; /* beta in 0 .. 2 */
    double mean_cost;     /* > 0 */
    uint64_t seed;
};
enum cw_status cw_generate_topcuoglu(const struct cw_topcuoglu *o, struct cw_graph **graph,
                                     struct cw_platform **platform, struct cw_error *err);

/* The random graphs of the HXDSP paper (Gu, Ning, Zheng 2022, table 2; a reconstruction): each task draws
 * `out_degree` distinct successors uniformly from the later ones (all of them near the end); a task costs w ~
 * U(5, 95) on every DSP and 1.1 * w * U(0.5, 1.5) on the CPU; an edge takes U(0, 100 * ccr). One CPU (device
 * 0) and `dsps` DSPs, every task divisible without limit. */
struct cw_hxdsp {
    uint32_t tasks; /* >= 1 */
    uint32_t dsps;
    uint32_t out_degree;
    double ccr; /* >= 0 */
    uint64_t seed;
};
enum cw_status cw_generate_hxdsp(const struct cw_hxdsp *o, struct cw_graph **graph,
                                 struct cw_platform **platform, struct cw_error *err);

/* The values of all options of all generators; generate_options.inc explains each. */
struct cw_generate_options {
#define CW_GENERATE_COUNT                                                           int64_t
#define CW_GENERATE_NUMBER                                                          double
#define CW_GENERATE_OPTION(field, kind, initial, least, most, name, argument, help) CW_GENERATE_##kind field;
#include "generate_options.inc"
#undef CW_GENERATE_OPTION
#undef CW_GENERATE_COUNT
#undef CW_GENERATE_NUMBER
    uint64_t seed;
};
extern const struct cw_generate_options cw_generate_defaults; /* seed 0 */

/* Numbers of the options, and a bit for each: CW_GENERATES(size) | CW_GENERATES(ccr). */
enum cw_generate_option_id {
#define CW_GENERATE_OPTION(field, kind, initial, least, most, name, argument, help)                          \
    CW_GENERATE_OPTION_##field,
#include "generate_options.inc"
#undef CW_GENERATE_OPTION
    CW_GENERATE_OPTION_COUNT
};
#define CW_GENERATES(field) (1u << CW_GENERATE_OPTION_##field)

struct cw_generator {
    const char *name;
    const char *title;  /* one line: the structure, and the number of tasks */
    const char *source; /* where it is defined */
    unsigned takes;     /* CW_GENERATES(...) of its options */
    /* `o` is within the ranges of the table. Errors as above. */
    enum cw_status (*generate)(const struct cw_generate_options *o, struct cw_graph **graph,
                               struct cw_platform **platform, struct cw_error *err);
};

/* All generators, ended by NULL. */
extern const struct cw_generator *const cw_generators[];

/* Checks the options that the generator takes, and makes a graph. Options that it does not take must have
 * their defaults: CW_ERR_INVALID names the first that has not, or that is out of its range. */
enum cw_status cw_generate(const struct cw_generator *generator, const struct cw_generate_options *o,
                           struct cw_graph **graph, struct cw_platform **platform, struct cw_error *err);

/* The generator called `name`; CW_ERR_NOTFOUND lists all and names the nearest. */
enum cw_status cw_generator_find(const char *name, const struct cw_generator **generator,
                                 struct cw_error *err);

CW_API_END

#endif
