/* trace_index.c - see trace_write.h. */
#include "trace_write.h"
#include "trace_fields.h"
#include "log_format.h"

#include <stdlib.h>
#include <string.h>

static bool index_commands(struct cw_trace_index *x, struct cw_json_in *in)
{
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first);) {
        uint64_t *added = cw_trace_push(&x->commands, 1);
        if (!added) {
            cw_error_set(in->err, CW_ERR_NOMEM, "%s: out of memory", in->name);
            return false;
        }
        cw_json_peek(in);
        *added = (uint64_t)(in->p - in->text);
        if (!cw_json_skip(in))
            return false;
    }
    return !in->err->status;
}

static bool index_file(struct cw_trace_index *x, struct cw_json_in *in)
{
    const char *key, *word;
    size_t length;
    bool format = false, ok;

    for (bool first = cw_json_begin(in, '{'); cw_json_next(in, '}', &first);) {
        if (!cw_json_key(in, &key, &length))
            return false;
        if (length == 6 && memcmp(key, "format", 6) == 0) {
            ok = cw_json_string(in, &word, &length);
            format = ok && strcmp(word, CW_TRACE_FORMAT) == 0;
        } else if (length == 7 && memcmp(key, "version", 7) == 0) {
            ok = cw_field_read_version(in);
        } else if (length == 8 && memcmp(key, "commands", 8) == 0) {
            ok = index_commands(x, in);
        } else {
            cw_json_peek(in);
            if (length == 5 && memcmp(key, "edges", 5) == 0)
                x->edges = in->p;
            ok = cw_json_skip(in);
        }
        if (!ok)
            return false;
    }
    return !in->err->status && cw_json_done(in) &&
           (format || cw_json_fail(in, in->text, "not a trace: \"format\" is missing or another"));
}

enum cw_status cw_trace_index_open(struct cw_trace_index *x, const char *path, struct cw_error *err)
{
    struct cw_json_in in;
    enum cw_status status;

    memset(x, 0, sizeof *x);
    status = cw_file_text_open(&x->file, path, err);
    if (status)
        return status;
    x->name = strdup(path);
    if (!x->name)
        return cw_error_set(err, CW_ERR_NOMEM, "%s: out of memory", path);
    if (x->file.length >= 8 && memcmp(x->file.text, CW_LOG_MAGIC, 8) == 0)
        return cw_error_set(err, CW_ERR_UNSUPPORTED,
                            "%s: a binary log has no index; convert it: clweave graph %s -o out.json", path,
                            path);
    cw_json_in_init(&in, x->name, x->file.text, x->file.length, err);
    index_file(x, &in);
    cw_json_in_finish(&in);
    return err->status;
}

void cw_trace_index_close(struct cw_trace_index *x)
{
    cw_file_text_close(&x->file);
    free(x->name);
    free(x->commands.v);
    memset(x, 0, sizeof *x);
}

enum cw_status cw_trace_index_command(struct cw_trace_index *x, uint32_t id, struct cw_trace *one,
                                      const char **text, size_t *length, struct cw_error *err)
{
    const struct cw_section_def *def = &cw_sections[CW_S_COMMANDS];
    struct cw_json_in in;

    if (id >= x->commands.count)
        return cw_error_set(err, CW_ERR_NOTFOUND, "%s: there is no command %u, only %zu", x->name, id,
                            x->commands.count);
    if (!cw_trace_push(&one->commands, 1))
        return cw_error_set(err, CW_ERR_NOMEM, "%s: out of memory", x->name);
    cw_json_in_init(&in, x->name, x->file.text, x->file.length, err);
    in.p = *text = x->file.text + x->commands.v[id];
    in.context = def->name;
    in.index = id;
    cw_field_read_object(&in, one, def->fields, &one->commands.v[one->commands.count - 1], def->size,
                         def->has_id, id);
    *length = (size_t)(in.p - *text);
    cw_json_in_finish(&in);
    return err->status;
}

enum cw_status cw_trace_index_edges(struct cw_trace_index *x, uint32_t id, struct cw_trace *one,
                                    struct cw_error *err)
{
    const struct cw_section_def *def = &cw_sections[CW_S_EDGES];
    struct cw_json_in in;

    if (!x->edges)
        return CW_OK;
    cw_json_in_init(&in, x->name, x->file.text, x->file.length, err);
    in.p = x->edges;
    in.context = def->name;
    in.index = 0;
    for (bool first = cw_json_begin(&in, '['); cw_json_next(&in, ']', &first); in.index++) {
        struct cw_edge e;
        if (!cw_field_read_object(&in, one, def->fields, &e, sizeof e, false, 0))
            break;
        if (e.from != id && e.to != id)
            continue;
        struct cw_edge *added = cw_trace_push(&one->edges, 1);
        if (!added) {
            cw_error_set(err, CW_ERR_NOMEM, "%s: out of memory", x->name);
            break;
        }
        *added = e;
    }
    cw_json_in_finish(&in);
    return err->status;
}
