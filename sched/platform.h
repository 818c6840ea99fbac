/* platform.h - the devices that a graph is scheduled on, and the cost of moving data between them.
 *
 * c(i, j, m, n) = 0 when m = n or m and n share a memory, else latency[m][n] + d_ij / bandwidth[m][n]
 * (Topcuoglu, Hariri, Wu 2002, equation 2, where latency depends on m only; shared memories are added).
 *
 * Thread-safety: immutable once made. */
#ifndef CW_PLATFORM_H
#define CW_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "api.h"
#include "status.h"

CW_API_BEGIN

struct cw_device {
    char *name;         /* never NULL */
    char *class_name;   /* "cpu", "gpu", "dsp", ...; devices of one class are alike enough to share a task */
    uint32_t class_id;  /* equal for equal class names, counts from 0 */
    uint32_t memory_id; /* equal for devices that share a memory, counts from 0 */
    double set_up;      /* of each task's cost there, the set-up that every part of it needs, however small
                           (policies hdgeft) */
};

struct cw_platform {
    uint32_t devices;
    struct cw_device *device;
    double *bandwidth;     /* devices x devices, data units per time unit; the diagonal is not used */
    double *latency;       /* devices x devices, time units; the diagonal is not used */
    bool one_bandwidth;    /* every off-diagonal bandwidth is the same */
    bool by_sender;        /* each device's latency is the same to all others */
    bool one_memory;       /* all devices share one memory: nothing ever travels */
    double mean_bandwidth; /* mean of the off-diagonal bandwidths */
    double mean_latency;   /* mean of the off-diagonal latencies */
};

/* Describes one device; strings are copied. */
struct cw_device_spec {
    const char *name;       /* NULL: "device <index>" */
    const char *class_name; /* NULL: "device" */
    const char *memory;     /* NULL: a memory of its own */
    double set_up; /* finite, >= 0: of a task's cost, the set-up that a part needs beside its share of the
                      rest */
};

/* Makes a platform of `devices` >= 1 devices.
 *   bandwidth  devices x devices values > 0 (INFINITY allowed), or NULL: `one_bandwidth` between all
 *   latency    `devices` values >= 0, or NULL: `one_latency` for all
 * Owner of *platform: the caller. Errors: CW_ERR_INVALID (no device; a bandwidth that is not positive; a
 * latency or a set-up that is negative; NaN), CW_ERR_NOMEM. */
enum cw_status cw_platform_create(const struct cw_device_spec *spec, uint32_t devices,
                                  const double *bandwidth, double one_bandwidth, const double *latency,
                                  double one_latency, struct cw_platform **platform, struct cw_error *err);
void cw_platform_destroy(struct cw_platform *p); /* NULL allowed */

/* The same with a latency for each pair of devices: `latency` has devices x devices values, a row for each
 * sender. */
enum cw_status cw_platform_create_pairs(const struct cw_device_spec *spec, uint32_t devices,
                                        const double *bandwidth, double one_bandwidth, const double *latency,
                                        struct cw_platform **platform, struct cw_error *err);

/* True when data need not travel between devices m and n. */
static inline bool cw_platform_shared(const struct cw_platform *p, uint32_t m, uint32_t n)
{
    return p->device[m].memory_id == p->device[n].memory_id;
}

/* The time that `data` takes from device m to device n. */
static inline double cw_platform_comm(const struct cw_platform *p, double data, uint32_t m, uint32_t n)
{
    if (cw_platform_shared(p, m, n))
        return 0;
    return p->latency[(size_t)m * p->devices + n] + data / p->bandwidth[(size_t)m * p->devices + n];
}

/* The mean transfer time that ranks use: mean latency + data / mean bandwidth; 0 when all devices share one
 * memory. */
static inline double cw_platform_mean_comm(const struct cw_platform *p, double data)
{
    return p->one_memory ? 0 : p->mean_latency + data / p->mean_bandwidth;
}

CW_API_END

#endif
