/* compare_run.c - planning many files under many policies with all processors; see compare.h.
 *
 * Threads take pairs of file and policy in the order of the command line. The first that comes to a file
 * reads it and solves its linear programs while others that want it wait; then its plans share it, each
 * thread only reading. When something fails no more pairs are taken: everything before the first failure has
 * been taken already, so the error that is told does not depend on the number of threads. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "plan_source.h"
#include "../io/quantity.h"

struct file {
    pthread_mutex_t lock; /* while it is read */
    struct cw_plan_source source;
    enum cw_status status; /* of reading */
    struct cw_error err;
    bool read;
    size_t left; /* policies that still need it; under the run's lock */
};

struct run {
    struct cw_compare *c;
    pthread_mutex_t lock;
    struct file *file;
    size_t next, done, all; /* pairs */
    size_t failed;          /* the first pair that failed; `all`: none */
    struct cw_error err;
    bool terminal;
    double began, shown;
};

/* Solves the bounds that all plans of the file will ask for, so that afterwards they only read. */
static enum cw_status solve_bounds(const struct cw_compare *c, struct cw_plan_source *s, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    s->bounds.entries_max = cw_plan_bounds_entries(c->o->lp);
    for (size_t k = 0; k < c->policies.count && status == CW_OK; k++) {
        struct cw_plan_bound ignored;
        status = cw_plan_bound_find(&ignored, &s->bounds, &(struct cw_bounds){0}, s->input.graph,
                                    s->input.platform, cw_policy_sharing(&c->policies.config[k]), err);
    }
    return status;
}

/* The file's source; the first thread that needs it reads it. */
static enum cw_status want_file(struct run *r, size_t k, struct cw_error *err)
{
    const struct cw_compare_options *o = r->c->o;
    struct file *f = &r->file[k];

    pthread_mutex_lock(&f->lock);
    if (!f->read) {
        bool drop = o->host_waits && strcmp(o->host_waits, "drop") == 0;
        f->status = cw_plan_source_init(&f->source, r->c->input[k].graph, r->c->input[k].platform, o->dsp,
                                        r->c->processors, NULL, drop, true, &f->err);
        if (f->status == CW_OK)
            f->status = solve_bounds(r->c, &f->source, &f->err);
        if (f->status == CW_OK)
            r->c->tasks[k] = f->source.input.graph->tasks;
        f->read = true;
    }
    if (f->status != CW_OK)
        cw_error_set(err, f->status, "%s", f->err.text);
    pthread_mutex_unlock(&f->lock);
    return f->status;
}

static enum cw_status plan_pair(struct run *r, size_t pair, struct cw_error *err)
{
    struct cw_compare *c = r->c;
    size_t file = pair / c->policies.count, policy = pair % c->policies.count;
    struct cw_error why = {0};
    struct cw_plan_result result;
    struct cw_policy_config config = c->policies.config[policy];
    enum cw_status status = want_file(r, file, err);

    if (status != CW_OK)
        return status;
    config.seed = c->input[file].seed;
    status = cw_plan_result_init(&result, &r->file[file].source.input, c->policies.label[policy], &config,
                                 c->o->check, &why);
    if (status != CW_OK)
        return cw_error_set(err, status, "%s: %s: %s", c->input[file].graph, c->policies.label[policy],
                            why.text);
    c->cell[pair] = (struct cw_compare_cell){
        result.metrics.makespan, result.bound.best,         result.metrics.slr,
        result.metrics.speedup,  result.metrics.efficiency, result.metrics.nsl,
        result.seconds,          result.bound.kind,         *result.schedule->note != '\0'};
    cw_plan_result_finish(&result);
    return CW_OK;
}

/* Under the lock: ten times a second at most. */
static void show_progress(struct run *r)
{
    double t = cw_monotonic_s(), spent = t - r->began;
    char left[60] = "";

    if (!r->terminal || t - r->shown < 0.1)
        return;
    r->shown = t;
    if (spent > 2 && r->done)
        snprintf(left, sizeof left, ", about %.0f s left",
                 spent * (double)(r->all - r->done) / (double)r->done);
    dprintf(STDERR_FILENO, "\r\033[Kcompare: %zu of %zu plans%s", r->done, r->all,
            left); /* stderr takes no controls */
}

static void *work(void *argument)
{
    struct run *r = argument;

    pthread_mutex_lock(&r->lock);
    while (r->next < r->all && r->failed == r->all) {
        size_t pair = r->next++, file = pair / r->c->policies.count;
        struct cw_error err = {0};
        enum cw_status status;
        pthread_mutex_unlock(&r->lock);
        status = plan_pair(r, pair, &err);
        pthread_mutex_lock(&r->lock);
        r->done++;
        if (status != CW_OK && pair < r->failed) {
            r->failed = pair;
            r->err = err;
        }
        if (--r->file[file].left == 0)
            cw_plan_source_release(&r->file[file].source);
        show_progress(r);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static size_t thread_count(const struct run *r)
{
    cpu_set_t set;
    size_t n = r->c->o->jobs > 0                             ? (size_t)r->c->o->jobs
               : r->c->o->times                              ? 1
               : sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set)
                                                             : 1;

    return n < r->all ? n : r->all;
}

static void run_threads(struct run *r)
{
    size_t n = thread_count(r), started = 0;
    pthread_t *thread = n > 1 ? calloc(n - 1, sizeof *thread) : NULL;

    while (thread && started < n - 1 && pthread_create(&thread[started], NULL, work, r) == 0)
        started++;
    work(r);
    for (size_t k = 0; k < started; k++)
        pthread_join(thread[k], NULL);
    free(thread);
}

enum cw_status cw_compare_run(struct cw_compare *c, struct cw_error *err)
{
    struct run r = {.c = c,
                    .all = c->inputs * c->policies.count,
                    .terminal = isatty(STDERR_FILENO),
                    .began = cw_monotonic_s()};

    r.failed = r.all;
    r.file = calloc(c->inputs, sizeof *r.file);
    if (!r.file)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %zu files", c->inputs);
    pthread_mutex_init(&r.lock, NULL);
    for (size_t k = 0; k < c->inputs; k++) {
        pthread_mutex_init(&r.file[k].lock, NULL);
        r.file[k].left = c->policies.count;
    }
    run_threads(&r);
    if (r.terminal && r.shown > 0)
        dprintf(STDERR_FILENO, "\r\033[K");
    for (size_t k = 0; k < c->inputs; k++) {
        if (r.failed == r.all)
            cw_plan_source_complain(&r.file[k].source);
        cw_plan_source_finish(&r.file[k].source);
        pthread_mutex_destroy(&r.file[k].lock);
    }
    pthread_mutex_destroy(&r.lock);
    free(r.file);
    return r.failed == r.all ? CW_OK : cw_error_set(err, r.err.status, "%s", r.err.text);
}
