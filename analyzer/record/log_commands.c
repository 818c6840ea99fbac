/* log_commands.c - commands of a log, one record at a time, in a thread's order. */
#include <stdlib.h>

#include "log_read_state.h"

/* ---- members of all commands */

static enum cw_status read_waits(struct cw_log_reader *r, struct cw_log_record *rec, struct cw_slice *slice)
{
    struct cw_cursor *c = &rec->body;
    uint32_t n = cw_cursor_count(c), i;
    struct cw_log_wait_ref *w = cw_trace_push_spilled(&r->waits, n);

    if (n && !w)
        return cw_log_nomem(r);
    *slice = (struct cw_slice){(uint32_t)(r->waits.count - n), n};
    for (i = 0; i < n; i++) {
        uint64_t item = cw_cursor_u(c);

        w[i].how = (uint32_t)(item & 3);
        w[i].seq = rec->seq + (uint64_t)cw_log_unzigzag(item >> 2);
    }
    return CW_OK;
}

/* Call head and enqueue head; *out is the new command. */
static enum cw_status read_head(struct cw_log_reader *r, struct cw_log_segment *s, struct cw_log_record *rec,
                                struct cw_command **out)
{
    struct cw_cursor *c = &rec->body;
    struct cw_command *cmd;
    enum cw_status st = CW_OK;
    uint64_t flags;
    uint32_t site;

    if (r->t->commands.count >= CW_NONE - 1)
        return cw_error_set(r->err, CW_ERR_LIMIT, "%.300s: more than %u commands", r->path, CW_NONE - 2);
    cmd = cw_trace_push_spilled(&r->t->commands, 1);
    *out = cmd;
    if (!cmd)
        return cw_log_nomem(r);
    cmd->sequence = rec->seq;
    cmd->thread = s->thread;
    cmd->kernel = cmd->transfer = cmd->device = CW_NONE;
    cmd->exec_status = 1;
    cmd->call_begin_ns = s->time_ns + (uint64_t)cw_cursor_s(c);
    cmd->call_end_ns = s->time_ns = cmd->call_begin_ns + cw_cursor_u(c);
    if (cmd->call_end_ns > r->last_ns)
        r->last_ns = cmd->call_end_ns;
    flags = cw_cursor_u(c);
    if (flags & CW_LOG_E_STATUS)
        cmd->status = (int32_t)cw_cursor_s(c);
    cmd->queue = cw_log_resolve(r, CW_LOG_O_QUEUE, cw_cursor_u(c));
    if (flags & CW_LOG_E_WAIT)
        st = read_waits(r, rec, &cmd->wait_list);
    if (flags & CW_LOG_E_CALLSITE) {
        site = cw_cursor_u32(c);
        if (site < r->callsite_count)
            cmd->callsite = r->callsites[site];
    }
    cmd->has_event = flags & CW_LOG_E_EVENT;
    cmd->blocking = flags & CW_LOG_E_BLOCKING;
    cmd->unknown_access = flags & CW_LOG_E_UNKNOWN_ACCESS;
    cmd->global_size[0] = cmd->global_size[1] = cmd->global_size[2] = 1;
    cmd->local_size[0] = cmd->local_size[1] = cmd->local_size[2] = 1;
    return st;
}

/* ---- kernels */

/* Stores bytes in the trace; CW_NONE when memory is out. */
static uint32_t keep_bytes(struct cw_trace *t, const uint8_t *p, size_t n)
{
    uint8_t *to = t->bytes.count + n < CW_NONE ? cw_trace_push(&t->bytes, n) : NULL;

    if (!to)
        return CW_NONE;
    memcpy(to, p, n);
    return (uint32_t)(t->bytes.count - n);
}

static enum cw_status read_value(struct cw_log_reader *r, struct cw_cursor *c, struct cw_t_arg *a,
                                 uint32_t size)
{
    const uint8_t *p;

    a->size = size ? size : cw_cursor_u32(c);
    p = cw_cursor_bytes(c, a->size);
    if (p && a->size <= 8) {
        memcpy(&a->value, p, a->size);
    } else if (p) {
        a->blob = keep_bytes(r->t, p, a->size);
        if (a->blob == CW_NONE)
            return cw_log_nomem(r);
    }
    return CW_OK;
}

static enum cw_status read_arg(struct cw_log_reader *r, struct cw_cursor *c, struct cw_log_kernel_state *k)
{
    uint32_t index = cw_cursor_u32(c), code = cw_cursor_u32(c), i;
    struct cw_t_arg *a, *grown;

    if (index >= CW_LOG_MAX_KERNEL_ARGS || (code & 15) > CW_ARG_QUEUE || code >> 4 > 8)
        c->bad = true;
    if (c->bad)
        return CW_OK;
    if (index >= k->count) {
        grown = realloc(k->args, (index + 1) * sizeof *grown);
        if (!grown)
            return cw_log_nomem(r);
        for (i = k->count; i <= index; i++)
            grown[i] = (struct cw_t_arg){.command_index = i, .memory = CW_NONE, .blob = CW_NONE};
        k->args = grown;
        k->count = index + 1;
    }
    a = &k->args[index];
    *a = (struct cw_t_arg){
        .command_index = index, .kind = code & 15, .memory = CW_NONE, .size = 8, .blob = CW_NONE};
    switch (a->kind) {
    case CW_ARG_VALUE:
        return read_value(r, c, a, code >> 4);
    case CW_ARG_LOCAL:
        a->size = cw_cursor_u32(c);
        break;
    case CW_ARG_SVM: {
        const uint8_t *p = cw_cursor_bytes(c, 8);

        if (p)
            memcpy(&a->value, p, 8);
        a->memory = cw_log_resolve(r, CW_LOG_O_MEMORY, cw_cursor_u(c));
        break;
    }
    case CW_ARG_MEMORY:
        a->memory = cw_log_resolve(r, CW_LOG_O_MEMORY, cw_cursor_u(c));
        break;
    case CW_ARG_SAMPLER:
        a->memory = cw_log_resolve(r, CW_LOG_O_SAMPLER, cw_cursor_u(c));
        break;
    case CW_ARG_QUEUE:
        a->memory = cw_log_resolve(r, CW_LOG_O_QUEUE, cw_cursor_u(c));
        break;
    default:
        break;
    }
    return CW_OK;
}

static void read_range(struct cw_cursor *c, struct cw_log_kernel_state *k, uint64_t flags)
{
    uint64_t dims = cw_cursor_u(c), i;

    if (dims > 3)
        c->bad = true;
    k->dims = c->bad ? 0 : (uint8_t)dims;
    k->local_null = flags & CW_LOG_K_LOCAL_NULL;
    for (i = 0; i < 9; i++)
        k->range[i] = i < 6;
    for (i = 0; i < k->dims; i++)
        k->range[i] = cw_cursor_u(c);
    for (i = 0; i < k->dims && !k->local_null; i++)
        k->range[3 + i] = cw_cursor_u(c);
    for (i = 0; i < k->dims && flags & CW_LOG_K_OFFSET; i++)
        k->range[6 + i] = cw_cursor_u(c);
}

/* Copies the current arguments into the trace, unless the last copy still holds. */
static enum cw_status keep_args(struct cw_log_reader *r, struct cw_log_kernel_state *k)
{
    struct cw_t_arg *to;

    if (!k->dirty)
        return CW_OK;
    to = r->t->args.count + k->count < CW_NONE ? cw_trace_push_spilled(&r->t->args, k->count) : NULL;
    if (k->count && !to)
        return cw_log_nomem(r);
    if (k->count)
        memcpy(to, k->args, k->count * sizeof *to);
    k->slice = (struct cw_slice){(uint32_t)(r->t->args.count - k->count), k->count};
    k->dirty = false;
    return CW_OK;
}

/* Forgets all arguments: as many unset ones as the kernel has. */
static enum cw_status reset_args(struct cw_log_reader *r, struct cw_log_kernel_state *k, uint32_t kernel)
{
    uint32_t n = kernel == CW_NONE ? 0 : r->t->kernels.v[kernel].num_args, i;

    free(k->args);
    k->args = malloc((n + 1) * sizeof *k->args);
    k->count = k->args ? n : 0;
    for (i = 0; i < k->count; i++)
        k->args[i] = (struct cw_t_arg){.command_index = i, .memory = CW_NONE, .blob = CW_NONE};
    k->dirty = true;
    return k->args ? CW_OK : cw_log_nomem(r);
}

static enum cw_status read_kernel_command(struct cw_log_reader *r, struct cw_log_record *rec,
                                          struct cw_command *cmd)
{
    struct cw_cursor *c = &rec->body;
    struct cw_log_kernel_state later = {0}, *k;
    enum cw_status st = CW_OK;
    uint64_t flags;
    uint32_t n;

    cmd->kernel = cw_log_resolve(r, CW_LOG_O_KERNEL, cw_cursor_u(c));
    flags = cw_cursor_u(c);
    cmd->type = flags & CW_LOG_K_TASK ? 0x11F1 : 0x11F0; /* CL_COMMAND_TASK, CL_COMMAND_NDRANGE_KERNEL */
    if (!r->kernels)
        return CW_OK;
    k = flags & CW_LOG_K_NESTED || cmd->kernel == CW_NONE ? &later : &r->kernels[cmd->kernel];
    if (flags & CW_LOG_K_FULL) {
        st = reset_args(r, k, cmd->kernel);
        k->thread = cmd->thread;
        k->valid = true;
    } else if (cmd->kernel != CW_NONE && (!k->valid || k->thread != cmd->thread)) {
        return cw_log_malformed(r, rec->start, "changed arguments of a kernel that was not enqueued before");
    }
    if (st == CW_OK && !(flags & CW_LOG_K_SAME_RANGE))
        read_range(c, k, flags);
    n = cw_cursor_count(c);
    k->dirty = k->dirty || n;
    for (; st == CW_OK && n && !c->bad; n--)
        st = read_arg(r, c, k);
    if (st == CW_OK)
        st = keep_args(r, k);
    cmd->work_dim = k->dims;
    cmd->local_null = k->local_null;
    memcpy(cmd->global_size, k->range, sizeof cmd->global_size);
    memcpy(cmd->local_size, k->range + 3, sizeof cmd->local_size);
    memcpy(cmd->global_offset, k->range + 6, sizeof cmd->global_offset);
    cmd->args = k->slice;
    free(later.args);
    return st;
}

/* ---- transfers */

static void get_three(struct cw_cursor *c, uint64_t v[3])
{
    v[0] = cw_cursor_u(c);
    v[1] = cw_cursor_u(c);
    v[2] = cw_cursor_u(c);
}

static enum cw_status read_pattern(struct cw_log_reader *r, struct cw_cursor *c, struct cw_t_transfer *x)
{
    uint64_t n = cw_cursor_u(c);
    const uint8_t *p = cw_cursor_bytes(c, n);

    if (n > 128)
        c->bad = true;
    if (c->bad)
        return CW_OK;
    x->pattern_bytes = (uint8_t)n;
    x->pattern = keep_bytes(r->t, p, (size_t)n);
    return x->pattern == CW_NONE ? cw_log_nomem(r) : CW_OK;
}

static enum cw_status read_transfer(struct cw_log_reader *r, struct cw_log_record *rec,
                                    struct cw_command *cmd)
{
    struct cw_cursor *c = &rec->body;
    struct cw_t_transfer *x = cw_trace_push_spilled(&r->t->transfers, 1);
    uint64_t *map = cw_trace_push_spilled(&r->map_seqs, 1), mask = cw_cursor_u(c);
    enum cw_status st = CW_OK;

    if (!x || !map)
        return cw_log_nomem(r);
    cmd->transfer = (uint32_t)(r->t->transfers.count - 1);
    x->map_command = CW_NONE;
    x->src = cw_log_resolve(r, CW_LOG_O_MEMORY, mask & CW_LOG_T_SRC ? cw_cursor_u(c) : 0);
    x->dst = cw_log_resolve(r, CW_LOG_O_MEMORY, mask & CW_LOG_T_DST ? cw_cursor_u(c) : 0);
    x->src_offset = mask & CW_LOG_T_SRC_OFFSET ? cw_cursor_u(c) : 0;
    x->dst_offset = mask & CW_LOG_T_DST_OFFSET ? cw_cursor_u(c) : 0;
    x->bytes = mask & CW_LOG_T_BYTES ? cw_cursor_u(c) : 0;
    if (mask & CW_LOG_T_SRC_ORIGIN)
        get_three(c, x->src_origin);
    if (mask & CW_LOG_T_DST_ORIGIN)
        get_three(c, x->dst_origin);
    if (mask & CW_LOG_T_REGION)
        get_three(c, x->region);
    if (mask & CW_LOG_T_SRC_PITCH)
        x->src_row_pitch = cw_cursor_u(c), x->src_slice_pitch = cw_cursor_u(c);
    if (mask & CW_LOG_T_DST_PITCH)
        x->dst_row_pitch = cw_cursor_u(c), x->dst_slice_pitch = cw_cursor_u(c);
    x->map_flags = mask & CW_LOG_T_MAP_FLAGS ? cw_cursor_u(c) : 0;
    if (mask & CW_LOG_T_MAP_COMMAND)
        *map = rec->seq + (uint64_t)cw_cursor_s(c) + 1;
    x->host_ptr = mask & CW_LOG_T_HOST_PTR ? cw_cursor_u(c) : 0;
    if (mask & CW_LOG_T_PATTERN)
        st = read_pattern(r, c, x);
    if (mask & CW_LOG_T_DATA)
        x->data = cw_log_get_blob(c);
    return st;
}

/* ---- host pseudo-commands, and later records about commands */

static enum cw_status read_host(struct cw_log_reader *r, struct cw_log_record *rec, struct cw_command *cmd)
{
    struct cw_cursor *c = &rec->body;
    uint32_t type = CW_HOST_FINISH + cw_cursor_u32(c);
    uint64_t user = cw_cursor_u(c);
    struct cw_log_user *u;

    if (type < CW_HOST_FINISH || type > CW_HOST_POLL)
        c->bad = true;
    cmd->type = type;
    cmd->exec_status = (int32_t)cw_cursor_s(c);
    if (type != CW_HOST_USER_EVENT || !user || cmd->status)
        return CW_OK;
    u = cw_trace_push(&r->users, 1);
    if (!u)
        return cw_log_nomem(r);
    *u = (struct cw_log_user){user - 1, rec->seq};
    return CW_OK;
}

/* CW_LOG_TIMES, CW_LOG_STATUS (no times), CW_LOG_RAN (a device, too). */
static enum cw_status read_times(struct cw_log_reader *r, struct cw_log_record *rec)
{
    bool with_times = rec->kind != CW_LOG_STATUS;
    struct cw_cursor *c = &rec->body;
    struct cw_log_times *x = cw_trace_push_spilled(&r->times, 1);
    int i;

    if (!x)
        return cw_log_nomem(r);
    x->seq = rec->seq + (uint64_t)cw_cursor_s(c);
    x->exec_status = (int32_t)cw_cursor_s(c);
    for (i = 0; with_times && i < 4; i++)
        x->at[i] = i ? x->at[i - 1] + (uint64_t)cw_cursor_s(c) : cw_cursor_u(c);
    x->ran = rec->kind == CW_LOG_RAN;
    x->device = x->ran ? cw_log_resolve(r, CW_LOG_O_DEVICE, cw_cursor_u(c)) : CW_NONE;
    return CW_OK;
}

static enum cw_status read_part(struct cw_log_reader *r, struct cw_log_record *rec)
{
    struct cw_cursor *c = &rec->body;
    bool plan = rec->kind == CW_LOG_PLAN;
    struct cw_t_part *x = plan ? cw_trace_push(&r->t->plans, 1) : cw_trace_push(&r->t->parts, 1);
    uint64_t *seq = !x ? NULL : plan ? cw_trace_push(&r->plan_seqs, 1) : cw_trace_push(&r->part_seqs, 1);

    if (!seq)
        return cw_log_nomem(r);
    *seq = rec->seq + (uint64_t)cw_cursor_s(c);
    x->command = CW_NONE;
    x->device = cw_log_resolve(r, CW_LOG_O_DEVICE, cw_cursor_u(c));
    x->dim = cw_cursor_u32(c);
    x->first_group = cw_cursor_u(c);
    x->groups = cw_cursor_u(c);
    x->start_ns = cw_cursor_u(c);
    x->end_ns = x->start_ns + cw_cursor_u(c);
    if (rec->kind == CW_LOG_TILE)
        x->priority_group = cw_cursor_u32(c);
    return CW_OK;
}

static enum cw_status read_went(struct cw_log_reader *r, struct cw_log_record *rec)
{
    struct cw_log_went *x = cw_trace_push(&r->went, 1);

    if (!x)
        return cw_log_nomem(r);
    x->seq = rec->seq + (uint64_t)cw_cursor_s(&rec->body);
    x->stream = cw_cursor_u32(&rec->body);
    x->staged = cw_cursor_u(&rec->body);
    return CW_OK;
}

/* Launches have few reasons, mostly that of the one before. */
static enum cw_status read_whole(struct cw_log_reader *r, struct cw_log_record *rec)
{
    struct cw_log_whole *x = cw_trace_push(&r->whole, 1);
    const struct cw_log_whole *before = r->whole.count > 1 ? x - 1 : NULL;
    struct cw_cursor *c = &rec->body, text;
    uint32_t n;
    const uint8_t *s;

    if (!x)
        return cw_log_nomem(r);
    x->seq = rec->seq + (uint64_t)cw_cursor_s(c);
    text = *c;
    n = cw_cursor_count(&text);
    s = cw_cursor_bytes(&text, n);
    if (before && s && strlen(before->why) == n && !memcmp(before->why, s, n))
        x->why = before->why;
    else
        x->why = cw_log_string(r, c);
    return x->why ? CW_OK : cw_log_nomem(r);
}

static enum cw_status read_move(struct cw_log_reader *r, struct cw_log_record *rec)
{
    struct cw_cursor *c = &rec->body;
    struct cw_t_move *x = cw_trace_push(&r->t->moves, 1);
    uint64_t *seq = x ? cw_trace_push(&r->move_seqs, 1) : NULL;

    if (!seq)
        return cw_log_nomem(r);
    *seq = cw_cursor_u(c);
    x->command = CW_NONE;
    x->memory = cw_log_resolve(r, CW_LOG_O_MEMORY, cw_cursor_u(c));
    x->why = (uint8_t)(cw_cursor_u(c) % CW_MOVE_KINDS);
    x->from = cw_log_resolve(r, CW_LOG_O_DEVICE, cw_cursor_u(c));
    x->to = cw_log_resolve(r, CW_LOG_O_DEVICE, cw_cursor_u(c));
    x->offset = cw_cursor_u(c);
    x->bytes = cw_cursor_u(c);
    x->start_ns = cw_cursor_u(c);
    x->end_ns = x->start_ns + cw_cursor_u(c);
    return CW_OK;
}

/* Where a call or a stale use has the object of a kind; NULL: nowhere. */
#define PLACE(x, kind)                                                                                       \
    ((kind) == CW_LOG_O_CONTEXT   ? &(x)->context                                                            \
     : (kind) == CW_LOG_O_QUEUE   ? &(x)->queue                                                              \
     : (kind) == CW_LOG_O_MEMORY  ? &(x)->memory                                                             \
     : (kind) == CW_LOG_O_SAMPLER ? &(x)->sampler                                                            \
     : (kind) == CW_LOG_O_PROGRAM ? &(x)->program                                                            \
     : (kind) == CW_LOG_O_KERNEL  ? &(x)->kernel                                                             \
                                  : NULL)

static enum cw_status read_call(struct cw_log_reader *r, struct cw_log_segment *s, struct cw_log_record *rec)
{
    struct cw_cursor *c = &rec->body;
    struct cw_t_call *x = cw_trace_push_spilled(&r->t->calls, 1);
    uint64_t function, kind, argument;
    uint32_t *place;

    if (!x)
        return cw_log_nomem(r);
    x->thread = s->thread;
    x->begin_ns = s->time_ns + (uint64_t)cw_cursor_s(c);
    x->end_ns = s->time_ns = x->begin_ns + cw_cursor_u(c);
    if (x->end_ns > r->last_ns)
        r->last_ns = x->end_ns;
    if (cw_cursor_u(c) & CW_LOG_E_STATUS)
        x->status = (int32_t)cw_cursor_s(c);
    function = cw_cursor_u(c);
    x->name = function < r->function_count && r->functions[function] ? r->functions[function] : "?";
    kind = cw_cursor_u(c);
    x->context = x->queue = x->memory = x->sampler = x->program = x->kernel = CW_NONE;
    place = PLACE(x, kind);
    if (place)
        *place = cw_log_resolve(r, (enum cw_log_object)kind, cw_cursor_u(c));
    else
        cw_cursor_u(c);
    argument = cw_cursor_u(c);
    x->argument = argument && argument <= INT32_MAX ? (int32_t)argument - 1 : -1;
    x->callsite = cw_log_callsite(r, cw_cursor_u(c));
    return CW_OK;
}

static enum cw_status read_events(struct cw_log_reader *r, struct cw_log_record *rec)
{
    struct cw_cursor *c = &rec->body;
    struct cw_t_process *p = &r->t->process;
    uint64_t *unreleased;
    uint32_t n;

    r->ended = true;
    p->user_events = cw_cursor_u(c);
    p->user_events_unreleased = cw_cursor_u(c);
    p->unused_events = cw_cursor_u(c);
    p->events_unreleased = cw_cursor_u(c);
    n = cw_cursor_count(c);
    unreleased = cw_trace_push(&r->unreleased, n);
    if (n && !unreleased)
        return cw_log_nomem(r);
    for (uint32_t i = 0; i < n; i++)
        unreleased[i] = rec->seq + (uint64_t)cw_cursor_s(c);
    return CW_OK;
}

static enum cw_status read_stale(struct cw_log_reader *r, struct cw_log_segment *s, struct cw_log_record *rec)
{
    struct cw_cursor *c = &rec->body;
    struct cw_t_stale *x = cw_trace_push(&r->t->stale, 1);
    struct cw_log_stale *refs = x ? cw_trace_push(&r->stale, 1) : NULL;
    uint64_t kind = cw_cursor_u(c), function;
    uint32_t *place;

    if (!refs)
        return cw_log_nomem(r);
    *x = cw_log_stale_of(CW_NONE, CW_NONE, s->thread);
    place = PLACE(x, kind);
    if (kind == CW_LOG_O_EVENT)
        refs->event = rec->seq + (uint64_t)cw_cursor_s(c) + 1;
    else if (place)
        *place = cw_log_resolve(r, (enum cw_log_object)kind, (uint64_t)cw_cursor_u32(c) + 1);
    else
        c->bad = true;
    refs->command = cw_cursor_u(c);
    function = cw_cursor_u(c);
    if (function && function <= r->function_count)
        x->call = r->functions[function - 1];
    x->at_ns = cw_cursor_u(c);
    x->callsite = cw_log_callsite(r, cw_log_site(c));
    x->released = cw_log_callsite(r, cw_log_site(c));
    return CW_OK;
}

static enum cw_status read_data(struct cw_log_reader *r, struct cw_log_record *rec)
{
    struct cw_log_data *x = cw_trace_push(&r->data, 1);

    if (!x)
        return cw_log_nomem(r);
    x->order = rec->seq;
    x->seq = rec->seq + (uint64_t)cw_cursor_s(&rec->body);
    x->blob = cw_log_get_blob(&rec->body);
    return CW_OK;
}

/* A record that begins a command. */
static enum cw_status read_command(struct cw_log_reader *r, struct cw_log_segment *s,
                                   struct cw_log_record *rec)
{
    struct cw_command *cmd = NULL;
    enum cw_status st = read_head(r, s, rec, &cmd);

    if (st != CW_OK)
        return st;
    switch (rec->kind) {
    case CW_LOG_KERNEL_COMMAND:
        return read_kernel_command(r, rec, cmd);
    case CW_LOG_TRANSFER:
        cmd->type = cw_cursor_u32(&rec->body);
        return read_transfer(r, rec, cmd);
    case CW_LOG_HOST:
        return read_host(r, rec, cmd);
    case CW_LOG_HOST_WRITE:
        cmd->type = CW_HOST_WRITE;
        return read_transfer(r, rec, cmd);
    default:
        cmd->type = cw_cursor_u32(&rec->body);
        return CW_OK;
    }
}

/* One that says something of commands, or of calls and objects. */
static enum cw_status read_other(struct cw_log_reader *r, struct cw_log_segment *s, struct cw_log_record *rec)
{
    switch (rec->kind) {
    case CW_LOG_TIMES:
    case CW_LOG_STATUS:
    case CW_LOG_RAN:
        return read_times(r, rec);
    case CW_LOG_PART:
    case CW_LOG_TILE:
    case CW_LOG_PLAN:
        return read_part(r, rec);
    case CW_LOG_WENT:
        return read_went(r, rec);
    case CW_LOG_WHOLE:
        return read_whole(r, rec);
    case CW_LOG_MOVE:
        return read_move(r, rec);
    case CW_LOG_CALL:
        return read_call(r, s, rec);
    case CW_LOG_EVENTS:
        return read_events(r, rec);
    case CW_LOG_STALE:
        return read_stale(r, s, rec);
    default:
        return read_data(r, rec);
    }
}

enum cw_status cw_log_read_command(struct cw_log_reader *r, struct cw_log_segment *s,
                                   struct cw_log_record *rec)
{
    enum cw_status st = rec->kind <= CW_LOG_HOST_WRITE ? read_command(r, s, rec) : read_other(r, s, rec);

    if (st == CW_OK && rec->body.bad)
        return cw_log_malformed(r, rec->start, "a command's record makes no sense");
    return st;
}
