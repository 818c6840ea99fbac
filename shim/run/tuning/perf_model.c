/* perf_model.c - policy, planner and history of run mode: from start() to the end of the process. */
#include "tuning.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/compile/compile_client.h"
#include "../../../analyzer/settings/options.h"
#include "../../../analyzer/history/history_store.h"
#include "../../door/log.h"
#include "../code/build_cache.h"
#include "../../builds/later_builds.h"
#include "../models/program_models.h"
#include "../../builds/isolated_compiler.h"
#include "../core/thread.h"
#include "../memory/coherence.h"
#include "../../programs/known_binaries.h"
#include "../memory/links.h"
#include "../planner/costs.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/state.h"

_Static_assert(CW_RUN_WORKERS <= CW_RUN_DEVICES_MAX, "workers are devices");

static struct {
    struct cw_policy_config config;
    struct cw_history *history;
    char path[PATH_MAX]; /* of the history; "": not kept */
    bool begun, loading;
    pthread_t loader;
    _Atomic(struct cw_run_perf_model *) now;
    uint32_t look; /* copies, at which links are looked at again */
} perf_model;

/* ---- beginning and end */

static void start_models(const struct cw_options *options, const char *folder)
{
    cw_known_binaries_start(options);
    if (strcmp(options->footprints, "off"))
        cw_run_program_models_start(folder);
}

/* Binaries are kept in the folder of the history, under kernels/. */
static void start_cache(const struct cw_options *options)
{
    const char *slash = strrchr(perf_model.path, '/');
    char folder[PATH_MAX];

    if (!*perf_model.path) {
        start_models(options, "");
        return;
    }
    snprintf(folder, sizeof folder, "%.*skernels", slash ? (int)(slash - perf_model.path) + 1 : 0,
             perf_model.path);
    cw_helper_cache_start(folder);
    snprintf(folder, sizeof folder, "%.*scompiled", slash ? (int)(slash - perf_model.path) + 1 : 0,
             perf_model.path);
    cw_isolated_compiler_start(folder);
    snprintf(folder, sizeof folder, "%.*sbuilds", slash ? (int)(slash - perf_model.path) + 1 : 0,
             perf_model.path);
    cw_build_cache_start(folder);
    snprintf(folder, sizeof folder, "%.*sfootprints", slash ? (int)(slash - perf_model.path) + 1 : 0,
             perf_model.path);
    start_models(options, folder);
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - perf_model.path) + 1 : 1,
             slash ? perf_model.path : ".");
    cw_later_builds_start(options, folder);
}

void cw_run_perf_model_programs(char folder[PATH_MAX])
{
    const char *slash = strrchr(perf_model.path, '/');

    *folder = '\0';
    if (*perf_model.path)
        snprintf(folder, PATH_MAX, "%.*sprograms", slash ? (int)(slash - perf_model.path) + 1 : 0,
                 perf_model.path);
}

static void start_rent(const struct cw_options *options)
{
    char folder[PATH_MAX];

    cw_run_perf_model_programs(folder);
    cw_run_activation_init(options, folder);
    cw_run_gpu_begin_start(options, folder);
}

/* False when no planner takes the policy. */
static bool fits_windows(struct cw_error *err)
{
    const struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;
    const struct cw_plan_device device = {0};
    struct cw_run_planner *planner;
    bool fits = cw_run_planner_create(&device, 1, &rules, &perf_model.config, &planner, err) == CW_OK;

    cw_run_planner_destroy(planner);
    return fits;
}

bool cw_run_perf_model_start(const struct cw_options *options, uint64_t seed)
{
    struct cw_error err = {0};

    if (cw_policy_parse(&perf_model.config, options->policy, &err) != CW_OK) {
        cw_log_error("%s", err.text);
        return false;
    }
    if (!fits_windows(&err)) {
        cw_log_error("%s", err.text);
        return false;
    }
    perf_model.config.seed = seed;
    cw_compile_client_init();
    perf_model.history = cw_history_create();
    if (!strcmp(options->history, "off")) {
        start_models(options, "");
        start_rent(options);
        return true;
    }
    if (*options->history)
        snprintf(perf_model.path, sizeof perf_model.path, "%s", options->history);
    else if (cw_history_path(perf_model.path, sizeof perf_model.path, &err) != CW_OK) {
        if (err.status == CW_ERR_INVALID)
            cw_log_warning("nothing is remembered between runs: %s", err.text);
        else
            cw_log_info("nothing is remembered between runs: %s", err.text);
        perf_model.path[0] = '\0';
    }
    start_cache(options);
    start_rent(options);
    return true;
}

struct loading {
    struct cw_error err;
    enum cw_status status;
    double ns;
};

/* Apart: the program may close all descriptors meanwhile. */
static void load_history(void *loading)
{
    struct loading *l = loading;
    double begin = cw_thread_cpu_ns();

    l->status = cw_history_load(perf_model.history, perf_model.path, &l->err);
    l->ns = cw_thread_cpu_ns() - begin;
}

static void *load(void *unused)
{
    struct loading l = {.status = CW_OK};

    (void)unused;
    cw_isolated_compiler_files(load_history, &l);
    if (l.status != CW_OK)
        cw_log_warning("%s; starting without it", l.err.text);
    cw_run_global_lock_take();
    cw_run_account.cost_ns += l.ns;
    for (struct cw_run_program *p = NULL; (p = cw_run_record_next(CW_RUN_PROGRAM, p));)
        p->models_came = true;
    cw_run_program_models_came = cw_run.timer_wanted = true;
    pthread_cond_signal(&cw_run.timer);
    cw_run_global_lock_give();
    return NULL;
}

static void save_history(void *err)
{
    cw_history_save(perf_model.history, perf_model.path, err);
}

void cw_run_perf_model_finish(void)
{
    struct cw_error err = {0};

    if (perf_model.loading)
        pthread_join(perf_model.loader, NULL);
    perf_model.loading = false;
    cw_run_activation_finish();
    if (!perf_model.history || !*perf_model.path || cw_run.forked || !perf_model.begun)
        return; /* without having begun there is nothing that another run could use */
    cw_isolated_compiler_files(save_history, &err);
    if (*err.text)
        cw_log_warning("%s", err.text);
}

/* ---- the workers as devices */

/* True when the helpers run on the cores that the home device uses too: then a plan uses either. A paced home
 * leaves its cores free. */
static bool cores_are_shared(void)
{
    cl_uint home = 0, helpers = 0;

    for (uint32_t k = 0; k < cw_run.num_workers; k++) {
        const struct cw_run_worker *l = &cw_run.workers[k];
        if (l->home && l->kind == CW_DEVICE_KIND_HOME && !(l->pace > 0))
            home += l->units;
        else if (l->kind == CW_DEVICE_KIND_BASIC || l->kind == CW_DEVICE_KIND_SUBDEVICE)
            helpers += l->units;
    }
    return home && helpers >= home;
}

/* Alike workers have one name in the history: "basic 1" for every basic device of one unit. */
static void history_name(const struct cw_run_worker *l, char text[48])
{
    size_t n = strcspn(l->name, "0123456789");

    if (l->pace > 0)
        snprintf(text, 48, "%.*s, pace %g", (int)(n < 24 ? n : 24), l->name, l->pace);
    else
        snprintf(text, 48, "%.*s %u", (int)(n < 24 ? n : 24), l->name, l->units);
}

/* The time of each part of a shared launch there beside its work. */
static double part_ns(const struct cw_run_worker *l)
{
    double modelled = cw_device_set_up_ns(l->device);

    return !isnan(modelled)                 ? modelled
           : l->kind == CW_DEVICE_KIND_HOME ? CW_RUN_WOKEN_NS
                                            : CW_RUN_SHARE_PART_NS;
}

/* The memory of `l`, which is not the host's. */
static struct cw_plan_space space_of(const struct cw_run_worker *l)
{
    return (struct cw_plan_space){
        .in = cw_run_links_known(l, false), .out = cw_run_links_known(l, true), .capacity = l->far->capacity};
}

/* Ever less often, as a model is never freed: whether links have turned out to be others than the plans'. */
static bool have_links_changed(const struct cw_run_perf_model *b)
{
    bool changed = false;

    if (CW_LIKELY(cw_run_links_copies < perf_model.look))
        return false;
    perf_model.look =
        cw_run_links_copies +
        (cw_run_links_copies > CW_LINK_FIT_MEMORY ? cw_run_links_copies / 4 : CW_LINK_FIT_LEAST);
    for (uint32_t k = 0; k < b->workers && !changed; k++) {
        const struct cw_run_worker *l = &cw_run.workers[k];
        struct cw_plan_space now;

        if (l->memory == CW_MEMORY_HOST)
            continue;
        now = space_of(l);
        changed = cw_link_fit_differs(&now.in, &b->link[k][false]) ||
                  cw_link_fit_differs(&now.out, &b->link[k][true]);
    }
    return changed;
}

/* Numbers of memories need not follow on each other: those between are no device's. */
static void fill_spaces(struct cw_plan_space *spaces)
{
    const struct cw_plan_link none = {.bytes_per_ns = INFINITY};

    for (uint32_t s = 0; s < CW_MEMORIES; s++)
        spaces[s] = (struct cw_plan_space){.in = none, .out = none};
}

static struct cw_run_perf_model *make_model(void)
{
    struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;
    struct cw_plan_device devices[CW_RUN_WORKERS] = {{0}};
    double slowness[CW_RUN_WORKERS];
    char text[CW_RUN_WORKERS][48];
    const char *names[CW_RUN_WORKERS];
    struct cw_plan_space spaces[CW_MEMORIES];
    double handoff = cw_device_clock_is_virtual() ? 0 : CW_RUN_HANDOFF_NS;
    struct cw_run_perf_model *b = calloc(1, sizeof *b);

    if (!b)
        return NULL;
    b->workers = cw_run.num_workers;
    fill_spaces(spaces);
    rules.space = spaces;
    rules.always = cw_run.eager;
    if (cw_device_clock_is_virtual())
        rules.wake_ns = 0;
    rules.home_separate = !rules.always && !cw_run.chaos && cores_are_shared();
    for (uint32_t k = 0; k < b->workers; k++) {
        const struct cw_run_worker *l = &cw_run.workers[k];
        devices[k] = (struct cw_plan_device){l->name, l->class_name, handoff, part_ns(l), l->memory};
        if (l->memory != CW_MEMORY_HOST) {
            spaces[l->memory] = space_of(l);
            b->link[k][false] = spaces[l->memory].in;
            b->link[k][true] = spaces[l->memory].out;
        }
        rules.spaces = l->memory >= rules.spaces ? l->memory + 1 : rules.spaces;
        slowness[k] = l->speed > 0 ? 1 / l->speed : 1;
        history_name(l, text[k]);
        names[k] = text[k];
    }
    if (!cw_run_estimate_init(&b->estimator, perf_model.history, names, slowness, b->workers) ||
        cw_run_planner_create(devices, b->workers, &rules, &perf_model.config, &b->planner, NULL) != CW_OK) {
        free(b);
        return NULL;
    }
    for (uint32_t k = 0; k < b->workers; k++)
        b->estimator.units[k] = cw_run.workers[k].pace > 0 ? 0 : cw_run.workers[k].units;
    b->estimator.rows = (uint32_t)(cw_run_global_lock_now_ns() >> 10);
    return b;
}

/* One process, one load, while the program goes on. */
static void load_once(void)
{
    if (perf_model.begun)
        return;
    perf_model.begun = true;
    cw_history_tried(perf_model.history, -CW_RUN_HOPE * cw_run_activation_trial_ns());
    if (*perf_model.path)
        perf_model.loading = cw_run_thread_create(&perf_model.loader, load, NULL);
}

void cw_run_perf_model_prepare(void)
{
    if (perf_model.history && !cw_run.forked)
        load_once();
}

struct cw_run_perf_model *cw_run_perf_model_now(void)
{
    struct cw_run_perf_model *b = perf_model.now;

    if (!perf_model.history || cw_run.forked)
        return NULL;
    load_once();
    if (b && b->workers == cw_run.num_workers && !have_links_changed(b))
        return b;
    b = make_model();
    if (!b)
        return NULL;
    b->before = perf_model.now;
    return perf_model.now = b;
}

const char *cw_run_perf_model_policy(void)
{
    return perf_model.config.policy ? perf_model.config.policy->name : "nothing";
}

double cw_run_perf_model_earlier_ns(struct cw_run_task *t)
{
    const struct cw_run_perf_model *b = cw_run.begun ? cw_run_perf_model_now() : NULL;
    struct cw_history_estimate e;

    if (!b || t->queue->home_worker >= b->workers)
        return 0;
    if (!t->launch.measure.shape)
        cw_run_costs_name_launch(t);
    cw_history_predict(b->estimator.history, t->launch.kernel->key, t->launch.measure.shape,
                       cw_run_costs_items(&t->launch), &b->estimator.device[t->queue->home_worker], NULL, 1,
                       &e);
    return e.source == CW_HISTORY_EXACT ? e.mean_ns : 0;
}

/* The kind that its vendor compiles: the kernel and its local size; without one, the size that the vendor
 * picks it by. The launch has been named. */
static struct cw_run_warm_what kind_of(const struct cw_run_launch *l)
{
    struct cw_run_warm_what what = {.kernel = l->kernel->key, .form = l->dims | (l->has_local ? 4 : 0)};

    for (cl_uint d = 0; d < l->dims; d++)
        what.size[d] = l->has_local ? l->local[d] : l->global[d];
    return what;
}

/* True for the first launch of its kind on this worker. */
static bool is_first(struct cw_run_task *t)
{
    const struct cw_run_launch *l = &t->launch;
    const struct cw_run_warm_what what = kind_of(l);
    struct cw_run_first_launch **w = &l->kernel->program->warm[t->at.worker];

    if (!*w)
        *w = calloc(1, sizeof **w);
    return !*w || cw_run_first_launch_is(*w, &what, l->dims == 1 ? l->global[0] : 0);
}

/* The first launch of its kind on a helper has cost the budget for trials something and shows nothing. */
static void owe(const struct cw_run_task *t, bool first)
{
    struct cw_run_kernel *k = t->launch.kernel;
    uint64_t bit = UINT64_C(1) << t->at.worker;

    if (!cw_run_is_away(t))
        return;
    if (!first) {
        k->known->owed &= ~bit;
    } else if (k->known->granted < CW_RUN_TRIAL_POOR && !(k->known->owed & bit)) {
        k->known->granted++;
        k->known->owed |= bit;
    }
}

static void note_home(struct cw_run_kernel *k, double items, double ns)
{
    if (items < k->known->home_items)
        return;
    k->known->home_ns = items > k->known->home_items ? ns : cw_run_trial_least(k->known->home_ns, ns);
    k->known->home_items = items;
    cw_run_activation_ran_managed(k->known->unpriced_items * ns / items);
    k->known->unpriced_items = 0;
}

void cw_run_perf_model_count_home(const struct cw_run_launch *l)
{
    double ns = cw_run_costs_home_ns(l);

    if (ns > 0)
        cw_run_activation_ran_managed(ns);
    else
        l->kernel->known->unpriced_items += cw_run_costs_items(l);
}

void cw_run_perf_model_measured(struct cw_run_task *t, cl_int status)
{
    const struct cw_run_perf_model *b = perf_model.now;
    struct cw_run_kernel *k = t->launch.kernel;
    double ns = (double)t->launch.measure.took_ns, *least;
    uint32_t device;
    bool first;

    if (!t->launch.measure.took_ns)
        return;
    cw_run_reasons_measured(t);
    least = t->launch.measure.chained ? &k->known->batch_ns : &k->known->mean_ns[t->at.worker];
    *least = cw_run_trial_least(*least, ns);
    first = is_first(t);
    if (!cw_run_is_away(t) && !first)
        note_home(k, cw_run_costs_items(&t->launch), ns);
    owe(t, first);
    if (first || status != CL_SUCCESS || !b || !t->launch.measure.shape || t->at.worker >= b->workers)
        return;
    device =
        t->launch.measure.chained ? b->estimator.chained[t->at.worker] : b->estimator.device[t->at.worker];
    cw_history_add(perf_model.history, k->key, t->launch.measure.shape, device,
                   cw_run_costs_items(&t->launch), ns);
}
