/* gpu_begin.c - see tuning/tuning.h. */
#include "tuning.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "../../../analyzer/io/file_store.h"
#include "../../../analyzer/settings/options.h"
#include "../core/context_device.h"
#include "../core/fault.h"
#include "../core/global_lock.h"
#include "../core/state.h"

#define RUNS_ALONE 16       /* runs without other GPUs after one that lost with them */
#define KIND       "gpus 1" /* another one when the record means something else */
/* Under `run` alone GPUs are offered once a run has shown that its launches are long, in as many runs at
 * least, as the first one may lack models, and later where they gain so much */
#define LOOKS 2
#define PAYS  1.3

static struct {
    struct cw_file_store store;
    struct cw_identity program;
    bool recorded; /* there is a place for the record */
    bool at_once;
    bool learns_all, asked; /* a launch to cut is enough; there was one */
    bool may_pay;           /* commands are long enough for them */
    bool harmful;           /* earlier runs with them have lost */
    bool alone, offered;    /* the user asks for no devices; GPUs are offered all the same */
    uint64_t start_ns;
    /* Of spans of streamed queues; of those on several streams */
    _Atomic uint64_t span_ns, commands, beside_ns;
    double saves_ns, last_ns; /* this run, and the last one */
} gpus;

static void look_up(const struct cw_options *options, const char *folder)
{
    size_t bytes = 0;
    const char *arguments = cw_run_activation_arguments(&bytes);
    double *last;

    gpus.program = cw_run_activation_identity(KIND, sizeof gpus.last_ns, options);
    if (arguments)
        cw_identity_add(&gpus.program, arguments, bytes);
    gpus.recorded = arguments && !gpus.program.failed;
    free((void *)(uintptr_t)arguments);
    if (!gpus.recorded)
        return;
    cw_file_store_init(&gpus.store, folder);
    last = cw_file_store_read(&gpus.store, &gpus.program, &bytes);
    if (last && bytes == sizeof *last)
        gpus.last_ns = *last;
    gpus.harmful = gpus.last_ns < 0;
    gpus.offered = gpus.alone && (gpus.last_ns > 0 || (gpus.learns_all && !gpus.harmful));
    if (gpus.offered)
        cw_context_devices_offer_gpus();
    gpus.store.trimmed = last; /* one file more or less is not worth a look at all of them */
    free(last);
}

void cw_run_gpu_begin_start(const struct cw_options *options, const char *folder)
{
    gpus.at_once = cw_run.all || cw_run.chaos || cw_run_fault_planted;
    gpus.learns_all = !strcmp(options->learn, "all");
    gpus.alone = !*options->devices && strcmp(options->learn, "off") != 0;
    gpus.start_ns = cw_run_global_lock_now_ns();
    if (*folder && !gpus.at_once && (gpus.alone || (*options->devices && strcmp(options->devices, "none"))))
        look_up(options, folder);
}

/* Of the contexts of all GPUs that may help. */
static double price_ns(void)
{
    double ns = 0;

    for (uint32_t i = 0; i < cw_run.num_workers; i++)
        ns +=
            cw_run.workers[i].kind == CW_DEVICE_KIND_GPU && !cw_run.workers[i].home ? CW_RUN_GPU_BEGIN_NS : 0;
    return ns;
}

static bool is_known(void)
{
    return gpus.last_ns > 0 && gpus.last_ns >= CW_RUN_FAR_LONGER * price_ns();
}

bool cw_run_gpu_begin_learns_all(void)
{
    return gpus.learns_all;
}

bool cw_run_gpu_begin_is_due(void)
{
    return !gpus.harmful && (gpus.at_once || is_known() || gpus.asked || gpus.saves_ns >= price_ns());
}

bool cw_run_gpu_begin_is_awaited(const struct cw_run_context *c)
{
    size_t first = c->devices ? c->devices->homes : 0, i = first;

    while (c->devices && i < c->devices->n && !cw_run_gpu_begin_may(&c->places[i]))
        i++;
    return c->devices && i > first && i == c->devices->n;
}

void cw_run_gpu_begin_may_pay(void)
{
    gpus.may_pay = true;
}

bool cw_run_gpu_begin_paid(void)
{
    return gpus.last_ns > 0;
}

bool cw_run_gpu_begin_may(const struct cw_run_context_device *p)
{
    return p->device->home || !cw_run_context_device_is_gpu(p) ||
           __atomic_load_n(&p->worker->context, __ATOMIC_ACQUIRE) || cw_run_gpu_begin_is_due();
}

void cw_run_gpu_begin_saves(double ns, bool cut)
{
    gpus.asked |= cut && gpus.learns_all;
    gpus.saves_ns += fmax(ns, 0);
}

/* The new record: how much time other GPUs might have saved; below 0: the number of runs that are to leave
 * them alone. The record stays where this run had about as much to gain, and where launches that were cut
 * from the begin were never measured whole. 1: its commands may be long enough. */
static bool new_record(double *ns)
{
    bool as_before;

    *ns = cw_run_gpu_gain_harms() ? -RUNS_ALONE
          : gpus.harmful          ? gpus.last_ns + 1
          : gpus.saves_ns > 0     ? gpus.saves_ns
                                  : gpus.may_pay && !gpus.alone;
    as_before =
        (*ns >= .5 * gpus.last_ns && *ns <= 2 * gpus.last_ns) || (is_known() && cw_run.counts.cut > 0);
    return cw_run_gpu_gain_harms() || gpus.harmful || (!gpus.at_once && !as_before);
}

void cw_run_gpu_begin_span(uint64_t ns, uint32_t commands, bool beside)
{
    gpus.span_ns += ns;
    gpus.commands += commands;
    gpus.beside_ns += beside ? ns : 0;
}

/* Streams gain little, and commands are as long as those that are cut. */
static bool is_long(void)
{
    return gpus.commands > 0 && gpus.span_ns >= CW_RUN_TILES_NS * gpus.commands &&
           gpus.beside_ns < gpus.span_ns / 4 &&
           (double)(cw_run_global_lock_now_ns() - gpus.start_ns) >= CW_RUN_FAR_LONGER * CW_RUN_GPU_BEGIN_NS;
}

/* The run would have taken PAYS times as long without GPUs, or so much less with them. */
static bool pays(void)
{
    double gained = fmax(cw_run_gpu_gain_all(), 0);
    double alone = (double)(cw_run_global_lock_now_ns() - gpus.start_ns) + gained;

    return (is_known() && cw_run.counts.cut > 0) || fmax(gpus.saves_ns, gained) >= (1 - 1 / PAYS) * alone;
}

/* The record of `run` alone, likewise; from 1 to LOOKS: so many runs may still look. */
static bool new_record_alone(double *ns)
{
    double looks = gpus.last_ns > LOOKS ? 0 : gpus.last_ns > 0 ? gpus.last_ns - 1 : LOOKS;

    if (!gpus.offered) {
        *ns = gpus.harmful ? gpus.last_ns + 1 : is_long() ? LOOKS : 0;
        return *ns != gpus.last_ns;
    }
    if (!(price_ns() > 0) || cw_run_activation_course().held ||
        (cw_run_context_device_refused() && !cw_run_gpu_gain_harms()))
        return false; /* it has shown nothing of them */
    if (!cw_run_gpu_gain_harms() && pays())
        return new_record(ns);
    *ns = cw_run_gpu_gain_harms() || looks < 1 ? -RUNS_ALONE : looks;
    return true;
}

void cw_run_gpu_begin_stop(void)
{
    double ns;

    if (gpus.recorded && (gpus.alone ? new_record_alone(&ns) : new_record(&ns)) && !cw_run.forked)
        cw_file_store_write(&gpus.store, &gpus.program, &ns, sizeof ns);
}

bool cw_run_gpu_begin_next(void)
{
    return gpus.alone && gpus.recorded && !gpus.offered && !gpus.harmful && is_long();
}

static int describe_alone(char *text, unsigned size)
{
    const char *why = cw_run_context_device_refused();

    if (why)
        return snprintf(text, size, "run: other GPUs were left alone: %s\n", why);
    if (gpus.harmful)
        return snprintf(text, size, "run: other GPUs are not offered, as they gained less than %.1fx\n",
                        PAYS);
    if (gpus.offered && price_ns() > 0 && !(gpus.saves_ns > 0))
        return snprintf(text, size,
                        "run: other GPUs were offered, and no launch was seen that they shorten\n");
    return cw_run_gpu_begin_next() ? snprintf(text, size, "run: other GPUs are offered to the next run\n")
                                   : 0;
}

int cw_run_gpu_begin_describe(char *text, unsigned size)
{
    int n = gpus.alone && !cw_run_gpu_gain_harms() ? describe_alone(text, size) : 0;

    if (n)
        return n;
    if (gpus.harmful || cw_run_gpu_gain_harms())
        return snprintf(text, size, "run: other GPUs %s: spans of commands took longer with them\n",
                        gpus.harmful ? "were left alone" : "are left alone from now on");
    if (gpus.at_once || !(gpus.saves_ns > 0))
        return 0;
    if (cw_run_gpu_begin_is_due())
        return snprintf(text, size, "run: other GPUs began %s; launches that may be cut: %.1f ms to save\n",
                        is_known()   ? "at once, as the last run had enough for them"
                        : gpus.asked ? "in its midst, with the first launch to cut"
                                     : "in its midst, as their contexts had to be earned first",
                        gpus.saves_ns / 1e6);
    return snprintf(
        text, size,
        "run: other GPUs have not begun: their contexts take some %.0f ms, launches that may be cut "
        "would have saved %.1f ms\n",
        price_ns() / 1e6, gpus.saves_ns / 1e6);
}
