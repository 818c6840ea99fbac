#include "platform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The id of the first device before `d` for which spec[].field equals `key`, or a new id. */
static uint32_t class_of(const struct cw_platform *p, uint32_t d, uint32_t *classes)
{
    for (uint32_t k = 0; k < d; k++)
        if (strcmp(p->device[k].class_name, p->device[d].class_name) == 0)
            return p->device[k].class_id;
    return (*classes)++;
}

static uint32_t memory_of(const struct cw_platform *p, const struct cw_device_spec *spec, uint32_t d,
                          uint32_t *memories)
{
    for (uint32_t k = 0; spec[d].memory && k < d; k++)
        if (spec[k].memory && strcmp(spec[k].memory, spec[d].memory) == 0)
            return p->device[k].memory_id;
    return (*memories)++;
}

static bool copy_devices(struct cw_platform *p, const struct cw_device_spec *spec)
{
    uint32_t classes = 0, memories = 0;

    for (uint32_t d = 0; d < p->devices; d++) {
        char numbered[32];
        snprintf(numbered, sizeof numbered, "device %u", d);
        p->device[d].name = strdup(spec[d].name ? spec[d].name : numbered);
        p->device[d].class_name = strdup(spec[d].class_name ? spec[d].class_name : "device");
        if (!p->device[d].name || !p->device[d].class_name)
            return false;
        p->device[d].class_id = class_of(p, d, &classes);
        p->device[d].memory_id = memory_of(p, spec, d, &memories);
        p->device[d].set_up = spec[d].set_up;
    }
    p->one_memory = memories == 1;
    return true;
}

static enum cw_status check_pair(const struct cw_platform *p, uint32_t m, uint32_t n, struct cw_error *err)
{
    double latency = p->latency[(size_t)m * p->devices + n],
           bandwidth = p->bandwidth[(size_t)m * p->devices + n];

    if (!(latency >= 0) || isinf(latency))
        return cw_error_set(err, CW_ERR_INVALID,
                            "device %u (%s): latency %g; it must be finite and not negative", m,
                            p->device[m].name, latency);
    if (m != n && !(bandwidth > 0))
        return cw_error_set(err, CW_ERR_INVALID,
                            "bandwidth from device %u (%s) to device %u (%s) is %g; it must be positive", m,
                            p->device[m].name, n, p->device[n].name, bandwidth);
    return CW_OK;
}

static enum cw_status check_links(const struct cw_platform *p, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    for (uint32_t m = 0; m < p->devices && status == CW_OK; m++) {
        if (!(p->device[m].set_up >= 0) || isinf(p->device[m].set_up))
            return cw_error_set(err, CW_ERR_INVALID,
                                "device %u (%s): set-up %g; it must be finite and not negative", m,
                                p->device[m].name, p->device[m].set_up);
        for (uint32_t n = 0; n < p->devices && status == CW_OK; n++)
            status = check_pair(p, m, n, err);
    }
    return status;
}

/* The mean latency of sender `m`: exactly that to each other device where it is one number, however a sum
 * would be rounded. */
static double sender_latency(struct cw_platform *p, uint32_t m)
{
    const double *latency = &p->latency[(size_t)m * p->devices];
    double first = latency[m == 0 && p->devices > 1], sum = 0;
    bool one = true;

    for (uint32_t n = 0; n < p->devices; n++)
        if (m != n) {
            sum += latency[n];
            one &= latency[n] == first;
        }
    p->by_sender &= one;
    return one ? first : sum / (p->devices - 1);
}

static void summarise_links(struct cw_platform *p)
{
    double rates = 0, latencies = 0;
    uint32_t q = p->devices;

    p->one_bandwidth = p->by_sender = true;
    for (uint32_t m = 0; m < q; m++) {
        latencies += sender_latency(p, m);
        for (uint32_t n = 0; n < q; n++)
            if (m != n) {
                rates += p->bandwidth[(size_t)m * q + n];
                p->one_bandwidth &= p->bandwidth[(size_t)m * q + n] == p->bandwidth[q > 1];
            }
    }
    p->mean_latency = latencies / q;
    p->mean_bandwidth = q > 1 ? rates / ((double)q * (q - 1)) : INFINITY;
    if (q > 1 && p->one_bandwidth)
        p->mean_bandwidth = p->bandwidth[1]; /* exactly, however the sum was rounded */
}

/* The links of a platform. A latency: of the sender or of the pair, else one for all. */
struct links {
    const double *bandwidth, *sender, *pair;
    double one_bandwidth, one_latency;
};

static void copy_links(struct cw_platform *p, const struct links *l)
{
    for (uint32_t m = 0; m < p->devices; m++)
        for (uint32_t n = 0; n < p->devices; n++) {
            size_t k = (size_t)m * p->devices + n;
            p->bandwidth[k] = l->bandwidth ? l->bandwidth[k] : l->one_bandwidth;
            p->latency[k] = l->pair ? (m == n ? 0 : l->pair[k]) : l->sender ? l->sender[m] : l->one_latency;
        }
}

static enum cw_status create(const struct cw_device_spec *spec, uint32_t devices, const struct links *links,
                             struct cw_platform **platform, struct cw_error *err)
{
    struct cw_platform *p = calloc(1, sizeof *p);
    enum cw_status status;

    *platform = NULL;
    if (devices == 0) {
        status = cw_error_set(err, CW_ERR_INVALID, "a platform needs at least one device");
        goto fail;
    }
    if (p) {
        p->devices = devices;
        p->device = calloc(devices, sizeof *p->device);
        p->bandwidth = malloc((size_t)devices * devices * sizeof *p->bandwidth);
        p->latency = malloc((size_t)devices * devices * sizeof *p->latency);
    }
    if (!p || !p->device || !p->bandwidth || !p->latency || !copy_devices(p, spec)) {
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u devices", devices);
        goto fail;
    }
    copy_links(p, links);
    status = check_links(p, err);
    if (status != CW_OK)
        goto fail;
    summarise_links(p);
    *platform = p;
    return CW_OK;
fail:
    cw_platform_destroy(p);
    return status;
}

enum cw_status cw_platform_create(const struct cw_device_spec *spec, uint32_t devices,
                                  const double *bandwidth, double one_bandwidth, const double *latency,
                                  double one_latency, struct cw_platform **platform, struct cw_error *err)
{
    const struct links links = {.bandwidth = bandwidth,
                                .one_bandwidth = one_bandwidth,
                                .sender = latency,
                                .one_latency = one_latency};

    return create(spec, devices, &links, platform, err);
}

enum cw_status cw_platform_create_pairs(const struct cw_device_spec *spec, uint32_t devices,
                                        const double *bandwidth, double one_bandwidth, const double *latency,
                                        struct cw_platform **platform, struct cw_error *err)
{
    const struct links links = {.bandwidth = bandwidth, .one_bandwidth = one_bandwidth, .pair = latency};

    return create(spec, devices, &links, platform, err);
}

void cw_platform_destroy(struct cw_platform *p)
{
    if (!p)
        return;
    for (uint32_t d = 0; p->device && d < p->devices; d++) {
        free(p->device[d].name);
        free(p->device[d].class_name);
    }
    free(p->device);
    free(p->bandwidth);
    free(p->latency);
    free(p);
}
