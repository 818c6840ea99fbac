/* policy_class.c - cpu-only, gpu-only, dsp-only: eager within the devices of one class.
 *
 * Baselines of Zhao, Li, Wang 2014. */
#include "dynamic.h"
#include "policy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool of_class(const struct cw_platform *p, uint32_t device, const char *name)
{
    return strcmp(p->device[device].class_name, name) == 0;
}

/* True when no device of the class can run the task. */
static bool homeless(const struct cw_plan *plan, uint32_t task, const char *name)
{
    for (uint32_t p = 0; p < plan->graph->devices; p++)
        if (of_class(plan->platform, p, name) && !isinf(cw_graph_cost(plan->graph, task, p)))
            return false;
    return true;
}

static bool may(const struct cw_dynamic *d, uint32_t task, uint32_t device, const void *context)
{
    return of_class(d->plan->platform, device, context) || homeless(d->plan, task, context);
}

/* Two queues, so that no device looks through tasks that only others may run: tasks of the class wait in
 * the common one. */
static uint32_t enqueue(struct cw_dynamic *d, uint32_t task, const void *context)
{
    return homeless(d->plan, task, context) ? 0 : d->plan->graph->devices;
}

static uint32_t source(struct cw_dynamic *d, uint32_t device, const void *context)
{
    return of_class(d->plan->platform, device, context) ? d->plan->graph->devices : 0;
}

/* Places the tasks that are not placed yet by one queue in order of rank_u, from which idle devices of class
 * `name` take; of several idle ones a random one first. A task that none of them can run may go to any
 * device; the schedule's note then says how many. Errors: those of cw_dynamic_plan. */
static enum cw_status plan_class(struct cw_plan *plan, const char *name, struct cw_error *err)
{
    static const struct cw_dynamic_rules rules = {
        .may = may, .enqueue = enqueue, .source = source, .by_priority = true, .shuffled = true};
    uint32_t elsewhere = 0;

    for (uint32_t i = 0; i < plan->graph->tasks; i++)
        elsewhere += plan->schedule->task[i].parts == 0 && homeless(plan, i, name);
    if (elsewhere)
        snprintf(plan->schedule->note, sizeof plan->schedule->note,
                 "%u tasks that no device of class %s can run went to other devices", elsewhere, name);
    return cw_dynamic_plan(plan, &rules, name, err);
}

#define ONLY(class)                                                                                          \
    static enum cw_status plan_##class##_only(struct cw_plan *plan, const struct cw_policy_options *o,       \
                                              struct cw_error *err)                                          \
    {                                                                                                        \
        (void)o;                                                                                             \
        return plan_class(plan, #class, err);                                                                \
    }                                                                                                        \
                                                                                                             \
    const struct cw_policy cw_policy_##class##_only = {                                                      \
        .name = #class "-only",                                                                              \
        .title = "dynamic: one queue by priority, only devices of class " #class,                            \
        .source = "Zhao, Li, Wang, Computer Engineering and Design 2014(9)",                                 \
        .dynamic = true,                                                                                     \
        .commanding = true,                                                                                  \
        .plan = plan_##class##_only,                                                                         \
    }

ONLY(cpu);
ONLY(gpu);
ONLY(dsp);
