/* platform_file.h - machines that a trace is replayed on: JSON "clweave-platform", version 1.
 *
 *   {"format": "clweave-platform", "version": 1, "name": "two classes",
 *    "devices": [
 *      {"name": "cpu", "class": "cpu", "memory": "ddr", "speed": 0.5},
 *      {"name": "dsp", "class": "dsp", "memory": "ddr", "count": 4, "launch_ns": 224000, "ns_per_item": 270,
 *       "kernels": [{"name": "mul*", "ns_per_item": 90}, {"name": "sort", "run": false}],
 *       "transfers": false}],
 *    "bandwidth": 8.0, "latency": 0}
 *
 * Of a device (required: class):
 *   name        default: the class; with "count" above 1 a number is appended
 *   class       "cpu", "gpu", "dsp", ...; policies that share tasks share them within a class
 *   memory      devices that name the same one exchange data for free; default: a memory of its own
 *   count       how many such devices, default 1
 *   speed       a kernel takes its traced time divided by this, default 1 (abstract graphs: cost / speed)
 *   ns_per_item a kernel takes this for each work-item instead
 *   launch_ns   added to each kernel, default 0
 *   bytes_per_item
 *               of global memory that a work-item of such a kernel moves, part of that time: where it is
 *               known how much (here, or by operations), devices that use `ddr` at the same time slow each
 *               other
 *   compile_ns  the time of building a program once, default 0; no part of a command, reported by `run` only
 *   kernels     exceptions, the first whose name pattern (shell wildcards) matches holds: speed, ns_per_item,
 *               launch_ns, bytes_per_item replace the above; "run": false = this device cannot run it
 *   operations  rates (below). A kernel whose operations are known, and for which no exception gives a
 *               time, takes the time of these, instead of the device's own ns_per_item: computing plus memory
 *   preload_poststore
 *               true: while a work-group runs, the inputs of the next are loaded and the outputs of the one
 *               before are stored, through two halves of the local memory. Then a kernel takes the longer of
 *               computing and memory, and one group's memory time; operations' bytes are those that a group
 *               touches, once each
 *   transfers   commands that move, fill or map memory: absent = their traced time; false = not on this
 *               device; {"table": [[bytes, ns], ...], "latency_ns": L, "bytes_per_ns": B}: linear between the
 *               table's points (and from 0 bytes, 0 ns to the first), after the last one at the slope of the
 *               last piece; without a table L + bytes / B
 *
 * Of the machine:
 *   bandwidth   bytes per ns between memories: a number, a matrix by device, or null = infinite (default)
 *   latency     ns: a number, one per sending device, or a matrix by device, default 0
 *   ddr_bytes_per_ns
 *               the rate of the one memory behind all devices; default infinite: kernels then do not contend
 *
 * Unknown keys are errors, so that a mistyped one does not pass unnoticed. */
#ifndef CW_PLATFORM_FILE_H
#define CW_PLATFORM_FILE_H

#include "../../sched/platform.h"
#include "../../sched/status.h"
#include "../kernels/footprint/op_kinds.h"
#include "../settings/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The cost of a kernel on a device of given rates, from the operations of its work-items.
 *
 * Rates are those of a DSP chip (Gu, Ning, Zheng 2022): so many operations and multiply-adds per ns when all
 * cores and all elements of their SIMD units are busy. Work-items of a group go to the elements, groups to
 * the cores; unfilled ones are lost. Operations that the chip does in software count several times
 * (OPERATION_WEIGHTS in operations.c). */

struct cw_op_rates {
    bool known;
    double gops, gfmacs; /* per ns = 10^9 per second */
    double elements, cores;
    double item_ns;     /* other costs of a work-item: the loop over work-items, its ids */
    double local_bytes; /* of all cores' local memory together, for staging; 0: none */
};

/* Reads {"gops": 30, "gfmacs": 8, "cores": 2, "item_ns": 229.3, "local_bytes": 12582912}; NULL:
 * not known. The first two are required. */
enum cw_status cw_operations_rates_read(const json_t *object, const char *where, struct cw_op_rates *r,
                                        struct cw_error *err);

/* ns that computing takes, memory left out. */
double cw_operations_rates_compute_ns(const struct cw_op_rates *r, const struct cw_work_ops *ops,
                                      double items);

/* Bytes between the chip and the memory: as accessed, or, staged, the bytes that each group touches, once. */
double cw_operations_rates_bytes(const struct cw_work_ops *ops, double items, bool staged);

/* Whether the inputs and outputs of two groups per core fit in local memory (true where they are not known).
 */
bool cw_operations_rates_can_stage(const struct cw_op_rates *r, const struct cw_work_ops *ops);

#define CW_PLATFORM_FORMAT  "clweave-platform"
#define CW_PLATFORM_VERSION 1

struct cw_work_ops; /* footprint/op_kinds.h */

/* The properties of a command that decide its cost. */
struct cw_work {
    const char *kernel;            /* NULL: moves memory */
    double items;                  /* work-items of a kernel */
    double bytes;                  /* bytes moved */
    double traced_ns;              /* how long it took in the trace, or an estimate of that */
    const struct cw_work_ops *ops; /* of a kernel; NULL: not known */
};

/* The cost of a command on a device, alone on the machine. */
struct cw_work_cost {
    double set_up_ns;  /* of a kernel */
    double in_turn_ns; /* the two that follow, one after the other, free of rounding */
    double compute_ns; /* 0 for transfers */
    double memory_ns;  /* of service by the one memory; 0 where that is not known */
    double fill_ns;  /* part of memory_ns that nothing overlaps with: the first group's inputs, the last one's
                        outputs */
    bool overlapped; /* computing and memory go on at the same time (preload_poststore), else in turn */
    bool traced;     /* work->traced_ns went into it */
};

struct cw_platform_model; /* a platform and its cost rules */

/* Reads the platform called `name`: a built-in one ("hxdsp") or else a file. `dsp` >= 0 sets the count of the
 * devices of class "dsp". *model is the caller's, NULL on failure. Errors: CW_ERR_IO, CW_ERR_FORMAT (line and
 * column, or path of the field), CW_ERR_VERSION, CW_ERR_INVALID, CW_ERR_LIMIT (more than
 * CW_PLATFORM_DEVICES_MAX devices), CW_ERR_NOMEM. */
enum cw_status cw_platform_model_load(const char *name, int64_t dsp, struct cw_platform_model **model,
                                      struct cw_error *err);
void cw_platform_model_destroy(struct cw_platform_model *m); /* NULL allowed */

enum { CW_PLATFORM_DEVICES_MAX = 1024 };

/* The devices. Belongs to the model. */
const struct cw_platform *cw_platform_model_platform(const struct cw_platform_model *m);

/* Time of `work` on device `d`, INFINITY when it cannot run there. *traced tells whether work->traced_ns went
 * into it. */
double cw_platform_model_cost(const struct cw_platform_model *m, uint32_t d, const struct cw_work *work,
                              bool *traced);

/* The same in parts; false when it cannot run there. */
bool cw_platform_model_parts(const struct cw_platform_model *m, uint32_t d, const struct cw_work *work,
                             struct cw_work_cost *cost);

/* set-up, computing and memory together. */
double cw_platform_work_ns(const struct cw_work_cost *cost);

/* Whether device `d` has rates of operations, so that cw_work.ops is worth finding out. */
bool cw_platform_model_by_operations(const struct cw_platform_model *m, uint32_t d);

/* Switches preload_poststore on for all devices of class "dsp". */
void cw_platform_model_preload(struct cw_platform_model *m);

/* The time of building a program for device `d`, ns. */
double cw_platform_model_compile_ns(const struct cw_platform_model *m, uint32_t d);

/* From now on the platform's devices have set-ups (cw_device.set_up): launch_ns, which every part of a kernel
 * that is shared pays. For traces; the costs of abstract graphs have none. */
void cw_platform_model_divide_kernels(struct cw_platform_model *m);

/* The speed of device `d` for abstract graphs. */
double cw_platform_model_speed(const struct cw_platform_model *m, uint32_t d);

/* The JSON text of a built-in platform, NULL when there is none of that name; and their names, NULL-ended. */
const char *cw_platform_builtin(const char *name);
extern const char *const cw_platform_builtin_names[];

/* The links of a JSON file's devices, as graph files and platform files give them:
 *
 *   bandwidth   units of data per unit of time: a number, a matrix with a row for each sending device, or
 *               null = infinite; absent = the default
 *   latency     a number, one per sending device, or such a matrix; absent = 0 */

/* Makes the platform of `devices` devices with the links of `root`. bandwidth: the default. Errors:
 * CW_ERR_FORMAT and those of cw_platform_create; *platform is the caller's, NULL on failure. */
enum cw_status cw_platform_links_create(const json_t *root, const struct cw_device_spec *spec,
                                        uint32_t devices, double bandwidth, struct cw_platform **platform,
                                        struct cw_error *err);

/* The contents of a platform file, shared by its reader and the costs. */

struct platform_rule {
    char *pattern; /* of kernel names; NULL for the device's own rule */
    bool run;
    double speed, launch_ns;
    double ns_per_item;    /* NAN: by speed */
    double bytes_per_item; /* NAN: not known */
    bool given;            /* an exception that says how long the kernel takes */
};

struct platform_point {
    double bytes, ns;
};

/* One entry of "devices". */
struct platform_entry {
    char *name, *class_name, *memory;
    uint32_t count;
    struct platform_rule rule, *kernel;
    size_t kernels;
    enum { TRANSFERS_TRACED, TRANSFERS_NEVER, TRANSFERS_RULE } transfers;
    double latency_ns, bytes_per_ns, compile_ns;
    struct platform_point *table;
    size_t rows;
    struct cw_op_rates rates;
    bool preload;
};

struct cw_platform_model {
    struct platform_entry *entry;
    size_t entries;
    uint32_t *entry_of; /* per device */
    struct cw_platform *platform;
    double ddr_bytes_per_ns;
};

/* ---- whether the library can work with a value of a setting.
 *
 * In plan/ because a value may name a platform file, which plan/ reads. */

/* Checks the option `info` set to `value`. Returns the errors of cw_options_set, and those that the library
 * would report in the running program, where every call would then pass unchanged: no such policy or policy
 * option, a policy that only plans offline, a bad list of devices, a platform file that cannot be read, a
 * history that is no file. Changes nothing. Reads files. Thread-safe. */
enum cw_status cw_settings_check(const struct cw_option_info *info, const char *value, struct cw_error *err);

#endif
