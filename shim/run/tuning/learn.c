/* learn.c - see tuning/tuning.h. */
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/history/history_runs.h"
#include "../code/code.h"
#include "../core/state.h"
#include "../models/program_models.h"

#define MOST 16 /* programs */

static struct {
    enum cw_run_learn_mode mode;
    double spent_ns;
    double begun_ns; /* expected time of the `begun` builds, which have not ended */
    unsigned begun, builds;
} learn;

void cw_run_learn_init(enum cw_run_learn_mode mode)
{
    learn.mode = mode;
}

/* The first one in a process wakes up the vendor's compiler. */
static double price(unsigned builds)
{
    return builds ? (learn.builds ? CW_RUNS_NEXT_NS : CW_RUNS_BUILD_NS) + (builds - 1) * CW_RUNS_NEXT_NS : 0;
}

bool cw_run_learn_may(unsigned builds)
{
    return !builds || learn.mode == CW_RUN_LEARN_ALL ||
           (learn.mode == CW_RUN_LEARN_AUTO && cw_run_activation_allows(price(builds)));
}

bool cw_run_learn_begins(enum cw_run_learn what)
{
    unsigned builds = what == CW_RUN_LEARN_BUILD;

    if (!cw_run_learn_may(builds))
        return false;
    learn.begun_ns += price(builds);
    learn.begun++;
    learn.builds += builds;
    return true;
}

void cw_run_learn_ended(double ns)
{
    if (learn.begun) /* each is thought to have taken as long as the others */
        learn.begun_ns -= learn.begun_ns / learn.begun--;
    learn.spent_ns += ns;
}

double cw_run_learn_spent(void)
{
    return learn.spent_ns + learn.begun_ns;
}

/* ---- for later runs */

/* Copies: the program may be gone when the process ends. */
static struct program {
    char *source, *options;
    uint32_t n;
    struct cw_cl_device device[CW_RUN_WORKERS];
} seen[MOST];
static uint32_t count;

void cw_run_learn_later(struct cw_run_program *p)
{
    const struct cw_context_devices *devices = p->context->devices;
    const char *source = cw_run_program_text(p);
    struct program *s = &seen[count];

    if (p->foreseen || count == MOST || !devices || !source || devices->n > CW_RUN_WORKERS)
        return;
    p->foreseen = true;
    for (size_t k = 0; k < devices->homes; k++)
        if (cw_context_devices_held(devices->device[k].device))
            return; /* the program's own sub-device may be gone by then */
    s->source = strdup(source);
    s->options = strdup(p->options ? p->options : "");
    s->n = (uint32_t)devices->n;
    memcpy(s->device, devices->device, devices->n * sizeof *devices->device);
    if (s->source && s->options) {
        count++;
        return;
    }
    free(s->source);
    free(s->options);
}

/* Devices that are alike have one binary. */
static bool is_first_of_its_kind(const struct program *s, uint32_t k)
{
    for (uint32_t i = 0; i < k; i++)
        if (!s->device[i].home && s->device[i].kind == s->device[k].kind &&
            s->device[i].compute_units == s->device[k].compute_units)
            return false;
    return !s->device[k].home && s->device[k].kind != CW_DEVICE_KIND_DSP;
}

static void ask(const struct program *s)
{
    cl_device_id devices[CW_RUN_WORKERS];

    for (uint32_t k = 0; k < s->n; k++) {
        const struct cw_run_context_device place = {.device = &s->device[k]};

        devices[k] = s->device[k].device;
        if (is_first_of_its_kind(s, k))
            cw_helper_program_ask(&(struct cw_run_recipe){s->source, s->options}, &place);
    }
    if (!cw_run.begun) /* else they have been made, or asked for */
        cw_run_program_models_ask(s->source, s->options, devices, s->n);
}

void cw_run_learn_stop(void)
{
    if (cw_run.forked || !cw_run_activation_is_promising())
        return;
    for (uint32_t i = 0; i < count; i++)
        ask(&seen[i]);
}
