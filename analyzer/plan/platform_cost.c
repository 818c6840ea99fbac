/* platform_cost.c - the cost of a command on the devices of a platform file. */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "platform_file.h"

static const struct platform_rule *rule_for(const struct platform_entry *e, const char *kernel)
{
    for (size_t r = 0; r < e->kernels; r++)
        if (fnmatch(e->kernel[r].pattern, kernel, 0) == 0)
            return &e->kernel[r];
    return &e->rule;
}

static double transfer_cost(const struct platform_entry *e, double bytes)
{
    struct platform_point a = {0, 0}, b;
    size_t k = 0;

    if (e->rows == 0)
        return e->latency_ns + bytes / e->bytes_per_ns;
    while (k + 1 < e->rows && bytes > e->table[k].bytes)
        k++;
    b = e->table[k];
    if (k > 0)
        a = e->table[k - 1];
    return e->latency_ns + a.ns + (bytes - a.bytes) * (b.ns - a.ns) / (b.bytes - a.bytes);
}

/* Divides a kernel's time into computing and memory. */
static void divide(const struct cw_platform_model *m, const struct platform_entry *e,
                   const struct platform_rule *r, const struct cw_work *work, struct cw_work_cost *c)
{
    bool by_ops = work->ops && e->rates.known && !r->given;
    bool staged = e->preload && (!by_ops || cw_operations_rates_can_stage(&e->rates, work->ops));
    double groups = work->ops ? work->ops->groups : 0, ns;

    if (by_ops) {
        c->compute_ns = cw_operations_rates_compute_ns(&e->rates, work->ops, work->items);
        c->memory_ns = cw_operations_rates_bytes(work->ops, work->items, staged) / m->ddr_bytes_per_ns;
        c->in_turn_ns = c->compute_ns + c->memory_ns;
    } else {
        c->traced = isnan(r->ns_per_item);
        ns = c->traced ? work->traced_ns / r->speed : work->items * r->ns_per_item;
        c->memory_ns = isnan(r->bytes_per_item) ? 0 : work->items * r->bytes_per_item / m->ddr_bytes_per_ns;
        c->memory_ns = c->memory_ns < ns ? c->memory_ns : ns;
        c->compute_ns = ns - c->memory_ns;
        c->in_turn_ns = ns;
    }
    c->overlapped = staged && c->memory_ns > 0;
    c->fill_ns = c->overlapped && groups > 0 ? c->memory_ns / groups : 0;
}

bool cw_platform_model_parts(const struct cw_platform_model *m, uint32_t d, const struct cw_work *work,
                             struct cw_work_cost *c)
{
    const struct platform_entry *e = &m->entry[m->entry_of[d]];
    const struct platform_rule *r;

    *c = (struct cw_work_cost){0};
    if (!work->kernel) {
        c->traced = e->transfers == TRANSFERS_TRACED;
        c->memory_ns = c->traced ? work->traced_ns : transfer_cost(e, work->bytes);
        c->in_turn_ns = c->memory_ns;
        return e->transfers != TRANSFERS_NEVER;
    }
    r = rule_for(e, work->kernel);
    c->set_up_ns = r->launch_ns;
    divide(m, e, r, work, c);
    return r->run;
}

double cw_platform_work_ns(const struct cw_work_cost *c)
{
    double rest = c->memory_ns - c->fill_ns;

    if (!c->overlapped)
        return c->set_up_ns + c->in_turn_ns;
    return c->set_up_ns + c->fill_ns + (c->compute_ns > rest ? c->compute_ns : rest);
}

double cw_platform_model_cost(const struct cw_platform_model *m, uint32_t d, const struct cw_work *work,
                              bool *traced)
{
    struct cw_work_cost c;
    bool runs = cw_platform_model_parts(m, d, work, &c);

    *traced = runs && c.traced;
    return runs ? cw_platform_work_ns(&c) : INFINITY;
}

bool cw_platform_model_by_operations(const struct cw_platform_model *m, uint32_t d)
{
    return m->entry[m->entry_of[d]].rates.known;
}

void cw_platform_model_preload(struct cw_platform_model *m)
{
    for (size_t k = 0; k < m->entries; k++)
        m->entry[k].preload |= strcmp(m->entry[k].class_name, "dsp") == 0;
}

void cw_platform_model_divide_kernels(struct cw_platform_model *m)
{
    for (uint32_t d = 0; d < m->platform->devices; d++)
        m->platform->device[d].set_up = m->entry[m->entry_of[d]].rule.launch_ns;
}

double cw_platform_model_speed(const struct cw_platform_model *m, uint32_t d)
{
    return m->entry[m->entry_of[d]].rule.speed;
}

double cw_platform_model_compile_ns(const struct cw_platform_model *m, uint32_t d)
{
    return m->entry[m->entry_of[d]].compile_ns;
}

const struct cw_platform *cw_platform_model_platform(const struct cw_platform_model *m)
{
    return m->platform;
}
