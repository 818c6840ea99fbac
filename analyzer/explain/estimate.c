/* estimate.c - see command_times.h. */
#include "command_times.h"

#include <math.h>

#include "../record/command_facts.h"

/* The 97.5 % quantile of Student's t: of few degrees of freedom by table, else by the expansion of Cornish
 * and Fisher (Abramowitz and Stegun, 26.7.5), within .3 %. */
static double quantile(uint64_t degrees)
{
    static const double few[] = {NAN, 12.706, 4.303, 3.182};
    const double n = (double)degrees;

    if (degrees < sizeof few / sizeof *few)
        return few[degrees];
    return 1.960 + 2.372 / n + 2.823 / (n * n) + 2.557 / (n * n * n);
}

static bool takes_part(const struct cw_command *k, double *ns)
{
    *ns = (double)cw_command_device_ns(k);
    return *ns > 0 || (k->start_ns && k->end_ns == k->start_ns && cw_command_works(k));
}

struct cw_estimate cw_estimate_make(const struct cw_trace *t, const uint32_t *command, size_t n)
{
    struct cw_estimate e = {0};
    double mean, off = 0, all, ns;

    for (size_t i = 0; i < n; i++) {
        const struct cw_command *k = &t->commands.v[command[i]];
        e.untimed += cw_command_lacks_time(k);
        if (takes_part(k, &ns))
            e.timed++, e.ns += ns;
    }
    mean = e.timed ? e.ns / (double)e.timed : 0;
    for (size_t i = 0; i < n; i++)
        if (takes_part(&t->commands.v[command[i]], &ns))
            off += (ns - mean) * (ns - mean);
    if (!e.untimed)
        return e;
    all = (double)(e.timed + e.untimed);
    e.half_ns = e.timed < 2 ? NAN
                            : quantile(e.timed - 1) * sqrt(off / (double)(e.timed - 1) * all *
                                                           (double)e.untimed / (double)e.timed);
    e.ns = e.timed ? e.ns + mean * (double)e.untimed : NAN;
    return e;
}

void cw_estimate_add(struct cw_estimate *sum, const struct cw_estimate *e)
{
    sum->untimed += e->untimed;
    sum->timed += e->timed;
    if (isnan(e->half_ns)) {
        sum->unknown += e->untimed + e->timed;
        return;
    }
    sum->ns += e->ns;
    sum->half_ns = hypot(sum->half_ns, e->half_ns);
}
