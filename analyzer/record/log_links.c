/* log_links.c - the order of a log's commands, and references to them by sequence number. */
#include <stdlib.h>

#include "log_read_state.h"

#define EXEC_STATUS_ERROR_IN_WAIT_LIST (-14) /* CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST */

/* ---- order */

struct key {
    uint64_t seq;
    uint32_t index;
};

static int by_seq(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    return (x->seq > y->seq) - (x->seq < y->seq);
}

/* Puts commands in order of sequence; nothing to do for programs that enqueue from one thread. */
static enum cw_status order_commands(struct cw_log_reader *r)
{
    struct cw_command *v = r->t->commands.v, first;
    size_t n = r->t->commands.count, i, at, from;
    struct key *keys;

    for (i = 1; i < n && v[i - 1].sequence < v[i].sequence; i++)
        ;
    if (i >= n)
        return CW_OK;
    keys = malloc(n * sizeof *keys);
    if (!keys)
        return cw_log_nomem(r);
    for (i = 0; i < n; i++)
        keys[i] = (struct key){v[i].sequence, (uint32_t)i};
    qsort(keys, n, sizeof *keys, by_seq);
    for (i = 0; i < n;
         i++) { /* follow each circle of the permutation once; an index that is done names itself */
        if (keys[i].index == i)
            continue;
        first = v[i];
        for (at = i; (from = keys[at].index) != i; at = from) {
            v[at] = v[from];
            keys[at].index = (uint32_t)at;
        }
        v[at] = first;
        keys[at].index = (uint32_t)at;
    }
    free(keys);
    return CW_OK;
}

/* How many commands have lower sequence numbers. */
static uint32_t commands_before(const struct cw_trace *t, uint64_t seq)
{
    size_t low = 0, high = t->commands.count, middle;

    while (low < high) {
        middle = low + (high - low) / 2;
        if (t->commands.v[middle].sequence < seq)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

/* The command with this sequence number, CW_NONE if the log has none. */
static uint32_t command_of(const struct cw_trace *t, uint64_t seq)
{
    uint32_t id = commands_before(t, seq);

    return id < t->commands.count && t->commands.v[id].sequence == seq ? id : CW_NONE;
}

static void link_lives(struct cw_log_reader *r)
{
    for (size_t i = 0; i < r->lives.count; i++) {
        const struct cw_log_life *l = &r->lives.v[i];
        if (l->kind != CW_LOG_O_MEMORY)
            continue;
        uint32_t id = cw_log_resolve(r, CW_LOG_O_MEMORY, (uint64_t)l->id + 1);
        struct cw_t_memory *m = id < r->t->memory.count ? &r->t->memory.v[id] : NULL;

        if (m && m->host_ptr)
            *(l->released ? &m->released : &m->made) = commands_before(r->t, l->seq);
    }
}

/* ---- objects that the program kept, or used behind their release */

#define KEEP_ALL(array)                                                                                      \
    for (size_t i_ = 0; i_ < (array)->count; i_++)                                                           \
    (array)->v[i_].unreleased = true

static void link_unreleased(struct cw_log_reader *r)
{
    struct cw_trace *t = r->t;

    if (!r->ended)
        return;
    KEEP_ALL(&t->contexts);
    KEEP_ALL(&t->queues);
    KEEP_ALL(&t->memory);
    KEEP_ALL(&t->samplers);
    KEEP_ALL(&t->programs);
    KEEP_ALL(&t->kernels);
    for (size_t i = 0; i < r->lives.count; i++) {
        const struct cw_log_life *l = &r->lives.v[i];
        uint32_t id =
            l->released ? cw_log_resolve(r, (enum cw_log_object)l->kind, (uint64_t)l->id + 1) : CW_NONE;
        bool *unreleased = id == CW_NONE                 ? NULL
                           : l->kind == CW_LOG_O_CONTEXT ? &t->contexts.v[id].unreleased
                           : l->kind == CW_LOG_O_QUEUE   ? &t->queues.v[id].unreleased
                           : l->kind == CW_LOG_O_MEMORY  ? &t->memory.v[id].unreleased
                           : l->kind == CW_LOG_O_SAMPLER ? &t->samplers.v[id].unreleased
                           : l->kind == CW_LOG_O_PROGRAM ? &t->programs.v[id].unreleased
                           : l->kind == CW_LOG_O_KERNEL  ? &t->kernels.v[id].unreleased
                                                         : NULL;
        if (unreleased)
            *unreleased = false;
    }
    for (size_t i = 0; i < r->unreleased.count; i++) {
        uint32_t id = command_of(t, r->unreleased.v[i]);
        if (id != CW_NONE)
            t->commands.v[id].event_unreleased = true;
    }
}

static void link_stale(struct cw_log_reader *r)
{
    for (size_t i = 0; i < r->stale.count; i++) {
        struct cw_t_stale *x = &r->t->stale.v[i];
        if (r->stale.v[i].event)
            x->event = command_of(r->t, r->stale.v[i].event - 1);
        if (r->stale.v[i].command)
            x->command = command_of(r->t, r->stale.v[i].command - 1);
    }
}

/* An allocation that lives at the command has the byte at `address`; another one may have had it before. */
static bool is_in_allocation(const struct cw_trace *t, uint32_t command, uint64_t address)
{
    for (size_t i = 0; i < t->memory.count; i++) {
        const struct cw_t_memory *m = &t->memory.v[i];
        if (m->kind == CW_MEM_SVM && address >= m->host_ptr && address - m->host_ptr < m->size &&
            m->made <= command && (m->unreleased || command < m->released))
            return true;
    }
    return false;
}

/* Launches whose arguments the program had released before: kernels do not keep them. Once per object. */
static enum cw_status find_stale_arguments(struct cw_log_reader *r)
{
    struct cw_trace *t = r->t;
    bool found;
    uint64_t *over = calloc(t->memory.count + 1, sizeof *over); /* sequence number + 1 of the release */
    uint32_t *site = calloc(t->memory.count + 1, sizeof *site);

    for (size_t i = 0; over && site && i < r->lives.count; i++) {
        const struct cw_log_life *l = &r->lives.v[i];
        uint32_t id = l->released && l->kind == CW_LOG_O_MEMORY
                          ? cw_log_resolve(r, CW_LOG_O_MEMORY, (uint64_t)l->id + 1)
                          : CW_NONE;
        if (id == CW_NONE)
            continue;
        over[id] = l->seq + 1;
        site[id] = l->site;
    }
    for (uint32_t c = 0; over && site && c < t->commands.count; c++) {
        const struct cw_command *k = &t->commands.v[c];
        for (uint32_t i = 0; i < k->args.count; i++) {
            const struct cw_t_arg *a = &t->args.v[k->args.first + i];
            struct cw_t_stale *x;
            if ((a->kind != CW_ARG_MEMORY && a->kind != CW_ARG_SVM) || a->memory >= t->memory.count ||
                !over[a->memory] || over[a->memory] > k->sequence ||
                (a->kind == CW_ARG_SVM && is_in_allocation(t, c, a->value)))
                continue;
            over[a->memory] = 0;
            x = cw_trace_push(&t->stale, 1);
            if (!x)
                continue;
            *x = cw_log_stale_of(a->memory, c, k->thread);
            x->released = cw_log_callsite(r, site[a->memory]);
        }
    }
    found = over && site;
    free(over);
    free(site);
    return found ? CW_OK : cw_log_nomem(r);
}

/* ---- user events */

static int by_event(const void *a, const void *b)
{
    const struct cw_log_user *x = a, *y = b;

    if (x->event_seq != y->event_seq)
        return x->event_seq < y->event_seq ? -1 : 1;
    return (x->set_seq > y->set_seq) - (x->set_seq < y->set_seq);
}

/* The first setting of a user event; NULL when it was never set. */
static struct cw_log_user *user_of(const struct cw_log_reader *r, uint64_t event_seq)
{
    size_t low = 0, high = r->users.count, middle;

    while (low < high) {
        middle = low + (high - low) / 2;
        if (r->users.v[middle].event_seq < event_seq)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->users.count && r->users.v[low].event_seq == event_seq ? &r->users.v[low] : NULL;
}

static int by_setting(const void *a, const void *b)
{
    const struct cw_log_user *x = a, *y = b;

    return (x->set_seq > y->set_seq) - (x->set_seq < y->set_seq);
}

/* Appends to r->users the user events that are waited for and were never set, once each, in the order of
 * their first waits; set_seq is the number of that wait. */
static enum cw_status find_unset(struct cw_log_reader *r)
{
    size_t known = r->users.count, stay = known;
    struct cw_log_user *u;

    for (size_t i = 0; i < r->waits.count; i++) {
        r->users.count = known; /* of those user_of() looks among */
        if (r->waits.v[i].how != CW_LOG_WAIT_USER || user_of(r, r->waits.v[i].seq))
            continue;
        r->users.count = stay;
        u = cw_trace_push(&r->users, 1);
        if (!u)
            return cw_log_nomem(r);
        *u = (struct cw_log_user){r->waits.v[i].seq, i};
        stay = r->users.count;
    }
    r->users.count = stay;
    if (stay == known)
        return CW_OK;
    qsort(&r->users.v[known], stay - known, sizeof *u, by_event);
    stay = known;
    for (size_t i = known; i < r->users.count; i++)
        if (stay == known || r->users.v[stay - 1].event_seq != r->users.v[i].event_seq)
            r->users.v[stay++] = r->users.v[i];
    r->users.count = stay;
    qsort(&r->users.v[known], stay - known, sizeof *u, by_setting);
    return CW_OK;
}

/* A pseudo-command at the end for each user event that is waited for and was never set. */
static enum cw_status add_unset(struct cw_log_reader *r)
{
    size_t known = r->users.count;
    struct cw_trace *t = r->t;
    uint64_t last = t->commands.count ? t->commands.v[t->commands.count - 1].sequence : 0;
    enum cw_status st = CW_OK;

    if (known)
        qsort(r->users.v, known, sizeof *r->users.v, by_event);
    if (t->process.dropped_commands) /* it may have been set in what is gone */
        return CW_OK;
    st = find_unset(r);
    for (size_t i = known; st == CW_OK && i < r->users.count; i++) {
        struct cw_command *cmd = cw_trace_push_spilled(&t->commands, 1);

        if (!cmd)
            return cw_log_nomem(r);
        cmd->type = CW_HOST_USER_EVENT;
        cmd->queue = cmd->kernel = cmd->transfer = cmd->device = CW_NONE;
        cmd->exec_status = 1;
        cmd->sequence = ++last;
        r->users.v[i].set_seq = cmd->sequence;
    }
    if (r->users.count > known)
        qsort(r->users.v, r->users.count, sizeof *r->users.v, by_event);
    return st;
}

/* ---- links */

static enum cw_status link_waits(struct cw_log_reader *r)
{
    struct cw_trace *t = r->t;
    struct cw_log_user *u;
    uint32_t *to = cw_trace_push_spilled(&t->waits, r->waits.count);
    size_t i;

    if (r->waits.count && !to)
        return cw_log_nomem(r);
    for (i = 0; i < r->waits.count; i++) {
        u = r->waits.v[i].how == CW_LOG_WAIT_USER ? user_of(r, r->waits.v[i].seq) : NULL;
        if (r->waits.v[i].how == CW_LOG_WAIT_COMMAND)
            to[i] = command_of(t, r->waits.v[i].seq);
        else
            to[i] = u ? command_of(t, u->set_seq) : CW_NONE;
    }
    return CW_OK;
}

static void link_maps(struct cw_log_reader *r)
{
    size_t i;

    for (i = 0; i < r->t->transfers.count; i++)
        if (r->map_seqs.v[i])
            r->t->transfers.v[i].map_command = command_of(r->t, r->map_seqs.v[i] - 1);
}

static void link_times(struct cw_log_reader *r, bool ran)
{
    struct cw_command *cmd;
    uint32_t id;
    size_t i;

    for (i = 0; i < r->times.count; i++) {
        id = command_of(r->t, r->times.v[i].seq);
        if (id == CW_NONE || r->times.v[i].ran != ran)
            continue;
        cmd = &r->t->commands.v[id];
        cmd->exec_status = r->times.v[i].exec_status;
        cmd->queued_ns = r->times.v[i].at[0];
        cmd->submit_ns = r->times.v[i].at[1];
        cmd->start_ns = r->times.v[i].at[2];
        cmd->end_ns = r->times.v[i].at[3];
        cmd->device = r->times.v[i].device;
    }
}

static void link_went(struct cw_log_reader *r)
{
    for (size_t i = 0; i < r->went.count; i++) {
        const struct cw_log_went *w = &r->went.v[i];
        uint32_t id = command_of(r->t, w->seq);
        struct cw_command *cmd = id == CW_NONE ? NULL : &r->t->commands.v[id];

        if (cmd && w->stream)
            cmd->stream = w->stream;
        if (cmd && w->staged && cmd->transfer != CW_NONE)
            r->t->transfers.v[cmd->transfer].staged_bytes = w->staged;
    }
}

static void link_whole(struct cw_log_reader *r)
{
    for (size_t i = 0; i < r->whole.count; i++) {
        uint32_t id = command_of(r->t, r->whole.v[i].seq);

        if (id != CW_NONE)
            r->t->commands.v[id].whole = r->whole.v[i].why;
    }
}

/* Parts of commands that the log has lost go. Returns how many are left. */
static size_t link_parts(const struct cw_trace *t, struct cw_t_part *part, const uint64_t *seq, size_t count)
{
    size_t stay = 0;

    for (size_t i = 0; i < count; i++) {
        part[i].command = command_of(t, seq[i]);
        if (part[i].command != CW_NONE)
            part[stay++] = part[i];
    }
    return stay;
}

static void link_moves(struct cw_log_reader *r)
{
    for (size_t i = 0; i < r->t->moves.count; i++)
        if (r->move_seqs.v[i])
            r->t->moves.v[i].command = command_of(r->t, r->move_seqs.v[i] - 1);
}

static int by_begin(const void *a, const void *b)
{
    const struct cw_t_call *x = a, *y = b;

    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static int by_order(const void *a, const void *b)
{
    const struct cw_log_data *x = a, *y = b;

    return (x->order > y->order) - (x->order < y->order);
}

static void link_data(struct cw_log_reader *r)
{
    uint32_t id;
    size_t i;

    if (r->data.count)
        qsort(r->data.v, r->data.count, sizeof *r->data.v, by_order);

    for (i = 0; i < r->data.count; i++) {
        id = command_of(r->t, r->data.v[i].seq);
        if (id != CW_NONE && r->t->commands.v[id].transfer != CW_NONE)
            r->t->transfers.v[r->t->commands.v[id].transfer].data = r->data.v[i].blob;
    }
}

/* Links the host's observations of commands: a poll's answer, the end of a successful wait or of a blocking
 * call. */
static void link_seen(struct cw_trace *t)
{
    struct cw_command *cmd;
    uint32_t i, id;
    size_t c;

    for (c = 0; c < t->commands.count; c++) {
        cmd = &t->commands.v[c];
        if (cmd->blocking && !cmd->status)
            cmd->exec_status = 0;
        if ((cmd->type != CW_HOST_POLL && (cmd->type != CW_HOST_WAIT || cmd->exec_status)) || cmd->status)
            continue;
        for (i = 0; i < cmd->wait_list.count; i++) {
            id = t->waits.v[cmd->wait_list.first + i];
            if (id != CW_NONE && t->commands.v[id].exec_status == 1)
                t->commands.v[id].exec_status = cmd->type == CW_HOST_POLL ? cmd->exec_status : 0;
        }
    }
}

/* A command that waits for a failed one is terminated (OpenCL 3.0, section 5.11). It waits for earlier
 * commands, and for user events, whose status rests on nothing else. */
static void spread_failures(struct cw_trace *t)
{
    for (size_t c = 0; c < t->commands.count; c++) {
        struct cw_command *cmd = &t->commands.v[c];

        if (!cw_trace_command_is_enqueue(cmd) || cmd->status || cmd->exec_status < 0)
            continue;
        for (uint32_t i = 0; i < cmd->wait_list.count; i++) {
            uint32_t id = t->waits.v[cmd->wait_list.first + i];

            if (id != CW_NONE && t->commands.v[id].exec_status < 0)
                cmd->exec_status = EXEC_STATUS_ERROR_IN_WAIT_LIST;
        }
    }
}

enum cw_status cw_log_link(struct cw_log_reader *r)
{
    enum cw_status st = order_commands(r);

    if (st == CW_OK)
        st = add_unset(r);
    if (st == CW_OK)
        st = link_waits(r);
    if (st != CW_OK)
        return st;
    link_maps(r);
    link_times(r, false);
    link_times(r, true);
    link_went(r);
    link_whole(r);
    r->t->parts.count = link_parts(r->t, r->t->parts.v, r->part_seqs.v, r->t->parts.count);
    r->t->plans.count = link_parts(r->t, r->t->plans.v, r->plan_seqs.v, r->t->plans.count);
    link_moves(r);
    if (r->t->calls.count)
        qsort(r->t->calls.v, r->t->calls.count, sizeof *r->t->calls.v, by_begin);
    link_lives(r);
    link_unreleased(r);
    link_stale(r);
    st = find_stale_arguments(r);
    link_data(r);
    link_seen(r->t);
    spread_failures(r->t);
    return st;
}
