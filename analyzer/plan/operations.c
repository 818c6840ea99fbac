/* operations.c - see platform_file.h. */
#include "platform_file.h"

#include <math.h>

#include "../io/json_fields.h"

/* How many operations of the chip one of the kernel is; fused multiply-adds have a rate of their own. The
 * units are 32 bits wide: double precision is done in software, as are division and special functions. Memory
 * is counted in bytes, the instruction that moves them here. */
static const double OPERATION_WEIGHTS[CW_OPS] = {
    [CW_OP_INTEGER] = 1,  [CW_OP_DIVISION] = 16, [CW_OP_SINGLE] = 1, [CW_OP_DOUBLE] = 8,
    [CW_OP_SPECIAL] = 16, [CW_OP_LOAD] = 1,      [CW_OP_STORE] = 1,  [CW_OP_LOCAL] = 1,
    [CW_OP_ATOMIC] = 16,  [CW_OP_BARRIER] = 32,  [CW_OP_BRANCH] = 1,
};
#define DOUBLE_FMA_WEIGHT 8 /* in fused multiply-adds */

static enum cw_status positive(const char *where, const char *key, double value, struct cw_error *err)
{
    if (value > 0 && !isinf(value))
        return CW_OK;
    return cw_error_set(err, CW_ERR_FORMAT, "%s.%s: is %g; it must be above 0", where, key, value);
}

enum cw_status cw_operations_rates_read(const json_t *object, const char *where, struct cw_op_rates *r,
                                        struct cw_error *err)
{
    static const char *const keys[] = {"gops", "gfmacs", "lanes", "cores", "item_ns", "local_bytes", NULL};
    const struct {
        const char *key;
        double *value;
        bool optional, zero;
    } field[] = {{"gops", &r->gops, false, false},     {"gfmacs", &r->gfmacs, false, false},
                 {"lanes", &r->elements, true, false}, {"cores", &r->cores, true, false},
                 {"item_ns", &r->item_ns, true, true}, {"local_bytes", &r->local_bytes, true, true}};
    enum cw_status status;

    *r = (struct cw_op_rates){.elements = 1, .cores = 1};
    if (!object)
        return CW_OK;
    status = cw_json_known_keys(object, where, keys, err);
    for (size_t k = 0; status == CW_OK && k < sizeof field / sizeof *field; k++) {
        status = cw_json_get_number(object, where, field[k].key, field[k].optional, field[k].value, err);
        if (status == CW_OK && !(field[k].zero && *field[k].value == 0))
            status = positive(where, field[k].key, *field[k].value, err);
    }
    r->known = status == CW_OK;
    return status;
}

/* The part of `units` that is busy on average when `amount` is dealt out to them. */
static double busy(double amount, double units)
{
    return amount > 0 ? amount / (ceil(amount / units) * units) : 1;
}

double cw_operations_rates_compute_ns(const struct cw_op_rates *r, const struct cw_work_ops *ops,
                                      double items)
{
    double ns =
        (ops->per_item[CW_OP_SINGLE_FMA] + DOUBLE_FMA_WEIGHT * ops->per_item[CW_OP_DOUBLE_FMA]) / r->gfmacs;

    for (int k = 0; k < CW_OPS; k++)
        ns += ops->per_item[k] * OPERATION_WEIGHTS[k] / r->gops;
    ns /= busy(ops->group_items, r->elements) * busy(ops->groups, r->cores);
    return items * (ns + r->item_ns);
}

double cw_operations_rates_bytes(const struct cw_work_ops *ops, double items, bool staged)
{
    double accessed = items * (ops->per_item[CW_OP_LOAD_BYTES] + ops->per_item[CW_OP_STORE_BYTES]);
    double touched = ops->group_bytes * ops->groups;

    return staged && touched > 0 && touched < accessed ? touched : accessed;
}

bool cw_operations_rates_can_stage(const struct cw_op_rates *r, const struct cw_work_ops *ops)
{
    return 2 * r->cores * ops->group_bytes <= r->local_bytes;
}
