/* platform_model.h - the contents of a platform file, shared by its reader and the costs. */
#ifndef CW_PLATFORM_MODEL_H
#define CW_PLATFORM_MODEL_H

#include <stddef.h>

#include "operations.h"
#include "platform_file.h"

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

#endif
