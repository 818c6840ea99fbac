/* device_roofs.h - the fastest that a device was measured at (`clweave devices --measure`), kept for reports.
 *
 * A device is known by its name, versions and compute units: equal devices share what is kept. */
#ifndef CW_DEVICE_ROOFS_H
#define CW_DEVICE_ROOFS_H

#include <stdbool.h>
#include <stdint.h>

/* What is measured: key, words, unit. READ, COPY and TRIAD: bytes of global memory that a kernel loads and
 * stores. UP, DOWN: between pageable memory of the host and the device. LAUNCH: an empty kernel and the wait
 * for it. */
#define CW_ROOF_LIST(X)                                                                                      \
    X(READ, "read", "memory, read", "GB/s")                                                                  \
    X(COPY, "copy", "memory, copy", "GB/s")                                                                  \
    X(TRIAD, "triad", "memory, triad", "GB/s")                                                               \
    X(SINGLE, "single", "multiply-add, single", "GFLOP/s")                                                   \
    X(DOUBLE, "double", "multiply-add, double", "GFLOP/s")                                                   \
    X(UP, "up", "host to device", "GB/s")                                                                    \
    X(DOWN, "down", "device to host", "GB/s")                                                                \
    X(LAUNCH, "launch", "launch and wait", "us")

enum cw_roof {
#define X(id, key, words, unit) CW_ROOF_##id,
    CW_ROOF_LIST(X)
#undef X
        CW_ROOFS
};

/* Of several measurements, in the unit of the list. Half of them lie from low to high. */
struct cw_roof_value {
    double median, low, high;
    uint32_t n; /* measurements; 0: the device has none */
    uint32_t unused;
};

struct cw_device_roofs {
    struct cw_roof_value v[CW_ROOFS];
    int64_t when_s; /* seconds since 1970 */
};

/* By which a device is known; texts as OpenCL has them. */
struct cw_roofs_device {
    const char *name, *version, *driver;
    uint64_t compute_units;
};

const char *cw_device_roofs_key(enum cw_roof roof);
const char *cw_device_roofs_words(enum cw_roof roof);
const char *cw_device_roofs_unit(enum cw_roof roof);

/* The median and the quartiles of value[0 .. n-1], which it sorts; all 0 for none. */
struct cw_roof_value cw_device_roofs_value(double *value, uint32_t n);

/* The fastest way to memory, in GB/s; 0: not measured. */
double cw_device_roofs_memory(const struct cw_device_roofs *r);

/* Operations per ns of a mix of `single` and `twice` (double precision) floating-point operations that run
 * one after the other; 0: not measured. */
double cw_device_roofs_compute(const struct cw_device_roofs *r, double single, double twice);

/* `cache`: the user's folder of caches (io/folders.h). False: nothing is kept for the device. */
bool cw_device_roofs_read(const char *cache, const struct cw_roofs_device *d, struct cw_device_roofs *r);
/* Quiet, as file_store.h. */
void cw_device_roofs_write(const char *cache, const struct cw_roofs_device *d,
                           const struct cw_device_roofs *r);

#endif
