/* objects.c - the kinds of records, and the workers, as core/ and tasks/ know them. */
#include "objects.h"

#include "../core/record.h"
#include "context.h"
#include "event.h"
#include "kernel.h"
#include "memory.h"
#include "program.h"
#include "queue.h"

static const struct cw_run_object_ops objects[] = {
    [CW_RUN_CONTEXT] = {sizeof(struct cw_run_context), CW_RUN_DROP_CONTEXT, .free = cw_run_context_free},
    [CW_RUN_QUEUE] = {sizeof(struct cw_run_queue), CW_RUN_DROP_QUEUE, .free = cw_run_queue_free},
    [CW_RUN_MEMORY] = {sizeof(struct cw_run_memory), CW_RUN_DROP_MEMORY, .free = cw_run_memory_free},
    [CW_RUN_PROGRAM] = {sizeof(struct cw_run_program), CW_RUN_DROP_PROGRAM, .free = cw_run_program_free,
                        .kept_back = cw_run_program_left},
    [CW_RUN_KERNEL] = {sizeof(struct cw_run_kernel), CW_RUN_DROP_KERNEL, .free = cw_run_kernel_free},
    [CW_RUN_EVENT] = {sizeof(struct cw_run_event), CW_RUN_DROP_EVENT, .free = cw_run_event_free},
    [CW_RUN_SAMPLER] = {sizeof(struct cw_run_sampler), CW_RUN_DROP_SAMPLER},
    [CW_RUN_OPAQUE] = {sizeof(struct cw_run_opaque), CW_RUN_DROP_MEMORY},
};

void cw_run_objects_start(void)
{
    cw_run_record_ops = objects;
}
