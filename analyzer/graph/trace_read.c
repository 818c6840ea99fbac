/* trace_read.c - see trace_read.h. */
#include "trace_read.h"
#include "../io/text.h"
#include "../record/trace_fields.h"
#include "../record/log_format.h"
#include "../record/log_read.h"
#include "../record/trace_write.h"
#include "../record/command_facts.h"
#include "graph_build.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

enum { RELEASE_BYTES = 64 << 20 };

struct loader {
    struct cw_json_in in;
    struct cw_trace *t;
    const struct cw_file_text *file; /* NULL: text in memory */
    const char *released;
    const char *section_at[CW_S_COUNT]; /* where each section's value begins, NULL = not there */
    bool format, version;
};

/* Room for one more element of a section, at its defaults; NULL when memory is out. */
static void *push_element(struct cw_trace *t, enum cw_section section)
{
    switch (section) {
    case CW_S_PLATFORMS:
        return cw_trace_push(&t->platforms, 1);
    case CW_S_DEVICES:
        return cw_trace_push(&t->devices, 1);
    case CW_S_CONTEXTS:
        return cw_trace_push(&t->contexts, 1);
    case CW_S_QUEUES:
        return cw_trace_push(&t->queues, 1);
    case CW_S_MEMORY:
        return cw_trace_push(&t->memory, 1);
    case CW_S_PROGRAMS:
        return cw_trace_push(&t->programs, 1);
    case CW_S_KERNELS:
        return cw_trace_push(&t->kernels, 1);
    case CW_S_SAMPLERS:
        return cw_trace_push(&t->samplers, 1);
    case CW_S_MODULES:
        return cw_trace_push(&t->modules, 1);
    case CW_S_COMMANDS:
        return cw_trace_push_spilled(&t->commands, 1);
    case CW_S_EDGES:
        return cw_trace_push_spilled(&t->edges, 1);
    case CW_S_PARTS:
        return cw_trace_push(&t->parts, 1);
    case CW_S_PLANS:
        return cw_trace_push(&t->plans, 1);
    case CW_S_MOVES:
        return cw_trace_push(&t->moves, 1);
    case CW_S_CALLS:
        return cw_trace_push_spilled(&t->calls, 1);
    case CW_S_STALE:
        return cw_trace_push(&t->stale, 1);
    case CW_S_PROCESS:
    case CW_S_COUNT:
        break;
    }
    return &t->process;
}

static bool read_element(struct loader *l, enum cw_section section, size_t i)
{
    const struct cw_section_def *def = &cw_sections[section];
    void *element = push_element(l->t, section);

    if (!element) {
        cw_error_set(l->in.err, CW_ERR_NOMEM, "%s: out of memory", l->in.name);
        return false;
    }
    if (i >= CW_NONE) {
        cw_error_set(l->in.err, CW_ERR_LIMIT, "%s: more than 2^32 %s", l->in.name, def->name);
        return false;
    }
    l->in.index = i;
    if (l->file && l->in.p - l->released > RELEASE_BYTES) {
        cw_file_text_release(l->file, (size_t)(l->in.p - l->in.text));
        l->released = l->in.p;
    }
    if (!cw_field_read_object(&l->in, l->t, def->fields, element, def->size, def->has_id, i))
        return false;
    if (section == CW_S_COMMANDS)
        l->t->commands.v[i].sequence = i + 1; /* the file has commands in that order and nothing else */
    return true;
}

static bool read_section(struct loader *l, enum cw_section section)
{
    struct cw_json_in *in = &l->in;
    bool ok = true;

    cw_json_peek(in);
    l->section_at[section] = in->p;
    in->context = cw_sections[section].name;
    in->index = 0;
    if (section == CW_S_PROCESS)
        ok = read_element(l, section, 0);
    else
        for (bool first = cw_json_begin(in, '['); ok && cw_json_next(in, ']', &first);)
            ok = read_element(l, section, cw_trace_section_count(l->t, section));
    in->context = NULL;
    return ok && !in->err->status;
}

static bool read_format(struct loader *l)
{
    const char *at, *word;
    size_t length;

    cw_json_peek(&l->in);
    at = l->in.p;
    if (!cw_json_string(&l->in, &word, &length))
        return false;
    l->format = strcmp(word, CW_TRACE_FORMAT) == 0;
    return l->format ||
           cw_json_fail(&l->in, at, "\"format\" is \"%.40s\", expected \"" CW_TRACE_FORMAT "\"", word);
}

/* The file of the name `recorded` beside the trace, if there is one (a trace and its data may have been moved
 * together), else `recorded` itself. Free the result; NULL: out of memory. */
static char *find_data(const char *trace, const char *recorded)
{
    const char *slash = strrchr(trace, '/'), *name = strrchr(recorded, '/');
    size_t folder = slash ? (size_t)(slash - trace) + 1 : 0;
    char *beside = malloc(folder + strlen(recorded) + 1);

    if (!beside)
        return NULL;
    memcpy(beside, trace, folder);
    strcpy(beside + folder, name ? name + 1 : recorded);
    if (access(beside, R_OK) == 0)
        return beside;
    free(beside);
    return strdup(recorded);
}

static bool read_data_path(struct loader *l)
{
    const char *word;
    size_t length;

    if (l->t->data_path || cw_json_null(&l->in))
        return true;
    if (!cw_json_string(&l->in, &word, &length))
        return false;
    l->t->data_path = find_data(l->in.name, word);
    if (!l->t->data_path)
        cw_error_set(l->in.err, CW_ERR_NOMEM, "%s: out of memory", l->in.name);
    return l->t->data_path != NULL;
}

static bool key_is(const char *key, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(key, word, length) == 0;
}

static bool read_top_member(struct loader *l, const char *key_at, const char *key, size_t length)
{
    if (key_is(key, length, "format"))
        return read_format(l);
    if (key_is(key, length, "version"))
        return l->version = cw_field_read_version(&l->in);
    if (key_is(key, length, "data"))
        return read_data_path(l);
    for (int s = 0; s < CW_S_COUNT; s++)
        if (key_is(key, length, cw_sections[s].name)) {
            if (l->section_at[s])
                return cw_json_fail(&l->in, key_at, "\"%s\" is there twice", cw_sections[s].name);
            if (!l->format || !l->version)
                return cw_json_fail(&l->in, key_at,
                                    "not a trace: \"format\" and \"version\" must come first");
            return read_section(l, (enum cw_section)s);
        }
    return cw_json_skip(&l->in);
}

/* Adds the position of the element that a check complained about. */
static void locate(struct loader *l, struct cw_trace_place place, const struct cw_error *found)
{
    struct cw_error ignored = {0}, *err = l->in.err;
    struct cw_json_in in = l->in;
    const char *at = l->section_at[place.section];

    if (found->status == CW_ERR_NOMEM || !at || place.index == SIZE_MAX) {
        cw_error_set(err, found->status, "%s: %s", l->in.name, found->text);
        return;
    }
    in.err = &ignored;
    in.p = at;
    in.scratch = NULL;
    in.scratch_size = 0;
    in.depth = 0;
    if (place.section != CW_S_PROCESS) {
        bool first = cw_json_begin(&in, '[');
        for (size_t i = 0; cw_json_next(&in, ']', &first) && i < place.index; i++)
            cw_json_skip(&in);
        cw_json_peek(&in);
        at = in.p;
    }
    cw_json_in_finish(&in);
    l->in.context = cw_sections[place.section].name;
    l->in.index = place.index;
    cw_json_fail(&l->in, at, "%s", found->text);
    err->status = found->status;
}

static bool load(struct loader *l)
{
    struct cw_json_in *in = &l->in;
    struct cw_trace_place place = {CW_S_PROCESS, 0};
    struct cw_error found = {0};
    const char *key;
    size_t length;

    for (bool first = cw_json_begin(in, '{'); cw_json_next(in, '}', &first);) {
        const char *key_at;
        cw_json_peek(in);
        key_at = in->p;
        if (!cw_json_key(in, &key, &length) || !read_top_member(l, key_at, key, length))
            return false;
    }
    if (in->err->status || !cw_json_done(in))
        return false;
    if (!l->format || !l->version)
        return cw_json_fail(in, in->text, "not a trace: \"format\" or \"version\" is missing");
    if (!l->section_at[CW_S_COMMANDS])
        return cw_json_fail(in, in->end, "\"commands\" is missing");
    if (cw_trace_check(l->t, &place, &found)) {
        locate(l, place, &found);
        return false;
    }
    return true;
}

static enum cw_status load_json(struct cw_trace *t, const char *name, const char *text, size_t length,
                                const struct cw_file_text *file, struct cw_error *err)
{
    struct cw_error own = {0};
    struct loader l = {.t = t, .file = file, .released = text};

    if (!err)
        err = &own;
    cw_json_in_init(&l.in, name, text, length, err);
    load(&l);
    cw_json_in_finish(&l.in);
    return err->status;
}

enum cw_status cw_trace_load_text(struct cw_trace *t, const char *name, const char *text, size_t length,
                                  struct cw_error *err)
{
    return load_json(t, name, text, length, NULL, err);
}

/* A log is held against the same rules: all users of traces rely on them. */
static enum cw_status load_log(struct cw_trace *t, const char *path, struct cw_error *err)
{
    struct cw_trace_place place = {CW_S_PROCESS, 0};
    struct cw_error found = {0};
    enum cw_status status = cw_log_read(t, path, err);

    if (status)
        return status;
    status = cw_trace_check(t, &place, &found);
    if (status && place.index != SIZE_MAX)
        return cw_error_set(err, status, "%.300s: %s[%zu]: %s; the log is damaged", path,
                            cw_sections[place.section].name, place.index, found.text);
    if (status)
        return cw_error_set(err, status, "%.300s: %s; the log is damaged", path, found.text);
    cw_event_times_drop(t);
    return CW_OK;
}

/* Of a program that was killed there is no trace, but its log: the message says so. */
static enum cw_status point_to_log(const char *path, struct cw_error *err)
{
    char log[PATH_MAX];
    struct cw_error cause = *err;

    if (snprintf(log, sizeof log, "%s.log", path) >= (int)sizeof log || access(path, F_OK) == 0 ||
        access(log, R_OK) != 0)
        return cause.status;
    err->status = CW_OK;
    return cw_error_set(err, cause.status, "%.230s; its log is there, which commands read: %.200s",
                        cause.text, log);
}

enum cw_status cw_trace_load_bare(struct cw_trace *t, const char *path, bool *is_log, struct cw_error *err)
{
    struct cw_file_text file;
    enum cw_status status = cw_file_text_open(&file, path, err);
    bool log;

    *is_log = false;
    if (status)
        return err ? point_to_log(path, err) : status;
    *is_log = log = file.length >= 8 && memcmp(file.text, CW_LOG_MAGIC, 8) == 0;
    if (!log)
        status = file.length ? load_json(t, path, file.text, file.length, &file, err)
                             : cw_error_set(err, CW_ERR_FORMAT, "%s: the file is empty", path);
    cw_file_text_close(&file);
    if (!log)
        return status;
    return load_log(t, path, err);
}

enum cw_status cw_trace_load(struct cw_trace *t, const char *path, struct cw_error *err)
{
    bool log;
    enum cw_status status = cw_trace_load_bare(t, path, &log, err);

    return status || !log ? status : cw_graph_build(t, NULL, err);
}

enum cw_status cw_trace_convert(const char *log_path, const char *json_path, struct cw_error *err)
{
    struct cw_trace t;
    enum cw_status status;

    cw_trace_init(&t);
    status = cw_trace_load(&t, log_path, err);
    if (!status)
        status = cw_trace_save(&t, json_path, err);
    cw_trace_finish(&t);
    return status;
}
