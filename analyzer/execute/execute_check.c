/* execute_check.c - decides, before anything runs, whether a trace can be run again, and which of its
 * commands. */
#include "execute_state.h"

#include <stdlib.h>

/* Refuses traces in which memory objects share host memory that commands write. */

enum { USED = 1, WRITTEN = 2 };

static int by_address(const void *a, const void *b)
{
    const struct cw_t_memory *x = *(const struct cw_t_memory *const *)a,
                             *y = *(const struct cw_t_memory *const *)b;

    return x->host_ptr != y->host_ptr ? (x->host_ptr > y->host_ptr) - (x->host_ptr < y->host_ptr)
                                      : (x > y) - (x < y);
}

/* Notes how commands that run use each root. The program's own writes were recorded for each object. */
static void note_uses(const struct cw_exec *x, uint8_t *uses)
{
    const struct cw_trace *t = x->t;

    for (size_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];

        for (uint32_t n = 0; x->runs[i] && n < k->accesses.count; n++) {
            const struct cw_t_access *a = &t->accesses.v[k->accesses.first + n];
            uint64_t offset;
            uint32_t root = cw_trace_memory_root(t, a->memory, &offset);

            if (root < t->memory.count)
                uses[root] |=
                    a->declared & CW_ACCESS_WRITE && k->type != CW_HOST_WRITE ? USED | WRITTEN : USED;
        }
    }
}

static bool live_together(const struct cw_t_memory *a, const struct cw_t_memory *b)
{
    return (!a->released || b->made < a->released) && (!b->released || a->made < b->released);
}

/* sorted[0 .. n): the used ones, by address. */
static enum cw_status compare(const struct cw_trace *t, const struct cw_t_memory **sorted, size_t n,
                              const uint8_t *uses, struct cw_error *err)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n && sorted[j]->host_ptr - sorted[i]->host_ptr < sorted[i]->size; j++) {
            size_t a = (size_t)(sorted[i] - t->memory.v), b = (size_t)(sorted[j] - t->memory.v);

            if (live_together(sorted[i], sorted[j]) && (uses[a] | uses[b]) & WRITTEN)
                return cw_error_set(
                    err, CW_ERR_UNSUPPORTED,
                    "memory objects %zu and %zu lie over the same host memory, and commands write there "
                    "while both live: OpenCL leaves open what comes of that",
                    a, b);
        }
    return CW_OK;
}

/* CW_ERR_UNSUPPORTED, naming both, when memory objects that commands use lie over the same
 * host memory while both live, and a command writes one of them (OpenCL 3.0, section 5.2.1: undefined). Needs
 * x->runs. */
static enum cw_status execute_overlap_check(const struct cw_exec *x, struct cw_error *err)
{
    const struct cw_trace *t = x->t;
    uint8_t *uses = calloc(t->memory.count + 1, 1);
    const struct cw_t_memory **sorted = malloc((t->memory.count + 1) * sizeof *sorted);
    enum cw_status status = CW_OK;
    size_t n = 0;

    if (uses && sorted) {
        note_uses(x, uses);
        for (size_t i = 0; i < t->memory.count; i++)
            if (uses[i] && t->memory.v[i].host_ptr && t->memory.v[i].kind != CW_MEM_SVM)
                sorted[n++] = &t->memory.v[i];
        qsort(sorted, n, sizeof *sorted, by_address);
        status = compare(t, sorted, n, uses, err);
    } else {
        status = cw_error_set(err, CW_ERR_NOMEM, "no memory for %zu memory objects", t->memory.count);
    }
    free(uses);
    free(sorted);
    return status;
}

/* The command under examination, for messages. */
struct check {
    struct cw_exec *x;
    uint32_t id;
    const struct cw_command *c;
    struct cw_error *err;
};

static enum cw_status refuse(const struct check *k, enum cw_status status, const char *why)
{
    char text[120];
    return cw_error_set(k->err, status, "%s: %s", cw_execute_command_text(k->x->t, k->id, text, sizeof text),
                        why);
}

static bool blob_fits(const struct cw_exec *x, struct cw_blob b)
{
    return b.offset <= x->data_size && b.size <= x->data_size - b.offset;
}

/* Objects whose contents cannot be recreated. */
static enum cw_status check_memory(const struct check *k, uint32_t memory)
{
    const struct cw_trace *t = k->x->t;
    const struct cw_t_memory *m;
    if (memory >= t->memory.count)
        return refuse(k, CW_ERR_FORMAT, "it uses a memory object that is not in the trace");
    m = &t->memory.v[memory];
    if (m->context >= t->contexts.count)
        return refuse(k, CW_ERR_FORMAT, "its memory object is in a context that is not in the trace");
    if (m->parent != CW_NONE && m->parent >= memory)
        return refuse(k, CW_ERR_FORMAT, "its memory object is made from a younger one");
    if (m->kind == CW_MEM_PIPE)
        return refuse(k, CW_ERR_UNSUPPORTED, "pipes cannot be run again");
    if (m->kind == CW_MEM_SVM)
        return refuse(k, CW_ERR_UNSUPPORTED, "shared virtual memory cannot be run again");
    if (m->kind == CW_MEM_IMAGE && (m->mip_levels > 1 || m->samples > 1))
        return refuse(k, CW_ERR_UNSUPPORTED, "mip-mapped and multi-sampled images cannot be run again");
    if (m->size == 0 || (m->kind == CW_MEM_IMAGE && m->element_bytes == 0))
        return refuse(k, CW_ERR_UNSUPPORTED, "the trace does not say how large its memory object is");
    return CW_OK;
}

static enum cw_status check_program(const struct check *k, uint32_t program);

/* Of compiled programs, each of them older than the program that they were linked to. */
static enum cw_status check_parts(const struct check *k, uint32_t program)
{
    const struct cw_slice parts = k->x->t->programs.v[program].inputs;
    enum cw_status status = CW_OK;

    if (!parts.count)
        return refuse(k, CW_ERR_NOTFOUND, "the trace does not say what its program was linked of");
    for (uint32_t i = 0; i < parts.count && status == CW_OK; i++) {
        uint32_t part = k->x->t->program_ids.v[parts.first + i];
        if (part >= program)
            status = refuse(k, CW_ERR_FORMAT, "its program was linked of a younger one");
        else if (k->x->t->programs.v[part].kind == CW_PROGRAM_LINKED)
            status = refuse(k, CW_ERR_UNSUPPORTED, "its program was linked of one that was linked itself");
        else
            status = check_program(k, part);
    }
    return status;
}

static enum cw_status check_program(const struct check *k, uint32_t program)
{
    const struct cw_trace *t = k->x->t;
    const struct cw_t_program *p = &t->programs.v[program];
    if (p->context >= t->contexts.count)
        return refuse(k, CW_ERR_FORMAT, "its program is in a context that is not in the trace");
    if (p->kind == CW_PROGRAM_BUILTIN)
        return refuse(k, CW_ERR_UNSUPPORTED, "built-in kernels cannot be run again");
    if (!blob_fits(k->x, p->binary) || !blob_fits(k->x, p->joined))
        return refuse(k, CW_ERR_FORMAT,
                      "its program's text lies outside the captured data, which may be truncated");
    if (p->kind == CW_PROGRAM_LINKED && !p->binary.size)
        return check_parts(k, program);
    if (!p->source && !p->binary.size)
        return refuse(
            k, CW_ERR_NOTFOUND,
            p->kind == CW_PROGRAM_SOURCE
                ? "the trace has neither source nor binary of its program; trace again without no_sources=1"
                : "the trace has neither source nor binary of its program");
    return CW_OK;
}

static enum cw_status check_arg(const struct check *k, uint32_t index)
{
    const struct cw_trace *t = k->x->t;
    const struct cw_t_arg *a = &t->args.v[k->c->args.first + index];
    if (a->command_index != index)
        return refuse(k, CW_ERR_FORMAT, "its arguments are not in order");
    switch (a->kind) {
    case CW_ARG_MEMORY:
        return a->memory == CW_NONE ? CW_OK : check_memory(k, a->memory);
    case CW_ARG_SAMPLER:
        return a->memory < t->samplers.count
                   ? CW_OK
                   : refuse(k, CW_ERR_FORMAT, "it uses a sampler that is not in the trace");
    case CW_ARG_VALUE:
        if (a->size <= sizeof a->value)
            return CW_OK;
        if (a->blob == CW_NONE || a->blob > t->bytes.count || a->size > t->bytes.count - a->blob)
            return refuse(k, CW_ERR_FORMAT, "the bytes of an argument are not in the trace");
        return CW_OK;
    case CW_ARG_LOCAL:
        return CW_OK;
    case CW_ARG_SVM:
        return refuse(k, CW_ERR_UNSUPPORTED, "shared virtual memory cannot be run again");
    case CW_ARG_QUEUE:
        return refuse(k, CW_ERR_UNSUPPORTED, "kernels that enqueue kernels cannot be run again");
    case CW_ARG_UNSET:
        break;
    }
    return refuse(k, CW_ERR_FORMAT, "an argument was recorded as unset, but the command ran");
}

static enum cw_status check_kernel(const struct check *k)
{
    const struct cw_trace *t = k->x->t;
    enum cw_status status = CW_OK;
    if (k->c->kernel >= t->kernels.count || t->kernels.v[k->c->kernel].program >= t->programs.count)
        return refuse(k, CW_ERR_FORMAT, "its kernel or program is not in the trace");
    if (k->c->args.first > t->args.count || k->c->args.count > t->args.count - k->c->args.first)
        return refuse(k, CW_ERR_FORMAT, "its arguments are not in the trace");
    if (k->c->unknown_access)
        return refuse(k, CW_ERR_UNSUPPORTED, "it touches memory that the trace does not name");
    /* an argument left over from an earlier command could be an object that is gone */
    if (k->c->args.count != t->kernels.v[k->c->kernel].num_args)
        return refuse(k, CW_ERR_FORMAT, "the trace does not have all of its arguments");
    status = check_program(k, t->kernels.v[k->c->kernel].program);
    for (uint32_t i = 0; status == CW_OK && i < k->c->args.count; i++)
        status = check_arg(k, i);
    return status;
}

static enum cw_status check_data(const struct check *k, const struct cw_execute_operation *op,
                                 const struct cw_t_transfer *f)
{
    struct cw_execute_part p = cw_execute_part_of(k->x->t, k->id);
    enum cw_status status = check_memory(k, p.memory);
    bool needed =
        op->sends && (!op->waives || (f->map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)));
    if (status != CW_OK)
        return status;
    if (!blob_fits(k->x, f->data))
        return refuse(k, CW_ERR_FORMAT, "its data lie outside the captured data, which may be truncated");
    if (f->data.size == 0 && needed && p.bytes)
        return refuse(k, CW_ERR_NOTFOUND,
                      "the bytes that it sends were not captured: a read that had not ended brought them, or "
                      "recording ended early");
    k->x->r->uncaptured += op->returns && !op->waives && f->data.size == 0 && p.bytes;
    if (f->data.size != 0 && f->data.size != p.bytes)
        return refuse(k, CW_ERR_FORMAT, "its captured data have another length than its transfer");
    return CW_OK;
}

static enum cw_status check_transfer(const struct check *k, const struct cw_execute_operation *op)
{
    const struct cw_trace *t = k->x->t;
    const struct cw_t_transfer *f;
    enum cw_status status = CW_OK;
    if (k->c->transfer >= t->transfers.count)
        return refuse(k, CW_ERR_FORMAT, "the trace does not name the bytes that it transfers");
    f = &t->transfers.v[k->c->transfer];
    if (op->sends || op->returns)
        return check_data(k, op, f);
    if (f->src != CW_NONE)
        status = check_memory(k, f->src);
    if (status == CW_OK)
        status = check_memory(k, f->dst);
    if (status == CW_OK && f->src == CW_NONE && /* a fill */
        (f->pattern_bytes == 0 || f->pattern > t->bytes.count ||
         f->pattern_bytes > t->bytes.count - f->pattern))
        status = refuse(k, CW_ERR_FORMAT, "the pattern that it fills with is not in the trace");
    return status;
}

static enum cw_status check_command(const struct check *k, const struct cw_execute_operation *op)
{
    bool host = !cw_trace_command_is_enqueue(k->c);
    if (!op)
        return refuse(k, CW_ERR_UNSUPPORTED, "commands of this type cannot be run again");
    if (!op->run)
        return CW_OK;
    if (!host && (k->c->queue >= k->x->t->queues.count ||
                  k->x->t->queues.v[k->c->queue].context >= k->x->t->contexts.count ||
                  k->x->t->queues.v[k->c->queue].device >= k->x->t->devices.count))
        return refuse(k, CW_ERR_FORMAT, "its queue is not in the trace");
    if (k->c->type == CL_COMMAND_NDRANGE_KERNEL || k->c->type == CL_COMMAND_TASK)
        return check_kernel(k);
    return check_transfer(k, op);
}

enum fate { RUNS, FAILED /* to enqueue */, TERMINATED, STALLED };

/* The fate of a command by its own record and its wait list: a command that waits on a failed one is
 * terminated, one that waits on a user event which was never set waits for ever (specification, 5.11). */
static enum fate fate_of(const struct cw_trace *t, const enum fate *fates, const struct cw_command *c)
{
    if (c->status != CL_SUCCESS)
        return FAILED;
    if (c->exec_status != 1)
        return c->exec_status < 0 ? TERMINATED : RUNS;
    for (uint32_t i = 0; i < c->wait_list.count; i++) {
        uint32_t w = t->waits.v[c->wait_list.first + i];
        if (w == CW_NONE ||
            (t->commands.v[w].type == CW_HOST_USER_EVENT && t->commands.v[w].exec_status == 1))
            return STALLED;
        if (t->commands.v[w].exec_status < 0 || fates[w] == TERMINATED)
            return TERMINATED;
    }
    return RUNS;
}

static void stall_followers(const struct cw_trace *t, enum fate *fates)
{
    for (bool more = true; more;) { /* edges are sorted by target, so two rounds are nearly always enough */
        more = false;
        for (size_t i = 0; i < t->edges.count; i++) {
            const struct cw_edge *e = &t->edges.v[i];
            if (fates[e->from] == STALLED && fates[e->to] == RUNS && t->commands.v[e->to].exec_status == 1) {
                fates[e->to] = STALLED;
                more = true;
            }
        }
    }
}

static enum cw_status find_runs(struct cw_exec *x, struct cw_error *err)
{
    const struct cw_trace *t = x->t;
    enum fate *fates = calloc(t->commands.count + 1, sizeof *fates);
    if (!fates)
        return cw_error_set(err, CW_ERR_NOMEM, "no memory for %zu commands", t->commands.count);
    for (size_t i = 0; i < t->commands.count; i++)
        fates[i] = fate_of(t, fates, &t->commands.v[i]);
    stall_followers(t, fates);
    for (size_t i = 0; i < t->commands.count; i++) {
        x->runs[i] = fates[i] == RUNS;
        if (cw_trace_command_is_enqueue(&t->commands.v[i])) {
            x->r->commands += x->runs[i];
            x->r->skipped += !x->runs[i];
        }
    }
    free(fates);
    return CW_OK;
}

/* Objects' own captured contents. */
static enum cw_status check_objects(struct cw_exec *x, struct cw_error *err)
{
    for (size_t i = 0; i < x->t->memory.count; i++) {
        const struct cw_t_memory *m = &x->t->memory.v[i];
        uint64_t bytes = cw_execute_part_whole(x->t, (uint32_t)i).bytes;
        if (m->parent != CW_NONE)
            continue;
        if (!blob_fits(x, m->initial) || !blob_fits(x, m->final))
            return cw_error_set(err, CW_ERR_FORMAT,
                                "memory object %zu: its contents lie outside the captured data, which may be "
                                "truncated",
                                i);
        if ((m->initial.size && m->initial.size != bytes) || (m->final.size && m->final.size != bytes))
            return cw_error_set(err, CW_ERR_FORMAT,
                                "memory object %zu: its captured contents are not its %llu bytes", i,
                                (unsigned long long)bytes);
    }
    return CW_OK;
}

enum cw_status cw_execute_check(struct cw_exec *x, struct cw_error *err)
{
    enum cw_status status;
    x->runs = calloc(x->t->commands.count + 1, sizeof *x->runs);
    if (!x->runs)
        return cw_error_set(err, CW_ERR_NOMEM, "no memory for %zu commands", x->t->commands.count);
    status = find_runs(x, err);
    if (status == CW_OK)
        status = check_objects(x, err);
    for (size_t i = 0; status == CW_OK && i < x->t->commands.count; i++) {
        struct check k = {x, (uint32_t)i, &x->t->commands.v[i], err};
        const struct cw_execute_operation *op = cw_execute_operation_find(k.c->type);
        if (x->runs[i])
            status = check_command(&k, op);
        x->runs[i] &= op && op->run; /* the others have nothing to do */
    }
    if (status == CW_OK)
        status = execute_overlap_check(x, err);
    if (status == CW_OK && x->r->commands == 0)
        status = cw_error_set(err, CW_ERR_NOTFOUND, "the trace has no command that can be run again");
    return status;
}
