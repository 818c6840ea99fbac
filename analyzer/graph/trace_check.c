/* trace_check.c - see trace_read.h. */
#include "trace_read.h"

#include <stdlib.h>

/* An id that is neither CW_NONE nor an index of its section. */
static bool dangling(const struct cw_trace *t, enum cw_section section, uint32_t id)
{
    return id != CW_NONE && id >= cw_trace_section_count(t, section);
}

static enum cw_status no_such(struct cw_error *err, const char *member, uint32_t id, const struct cw_trace *t,
                              enum cw_section section)
{
    return cw_error_set(err, CW_ERR_FORMAT, "\"%s\" is %u, but there are only %zu %s", member, id,
                        cw_trace_section_count(t, section), cw_sections[section].name);
}

static enum cw_status check_list(const struct cw_trace *t, const struct cw_field *f, struct cw_slice s,
                                 struct cw_error *err)
{
    const uint32_t *ids = f->section == CW_S_DEVICES    ? t->device_ids.v
                          : f->section == CW_S_PROGRAMS ? t->program_ids.v
                                                        : t->waits.v;

    for (uint32_t i = 0; i < s.count; i++)
        if (dangling(t, f->section, ids[s.first + i]))
            return no_such(err, f->name, ids[s.first + i], t, f->section);
    return CW_OK;
}

/* The ids of one element, by its table. */
static enum cw_status check_fields(const struct cw_trace *t, const struct cw_field *fields,
                                   const void *element, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    for (const struct cw_field *f = fields; f->name && !status; f++) {
        const char *m = (const char *)element + f->offset;
        if (f->kind == CW_F_REF && (dangling(t, f->section, *(const uint32_t *)m) ||
                                    (f->required && *(const uint32_t *)m == CW_NONE)))
            status = no_such(err, f->name, *(const uint32_t *)m, t, f->section);
        else if (f->kind == CW_F_REF_LIST)
            status = check_list(t, f, *(const struct cw_slice *)m, err);
        else if (f->kind == CW_F_TRANSFER && *(const uint32_t *)m != CW_NONE)
            status = check_fields(t, cw_transfer_fields, &t->transfers.v[*(const uint32_t *)m], err);
    }
    return status;
}

static enum cw_status check_memory(const struct cw_trace *t, size_t i, struct cw_error *err)
{
    const struct cw_t_memory *m = &t->memory.v[i];
    const struct cw_t_memory *parent = m->parent == CW_NONE ? NULL : &t->memory.v[m->parent];

    if (parent && m->parent >= i)
        return cw_error_set(err, CW_ERR_FORMAT, "\"parent\" is %u, but a parent comes before its children",
                            m->parent);
    if (parent && m->kind == CW_MEM_SUBBUFFER &&
        (m->offset > parent->size || m->size > parent->size - m->offset))
        return cw_error_set(
            err, CW_ERR_FORMAT, "the sub-buffer [%llu, +%llu) does not lie in its parent of %llu bytes",
            (unsigned long long)m->offset, (unsigned long long)m->size, (unsigned long long)parent->size);
    return CW_OK;
}

/* A command waits for earlier ones; only a user event may be set later. */
static enum cw_status check_order(const struct cw_trace *t, size_t i, struct cw_error *err)
{
    const struct cw_command *k = &t->commands.v[i];
    uint32_t map = k->transfer == CW_NONE ? CW_NONE : t->transfers.v[k->transfer].map_command;

    for (uint32_t n = 0; n < k->wait_list.count; n++) {
        uint32_t id = t->waits.v[k->wait_list.first + n];
        if (id == i)
            return cw_error_set(err, CW_ERR_CYCLE, "\"wait_list\": the command waits for itself");
        if (id != CW_NONE && id > i && t->commands.v[id].type != CW_HOST_USER_EVENT)
            return cw_error_set(err, CW_ERR_FORMAT,
                                "\"wait_list\" names %u, a later command; only clSetUserEventStatus may come "
                                "after what waits for it",
                                id);
    }
    if (map != CW_NONE && map >= i)
        return cw_error_set(err, CW_ERR_FORMAT, "\"map_command\" is %u, but a map comes before its unmap",
                            map);
    return CW_OK;
}

static enum cw_status check_command(const struct cw_trace *t, size_t i, struct cw_error *err)
{
    const struct cw_command *k = &t->commands.v[i];

    for (uint32_t n = 0; n < k->args.count; n++) {
        const struct cw_t_arg *a = &t->args.v[k->args.first + n];
        enum cw_section section = a->kind == CW_ARG_MEMORY    ? CW_S_MEMORY
                                  : a->kind == CW_ARG_SAMPLER ? CW_S_SAMPLERS
                                                              : CW_S_QUEUES;
        if ((a->kind == CW_ARG_MEMORY || a->kind == CW_ARG_SAMPLER || a->kind == CW_ARG_QUEUE) &&
            dangling(t, section, a->memory))
            return no_such(err, "args", a->memory, t, section);
    }
    for (uint32_t n = 0; n < k->accesses.count; n++) {
        const struct cw_t_access *a = &t->accesses.v[k->accesses.first + n];
        if (a->memory >= t->memory.count)
            return no_such(err, "reads/writes", a->memory, t, CW_S_MEMORY);
        if (a->bytes > UINT64_MAX / 2 || a->offset > UINT64_MAX / 2)
            return cw_error_set(err, CW_ERR_FORMAT, "an access of %llu bytes at %llu is impossible",
                                (unsigned long long)a->bytes, (unsigned long long)a->offset);
    }
    return check_order(t, i, err);
}

static enum cw_status check_edge(const struct cw_trace *t, size_t i, struct cw_error *err)
{
    const struct cw_edge *e = &t->edges.v[i];

    if (e->from == e->to)
        return cw_error_set(err, CW_ERR_CYCLE, "command %u depends on itself", e->to);
    if ((e->kind == CW_EDGE_DATA) != (e->hazard != CW_HAZARD_NONE))
        return cw_error_set(err, CW_ERR_FORMAT, "a data edge has a hazard, and no other edge has");
    return CW_OK;
}

enum cw_status cw_trace_check(const struct cw_trace *t, struct cw_trace_place *place, struct cw_error *err)
{
    enum cw_status status = CW_OK;
    uint32_t *order;

    for (int s = 0; s < CW_S_COUNT && !status; s++) {
        size_t n = cw_trace_section_count(t, (enum cw_section)s);
        for (size_t i = 0; i < n && !status; i++) {
            *place = (struct cw_trace_place){(enum cw_section)s, i};
            status = check_fields(t, cw_sections[s].fields,
                                  cw_trace_section_element(t, (enum cw_section)s, i), err);
            if (!status && s == CW_S_MEMORY)
                status = check_memory(t, i, err);
            else if (!status && s == CW_S_COMMANDS)
                status = check_command(t, i, err);
            else if (!status && s == CW_S_EDGES)
                status = check_edge(t, i, err);
        }
    }
    if (status)
        return status;
    *place = (struct cw_trace_place){CW_S_EDGES, SIZE_MAX};
    order = malloc((t->commands.count + 1) * sizeof *order);
    if (!order)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    status = cw_sweep_topological_order(t, order, err);
    free(order);
    return status;
}
