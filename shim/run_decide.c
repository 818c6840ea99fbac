#include "run_decide.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../analyzer/options.h"
#include "history_store.h"
#include "log.h"
#include "recorder.h"
#include "run.h"
#include "run_cache.h"
#include "run_estimate.h"
#include "run_threads.h"

#define HANDOFF_NS    2000 /* a command through our own lock and queue */
#define EDGES_EACH    8    /* edges kept per command, on average */
#define THROUGH_JOINS 64   /* internal commands looked through per command */
#define COPY_NS       300
#define COPY_BYTES_NS 6.0
#define WORTH_A_BUILD 2e7 /* ns of one program's kernels at home before helpers build it */

_Static_assert(CW_RUN_LANES <= CW_RUN_SLOTS_MAX, "lanes are slots");

/* Planner and costs for as many lanes as there are now. Never freed: another thread may be planning with it.
 */
struct brain {
    struct cw_run_planner *planner;
    struct cw_run_estimator estimator;
    uint32_t lanes;
};

/* Arrays for one window; as many as threads have ever planned at once. */
struct workspace {
    struct workspace *next;
    uint32_t tasks, edges; /* room */
    struct cw_run_task **task;
    uint32_t *from, *to, *pred_start, *pred, *home;
    uint64_t *lanes; /* where each may run */
    double *cost, *error;
    struct cw_run_plan plan;
};

static struct {
    struct cw_policy_config config;
    struct cw_history *history;
    char path[PATH_MAX]; /* of the history; "": not kept */
    bool loading;
    pthread_t loader;
    _Atomic(struct brain *) brain;
    struct workspace *idle;
    uint32_t serial;
    uint64_t verdicts[CW_RUN_VERDICTS];
    double home_ns, plan_ns; /* of planned windows */
} decide;

/* ---- beginning and end */

/* Binaries are kept in the folder of the history, under kernels/. */
static void start_cache(void)
{
    const char *slash = strrchr(decide.path, '/');
    char folder[PATH_MAX];

    if (!*decide.path)
        return;
    snprintf(folder, sizeof folder, "%.*skernels", slash ? (int)(slash - decide.path) + 1 : 0, decide.path);
    cw_run_cache_start(folder);
}

bool cw_run_decide_start(const struct cw_options *options, uint64_t seed)
{
    struct cw_error err = {0};

    if (cw_policy_parse(&decide.config, options->policy, &err) != CW_OK) {
        cw_log_error("%s", err.text);
        return false;
    }
    decide.config.seed = seed;
    decide.history = cw_history_create();
    if (!strcmp(options->history, "off"))
        return true;
    if (*options->history)
        snprintf(decide.path, sizeof decide.path, "%s", options->history);
    else if (cw_history_path(decide.path, sizeof decide.path, &err) != CW_OK) {
        cw_log_info("what kernels take is not remembered: %s", err.text);
        decide.path[0] = '\0';
    }
    start_cache();
    return true;
}

static void *load(void *unused)
{
    struct cw_error err = {0};

    (void)unused;
    if (cw_history_load(decide.history, decide.path, &err) != CW_OK)
        cw_log_warning("%s; starting without it", err.text);
    return NULL;
}

void cw_run_decide_finish(void)
{
    struct cw_error err = {0};

    if (decide.loading)
        pthread_join(decide.loader, NULL);
    decide.loading = false;
    if (!decide.history || !*decide.path || cw_run.forked)
        return;
    cw_history_save(decide.history, decide.path, &err);
    if (*err.text)
        cw_log_warning("%s", err.text);
}

int cw_run_decide_describe(char *text, unsigned size)
{
    int used = snprintf(text, size, "run: %s planned %llu windows, expected %.3f ms instead of %.3f ms",
                        decide.config.policy ? decide.config.policy->name : "nothing",
                        (unsigned long long)(decide.verdicts[CW_RUN_GAIN] + decide.verdicts[CW_RUN_ASKED]),
                        decide.plan_ns / 1e6, decide.home_ns / 1e6);

    for (int v = CW_RUN_HOME_ONLY; v < CW_RUN_VERDICTS && used > 0 && (unsigned)used < size; v++)
        if (decide.verdicts[v])
            used += snprintf(text + used, size - (unsigned)used, "; %llu %s",
                             (unsigned long long)decide.verdicts[v],
                             cw_run_verdict_string((enum cw_run_verdict)v));
    if (used > 0 && (unsigned)used + 1 < size)
        text[used++] = '\n';
    return used < (int)size ? used : (int)size - 1;
}

/* ---- the lanes as slots */

/* True when the helpers run on the cores that the home device uses too: then a plan uses either. */
static bool cores_are_shared(void)
{
    cl_uint home = 0, helpers = 0;

    for (uint32_t k = 0; k < cw_run.num_lanes; k++) {
        const struct cw_run_lane *l = &cw_run.lanes[k];
        if (l->home && l->kind == CW_SLOT_HOME)
            home += l->units;
        else if (l->kind == CW_SLOT_BASIC || l->kind == CW_SLOT_SUBDEVICE)
            helpers += l->units;
    }
    return home && helpers >= home;
}

/* Alike lanes have one name in the history: "basic 1" for every basic device of one unit. */
static void history_name(const struct cw_run_lane *l, char text[48])
{
    size_t n = strcspn(l->name, "0123456789");

    snprintf(text, 48, "%.*s %u", (int)(n < 24 ? n : 24), l->name, l->units);
}

static struct brain *make_brain(void)
{
    struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;
    struct cw_run_slot slots[CW_RUN_LANES] = {{0}};
    double slowness[CW_RUN_LANES];
    char text[CW_RUN_LANES][48];
    const char *names[CW_RUN_LANES];
    struct brain *b = calloc(1, sizeof *b);

    if (!b)
        return NULL;
    b->lanes = cw_run.num_lanes;
    rules.always = cw_run.all;
    rules.home_apart = !rules.always && !cw_run.chaos && cores_are_shared();
    for (uint32_t k = 0; k < b->lanes; k++) {
        const struct cw_run_lane *l = &cw_run.lanes[k];
        slots[k] = (struct cw_run_slot){l->name, l->class_name, HANDOFF_NS};
        slowness[k] = l->speed > 0 ? 1 / l->speed : 1;
        history_name(l, text[k]);
        names[k] = text[k];
    }
    if (!cw_run_estimator_init(&b->estimator, decide.history, names, slowness, b->lanes) ||
        cw_run_planner_create(slots, b->lanes, &rules, &decide.config, &b->planner, NULL) != CW_OK) {
        free(b);
        return NULL;
    }
    return b;
}

/* ---- the arrays of a window */

static bool grow(void *pointer, size_t count, size_t size)
{
    void **p = pointer, *q = realloc(*p, count * size);

    if (q)
        *p = q;
    return q;
}

static struct workspace *take_workspace(uint32_t count)
{
    struct workspace *w = decide.idle;
    uint32_t tasks = count < 256 ? 256 : count, edges = EDGES_EACH * tasks;

    if (w)
        decide.idle = w->next;
    else
        w = calloc(1, sizeof *w);
    if (!w || tasks <= w->tasks)
        return w;
    if (grow(&w->task, tasks, sizeof *w->task) && grow(&w->from, edges, sizeof *w->from) &&
        grow(&w->to, edges, sizeof *w->to) && grow(&w->pred, edges, sizeof *w->pred) &&
        grow(&w->pred_start, tasks + 1, sizeof *w->pred_start) && grow(&w->home, tasks, sizeof *w->home) &&
        grow(&w->lanes, tasks, sizeof *w->lanes) &&
        grow(&w->cost, (size_t)tasks * CW_RUN_LANES, sizeof *w->cost) &&
        grow(&w->error, (size_t)tasks * CW_RUN_LANES, sizeof *w->error)) {
        w->tasks = tasks;
        w->edges = edges;
        return w;
    }
    w->next = decide.idle;
    decide.idle = w;
    return NULL;
}

/* ---- dependences */

struct edges {
    struct workspace *w;
    uint32_t serial, count, from, looked;
};

/* Commands of this window that wait for `t`, also through what has no work of its own. */
static void follow(struct edges *e, const struct cw_run_task *t)
{
    for (uint32_t k = 0; k < t->num_successors; k++) {
        const struct cw_run_task *s =
            (const struct cw_run_task *)(t->successors[k] & ~(uintptr_t)CW_RUN_EDGE_BITS);
        if (!s || e->count == e->w->edges)
            continue;
        if (s->window == e->serial) {
            e->w->from[e->count] = e->from;
            e->w->to[e->count++] = s->index;
        } else if (s->work == CW_RUN_NOTHING && e->looked++ < THROUGH_JOINS) {
            follow(e, s);
        }
    }
}

/* Fills pred_start and pred. */
static void find_edges(struct workspace *w, uint32_t count, uint32_t serial)
{
    struct edges e = {.w = w, .serial = serial};

    for (uint32_t i = 0; i < count; i++) {
        e.from = i;
        e.looked = 0;
        follow(&e, w->task[i]);
    }
    memset(w->pred_start, 0, (count + 1) * sizeof *w->pred_start);
    for (uint32_t k = 0; k < e.count; k++)
        w->pred_start[w->to[k]]++;
    for (uint32_t i = 1; i <= count; i++)
        w->pred_start[i] += w->pred_start[i - 1];
    for (uint32_t k = e.count; k-- > 0;) /* from the end of each row back to its start */
        w->pred[--w->pred_start[w->to[k]]] = w->from[k];
}

/* ---- costs */

static uint64_t hash_of(struct cw_run_kernel *k)
{
    struct cw_run_program *p = k->program;

    if (!p->hash && p->source)
        p->hash =
            cw_fnv1a(cw_fnv1a(CW_FNV_START, p->source, strlen(p->source)), p->options, strlen(p->options)) |
            1;
    if (!k->hash)
        k->hash = cw_fnv1a(p->hash, k->name, strlen(k->name)) | 1;
    return k->hash;
}

static double items(const struct cw_run_launch *l)
{
    double n = 1;

    for (cl_uint d = 0; d < l->dims; d++)
        n *= (double)l->global[d];
    return n;
}

/* The number of bits: a loop's limit matters to the time, but a count that goes up by one each launch is no
 * new shape. */
static uint64_t magnitude(uint64_t word)
{
    return word ? 64 - (uint64_t)__builtin_clzll(word) : 0;
}

static uint64_t shape_of(const struct cw_run_launch *l)
{
    uint64_t hash = cw_fnv1a(CW_FNV_START, l->global, l->dims * sizeof *l->global);

    if (l->has_local)
        hash = cw_fnv1a(hash, l->local, l->dims * sizeof *l->local);
    for (uint32_t i = 0; i < l->kernel->count; i++) {
        const struct cw_run_arg *a = &l->args[i];
        uint64_t weight = a->memory                     ? a->memory->bytes
                          : a->kind == CW_RUN_ARG_LOCAL ? a->size
                          : a->size <= 8                ? magnitude(a->word)
                                                        : 0;
        hash = (hash ^ weight) * 0x100000001b3u;
    }
    return hash | 1;
}

/* Asks the worker of `l` for the program of `k` there: what an earlier run has kept at once, a build when it
 * is worth that. True when it is there. */
static bool is_built(struct cw_run_kernel *k, struct cw_run_lane *l)
{
    struct cw_run_program *p = k->program;
    uint8_t *copy = &p->copy[l->number];
    bool build = *copy == CW_RUN_COPY_MISSED && p->spent_ns >= WORTH_A_BUILD;

    if ((cw_run.all || cw_run.chaos) && (*copy == CW_RUN_COPY_NONE || *copy == CW_RUN_COPY_MISSED)) {
        hash_of(k);
        return true; /* whoever runs the first launch there builds it */
    }
    if ((build || *copy == CW_RUN_COPY_NONE) && l->num_wanted < CW_RUN_WANTED) {
        *copy = build ? CW_RUN_COPY_WANTED : CW_RUN_COPY_SOUGHT;
        hash_of(k);
        l->wanted[l->num_wanted++] = p;
        cw_run_busy(&p->r);
    }
    return *copy == CW_RUN_COPY_READY;
}

/* Transfers are done by the host, whose worker does not matter. */
static bool may_run(const struct cw_run_task *t, const struct cw_run_place *p)
{
    if (p->lane->number == t->home_lane)
        return true;
    if (p->lane->building || p->lane->num_wanted)
        return false;
    if (t->work != CW_RUN_LAUNCH)
        return p->slot->one_memory && !p->slot->home && !p->slot->dsp;
    return cw_run_may_move(t, p) && is_built(t->launch.kernel, p->lane);
}

/* Bit l: the command may run on lane l. */
static uint64_t allowed(const struct cw_run_task *t)
{
    const struct cw_run_context *c = t->queue->context;
    uint64_t lanes = 0;

    for (size_t k = 0; k < c->slots->n; k++)
        if (may_run(t, &c->places[k]))
            lanes |= UINT64_C(1) << c->places[k].lane->number;
    return lanes;
}

static double bytes_of(const struct cw_run_task *t)
{
    return t->work == CW_RUN_FILL ? (double)t->fill.bytes
           : t->work == CW_RUN_COPY
               ? (double)t->copy.region[0] * (double)t->copy.region[1] * (double)t->copy.region[2]
               : 0;
}

/* An emulated device takes what its model says, not what the functional execution was measured to take. */
static void model(const struct cw_run_task *t, double *cost, double *error)
{
    const struct cw_run_context *c = t->queue->context;
    struct cw_work work = cw_run_work_of(t);

    for (size_t k = 0; k < c->slots->n; k++) {
        const struct cw_run_place *p = &c->places[k];
        double ns = cw_slot_cost_ns(p->slot, &work);

        if (isnan(ns) || isinf(cost[p->lane->number]))
            continue;
        cost[p->lane->number] = ns;
        error[p->lane->number] = ns / 100; /* contention for the DDR */
    }
}

static void row(struct brain *b, const struct cw_run_task *t, uint64_t lanes, double *cost, double *error)
{
    double ns = COPY_NS + bytes_of(t) / COPY_BYTES_NS;

    if (t->work == CW_RUN_LAUNCH) {
        cw_run_estimate_row(&b->estimator,
                            &(struct cw_run_launch_key){.kernel = t->launch.kernel->hash,
                                                        .shape = t->shape,
                                                        .size = items(&t->launch),
                                                        .home = t->home_lane,
                                                        .allowed = lanes},
                            cost, error);
        return;
    }
    for (uint32_t p = 0; p < b->lanes; p++) {
        cost[p] = lanes >> p & 1 ? ns : INFINITY;
        error[p] = lanes >> p & 1 ? ns / 4 : 0;
    }
}

/* ---- the decision */

static uint32_t place_on(const struct cw_run_context *c, uint32_t lane)
{
    uint32_t k = 0;

    while (c->places[k].lane->number != lane)
        k++;
    return k;
}

static void apply(struct workspace *w, uint64_t base)
{
    uint64_t now = cw_run_now_ns();

    for (uint32_t k = 0; k < w->plan.tasks; k++) {
        uint32_t i = w->plan.order[k];
        struct cw_run_task *t = w->task[i];
        struct cw_run_lane *l = &cw_run.lanes[w->plan.slot[i]];
        uint64_t end = now + (uint64_t)w->plan.finish_ns[i];
        t->rank = base + k; /* below every rank of a later window, above those of earlier ones */
        t->lane = l->number;
        t->place = place_on(t->queue->context, l->number);
        l->busy_until_ns = end > l->busy_until_ns ? end : l->busy_until_ns;
    }
    decide.verdicts[w->plan.verdict]++;
    if (w->plan.planned) {
        decide.home_ns += w->plan.home_ns;
        decide.plan_ns += w->plan.plan_ns;
    }
}

/* Numbers the commands, finds their shapes and where they may run. False: all of them only at home. */
static bool collect(struct workspace *w, struct cw_run_task *first, uint32_t count)
{
    bool elsewhere = false;
    uint32_t i = 0;

    for (struct cw_run_task *t = first; i < count; t = t->window_next, i++) {
        w->task[i] = t;
        w->home[i] = t->home_lane;
        w->lanes[i] = allowed(t);
        elsewhere |= w->lanes[i] != UINT64_C(1) << t->home_lane;
        t->index = i;
        t->window = decide.serial;
        if (t->work == CW_RUN_LAUNCH) {
            hash_of(t->launch.kernel);
            t->shape = shape_of(&t->launch);
        }
    }
    return elsewhere;
}

static void price(struct workspace *w, struct brain *b, uint32_t count)
{
    cw_run_estimate_begin(&b->estimator);
    for (uint32_t i = 0; i < count; i++) {
        double *cost = w->cost + (size_t)i * b->lanes, *error = w->error + (size_t)i * b->lanes;
        row(b, w->task[i], w->lanes[i], cost, error);
        model(w->task[i], cost, error);
    }
}

static void plan(struct workspace *w, struct brain *b, struct cw_run_task *first, uint32_t count)
{
    double busy[CW_RUN_LANES];
    uint64_t now = cw_run_now_ns();
    struct cw_run_window window = {.tasks = count,
                                   .pred_start = w->pred_start,
                                   .pred = w->pred,
                                   .cost_ns = w->cost,
                                   .error_ns = w->error,
                                   .home = w->home,
                                   .busy_ns = busy,
                                   .seed = cw_run.counts.windows * 0x9e3779b97f4a7c15u};
    uint64_t base = first->sequence;
    enum cw_status status;

    for (uint32_t p = 0; p < b->lanes; p++)
        busy[p] = cw_run.lanes[p].busy_until_ns > now ? (double)(cw_run.lanes[p].busy_until_ns - now) : 0;
    cw_run_unlock();
    status = cw_run_plan_make(b->planner, &window, &w->plan, NULL);
    if (status == CW_OK)
        cw_run_estimate_adopt(&b->estimator, &window, &w->plan);
    cw_run_lock();
    if (status == CW_OK)
        apply(w, base);
}

/* One process, one load, while the program goes on. */
static void load_once(void)
{
    static bool begun;

    if (begun)
        return;
    begun = true;
    if (*decide.path)
        decide.loading = cw_run_thread(&decide.loader, load, NULL);
}

void cw_run_decide(struct cw_run_task *first, uint32_t count)
{
    struct workspace *w;
    struct brain *b;

    if (!decide.history || cw_run.forked || (cw_run.num_lanes < 2 && !cw_run.chaos))
        return;
    load_once();
    b = decide.brain;
    if (!b || b->lanes != cw_run.num_lanes)
        decide.brain = b = make_brain();
    w = b ? take_workspace(count) : NULL;
    if (!w)
        return;
    decide.serial++;
    if (collect(w, first, count) || cw_run.chaos) {
        price(w, b, count);
        find_edges(w, count, decide.serial);
        plan(w, b, first, count);
    } else {
        decide.verdicts[CW_RUN_HOME_ONLY]++;
    }
    w->next = decide.idle;
    decide.idle = w;
}

void cw_run_decide_measured(const struct cw_run_task *t, uint32_t lane, uint64_t ns)
{
    const struct brain *b = decide.brain;

    if (b && t->shape && t->work == CW_RUN_LAUNCH && lane < b->lanes)
        cw_history_add(decide.history, t->launch.kernel->hash, t->shape, b->estimator.device[lane],
                       items(&t->launch), (double)ns);
}
