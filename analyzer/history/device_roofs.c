/* device_roofs.c - see device_roofs.h. */
#include "device_roofs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../io/file_store.h"

#define KIND "roofs 1"

const char *cw_device_roofs_key(enum cw_roof roof)
{
#define X(id, key, words, unit) key,
    static const char *const keys[] = {CW_ROOF_LIST(X)};
#undef X
    return keys[roof];
}

const char *cw_device_roofs_words(enum cw_roof roof)
{
#define X(id, key, words, unit) words,
    static const char *const words_of[] = {CW_ROOF_LIST(X)};
#undef X
    return words_of[roof];
}

const char *cw_device_roofs_unit(enum cw_roof roof)
{
#define X(id, key, words, unit) unit,
    static const char *const units[] = {CW_ROOF_LIST(X)};
#undef X
    return units[roof];
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

struct cw_roof_value cw_device_roofs_value(double *value, uint32_t n)
{
    struct cw_roof_value v = {.n = n};

    if (!n)
        return v;
    qsort(value, n, sizeof *value, ascending);
    v.median = n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
    v.low = value[n / 4];
    v.high = value[n - 1 - n / 4];
    return v;
}

double cw_device_roofs_memory(const struct cw_device_roofs *r)
{
    double best = 0;

    for (int k = CW_ROOF_READ; k <= CW_ROOF_TRIAD; k++)
        best = r->v[k].median > best ? r->v[k].median : best;
    return best;
}

double cw_device_roofs_compute(const struct cw_device_roofs *r, double single, double twice)
{
    double s = r->v[CW_ROOF_SINGLE].median, d = r->v[CW_ROOF_DOUBLE].median;

    if (!(single + twice > 0) || (single > 0 && !(s > 0)) || (twice > 0 && !(d > 0)))
        return 0;
    return (single + twice) / ((single > 0 ? single / s : 0) + (twice > 0 ? twice / d : 0));
}

/* ---- kept */

static void open_store(struct cw_file_store *store, const char *cache)
{
    char folder[PATH_MAX];

    if (snprintf(folder, sizeof folder, "%s/roofs", cache) >= (int)sizeof folder)
        *folder = '\0';
    cw_file_store_init(store, folder);
}

static void identify(struct cw_identity *id, const struct cw_roofs_device *d)
{
    cw_identity_begin(id, KIND);
    cw_identity_text(id, d->name);
    cw_identity_text(id, d->version);
    cw_identity_text(id, d->driver);
    cw_identity_number(id, d->compute_units);
}

bool cw_device_roofs_read(const char *cache, const struct cw_roofs_device *d, struct cw_device_roofs *r)
{
    struct cw_file_store store;
    struct cw_identity id;
    size_t bytes = 0;
    void *stored;
    bool good;

    open_store(&store, cache);
    identify(&id, d);
    stored = cw_file_store_read(&store, &id, &bytes);
    good = stored && bytes == sizeof *r;
    if (good)
        memcpy(r, stored, sizeof *r);
    free(stored);
    cw_identity_finish(&id);
    return good;
}

void cw_device_roofs_write(const char *cache, const struct cw_roofs_device *d,
                           const struct cw_device_roofs *r)
{
    struct cw_file_store store;
    struct cw_identity id;

    open_store(&store, cache);
    identify(&id, d);
    cw_file_store_write(&store, &id, r, sizeof *r);
    cw_identity_finish(&id);
}
