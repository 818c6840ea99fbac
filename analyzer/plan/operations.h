/* operations.h - the cost of a kernel on a device of given rates, from the operations of its work-items.
 *
 * Rates are those of a DSP chip (Gu, Ning, Zheng 2022): so many operations and multiply-adds per ns when all
 * cores and all lanes of their SIMD units are busy. Work-items of a group go to the lanes, groups to the
 * cores; unfilled ones are lost. Operations that the chip does in software count several times
 * (OPERATION_WEIGHTS in operations.c). */
#ifndef CW_OPERATIONS_H
#define CW_OPERATIONS_H

#include <jansson.h>
#include <stdbool.h>

#include "../../sched/status.h"
#include "../kernels/footprint/op_kinds.h"

struct cw_op_rates {
    bool known;
    double gops, gfmacs; /* per ns = 10^9 per second */
    double lanes, cores;
    double item_ns;     /* other costs of a work-item: the loop over work-items, its ids */
    double local_bytes; /* of all cores' local memory together, for staging; 0: none */
};

/* Reads {"gops": 30, "gfmacs": 8, "lanes": 4, "cores": 2, "item_ns": 229.3, "local_bytes": 12582912}; NULL:
 * not known. The first two are required. */
enum cw_status cw_operations_rates_read(const json_t *object, const char *where, struct cw_op_rates *r,
                                        struct cw_error *err);

/* ns that computing takes, memory left aside. */
double cw_operations_rates_compute_ns(const struct cw_op_rates *r, const struct cw_work_ops *ops,
                                      double items);

/* Bytes between the chip and the memory: as accessed, or, staged, the bytes that each group touches, once. */
double cw_operations_rates_bytes(const struct cw_work_ops *ops, double items, bool staged);

/* Whether the inputs and outputs of two groups per core fit in local memory (true where they are not known).
 */
bool cw_operations_rates_can_stage(const struct cw_op_rates *r, const struct cw_work_ops *ops);

#endif
