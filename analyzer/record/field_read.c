/* field_read.c - see trace_fields.h. */
#include "trace_fields.h"

#include <string.h>

/* Up to `max` numbers; *count says how many came. */
static bool read_numbers(struct cw_json_in *in, uint64_t *v, size_t max, size_t *count)
{
    bool first = cw_json_begin(in, '[');
    const char *at = in->p;

    for (*count = 0; cw_json_next(in, ']', &first); ++*count) {
        if (*count == max)
            return cw_json_fail(in, at, "at most %zu numbers are possible here", max);
        if (!cw_json_u64(in, UINT64_MAX, &v[*count]))
            return false;
    }
    return !in->err->status;
}

static bool read_name(struct cw_json_in *in, const struct cw_field *f, uint32_t *value)
{
    const char *word, *at;
    size_t length;

    cw_json_peek(in);
    at = in->p;
    if (!cw_json_string(in, &word, &length))
        return false;
    for (uint32_t i = 0; f->names[i]; i++)
        if (strcmp(f->names[i], word) == 0) {
            *value = i;
            return true;
        }
    return cw_json_fail(in, at, "\"%s\" is none of the words that \"%s\" may have", word, f->name);
}

static bool read_type(struct cw_json_in *in, uint32_t *value)
{
    const char *word, *at;
    size_t length;

    cw_json_peek(in);
    at = in->p;
    if (!cw_json_string(in, &word, &length))
        return false;
    *value = cw_trace_command_type_from_name(word);
    return *value || cw_json_fail(in, at, "there is no command type \"%.60s\"", word);
}

static bool field_no_memory(struct cw_json_in *in);

static bool read_string(struct cw_json_in *in, struct cw_trace *t, bool required, const char **value)
{
    const char *s;
    size_t length;

    *value = NULL;
    if (!required && cw_json_null(in))
        return true;
    if (!cw_json_string(in, &s, &length))
        return false;
    *value = cw_trace_strndup(t, s, length);
    return *value || field_no_memory(in);
}

static bool read_range(struct cw_json_in *in, const struct cw_field *f, struct cw_command *k, uint64_t *v)
{
    size_t count;

    if (f->kind == CW_F_LOCAL_RANGE && cw_json_null(in)) {
        k->local_null = true;
        return true;
    }
    if (!read_numbers(in, v, 3, &count))
        return false;
    if (count > k->work_dim)
        k->work_dim = (uint8_t)count;
    return true;
}

static bool read_blob(struct cw_json_in *in, struct cw_blob *b)
{
    uint64_t v[2] = {0, 0};
    size_t count;
    const char *at;

    cw_json_peek(in);
    at = in->p;
    if (!read_numbers(in, v, 2, &count))
        return false;
    if (count != 2 || v[0] > INT64_MAX || v[1] > INT64_MAX)
        return cw_json_fail(in, at, "expected [offset, size]");
    *b = (struct cw_blob){v[0], v[1]};
    return true;
}

static bool field_fits(struct cw_json_in *in, size_t count);

static bool field_read_ref(struct cw_json_in *in, uint32_t *id);

static bool read_id_list(struct cw_json_in *in, struct cw_trace *t, const struct cw_field *f,
                         struct cw_slice *s)
{
    bool devices = f->section == CW_S_DEVICES, programs = f->section == CW_S_PROGRAMS;
    size_t count = devices ? t->device_ids.count : programs ? t->program_ids.count : t->waits.count;

    *s = (struct cw_slice){(uint32_t)count, 0};
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first); s->count++) {
        uint32_t *id = devices    ? cw_trace_push(&t->device_ids, 1)
                       : programs ? cw_trace_push(&t->program_ids, 1)
                                  : cw_trace_push_spilled(&t->waits, 1);
        if (!id)
            return field_no_memory(in);
        if (!field_fits(in, ++count) || !field_read_ref(in, id))
            return false;
    }
    return !in->err->status;
}

static bool read_hex_list(struct cw_json_in *in, struct cw_trace *t, struct cw_slice *s)
{
    *s = (struct cw_slice){(uint32_t)t->addresses.count, 0};
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first); s->count++) {
        uint64_t *address = cw_trace_push_spilled(&t->addresses, 1);
        if (!address)
            return field_no_memory(in);
        if (!field_fits(in, t->addresses.count) || !cw_json_hex(in, address))
            return false;
    }
    return !in->err->status;
}

static bool read_transfer(struct cw_json_in *in, struct cw_trace *t, uint32_t *index)
{
    struct cw_t_transfer *x = cw_trace_push_spilled(&t->transfers, 1);

    if (!x)
        return field_no_memory(in);
    *index = (uint32_t)(t->transfers.count - 1);
    return field_fits(in, t->transfers.count) &&
           cw_field_read_object(in, t, cw_transfer_fields, x, sizeof *x, false, 0);
}

static bool field_read_digits(struct cw_json_in *in, struct cw_trace *t, size_t max, uint32_t *first,
                              size_t *count);

static bool read_pattern(struct cw_json_in *in, struct cw_trace *t, struct cw_t_transfer *x)
{
    size_t count = 0;
    bool ok = field_read_digits(in, t, 128, &x->pattern, &count);

    x->pattern_bytes = (uint8_t)count;
    return ok;
}

static bool field_read_args(struct cw_json_in *in, struct cw_trace *t, struct cw_slice *s);

static bool field_read_accesses(struct cw_json_in *in, struct cw_trace *t, uint32_t mode, struct cw_slice *s);

/* Members that hold more than one number or word. */
static bool read_list(struct cw_json_in *in, struct cw_trace *t, const struct cw_field *f, void *element)
{
    char *m = (char *)element + f->offset;
    size_t count;

    switch ((enum cw_field_kind)f->kind) {
    case CW_F_TRIPLE:
        return read_numbers(in, (uint64_t *)m, 3, &count);
    case CW_F_RANGE:
    case CW_F_LOCAL_RANGE:
        return read_range(in, f, element, (uint64_t *)m);
    case CW_F_BLOB:
        return read_blob(in, (struct cw_blob *)m);
    case CW_F_REF_LIST:
        return read_id_list(in, t, f, (struct cw_slice *)m);
    case CW_F_HEX_LIST:
        return read_hex_list(in, t, (struct cw_slice *)m);
    case CW_F_ARGS:
        return field_read_args(in, t, (struct cw_slice *)m);
    case CW_F_READS:
        return field_read_accesses(in, t, CW_ACCESS_READ, (struct cw_slice *)m);
    case CW_F_WRITES:
        return field_read_accesses(in, t, CW_ACCESS_WRITE, (struct cw_slice *)m);
    case CW_F_TRANSFER:
        return read_transfer(in, t, (uint32_t *)m);
    case CW_F_PATTERN:
        return read_pattern(in, t, element);
    default:
        return cw_json_skip(in);
    }
}

static bool field_read_u32(struct cw_json_in *in, uint32_t max, uint32_t *value);

static bool read_member(struct cw_json_in *in, struct cw_trace *t, const struct cw_field *f, void *element)
{
    char *m = (char *)element + f->offset;
    uint32_t word = 0;
    uint64_t u = 0;
    int64_t i = 0;
    bool ok;

    switch ((enum cw_field_kind)f->kind) {
    case CW_F_U8:
        ok = cw_json_u64(in, UINT8_MAX, &u);
        *(uint8_t *)m = (uint8_t)u;
        return ok;
    case CW_F_U32:
        return field_read_u32(in, UINT32_MAX, (uint32_t *)m);
    case CW_F_U64:
        return cw_json_u64(in, UINT64_MAX, (uint64_t *)m);
    case CW_F_I32:
        ok = cw_json_i64(in, INT32_MIN, INT32_MAX, &i);
        *(int32_t *)m = (int32_t)i;
        return ok;
    case CW_F_HEX:
        return cw_json_hex(in, (uint64_t *)m);
    case CW_F_BOOL:
        return cw_json_bool(in, (bool *)m);
    case CW_F_STRING:
        return read_string(in, t, f->required, (const char **)m);
    case CW_F_REF:
        return field_read_ref(in, (uint32_t *)m);
    case CW_F_ENUM:
        return read_name(in, f, (uint32_t *)m);
    case CW_F_ENUM8:
        ok = read_name(in, f, &word);
        *(uint8_t *)m = (uint8_t)word;
        return ok;
    case CW_F_TYPE:
        return read_type(in, (uint32_t *)m);
    default:
        return read_list(in, t, f, element);
    }
}

/* The field named `key`. Writers keep the order of the table, so the search begins behind the last one found.
 */
static const struct cw_field *find(const struct cw_field *fields, const struct cw_field *from,
                                   const char *key, size_t length)
{
    for (const struct cw_field *f = from; f->name; f++)
        if (f->name_length == length && memcmp(f->name, key, length) == 0)
            return f;
    for (const struct cw_field *f = fields; f != from; f++)
        if (f->name_length == length && memcmp(f->name, key, length) == 0)
            return f;
    return NULL;
}

static bool field_key_is(const char *key, size_t length, const char *word);

bool cw_field_read_object(struct cw_json_in *in, struct cw_trace *t, const struct cw_field *fields,
                          void *element, size_t size, bool has_id, size_t index)
{
    const struct cw_field *next = fields, *f;
    const char *key, *at;
    uint64_t seen = 0, id = UINT64_MAX;
    size_t length;

    cw_trace_fields_default(fields, element, size);
    cw_json_peek(in);
    at = in->p;
    for (bool first = cw_json_begin(in, '{'); cw_json_next(in, '}', &first);) {
        const char *key_at = in->p;
        if (!cw_json_key(in, &key, &length))
            return false;
        if (has_id && id == UINT64_MAX && field_key_is(key, length, "id")) {
            if (!cw_json_u64(in, UINT64_MAX - 1, &id))
                return false;
            if (id != index)
                return cw_json_fail(in, key_at,
                                    "\"id\" is %llu, expected %zu: ids count from 0 without a gap",
                                    (unsigned long long)id, index);
            continue;
        }
        f = length ? find(fields, next, key, length) : NULL;
        if (!f) {
            if (!cw_json_skip(in))
                return false;
            continue;
        }
        if (seen >> (f - fields) & 1)
            return cw_json_fail(in, key_at, "\"%s\" is there twice", f->name);
        seen |= (uint64_t)1 << (f - fields);
        next = f + 1;
        if (!read_member(in, t, f, element))
            return false;
    }
    if (in->err->status)
        return false;
    for (f = fields; f->name; f++)
        if (f->required && !(seen >> (f - fields) & 1))
            return cw_json_fail(in, at, "\"%s\" is missing", f->name);
    return !has_id || id != UINT64_MAX || cw_json_fail(in, at, "\"id\" is missing");
}

bool cw_field_read_version(struct cw_json_in *in)
{
    enum { COMPACT = 2 }; /* rows in place of objects */
    const char *at;
    uint64_t version = 0;

    cw_json_peek(in);
    at = in->p;
    if (!cw_json_u64(in, UINT64_MAX, &version) || version == CW_TRACE_VERSION)
        return !in->err->status;
    if (version == COMPACT)
        cw_json_fail(in, at,
                     "version %d of the format, the compact form, is read by clweave 0.1.0 as built from "
                     "2026-11-27 to 2026-11-29: convert the file with that (clweave graph FILE -o app.json), "
                     "or trace the program again",
                     COMPACT);
    else
        cw_json_fail(in, at, "version %llu of the format is not known, this clweave reads version %d: %s",
                     (unsigned long long)version, CW_TRACE_VERSION,
                     version ? "use the clweave that wrote it" : "trace the program again");
    in->err->status = CW_ERR_VERSION;
    return false;
}

/* ---- lists */

static bool field_no_memory(struct cw_json_in *in)
{
    cw_error_set(in->err, CW_ERR_NOMEM, "%s: out of memory", in->name);
    return false;
}

/* Record that memory is out / that a list would not fit into a slice (2^32 - 1 elements, all of its kind
 * together). False after an error, like everything here. */
static bool field_fits(struct cw_json_in *in, size_t count)
{
    if (count < CW_NONE)
        return true;
    cw_error_set(in->err, CW_ERR_LIMIT, "%s: more than 2^32 list elements", in->name);
    return false;
}

static bool field_read_u32(struct cw_json_in *in, uint32_t max, uint32_t *value)
{
    uint64_t v = 0;
    bool ok = cw_json_u64(in, max, &v);

    *value = (uint32_t)v;
    return ok;
}

/* A number or null (CW_NONE). */
static bool field_read_ref(struct cw_json_in *in, uint32_t *id)
{
    *id = CW_NONE;
    return cw_json_null(in) || field_read_u32(in, CW_NONE - 1, id);
}

/* "0a1b…" appended to t->bytes: at [*first, *first + *count). */
static bool field_read_digits(struct cw_json_in *in, struct cw_trace *t, size_t max, uint32_t *first,
                              size_t *count)
{
    const char *s, *at;
    size_t length;
    uint8_t *out;

    cw_json_peek(in);
    at = in->p;
    if (!cw_json_string(in, &s, &length))
        return false;
    if (length % 2 || length / 2 > max || strspn(s, "0123456789abcdefABCDEF") != length)
        return cw_json_fail(in, at, "expected pairs of hexadecimal digits, at most %zu", max);
    if (!field_fits(in, t->bytes.count + length / 2))
        return false;
    *first = (uint32_t)t->bytes.count;
    *count = length / 2;
    out = cw_trace_push(&t->bytes, length / 2);
    if (!out)
        return field_no_memory(in);
    for (size_t i = 0; i < length; i++) {
        unsigned digit = (unsigned)(s[i] <= '9' ? s[i] - '0' : (s[i] | 32) - 'a' + 10);
        out[i / 2] = (uint8_t)(out[i / 2] << 4 | digit);
    }
    return true;
}

static bool field_key_is(const char *key, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(key, word, length) == 0;
}

/* One member of an argument; the kind of the argument follows from its members. */
static bool read_arg_member(struct cw_json_in *in, struct cw_trace *t, const char *key, size_t length,
                            struct cw_t_arg *a)
{
    size_t count = 0;

    if (field_key_is(key, length, "index"))
        return field_read_u32(in, UINT32_MAX, &a->command_index);
    if (field_key_is(key, length, "size"))
        return field_read_u32(in, UINT32_MAX, &a->size);
    if (field_key_is(key, length, "value") || field_key_is(key, length, "svm")) {
        a->kind = *key == 'v' ? CW_ARG_VALUE : CW_ARG_SVM;
        return cw_json_hex(in, &a->value);
    }
    if (field_key_is(key, length, "bytes")) {
        a->kind = CW_ARG_VALUE;
        if (!field_read_digits(in, t, UINT32_MAX, &a->blob, &count))
            return false;
        a->size = (uint32_t)count;
        return true;
    }
    if (field_key_is(key, length, "local")) {
        a->kind = CW_ARG_LOCAL;
        return field_read_u32(in, UINT32_MAX, &a->size);
    }
    if (!field_key_is(key, length, "memory") && !field_key_is(key, length, "sampler") &&
        !field_key_is(key, length, "queue"))
        return cw_json_skip(in);
    a->kind = *key == 'm' ? CW_ARG_MEMORY : *key == 's' ? CW_ARG_SAMPLER : CW_ARG_QUEUE;
    a->size = sizeof(void *);
    return field_read_ref(in, &a->memory);
}

/* "args" of a command. */
static bool field_read_args(struct cw_json_in *in, struct cw_trace *t, struct cw_slice *s)
{
    *s = (struct cw_slice){(uint32_t)t->args.count, 0};
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first); s->count++) {
        struct cw_t_arg *a = cw_trace_push_spilled(&t->args, 1);
        const char *key;
        size_t length;
        if (!a)
            return field_no_memory(in);
        if (!field_fits(in, t->args.count))
            return false;
        a->memory = a->blob = CW_NONE;
        for (bool member = cw_json_begin(in, '{'); cw_json_next(in, '}', &member);)
            if (!cw_json_key(in, &key, &length) || !read_arg_member(in, t, key, length, a))
                return false;
        if (a->kind == CW_ARG_SVM)
            a->size = sizeof(void *);
    }
    return !in->err->status;
}

/* An access that the command's other list has as well is one read-write access. Only the first MERGE_DEPTH
 * are looked at, so that an enormous list costs no square; beyond, two entries say the same as one. */
enum { MERGE_DEPTH = 128 };

static void merge_access(struct cw_trace *t, struct cw_slice *s)
{
    struct cw_t_access *v = t->accesses.v + s->first, *last = &v[s->count - 1];

    for (uint32_t i = 0; i + 1 < s->count && i < MERGE_DEPTH; i++)
        if (v[i].memory == last->memory && v[i].offset == last->offset && v[i].bytes == last->bytes &&
            !(v[i].mode & last->mode)) {
            v[i].mode |= last->mode;
            v[i].declared |= last->declared;
            v[i].commutes |= last->commutes;
            v[i].sure |= last->sure;
            t->accesses.count--;
            s->count--;
            return;
        }
}

static bool read_access_member(struct cw_json_in *in, const char *key, size_t length, struct cw_t_access *a)
{
    uint64_t commutes;

    if (field_key_is(key, length, "memory"))
        return field_read_ref(in, &a->memory);
    if (field_key_is(key, length, "offset"))
        return cw_json_u64(in, UINT64_MAX, &a->offset);
    if (field_key_is(key, length, "bytes"))
        return cw_json_u64(in, UINT64_MAX, &a->bytes);
    if (field_key_is(key, length, "sure"))
        return cw_json_bool(in, &a->sure);
    if (!field_key_is(key, length, "commutes"))
        return cw_json_skip(in);
    if (!cw_json_u64(in, UINT8_MAX, &commutes))
        return false;
    a->commutes = (uint8_t)commutes;
    return true;
}

/* "reads" or "writes" of a command, mode says which; they share the slice. */
static bool field_read_accesses(struct cw_json_in *in, struct cw_trace *t, uint32_t mode, struct cw_slice *s)
{
    if (s->count == 0)
        s->first = (uint32_t)t->accesses.count;
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first);) {
        struct cw_t_access *a = cw_trace_push_spilled(&t->accesses, 1);
        const char *key;
        size_t length;
        bool ok = true;
        if (!a)
            return field_no_memory(in);
        *a = (struct cw_t_access){.memory = CW_NONE, .mode = (uint8_t)mode, .declared = (uint8_t)mode};
        for (bool member = cw_json_begin(in, '{'); ok && cw_json_next(in, '}', &member);)
            ok = cw_json_key(in, &key, &length) && read_access_member(in, key, length, a);
        if (in->err->status || !field_fits(in, t->accesses.count))
            return false;
        s->count++;
        merge_access(t, s);
    }
    return !in->err->status;
}
