#include "history.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EMPTY        UINT32_MAX
#define ENTRIES_MAX  50000 /* some 8 MB; a program that makes more shapes learns no more */
#define OUTLIER      8.0
#define SCALED_ERROR 0.3
#define TRIALS_NS    5e6
#define TRIALS_SHARE 0.05

/* An entry and where the fit of its kernel on its device is. */
struct item {
    struct cw_history_entry e;
    struct cw_history_stat all; /* stored and fresh */
    uint32_t fit;               /* index into cw_history.fit */
};

struct family {
    struct cw_key kernel;
    uint32_t device;
    struct cw_history_fit fit;
};

/* Open addressing over indices. */
struct table {
    uint32_t *bucket;
    uint32_t buckets, used; /* buckets: a power of two, more than twice `used` */
};

struct cw_history {
    pthread_mutex_t lock;
    struct item *item;
    uint32_t items, item_capacity;
    struct family *family;
    uint32_t families, family_capacity;
    struct table by_key, by_family;
    char *device[CW_HISTORY_DEVICES];
    uint32_t devices;
    double observed_ns, tried_ns;
    pid_t owner; /* the process that measures; a forked child saves nothing */
};

/* ---- tables */

static uint64_t mix(struct cw_key kernel, uint64_t shape, uint32_t device)
{
    uint64_t z =
        kernel.half[0] ^ shape * UINT64_C(0x9e3779b97f4a7c15) ^ device * UINT64_C(0xd1b54a32d192ed03);

    z = (z ^ z >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return z ^ z >> 32;
}

static uint32_t *key_bucket(const struct cw_history *h, const struct table *t, struct cw_key kernel,
                            uint64_t shape, uint32_t device)
{
    for (uint64_t k = mix(kernel, shape, device);; k++) {
        uint32_t *bucket = &t->bucket[k & (t->buckets - 1)];
        if (*bucket == EMPTY)
            return bucket;
        const struct cw_history_entry *e = &h->item[*bucket].e;
        if (cw_key_same(e->kernel, kernel) && e->shape == shape && e->device == device)
            return bucket;
    }
}

static uint32_t *family_bucket(const struct cw_history *h, const struct table *t, struct cw_key kernel,
                               uint32_t device)
{
    for (uint64_t k = mix(kernel, 0, device);; k++) {
        uint32_t *bucket = &t->bucket[k & (t->buckets - 1)];
        if (*bucket == EMPTY ||
            (cw_key_same(h->family[*bucket].kernel, kernel) && h->family[*bucket].device == device))
            return bucket;
    }
}

/* A table with room for one more, as good as `t` or a larger one that the caller fills anew. False: no
 * memory. */
static bool reserve_table(struct table *t, bool *refill)
{
    uint32_t buckets = t->buckets ? 2 * t->buckets : 64, *bucket;

    *refill = false;
    if (2 * (t->used + 1) < t->buckets)
        return true;
    bucket = malloc(buckets * sizeof *bucket);
    if (!bucket)
        return false;
    memset(bucket, 0xff, buckets * sizeof *bucket);
    free(t->bucket);
    t->bucket = bucket;
    t->buckets = buckets;
    *refill = true;
    return true;
}

static bool reserve_array(void *array, uint32_t used, uint32_t *capacity, size_t size)
{
    void **a = array, *more;
    uint32_t n = *capacity ? 2 * *capacity : 64;

    if (used < *capacity)
        return true;
    more = realloc(*a, n * size);
    if (!more)
        return false;
    *a = more;
    *capacity = n;
    return true;
}

/* The index of the family, made when it is not there; EMPTY when memory is out. */
static uint32_t family_of(struct cw_history *h, struct cw_key kernel, uint32_t device)
{
    uint32_t *bucket;
    bool refill;

    if (!reserve_array(&h->family, h->families, &h->family_capacity, sizeof *h->family) ||
        !reserve_table(&h->by_family, &refill))
        return EMPTY;
    for (uint32_t k = 0; refill && k < h->families; k++)
        *family_bucket(h, &h->by_family, h->family[k].kernel, h->family[k].device) = k;
    bucket = family_bucket(h, &h->by_family, kernel, device);
    if (*bucket == EMPTY) {
        h->family[h->families] = (struct family){.kernel = kernel, .device = device};
        *bucket = h->families++;
        h->by_family.used++;
    }
    return *bucket;
}

/* The entry, made when it is not there; NULL when memory is out or the history is full. */
static struct item *item_of(struct cw_history *h, struct cw_key kernel, uint64_t shape, uint32_t device,
                            double size)
{
    uint32_t *bucket, fit;
    bool refill;

    if (h->by_key.buckets) {
        bucket = key_bucket(h, &h->by_key, kernel, shape, device);
        if (*bucket != EMPTY)
            return &h->item[*bucket];
    }
    fit = h->items < ENTRIES_MAX ? family_of(h, kernel, device) : EMPTY;
    if (fit == EMPTY || !reserve_array(&h->item, h->items, &h->item_capacity, sizeof *h->item) ||
        !reserve_table(&h->by_key, &refill))
        return NULL;
    for (uint32_t k = 0; refill && k < h->items; k++)
        *key_bucket(h, &h->by_key, h->item[k].e.kernel, h->item[k].e.shape, h->item[k].e.device) = k;
    bucket = key_bucket(h, &h->by_key, kernel, shape, device);
    h->item[h->items] =
        (struct item){.e = {kernel, shape, device, size >= 1 ? size : 1, {0}, {0}}, .fit = fit};
    *bucket = h->items++;
    h->by_key.used++;
    return &h->item[*bucket];
}

/* Sets the statistics of `item`, and moves its point in the fit. */
static void update(struct cw_history *h, struct item *item)
{
    struct cw_history_fit *fit = &h->family[item->fit].fit;

    if (item->all.mean_ns > 0)
        cw_history_fit_point(fit, item->e.size, item->all.mean_ns, -1);
    item->all = item->e.stored;
    if (item->all.count > 0)
        cw_history_stat_merge(&item->all, &item->e.fresh);
    else
        item->all = item->e.fresh;
    if (item->all.mean_ns > 0)
        cw_history_fit_point(fit, item->e.size, item->all.mean_ns, 1);
}

/* ---- life */

struct cw_history *cw_history_create(void)
{
    struct cw_history *h = calloc(1, sizeof *h);

    if (h) {
        pthread_mutex_init(&h->lock, NULL);
        h->owner = getpid();
    }
    return h;
}

void cw_history_destroy(struct cw_history *h)
{
    if (!h)
        return;
    for (uint32_t d = 0; d < h->devices; d++)
        free(h->device[d]);
    free(h->item);
    free(h->family);
    free(h->by_key.bucket);
    free(h->by_family.bucket);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

uint32_t cw_history_device(struct cw_history *h, const char *name)
{
    uint32_t d = 0;

    pthread_mutex_lock(&h->lock);
    while (d < h->devices && strcmp(h->device[d], name) != 0)
        d++;
    if (d == h->devices) {
        if (d == CW_HISTORY_DEVICES || !(h->device[d] = strdup(name)))
            d = CW_HISTORY_NO_DEVICE;
        else
            h->devices++;
    }
    pthread_mutex_unlock(&h->lock);
    return d;
}

const char *cw_history_device_name(const struct cw_history *h, uint32_t device)
{
    return device < CW_HISTORY_DEVICES ? h->device[device] : NULL;
}

/* ---- samples */

static void add_sample(struct item *item, double ns)
{
    struct cw_history_stat one = {1, ns, 0};
    const struct cw_history_stat *all = &item->all;

    if (all->count >= 2 && ns > OUTLIER * all->mean_ns)
        one.mean_ns = OUTLIER * all->mean_ns;
    cw_history_stat_merge(&item->e.fresh, &one);
}

void cw_history_add(struct cw_history *h, struct cw_key kernel, uint64_t shape, uint32_t device, double size,
                    double ns)
{
    struct item *item;

    if (!(ns >= 0 && ns < CW_HISTORY_LONGEST_NS) || !isfinite(size) || device >= CW_HISTORY_DEVICES)
        return;
    pthread_mutex_lock(&h->lock);
    item = device < h->devices ? item_of(h, kernel, shape, device, size) : NULL;
    h->observed_ns += ns;
    if (item) {
        add_sample(item, ns);
        update(h, item);
    }
    pthread_mutex_unlock(&h->lock);
}

bool cw_history_merge(struct cw_history *h, const struct cw_history_entry *e)
{
    struct item *item;

    if (!cw_history_stat_sensible(&e->stored) || !isfinite(e->size))
        return false;
    pthread_mutex_lock(&h->lock);
    item = e->device < h->devices ? item_of(h, e->kernel, e->shape, e->device, e->size) : NULL;
    if (item) {
        cw_history_stat_merge(&item->e.stored, &e->stored);
        update(h, item);
    }
    pthread_mutex_unlock(&h->lock);
    return item != NULL;
}

size_t cw_history_take_fresh(struct cw_history *h, struct cw_history_entry **entry)
{
    size_t n = 0, at = 0;

    *entry = NULL;
    if (h->owner != getpid())
        return 0;
    pthread_mutex_lock(&h->lock);
    for (uint32_t k = 0; k < h->items; k++)
        n += h->item[k].e.fresh.count > 0;
    if (n)
        *entry = malloc(n * sizeof **entry);
    for (uint32_t k = 0; *entry && k < h->items; k++)
        if (h->item[k].e.fresh.count > 0) {
            (*entry)[at++] = h->item[k].e;
            h->item[k].e.stored = h->item[k].all;
            h->item[k].e.fresh = (struct cw_history_stat){0};
        }
    pthread_mutex_unlock(&h->lock);
    return n && !*entry ? SIZE_MAX : n;
}

size_t cw_history_entries(struct cw_history *h)
{
    size_t n;

    pthread_mutex_lock(&h->lock);
    n = h->items;
    pthread_mutex_unlock(&h->lock);
    return n;
}

/* ---- estimates */

static double history_stat_error(const struct cw_history_stat *s);

static struct cw_history_estimate estimate_one(const struct cw_history *h, struct cw_key kernel,
                                               uint64_t shape, double size, uint32_t device)
{
    struct cw_history_estimate e = {.source = CW_HISTORY_NONE};
    uint32_t k = h->by_key.buckets ? *key_bucket(h, &h->by_key, kernel, shape, device) : EMPTY;

    if (k != EMPTY && h->item[k].all.count > 0) {
        const struct cw_history_stat *s = &h->item[k].all;
        return (struct cw_history_estimate){s->mean_ns, history_stat_error(s), s->count, CW_HISTORY_EXACT};
    }
    k = h->by_family.buckets ? *family_bucket(h, &h->by_family, kernel, device) : EMPTY;
    if (k != EMPTY &&
        cw_history_fit_predict(&h->family[k].fit, size >= 1 ? size : 1, &e.mean_ns, &e.error_ns)) {
        e.count = h->family[k].fit.points;
        e.source = CW_HISTORY_REGRESSION;
        return e;
    }
    return (struct cw_history_estimate){.source = CW_HISTORY_NONE};
}

/* Where one device has run this very shape, the regressions of the others only say how much faster or slower
 * they are: effects that no size tells (a loop's limit) are in the exact figure. */
static void scale_to_exact(const struct cw_history *h, struct cw_key kernel, double size,
                           const uint32_t *device, uint32_t exact, uint32_t count,
                           struct cw_history_estimate *estimate)
{
    struct cw_history_fit fit = h->family[*family_bucket(h, &h->by_family, kernel, device[exact])].fit;
    double fitted, error, factor;

    size = size >= 1 ? size : 1;
    cw_history_fit_point(&fit, size, estimate[exact].mean_ns, -1); /* the others have not run this one */
    if (!cw_history_fit_predict(&fit, size, &fitted, &error))
        return;
    factor = estimate[exact].mean_ns / fitted;
    for (uint32_t k = 0; k < count; k++)
        if (estimate[k].source == CW_HISTORY_REGRESSION && factor > 0 &&
            estimate[k].mean_ns * factor < CW_HISTORY_LONGEST_NS) {
            estimate[k].mean_ns *= factor;
            estimate[k].error_ns = fmax(estimate[k].error_ns * factor, SCALED_ERROR * estimate[k].mean_ns);
        }
}

void cw_history_predict(struct cw_history *h, struct cw_key kernel, uint64_t shape, double size,
                        const uint32_t *device, const double *slowness, uint32_t count,
                        struct cw_history_estimate *estimate)
{
    uint32_t known = 0, exact = 0;

    pthread_mutex_lock(&h->lock);
    for (uint32_t k = 0; k < count; k++)
        estimate[k] = estimate_one(h, kernel, shape, size, device[k]);
    while (exact < count && estimate[exact].source != CW_HISTORY_EXACT)
        exact++;
    if (exact < count && estimate[exact].mean_ns > 0)
        scale_to_exact(h, kernel, size, device, exact, count, estimate);
    pthread_mutex_unlock(&h->lock);
    while (known < count && estimate[known].source == CW_HISTORY_NONE)
        known++;
    for (uint32_t k = 0; known < count && k < count; k++)
        if (estimate[k].source == CW_HISTORY_NONE) {
            double mean = estimate[known].mean_ns * (slowness ? slowness[k] / slowness[known] : 1);
            estimate[k] = (struct cw_history_estimate){mean, mean, 0, CW_HISTORY_GUESS};
        }
}

double cw_history_trial_budget_ns(struct cw_history *h)
{
    double budget;

    pthread_mutex_lock(&h->lock);
    budget = fmax(TRIALS_NS, TRIALS_SHARE * h->observed_ns) - h->tried_ns;
    pthread_mutex_unlock(&h->lock);
    return budget;
}

void cw_history_tried(struct cw_history *h, double ns)
{
    pthread_mutex_lock(&h->lock);
    h->tried_ns += ns;
    pthread_mutex_unlock(&h->lock);
}

/* ---- keys of kernels */

static struct cw_key take_key(struct cw_identity *id)
{
    struct cw_key key = cw_identity_key(id);

    cw_identity_finish(id);
    return key;
}

struct cw_key cw_history_program(const char *source, const char *options)
{
    struct cw_identity id;

    cw_identity_begin(&id, "program");
    cw_identity_text(&id, options ? options : "");
    cw_identity_text(&id, source);
    return take_key(&id);
}

struct cw_key cw_history_kernel(struct cw_key program, const char *name)
{
    struct cw_identity id;

    cw_identity_begin(&id, "kernel");
    cw_identity_add(&id, &program, sizeof program);
    cw_identity_text(&id, name);
    return take_key(&id);
}

/* ---- mean and deviation */

#define ONE_SAMPLE   0.3 /* relative deviation assumed beside the measured ones */
#define COUNT_MOST   0x1p53
#define FIRST_COSTLY 4.0 /* a first sample this many times the later ones is forgotten */

bool cw_history_stat_sensible(const struct cw_history_stat *s)
{
    return s->count >= 1 && s->count < COUNT_MOST && s->mean_ns >= 0 && s->mean_ns < CW_HISTORY_LONGEST_NS &&
           s->squares >= 0 && s->squares < COUNT_MOST * CW_HISTORY_LONGEST_NS * CW_HISTORY_LONGEST_NS;
}

/* So that the past weighs no more than CW_HISTORY_MEMORY samples. */
static void fade(struct cw_history_stat *s)
{
    if (s->count > CW_HISTORY_MEMORY) {
        s->squares *= CW_HISTORY_MEMORY / s->count;
        s->count = CW_HISTORY_MEMORY;
    }
}

void cw_history_stat_merge(struct cw_history_stat *into, const struct cw_history_stat *more)
{
    double count = into->count + more->count, separate = more->mean_ns - into->mean_ns;

    if (more->count <= 0)
        return;
    if (into->count < 1.5 && more->mean_ns * FIRST_COSTLY < into->mean_ns) {
        *into = *more;
        fade(into);
        return;
    }
    into->squares += more->squares + separate * separate * (into->count / count) * more->count;
    into->mean_ns += separate * more->count / count;
    into->count = count;
    fade(into);
}

/* One standard error of the mean, ns. One imaginary deviation of 30 % is added to those measured. */
static double history_stat_error(const struct cw_history_stat *s)
{
    double assumed = ONE_SAMPLE * s->mean_ns;

    return sqrt((s->squares + assumed * assumed) / s->count / s->count);
}

/* ---- regression over size */

#define RESIDUAL   0.2                /* of the imaginary point */
#define ONE_SIZE   0.3                /* relative error of scaling from one size to the same size ... */
#define PER_FACTOR 0.5                /* ... and the addition for each factor e of distance */
#define FAR        2.0794415416798357 /* log 8 */

void cw_history_fit_point(struct cw_history_fit *f, double size, double ns, double sign)
{
    double x = log(size), y = log(ns);

    if (sign > 0 && (f->points == 0 || x < f->least))
        f->least = x;
    if (sign > 0 && (f->points == 0 || x > f->most))
        f->most = x;
    f->points += sign;
    f->x += sign * x;
    f->y += sign * y;
    f->xx += sign * x * x;
    f->xy += sign * x * y;
    f->yy += sign * y * y;
    if (f->points < 0.5)
        *f = (struct cw_history_fit){0}; /* and with it the remains of rounding */
}

/* From one size: time grows as size does. */
static bool scale(const struct cw_history_fit *f, double x, double *ns, double *error)
{
    double away = x - f->x / f->points;

    if (fabs(away) > FAR)
        return false;
    *ns = exp(f->y / f->points + away);
    *error = *ns * (ONE_SIZE + PER_FACTOR * fabs(away));
    return *ns < CW_HISTORY_LONGEST_NS;
}

bool cw_history_fit_predict(const struct cw_history_fit *f, double size, double *ns, double *error)
{
    double n = f->points, x = log(size), spread, slope, residual, relative;

    if (n < 0.5)
        return false;
    spread = f->xx - f->x * f->x / n;
    if (n < 1.5 || f->most - f->least < 1e-9 || spread < 1e-12)
        return scale(f, x, ns, error);
    slope = fmin(3, fmax(0, (f->xy - f->x * f->y / n) / spread));
    residual = f->yy - f->y * f->y / n - 2 * slope * (f->xy - f->x * f->y / n) + slope * slope * spread;
    x -= f->x / n;
    relative = sqrt((fmax(0, residual) + RESIDUAL * RESIDUAL) / (n - 1) * (1 + 1 / n + x * x / spread));
    *ns = exp(f->y / n + slope * x);
    *error = *ns * relative;
    return relative < 3 && *ns < CW_HISTORY_LONGEST_NS;
}
