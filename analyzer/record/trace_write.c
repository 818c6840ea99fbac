/* trace_write.c - see trace_write.h. */
#include "trace_write.h"
#include "../io/json_out.h"
#include "../io/output.h"
#include "trace_fields.h"

#include <stdlib.h>

static void put_ref(struct cw_json_out *o, uint32_t id)
{
    if (id == CW_NONE)
        cw_json_put_text(o, "null");
    else
        cw_json_put_u64(o, id);
}

static void put_numbers(struct cw_json_out *o, const uint64_t *v, size_t n)
{
    cw_json_put_char(o, '[');
    for (size_t i = 0; i < n; i++) {
        if (i)
            cw_json_put_char(o, ',');
        cw_json_put_u64(o, v[i]);
    }
    cw_json_put_char(o, ']');
}

static void put_digits(struct cw_json_out *o, const uint8_t *v, size_t n)
{
    cw_json_put_char(o, '"');
    for (size_t i = 0; i < n; i++) {
        cw_json_put_char(o, "0123456789abcdef"[v[i] >> 4]);
        cw_json_put_char(o, "0123456789abcdef"[v[i] & 15]);
    }
    cw_json_put_char(o, '"');
}

static void put_arg(struct cw_json_out *o, const struct cw_trace *t, const struct cw_t_arg *a)
{
    cw_json_put_open(o);
    cw_json_put_key(o, "index");
    cw_json_put_u64(o, a->command_index);
    switch (a->kind) {
    case CW_ARG_UNSET:
        break;
    case CW_ARG_VALUE:
        cw_json_put_key(o, "size");
        cw_json_put_u64(o, a->size);
        if (a->blob != CW_NONE && a->size > 8 && a->blob + (uint64_t)a->size <= t->bytes.count) {
            cw_json_put_key(o, "bytes");
            put_digits(o, t->bytes.v + a->blob, a->size);
        } else {
            cw_json_put_key(o, "value");
            cw_json_put_hex(o, a->value);
        }
        break;
    case CW_ARG_MEMORY:
    case CW_ARG_SAMPLER:
    case CW_ARG_QUEUE:
        cw_json_put_key(o, a->kind == CW_ARG_MEMORY    ? "memory"
                           : a->kind == CW_ARG_SAMPLER ? "sampler"
                                                       : "queue");
        put_ref(o, a->memory);
        break;
    case CW_ARG_LOCAL:
        cw_json_put_key(o, "local");
        cw_json_put_u64(o, a->size);
        break;
    case CW_ARG_SVM:
        cw_json_put_key(o, "svm");
        cw_json_put_hex(o, a->value);
        break;
    }
    cw_json_put_close(o);
}

static void put_accesses(struct cw_json_out *o, const struct cw_trace *t, struct cw_slice s, uint32_t mode)
{
    bool first = true;

    cw_json_put_char(o, '[');
    for (uint32_t i = 0; i < s.count; i++) {
        const struct cw_t_access *a = &t->accesses.v[s.first + i];
        if (!(a->mode & mode))
            continue;
        cw_json_put_text(o, first ? "{\"memory\":" : ",{\"memory\":");
        first = false;
        cw_json_put_u64(o, a->memory);
        cw_json_put_text(o, ",\"offset\":");
        cw_json_put_u64(o, a->offset);
        cw_json_put_text(o, ",\"bytes\":");
        cw_json_put_u64(o, a->bytes);
        if (mode == CW_ACCESS_WRITE && a->commutes) {
            cw_json_put_text(o, ",\"commutes\":");
            cw_json_put_u64(o, a->commutes);
        }
        cw_json_put_text(o, mode == CW_ACCESS_WRITE && a->sure ? ",\"sure\":true}" : "}");
    }
    cw_json_put_char(o, ']');
}

static void put_list(struct cw_json_out *o, const struct cw_trace *t, const struct cw_field *f,
                     struct cw_slice s)
{
    const uint32_t *ids = f->section == CW_S_DEVICES    ? t->device_ids.v
                          : f->section == CW_S_PROGRAMS ? t->program_ids.v
                                                        : t->waits.v;

    cw_json_put_char(o, '[');
    for (uint32_t i = 0; i < s.count; i++) {
        if (i)
            cw_json_put_char(o, ',');
        if (f->kind == CW_F_HEX_LIST)
            cw_json_put_hex(o, t->addresses.v[s.first + i]);
        else if (f->kind == CW_F_ARGS)
            put_arg(o, t, &t->args.v[s.first + i]);
        else
            put_ref(o, ids[s.first + i]);
    }
    cw_json_put_char(o, ']');
}

/* Whether a field that is not required has its default and can be left out. */
static bool is_default(const struct cw_trace *t, const struct cw_field *f, const void *element)
{
    const char *m = (const char *)element + f->offset;
    const struct cw_slice *s = (const struct cw_slice *)m;
    const uint64_t *triple = (const uint64_t *)m;
    const struct cw_command *k = element;

    switch ((enum cw_field_kind)f->kind) {
    case CW_F_U8:
    case CW_F_ENUM8:
        return *(const uint8_t *)m == 0;
    case CW_F_U32:
    case CW_F_ENUM:
        return *(const uint32_t *)m == 0;
    case CW_F_U64:
    case CW_F_HEX:
        return *(const uint64_t *)m == 0;
    case CW_F_I32:
        return *(const int32_t *)m == f->default_value;
    case CW_F_BOOL:
        return !*(const bool *)m;
    case CW_F_STRING:
        return !*(const char *const *)m;
    case CW_F_REF:
    case CW_F_TRANSFER:
        return *(const uint32_t *)m == CW_NONE;
    case CW_F_TYPE:
        return false;
    case CW_F_TRIPLE:
        return !triple[0] && !triple[1] && !triple[2];
    case CW_F_RANGE:
    case CW_F_LOCAL_RANGE:
        return k->work_dim == 0;
    case CW_F_BLOB:
        return ((const struct cw_blob *)m)->size == 0;
    case CW_F_PATTERN:
        return ((const struct cw_t_transfer *)element)->pattern_bytes == 0;
    case CW_F_REF_LIST:
    case CW_F_HEX_LIST:
    case CW_F_ARGS:
        return s->count == 0;
    case CW_F_READS:
    case CW_F_WRITES:
        for (uint32_t i = 0; i < s->count; i++)
            if (t->accesses.v[s->first + i].mode & (f->kind == CW_F_READS ? CW_ACCESS_READ : CW_ACCESS_WRITE))
                return false;
        return true;
    }
    return false;
}

static void put_object(struct cw_json_out *o, const struct cw_trace *t, const struct cw_field *fields,
                       const void *element);

/* Members that hold more than one number or word. */
static void put_list_value(struct cw_json_out *o, const struct cw_trace *t, const struct cw_field *f,
                           const void *element)
{
    const char *m = (const char *)element + f->offset;
    const struct cw_slice *s = (const struct cw_slice *)m;
    const struct cw_command *k = element;
    const struct cw_blob *b = (const struct cw_blob *)m;
    const struct cw_t_transfer *x = element;

    switch ((enum cw_field_kind)f->kind) {
    case CW_F_TRIPLE:
        put_numbers(o, (const uint64_t *)m, 3);
        break;
    case CW_F_LOCAL_RANGE:
    case CW_F_RANGE:
        if (f->kind == CW_F_LOCAL_RANGE && k->local_null)
            cw_json_put_text(o, "null");
        else
            put_numbers(o, (const uint64_t *)m, k->work_dim);
        break;
    case CW_F_BLOB:
        put_numbers(o, (const uint64_t[]){b->offset, b->size}, 2);
        break;
    case CW_F_READS:
        put_accesses(o, t, *s, CW_ACCESS_READ);
        break;
    case CW_F_WRITES:
        put_accesses(o, t, *s, CW_ACCESS_WRITE);
        break;
    case CW_F_TRANSFER:
        cw_json_put_open(o);
        put_object(o, t, cw_transfer_fields, &t->transfers.v[*(const uint32_t *)m]);
        cw_json_put_close(o);
        break;
    case CW_F_PATTERN:
        put_digits(o, x->pattern_bytes ? t->bytes.v + x->pattern : NULL, x->pattern_bytes);
        break;
    default:
        put_list(o, t, f, *s);
    }
}

static void put_value(struct cw_json_out *o, const struct cw_trace *t, const struct cw_field *f,
                      const void *element)
{
    const char *m = (const char *)element + f->offset;

    switch ((enum cw_field_kind)f->kind) {
    case CW_F_U8:
        cw_json_put_u64(o, *(const uint8_t *)m);
        break;
    case CW_F_U32:
        cw_json_put_u64(o, *(const uint32_t *)m);
        break;
    case CW_F_U64:
        cw_json_put_u64(o, *(const uint64_t *)m);
        break;
    case CW_F_I32:
        cw_json_put_i64(o, *(const int32_t *)m);
        break;
    case CW_F_HEX:
        cw_json_put_hex(o, *(const uint64_t *)m);
        break;
    case CW_F_BOOL:
        cw_json_put_text(o, *(const bool *)m ? "true" : "false");
        break;
    case CW_F_STRING:
        cw_json_put_string(o, *(const char *const *)m);
        break;
    case CW_F_REF:
        put_ref(o, *(const uint32_t *)m);
        break;
    case CW_F_ENUM:
        cw_json_put_string(o, f->names[*(const uint32_t *)m]);
        break;
    case CW_F_ENUM8:
        cw_json_put_string(o, f->names[*(const uint8_t *)m]);
        break;
    case CW_F_TYPE:
        cw_json_put_string(o, cw_trace_command_type_name(*(const uint32_t *)m));
        break;
    default:
        put_list_value(o, t, f, element);
    }
}

static void put_object(struct cw_json_out *o, const struct cw_trace *t, const struct cw_field *fields,
                       const void *element)
{
    for (const struct cw_field *f = fields; f->name; f++)
        if (f->required || !is_default(t, f, element)) {
            cw_json_put_ready_key(o, f->key, f->name_length + 4u);
            put_value(o, t, f, element);
        }
}

static void put_element(struct cw_json_out *o, const struct cw_trace *t, enum cw_section section, size_t i)
{
    cw_json_put_open(o);
    if (cw_sections[section].has_id) {
        cw_json_put_key(o, "id");
        cw_json_put_u64(o, i);
    }
    put_object(o, t, cw_sections[section].fields, cw_trace_section_element(t, section, i));
    cw_json_put_close(o);
}

/* The rows of a section, each on a line. */
static void put_rows(struct cw_json_out *o, const struct cw_trace *t, enum cw_section section)
{
    size_t n = cw_trace_section_count(t, section);

    cw_json_put_char(o, '[');
    for (size_t i = 0; i < n; i++) {
        cw_json_put_text(o, i ? ",\n" : "\n");
        put_element(o, t, section, i);
    }
    cw_json_put_char(o, ']');
}

enum cw_status cw_trace_write(const struct cw_trace *t, FILE *f, struct cw_error *err)
{
    struct cw_json_out *o = malloc(sizeof *o);

    if (!o)
        return cw_error_set(err, CW_ERR_NOMEM, "cannot write the trace: out of memory");
    cw_json_out_init(o, f);
    cw_json_put_text(o, "{\"format\":\"" CW_TRACE_FORMAT "\",\"version\":");
    cw_json_put_u64(o, CW_TRACE_VERSION);
    if (t->data_path) {
        cw_json_put_text(o, ",\n\"data\":");
        cw_json_put_string(o, t->data_path);
    }
    for (int s = 0; s < CW_S_COUNT; s++) {
        if (s >= CW_S_PARTS && !cw_trace_section_count(t, (enum cw_section)s))
            continue;
        cw_json_put_text(o, ",\n\"");
        cw_json_put_text(o, cw_sections[s].name);
        cw_json_put_text(o, "\":");
        if (s == CW_S_PROCESS)
            put_element(o, t, CW_S_PROCESS, 0);
        else
            put_rows(o, t, (enum cw_section)s);
    }
    cw_json_put_text(o, "}\n");
    cw_json_out_flush(o);
    free(o);
    return CW_OK;
}

enum cw_status cw_trace_save(const struct cw_trace *t, const char *path, struct cw_error *err)
{
    struct cw_output out;
    enum cw_status status = cw_output_open(&out, path, 0600, err);

    return status ? status : cw_output_close(&out, cw_trace_write(t, out.f, err), err);
}
