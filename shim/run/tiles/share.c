/* share.c - which launches are cut, and between whom. See tiles/share.h. */
#include "../planner/legal.h"
#include "share.h"
#include "tile.h"
#include "../core/context_device.h"
#include "../core/record.h"
#include "../core/global_lock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/settings/options.h"
#include "../tuning/tuning.h"
#include "../planner/costs.h"
#include "../core/clock.h"
#include "../core/state.h"
#include "../core/thread.h"

#define SHAPES 64 /* of about one size, remembered of one kernel */

#define MANY 1e9 /* bytes, beside which a copy's latency is nothing */

static struct {
    struct cw_adaptive_options options;
    double ratio[CW_ADAPTIVE_DEVICES];
    char only[16]; /* cpu-only and the like: the class of all devices that may have a part; "": any */
    bool off;
} share;

void cw_run_share_start(const struct cw_options *options)
{
    size_t n = strlen(options->policy);
    uint32_t devices = 0;

    share.off = !strcmp(options->share, "off");
    memset(share.only, 0, sizeof share.only);
    if (n > 5 && n - 5 < sizeof share.only && !strcmp(options->policy + n - 5, "-only"))
        memcpy(share.only, options->policy, n - 5); /* the rest is NUL */
    share.options.mode = !strcmp(options->blocks, "sync")       ? CW_ADAPTIVE_SYNC
                         : !strcmp(options->blocks, "static")   ? CW_ADAPTIVE_STATIC
                         : !strcmp(options->blocks, "dispatch") ? CW_ADAPTIVE_DISPATCH
                                                                : CW_ADAPTIVE_ASYNC;
    share.options.blocks_n = options->blocks_n > 0 ? (uint32_t)options->blocks_n : 0;
    if (*options->ratio && cw_adaptive_read_ratio(options->ratio, share.ratio, &devices, NULL) == CW_OK)
        share.options.ratio = share.ratio;
}

bool cw_run_share_by_blocks(void)
{
    return share.options.mode != CW_ADAPTIVE_ASYNC;
}

/* The cost of one more part. */
static double part_ns(const struct cw_run_context *c)
{
    double most = CW_RUN_SHARE_PART_NS;

    for (size_t i = 0; i < c->devices->n; i++) {
        const struct cw_cl_device *s = &c->devices->device[i];
        most = fmax(most, s->dsp                                ? CW_RUN_SHARE_SET_UP_NS
                          : cw_device_has(s, CW_VENDOR_IN_CALL) ? 0
                                                                : CW_RUN_WOKEN_NS);
    }
    return most;
}

/* Until something is measured devices share by their theoretical peaks. */
static const double *peaks(const struct cw_run_context *c, double ratio[CW_ADAPTIVE_DEVICES])
{
    for (size_t i = 0; i < c->devices->n; i++)
        ratio[i] = c->devices->device[i].speed;
    return ratio;
}

static struct cw_run_share *share_of(struct cw_run_task *t, uint32_t dim, size_t groups)
{
    const struct cw_run_context *c = t->queue->context;
    struct cw_adaptive_options options = share.options;
    struct cw_run_tiled *d = t->launch.kernel->tiled;
    double ratio[CW_ADAPTIVE_DEVICES];
    uint32_t region[CW_ADAPTIVE_DEVICES], n = 0;
    uint64_t shape = cw_run_costs_shape_about(&t->launch);
    struct cw_run_share *s;

    for (s = d->shares; s; s = s->next, n++)
        if (s->shape == shape && s->dim == dim && s->home == t->queue->home)
            return s;
    if (n == SHAPES || c->devices->n > CW_ADAPTIVE_DEVICES || !(s = calloc(1, sizeof *s)))
        return NULL;
    options.overhead_ns = part_ns(c);
    if (!options.ratio)
        options.ratio = peaks(c, ratio);
    for (size_t i = 0; i < c->devices->n; i++)
        region[i] = c->devices->device[i].memory;
    options.region = region;
    *s = (struct cw_run_share){.next = d->shares,
                               .shape = shape,
                               .dim = dim,
                               .home = t->queue->home,
                               .group_items = cw_run_share_group_items(t, groups)};
    s->control = cw_adaptive_create((uint32_t)c->devices->n, &options);
    if (!s->control) {
        free(s);
        return NULL;
    }
    cw_run_share_recall(s, t, groups, options.overhead_ns);
    return d->shares = s;
}

/* By the measured speed of tiles at `place`; 0: not known. */
static double by_tiles(const struct cw_run_share *h, const struct cw_run_task *t,
                       const struct cw_run_cut *cut, uint32_t place)
{
    double speed = cw_adaptive_speed(h->control, place),
           groups = (double)cut->groups * cw_run_share_group_items(t, cut->groups) / h->group_items;

    return speed > 0 ? groups / speed : 0;
}

/* Time of the whole launch at `place`: by the speed of its tiles, else of whole launches, else of home.
 */
static double whole_at(const struct cw_run_share *h, const struct cw_run_task *t,
                       const struct cw_run_cut *cut, uint32_t place, double cost, double home)
{
    const struct cw_cl_device *device = &t->queue->context->devices->device[place];
    double tiles = by_tiles(h, t, cut, place);

    if (tiles > 0)
        return tiles;
    if (!isinf(cost))
        return cost;
    return home * t->queue->context->devices->device[t->queue->home].speed / device->speed;
}

/* Per byte that is merged: to the host, to each GPU, back, and into the bytes of before. */
#define MERGE_NS 1.0

/* The time of merging the results of parts, beside their own. */
static double merging_ns(const struct cw_run_task *t, const struct cw_run_cut *cut)
{
    return cut->verdict.cut == CW_CUT_MERGE
               ? MERGE_NS * (double)cw_run_tile_merge_bytes(&t->launch, &cut->verdict)
               : 0;
}

struct sharing {
    const struct cw_run_shared *s;
    struct cw_run_share_idle *idle;
};

/* ---- bytes */

static bool is_home_gpu(const struct cw_run_task *t)
{
    return cw_run_context_device_is_gpu(&t->queue->context->places[t->queue->home]);
}

/* For which home would have to fetch what earlier launches of the window leave in the memories of GPUs that
 * have parts of them. */
static double scattered_ns(const struct cw_run_shared *s, uint32_t i)
{
    const struct cw_run_context *c = s->task[i]->queue->context;
    double bytes = 0, ns = 0;

    if (!s->pred_bytes || !is_home_gpu(s->task[i]))
        return 0;
    for (uint32_t e = s->pred_start[i]; e < s->pred_start[i + 1]; e++) {
        const struct cw_run_tiles *x = cw_run_tiles_of(s->task[s->pred[e]]);

        bytes += x ? s->pred_bytes[e] * (x->parts - 1) / x->parts : 0;
    }
    for (size_t k = 0; bytes > 0 && k < c->devices->n; k++)
        ns = fmax(ns, cw_run_planner_return_ns(s->planner, bytes, c->places[k].worker->number));
    return ns;
}

/* ---- the choice */

struct candidate {
    uint32_t place, units;
    double ns;        /* the whole there */
    double set_up_ns; /* of a part of it there, beside those of others */
};

static int faster(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return x->ns < y->ns ? -1 : x->ns > y->ns ? 1 : x->place < y->place ? -1 : x->place > y->place;
}

/* Keeps of `v`, the fastest first, those that together finish first and have no more processors than there
 * are: home and others, or without home. Returns when they finish. */
static double choose(const struct candidate *v, uint32_t n, uint32_t home, bool with_home, uint32_t *chosen,
                     uint32_t *count)
{
    uint32_t units = 0, processors = cw_thread_processors(),
             most = processors > cw_run.preparing ? processors - cw_run.preparing : 0;
    double speed = 0, set_up = 0, best = INFINITY;

    *count = 0;
    for (int turn = !with_home; turn < 2; turn++) /* home first */
        for (uint32_t i = 0; i < n; i++) {
            double wait = v[i].set_up_ns > set_up ? v[i].set_up_ns : set_up;
            double ns =
                1 / (speed + 1 / v[i].ns) + wait + (cw_run.all ? 0 : CW_RUN_SHARE_PART_NS * (*count + 1));

            if ((v[i].place == home) == turn || ns >= best ||
                (*count && !cw_run.all && units + v[i].units > most))
                continue;
            set_up = wait;
            units += v[i].units;
            speed += 1 / v[i].ns;
            best = ns;
            chosen[(*count)++] = v[i].place;
        }
    return best;
}

/* Workers whose code was not there may have it by now. */
static void forget_uncoded(struct cw_run_kernel *k)
{
    if (CW_LIKELY(!k->tile_uncoded) || cw_run_global_lock_now_ns() < k->tile_code.until)
        return;
    k->tile_broken &= ~k->tile_uncoded;
    k->tile_uncoded = 0;
}

/* Of the copies for which a part is charged, those of one more block: to its device, where the bytes are not
 * there yet. Blocks of a device lie side by side, so what they write comes home together. */
static double block_ns(const struct cw_run_task *t, double part_ns)
{
    uint32_t copies = 0;

    for (uint32_t i = 0; i < t->accesses.n; i++) {
        const struct cw_run_access *a = &t->accesses.of[i];
        copies += !a->write || a->sure > a->low || a->sure_end < a->high;
    }
    copies = copies < 1 ? 1 : copies;
    return copies < CW_RUN_SHARE_COPIES ? part_ns * copies / CW_RUN_SHARE_COPIES : part_ns;
}

/* GPUs copy the borders of their blocks at the same time, in some launches: all of them have one price for
 * that, which says nothing about how many they should be. It is the least of what is known of each one's
 * copies: that of a GPU which no other one has copied from is a guess, and launches that do not gain by it
 * are noticed. */
static void price_borders(const struct cw_run_share *h, const struct cw_run_context *c, struct candidate *v,
                          uint32_t n)
{
    double least = INFINITY;

    for (uint32_t i = 0; i < n; i++)
        if (v[i].place != h->home && cw_run_context_device_is_gpu(&c->places[v[i].place]))
            least = fmin(least, v[i].set_up_ns);
    for (uint32_t i = 0; i < n && !isinf(least); i++)
        if (cw_run_context_device_is_gpu(&c->places[v[i].place]))
            v[i].set_up_ns = least * (h->cuts ? h->copying : 1);
}

static uint32_t candidates(const struct sharing *x, uint32_t i, struct cw_run_share *h,
                           const struct cw_run_cut *cut, struct candidate *v)
{
    struct cw_run_task *t = x->s->task[i];
    const struct cw_run_context *c = t->queue->context;
    const double *cost = x->s->cost + (size_t)i * x->s->workers;
    uint32_t n = 0;

    forget_uncoded(t->launch.kernel);
    for (uint32_t k = 0; k < c->devices->n && k < CW_ADAPTIVE_DEVICES; k++) {
        uint32_t worker = c->places[k].worker->number;

        if (*share.only && strcmp(c->devices->device[k].class_name, share.only) != 0)
            continue;
        if (cw_run_legal(t, &c->places[k], cw_run_cut_scope(cut)) != CW_RUN_LEGAL ||
            cw_adaptive_is_lost(h->control, k) || !cw_run_share_idle_is(x->idle, i, worker))
            continue;
        v[n++] = (struct candidate){.place = k,
                                    .units = c->devices->device[k].dsp || c->devices->device[k].memory
                                                 ? 0
                                                 : c->devices->device[k].compute_units,
                                    .set_up_ns = c->devices->device[k].dsp ? CW_RUN_SHARE_SET_UP_NS
                                                                           : x->s->copying_ns[worker],
                                    .ns = whole_at(h, t, cut, k, cost[worker], cost[t->queue->home_worker])};
        if (c->devices->device[k].memory && !cw_run_context_device_is_gpu(&c->places[k]))
            cw_adaptive_costs(h->control, k, block_ns(t, x->s->copying_ns[worker])); /* GPUs get one part */
    }
    if (is_home_gpu(t))
        price_borders(h, c, v, n);
    qsort(v, n, sizeof *v, faster);
    return n;
}

/* GPUs: the kernel itself runs in tiles, so its program has to be there. Asks the worker for it. */
static bool has_program(struct cw_run_program *p, const struct cw_run_context_device *place)
{
    struct cw_run_worker *l = place->worker;
    uint8_t *copy = &p->copy[l->number];

    if (!cw_run_context_device_is_gpu(place) || place->device->home || cw_run.eager || cw_run.chaos)
        return true;
    if ((*copy == CW_RUN_COPY_NONE || *copy == CW_RUN_COPY_MISSED) && l->num_wanted < CW_RUN_WANTED) {
        *copy = CW_RUN_COPY_WANTED;
        l->wanted[l->num_wanted++] = p;
        cw_run.wanted++;
        cw_run_record_pin(&p->r);
    }
    return *copy == CW_RUN_COPY_READY;
}

bool cw_run_share_built(const struct cw_run_task *t, const uint32_t *chosen, uint32_t n)
{
    struct cw_run_program *p = t->launch.kernel->program;
    bool may = !cw_run.eager && cw_run_tile_build_may(p, chosen, n), built = true;

    for (uint32_t i = 0; i < n && !cw_run.eager; i++) { /* else the worker of the first tile builds it */
        built &= cw_run_tile_build_is_done(p, chosen[i], true, may);
        built &= has_program(p, &p->context->places[chosen[i]]);
    }
    return built;
}

void cw_run_share_prepare(struct cw_run_program *p)
{
    const struct cw_run_context *c = p->context;

    for (uint32_t i = 0; p->options && c->devices && cw_run.begun && i < c->devices->n; i++)
        if (cw_run_context_device_is_gpu(&c->places[i]) && cw_run_gpu_begin_may(&c->places[i])) {
            cw_run_tile_build_is_done(p, i, true, true);
            has_program(p, &c->places[i]);
        }
}

/* True when the launch is one that rests after cuts without gain. */
static bool rests(const struct cw_run_share *h)
{
    return h->rest.until && cw_run_clock_devices_ns() < h->rest.until;
}

/* Launches of this shape have not gained, or would not: for a while they are not cut. */
void cw_run_share_rests(struct cw_run_share *h)
{
    h->rest.poor = 0;
    cw_run_trial_rest(&h->rest, CW_RUN_REST_LAUNCHES, cw_run_clock_devices_ns(), h->whole_ns);
}

/* True when a cut launch is expected to take `ns`, a whole one `now`, and that is worth it. After a rest one
 * is cut without this test. */
static bool pays(const struct cw_run_share *h, double ns, double now)
{
    return ns <= CW_RUN_SHARE_GAIN * now || h->rest.until;
}

/* Workers that might have had a part of a launch and do not. */
static void pass(struct cw_run_share *h, const struct candidate *v, uint32_t n, const uint32_t *chosen,
                 uint32_t count)
{
    for (uint32_t i = 0; i < n && !h->holder; i++) {
        uint32_t k = 0;

        while (k < count && chosen[k] != v[i].place)
            k++;
        if (k == count)
            cw_adaptive_pass(h->control, v[i].place);
    }
}

/* Without a profit test, too, a launch that ends sooner whole is not shared with DSPs. */
static bool loses(const struct cw_run_task *t, const uint32_t *chosen, uint32_t n, double more_ns)
{
    for (uint32_t i = 0; i < n && more_ns > 0; i++)
        if (t->queue->context->devices->device[chosen[i]].dsp)
            return true;
    return false;
}

/* Some of the places are GPUs that help. */
static bool are_other_gpus(const struct cw_run_task *t, const uint32_t *chosen, uint32_t n)
{
    const struct cw_run_context_device *place = t->queue->context->places;
    uint32_t i = 0;

    while (i < n && (place[chosen[i]].device->home || !cw_run_context_device_is_gpu(&place[chosen[i]])))
        i++;
    return i < n;
}

/* `chosen` would save `ns` of launch `t`: true where the GPUs of them may begin. */
static bool may_begin(struct cw_run_task *t, const uint32_t *chosen, uint32_t n, double ns)
{
    const struct cw_run_context_device *place = t->queue->context->places;
    bool may = true;

    if (are_other_gpus(t, chosen, n))
        cw_run_gpu_begin_saves(ns, true);
    for (uint32_t i = 0; i < n; i++)
        may &= cw_run_gpu_begin_may(&place[chosen[i]]);
    t->launch.kernel->left.lacks_ns = may ? 0 : ns;
    return may;
}

/* Launch `t` cannot be cut. Another GPU may run it as a whole beside others. */
static void hope(struct cw_run_task *t, double ns)
{
    const struct cw_run_context *c = t->queue->context;
    bool any = false;

    for (uint32_t k = 0; k < c->devices->n; k++)
        any |= !cw_run_gpu_begin_may(&c->places[k]) &&
               cw_run_legal(t, &c->places[k], CW_RUN_LEGAL_WHOLE) == CW_RUN_LEGAL;
    t->launch.kernel->left.lacks_ns = any ? CW_RUN_HOPE * ns : 0;
    cw_run_gpu_begin_saves(t->launch.kernel->left.lacks_ns, false);
}

/* Where a launch runs in parts, and until when after its begin. */
struct picked {
    uint32_t place[CW_RUN_WORKERS], n;
    double ns;
};

/* The best of the candidates, with home and without. True: to cut the launch there, which takes `now` whole,
 * pays. */
static bool pick(const struct sharing *x, const struct cw_run_share *h, const struct cw_run_task *t,
                 const struct candidate *v, uint32_t n, double now, struct picked *best)
{
    struct picked with_home;

    best->ns = choose(v, n, t->queue->home, false, best->place, &best->n);
    with_home.ns = choose(v, n, t->queue->home, true, with_home.place, &with_home.n);
    if (with_home.ns <= best->ns)
        *best = with_home;
    return best->n > 1 &&
           (x->s->always ? !loses(t, best->place, best->n, best->ns - now) : pays(h, best->ns, now));
}

/* Leaves out candidates that have not begun; returns how many stay. */
static uint32_t keep_begun(const struct cw_run_task *t, struct candidate *v, uint32_t n)
{
    uint32_t begun = 0;

    for (uint32_t i = 0; i < n; i++)
        if (cw_run_gpu_begin_may(&t->queue->context->places[v[i].place]))
            v[begun++] = v[i];
    return begun;
}

/* Of task `i`, with the bytes that it lacks there now. */
static double home_ns(const struct cw_run_shared *s, uint32_t i)
{
    return s->cost[(size_t)i * s->workers + s->task[i]->queue->home_worker];
}

/* Of task `i` with all bytes there, as launches that ran whole there have shown; 0: not known. */
static double alone_ns(const struct cw_run_shared *s, uint32_t i)
{
    return s->alone_ns[i] > 0 ? s->alone_ns[i] : cw_run_costs_home_ns(&s->task[i]->launch);
}

/* The same for the account: the least that is known, since cut launches make no later times. */
static double account_ns(const struct sharing *x, uint32_t i, const struct cw_run_share *h,
                         const struct cw_run_cut *cut)
{
    const struct cw_run_task *t = x->s->task[i];
    double alone = alone_ns(x->s, i), parts = by_tiles(h, t, cut, t->queue->home);

    return alone > 0 && parts > 0 ? fmin(alone, parts) : alone;
}

/* Its devices are taken, and what copies cost there. */
static void take(struct sharing *x, uint32_t i, struct cw_run_share *h, const struct picked *best)
{
    const struct cw_run_context_device *place = x->s->task[i]->queue->context->places;

    h->rest.until = 0;
    h->copying_ns = h->byte_ns = 0;
    for (uint32_t k = 0; k < best->n; k++) {
        uint32_t worker = place[best->place[k]].worker->number;

        h->copying_ns = fmax(h->copying_ns, x->s->copying_ns[worker]);
        if (x->s->pred_bytes)
            h->byte_ns = fmax(h->byte_ns, cw_run_planner_return_ns(x->s->planner, MANY, worker) / MANY);
        cw_run_share_idle_take(x->idle, i, worker);
    }
}

/* Cuts task `i` if that pays; at home it takes so much longer than planned. */
static bool consider(struct sharing *x, uint32_t i, double more_ns)
{
    struct cw_run_task *t = x->s->task[i];
    struct candidate v[CW_RUN_WORKERS];
    struct picked best;
    uint32_t n;
    double now = x->s->plan->finish_ns[i] - x->s->plan->start_ns[i];
    struct cw_run_share *h;
    struct cw_run_cut cut;
    const char *why = cw_run_cut_of(t, &cut);
    bool cuts, judged, still;

    h = why ? NULL : share_of(t, cut.dim, cut.groups);
    if (!h) {
        hope(t, now);
        cw_run_reasons_whole(t, why ? why : "too many shapes of one kernel");
        return false;
    }
    still = rests(h);
    if (!x->s->always && (still || (is_home_gpu(t) && cw_run_gpu_gain_rests()))) {
        cw_run_reasons_of(t, still ? "earlier cuts did not gain" : "all cuts together did not gain");
        return false;
    }
    h->whole_ns = home_ns(x->s, i) + more_ns;
    now += more_ns - (is_home_gpu(t) && !x->s->always ? merging_ns(t, &cut) : 0);
    n = candidates(x, i, h, &cut, v);
    cuts = pick(x, h, t, v, n, now, &best) && now > 0;
    pass(h, v, n, best.place, cuts ? best.n : 0);
    if (cuts && !may_begin(t, best.place, best.n, now - best.ns)) {
        n = keep_begun(t, v, n);
        if (!pick(x, h, t, v, n, now, &best)) {
            cw_run_reasons_of(t, "other GPUs have not begun yet");
            return false;
        }
    }
    if (!cuts)
        h->copying -= h->copying / CW_RUN_SAMPLE; /* else launches that copied once would stay whole */
    /* GPUs: else nothing would tell that cuts lose */
    judged = x->s->always || !is_home_gpu(t) || alone_ns(x->s, i) > 0;
    if (!cuts || !cw_run_share_built(t, best.place, best.n) || !judged) {
        t->launch.kernel->left.waiting |= cuts;
        cw_run_reasons_of(t, cuts && !judged ? "its time at home is not known yet"
                             : cuts          ? "the code of its tiles is not there yet"
                             : n < 2         ? "no other device may run it, or has time"
                                             : "no gain expected");
        return false;
    }
    if (!cw_run_tile_shared(t, &cut, h, best.place, best.n))
        return false;
    take(x, i, h, &best);
    t->launch.tiles->home_ns = account_ns(x, i, h, &cut);
    t->launch.tiles->whole_ns = h->whole_ns;
    return true;
}

static bool may_be_cut(const struct cw_run_task *t)
{
    return t->work == CW_RUN_LAUNCH && !t->launch.group.may && t->launch.kernel->program->models;
}

bool cw_run_share_wanted(const struct cw_run_task *t)
{
    bool wanted = may_be_cut(t);

    if (wanted && is_home_gpu(t))
        return cw_run_costs_least_ns(t) >= CW_RUN_TILES_NS || cw_run.all;
    return wanted && (cw_run_costs_measured_ns(t) >= CW_RUN_SHARE_LEAST_NS || cw_run.eager);
}

void cw_run_share_explain(const struct cw_run_task *first)
{
    for (const struct cw_run_task *t = first; t; t = t->links.window)
        if (t->work == CW_RUN_LAUNCH && !t->launch.group.may && !cw_run_share_wanted(t))
            cw_run_reasons_of(t, t->launch.kernel->program->models
                                     ? "it is short, or its time is not known yet"
                                     : "what it touches is not known yet");
}

/* A short launch on a GPU takes long where its bytes are on others. */
static bool is_long(const struct cw_run_shared *s, uint32_t i, double more_ns)
{
    const struct cw_run_task *t = s->task[i];

    if (cw_run_share_wanted(t))
        return s->always || s->plan->finish_ns[i] - s->plan->start_ns[i] >= CW_RUN_SHARE_LEAST_NS;
    return may_be_cut(t) && is_home_gpu(t) && home_ns(s, i) + more_ns >= CW_RUN_TILES_NS;
}

bool cw_run_share_window(const struct cw_run_shared *s)
{
    struct sharing x = {.s = s};
    bool any = false;

    for (uint32_t i = 0; i < s->tasks && !share.off; i++) {
        double more_ns = scattered_ns(s, i);

        if (!is_long(s, i, more_ns))
            continue;
        if (!x.idle && !(x.idle = cw_run_share_idle_open(s)))
            return false;
        any |= consider(&x, i, more_ns);
    }
    cw_run_share_idle_close(x.idle);
    return any;
}
