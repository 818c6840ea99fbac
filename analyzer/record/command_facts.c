/* command_facts.c - see command_facts.h. */
#include "command_facts.h"

#include <CL/cl.h>

bool cw_command_works(const struct cw_command *c)
{
    return cw_trace_command_is_enqueue(c) && c->status == 0 && c->exec_status >= 0;
}

uint64_t cw_command_device_ns(const struct cw_command *c)
{
    return cw_command_works(c) && c->start_ns && c->end_ns > c->start_ns ? c->end_ns - c->start_ns : 0;
}

bool cw_command_lacks_time(const struct cw_command *c)
{
    return cw_command_works(c) && !(c->start_ns && c->end_ns >= c->start_ns) &&
           c->type != CL_COMMAND_MARKER && c->type != CL_COMMAND_BARRIER;
}

bool cw_command_times_exist(const struct cw_trace *t)
{
    for (size_t i = 0; i < t->commands.count; i++)
        if (cw_trace_command_is_enqueue(&t->commands.v[i]) && cw_command_device_ns(&t->commands.v[i]) > 0)
            return true;
    return false;
}

bool cw_command_is_wait(const struct cw_command *k)
{
    return k->status == 0 && (k->blocking || k->type == CW_HOST_FINISH || k->type == CW_HOST_WAIT);
}

size_t cw_command_count_waits(const struct cw_trace *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->commands.count; i++)
        n += cw_command_is_wait(&t->commands.v[i]);
    return n;
}

bool cw_command_awaits_queue(const struct cw_command *k)
{
    return k->status == 0 &&
           (k->type == CW_HOST_FINISH ||
            ((k->type == CL_COMMAND_BARRIER || k->type == CL_COMMAND_MARKER) && k->wait_list.count == 0));
}

/* Bytes that a transfer names; 0: it names none. */
static uint64_t bytes_named(const struct cw_trace *t, const struct cw_command *k)
{
    const struct cw_t_transfer *x = &t->transfers.v[k->transfer];
    uint32_t image = x->src < t->memory.count && t->memory.v[x->src].kind == CW_MEM_IMAGE ? x->src : x->dst;
    bool of_image = image < t->memory.count && t->memory.v[image].kind == CW_MEM_IMAGE;
    uint64_t element = of_image ? t->memory.v[image].element_bytes : 1;

    return x->bytes ? x->bytes : x->region[0] * x->region[1] * x->region[2] * element;
}

bool cw_command_bytes_are_exact(const struct cw_trace *t, const struct cw_command *k)
{
    uint64_t read = 0, written = 0, named;

    switch (k->type) {
    case CL_COMMAND_MAP_BUFFER: /* the program, or the vendor, touches as much of it as it likes */
    case CL_COMMAND_MAP_IMAGE:
    case CL_COMMAND_UNMAP_MEM_OBJECT:
    case CL_COMMAND_SVM_MAP:
    case CL_COMMAND_SVM_UNMAP:
    case CL_COMMAND_MIGRATE_MEM_OBJECTS:
        return k->accesses.count == 0;
    }
    if (k->transfer >= t->transfers.count || k->unknown_access)
        return k->accesses.count == 0 && !k->unknown_access;
    named = bytes_named(t, k);
    for (uint32_t n = 0; n < k->accesses.count; n++) {
        const struct cw_t_access *a = &t->accesses.v[k->accesses.first + n];
        read += a->mode & CW_ACCESS_READ ? a->bytes : 0;
        written += a->mode & CW_ACCESS_WRITE ? a->bytes : 0;
    }
    return (!read || read == named) && (!written || written == named);
}
