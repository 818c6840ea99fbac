/* execute_address.c - kernels that keep addresses of buffers in memory: in a re-run those are others.
 * Memory that may hold addresses is not compared: what kernels write that hand addresses on, and what others
 * make of it. (A kernel that follows an address is taken to do only that with it.) A trace whose program may
 * have handed one on itself is refused: what was captured would lead to memory of the traced process. */
#include "execute_state.h"

#include <stdlib.h>


static bool reads_address(const struct cw_exec *x, const struct cw_command *c)
{
    for (uint32_t i = 0; i < c->accesses.count; i++) {
        const struct cw_t_access *a = &x->t->accesses.v[c->accesses.first + i];
        if (a->mode & CW_ACCESS_READ && cw_execute_address_is_held(x, a->memory))
            return true;
    }
    return false;
}

/* Marks the memory that the command writes, with all buffers of its context where it may write any. True:
 * some was not marked. */
static bool mark_written(struct cw_exec *x, const struct cw_command *c)
{
    const struct cw_trace *t = x->t;
    uint32_t context =
        c->elsewhere && c->addresses && c->queue < t->queues.count ? t->queues.v[c->queue].context : CW_NONE;
    bool more = false;

    for (uint32_t i = 0; i < c->accesses.count; i++) {
        const struct cw_t_access *a = &t->accesses.v[c->accesses.first + i];
        uint32_t root = cw_trace_memory_root(t, a->memory, NULL);
        if (!(a->mode & CW_ACCESS_WRITE) || root >= t->memory.count || x->memory[root].addresses)
            continue;
        more = x->memory[root].addresses = true;
    }
    for (size_t i = 0; context != CW_NONE && i < t->memory.count; i++) {
        if (t->memory.v[i].context != context || x->memory[i].addresses)
            continue;
        more = x->memory[i].addresses = true;
    }
    return more;
}

bool cw_execute_address_is_held(const struct cw_exec *x, uint32_t memory)
{
    uint32_t root = memory < x->t->memory.count ? cw_trace_memory_root(x->t, memory, NULL) : CW_NONE;

    return root < x->t->memory.count && x->memory[root].addresses;
}

/* Reads and maps of memory that may hold addresses, before the last command that may follow one. */
static enum cw_status check_readers(const struct cw_exec *x, size_t end, struct cw_error *err)
{
    char text[120];

    for (size_t i = 0; i < end; i++) {
        const struct cw_execute_operation *op = cw_execute_operation_find(x->t->commands.v[i].type);
        if (x->runs[i] && op && op->returns &&
            cw_execute_address_is_held(x, cw_execute_part_of(x->t, (uint32_t)i).memory))
            return cw_error_set(err, CW_ERR_UNSUPPORTED,
                                "%s: the program may read addresses of buffers there, which are others in "
                                "another run, and hand them to later commands",
                                cw_execute_command_text(x->t, (uint32_t)i, text, sizeof text));
    }
    return CW_OK;
}

enum cw_status cw_execute_address_init(struct cw_exec *x, struct cw_error *err)
{
    const struct cw_trace *t = x->t;
    size_t end = 0;
    bool more = true;

    while (more) {
        more = false;
        for (size_t i = 0; i < t->commands.count; i++) {
            const struct cw_command *c = &t->commands.v[i];
            if (x->runs[i] && (c->addresses || (!c->elsewhere && reads_address(x, c))))
                more |= mark_written(x, c);
        }
    }
    for (size_t i = 0; i < t->commands.count; i++)
        if (x->runs[i] && t->commands.v[i].elsewhere)
            end = i + 1;
    return end && t->process.sliced ? cw_error_set(err, CW_ERR_UNSUPPORTED, CW_EXECUTE_NO_PART)
                                    : check_readers(x, end, err);
}
