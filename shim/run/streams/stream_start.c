/* stream_start.c - see streams/stream_start.h. */
#include "stream_start.h"

#include <stdio.h>

#include "../staging/staging.h"
#include "../staging/staging_count.h"
#include "../staging/staging_crew.h"
#include "../tuning/tuning.h"
#include "stream_enqueue.h"
#include "stream_hooks.h"
#include "stream_seat.h"
#include "stream_version.h"
#include "stream_ways.h"

struct cw_dispatch cw_stream_below, cw_stream_vendor;

void cw_stream_start(const struct cw_options *options, struct cw_dispatch *table)
{
    cw_stream_settings_start(options);
    if (cw_stream_settings.off)
        return;
    cw_stream_below = *table;
    cw_stream_vendor = cw_next;
    cw_run_staging_fill(&cw_stream_vendor);
#define HOOK(name) table->name = cw_stream_hook_##name;
    CW_STREAM_HOOKS(HOOK)
#undef HOOK
    cw_stream_object_free[CW_STREAM_CONTEXT] = cw_stream_seat_free_context;
    cw_stream_object_free[CW_STREAM_MEMORY] = cw_stream_seat_free_memory;
    cw_stream_object_free[CW_STREAM_QUEUE] = cw_stream_queue_free;
    cw_stream_object_free[CW_STREAM_EVENT] = cw_stream_event_free;
    cw_stream_object_free[CW_STREAM_PROGRAM] = cw_stream_kernel_free_program;
    cw_stream_object_free[CW_STREAM_KERNEL] = cw_stream_kernel_free;
}

bool cw_stream_start_context(cl_context context, const struct cw_context_devices *devices)
{
    struct cw_stream_context *c =
        cw_stream_settings_take(devices)
            ? cw_stream_object_create(context, CW_STREAM_CONTEXT, sizeof(struct cw_stream_context))
            : NULL;

    if (!c)
        return false;
    cw_stream_ways_load();
    cw_stream_queue_context(c, true);
    c->seated = devices->homes > 1 && cw_stream_settings_seats(devices);
    c->renames = devices->homes == 1 && cw_stream_settings.renames;
    return true;
}

static void close_queue(void *object, void *unused)
{
    (void)unused;
    cw_stream_close_for_good(object);
}

void cw_stream_start_unseen(void)
{
    cw_stream_settings.off = true;
    if (cw_stream_object_any())
        cw_stream_object_each(CW_STREAM_QUEUE, close_queue, NULL);
}

void cw_stream_start_after_fork(void)
{
    cw_stream_settings.off = true;
    cw_known_binaries_after_fork();
    cw_stream_object_forget_all();
}

/* The spans side by side, and what they gained, as far as it is measured. */
static int describe_gain(char *text, unsigned size)
{
    const struct cw_stream_counts *c = &cw_stream_counts;
    double bare = (double)c->bare_ns / 1e6, beside = (double)c->beside_ns / 1e6;

    if (!c->fanned)
        return snprintf(text, size, "run: streams: no span of %llu gains side by side\n",
                        (unsigned long long)c->spans);
    if (!c->beside_ns)
        return snprintf(text, size, "run: streams: %llu of %llu spans side by side, gain not measured yet\n",
                        (unsigned long long)c->fanned, (unsigned long long)c->spans);
    return snprintf(text, size,
                    "run: streams: %llu of %llu spans side by side, %.1fx measured (%.1f -> %.1f ms where "
                    "both ways are known)\n",
                    (unsigned long long)c->fanned, (unsigned long long)c->spans, bare / beside, bare, beside);
}

int cw_stream_start_describe(char *text, unsigned size)
{
    const struct cw_stream_counts *c = &cw_stream_counts;
    int used;

    if (!c->queues)
        return 0;
    used = snprintf(text, size,
                    "run: streams: %llu commands of %u queues, %llu beside the first stream, at most %u "
                    "streams for a queue; %llu waits of one for another, %llu commands that closed them\n",
                    (unsigned long long)c->commands, c->queues, (unsigned long long)c->beside_first,
                    c->most ? c->most : 1, (unsigned long long)c->waits, (unsigned long long)c->closed);
    if (c->spans)
        used += describe_gain(text + used, size - (unsigned)used);
    if (c->left)
        used += snprintf(text + used, size - (unsigned)used,
                         "run: streams: %u of %u queues left streams for good, as they gained nothing\n",
                         c->left, c->queues);
    used += cw_stream_seat_describe(text + used, size - (unsigned)used);
    used += cw_stream_version_describe(text + used, size - (unsigned)used);
    return used;
}

/* Why streams gain nothing, for the last line: by most of its launches. */
static int say_why(char *text, unsigned size)
{
    const struct cw_stream_counts *c = &cw_stream_counts;
    unsigned long long all = c->launches, filling = c->filling, unseen = c->unseen;

    if (!all)
        return snprintf(text, size, "its %llu commands are transfers", (unsigned long long)c->commands);
    if (2 * filling >= all)
        return snprintf(text, size, "%.0f %% of %llu launches looked at fill the device",
                        100.0 * (double)filling / (double)all, all);
    if (2 * unseen >= all)
        return snprintf(text, size, "%.0f %% of %llu launches looked at do not show the bytes they touch",
                        100.0 * (double)unseen / (double)all, all);
    return snprintf(text, size,
                    "each of %llu launches looked at waits for the one before it, or for the host", all);
}

int cw_stream_start_verdict(char *text, unsigned size)
{
    const struct cw_stream_counts *c = &cw_stream_counts;
    char staging[160], why[120];
    int staged = cw_run_staging_count_verdict(staging, sizeof staging);

    if (!c->commands)
        return cw_stream_settings.wanted && !cw_run_staging_crew_threads()
                   ? snprintf(text, size,
                              "clweave: nothing done: run leaves this GPU to its vendor with --set "
                              "streams=off and "
                              "--set staging=off\n")
                   : 0;
    if (!staged)
        staging[0] = '\0';
    if (c->fanned && c->beside_ns)
        snprintf(why, sizeof why, "streams %.1fx (%llu of %llu spans side by side)",
                 (double)c->bare_ns / (double)c->beside_ns, (unsigned long long)c->fanned,
                 (unsigned long long)c->spans);
    else if (c->fanned)
        snprintf(why, sizeof why, "streams, gain not measured yet (%llu of %llu spans side by side)",
                 (unsigned long long)c->fanned, (unsigned long long)c->spans);
    else
        say_why(why, sizeof why);
    return snprintf(text, size, "clweave: %s%s%s%s\n", staging,
                    staged && c->fanned ? "; "
                    : c->fanned         ? ""
                    : staged            ? "; nothing else to gain: "
                                        : "nothing to gain: ",
                    why, cw_run_gpu_begin_next() ? "; idle GPUs are offered to the next run" : "");
}
