/* stream_start.c - see streams/stream_start.h. */
#include "stream_start.h"

#include <stdio.h>

#include "../staging/staging.h"
#include "stream_enqueue.h"
#include "stream_hooks.h"
#include "stream_kernel.h"

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
    cw_stream_object_free[CW_STREAM_QUEUE] = cw_stream_queue_free;
    cw_stream_object_free[CW_STREAM_EVENT] = cw_stream_event_free;
    cw_stream_object_free[CW_STREAM_PROGRAM] = cw_stream_kernel_free_program;
    cw_stream_object_free[CW_STREAM_KERNEL] = cw_stream_kernel_free;
}

bool cw_stream_start_context(cl_context context, const struct cw_context_devices *devices)
{
    return cw_stream_settings_take(devices) &&
           cw_stream_object_create(context, CW_STREAM_CONTEXT, sizeof(struct cw_stream_context));
}

static void close_queue(void *object)
{
    cw_stream_close_for_good(object);
}

void cw_stream_start_unseen(void)
{
    cw_stream_settings.off = true;
    if (cw_stream_object_any())
        cw_stream_object_each(CW_STREAM_QUEUE, close_queue);
}

void cw_stream_start_after_fork(void)
{
    cw_stream_settings.off = true;
    cw_stream_object_forget_all();
}

int cw_stream_start_describe(char *text, unsigned size)
{
    const struct cw_stream_counts *c = &cw_stream_counts;

    if (!c->queues)
        return 0;
    return snprintf(text, size,
                    "run: streams: %u queues, %u streams at most, %llu commands, %llu beside stream 0, %llu "
                    "waits, %llu closed\n",
                    c->queues, c->most ? c->most : 1, (unsigned long long)c->commands,
                    (unsigned long long)c->aside, (unsigned long long)c->waits,
                    (unsigned long long)c->closed);
}
