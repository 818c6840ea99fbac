/* field_read_lists.c - see trace_fields.h. */
#include "trace_fields.h"

#include <string.h>

bool cw_field_no_memory(struct cw_json_in *in)
{
    cw_error_set(in->err, CW_ERR_NOMEM, "%s: out of memory", in->name);
    return false;
}

bool cw_field_fits(struct cw_json_in *in, size_t count)
{
    if (count < CW_NONE)
        return true;
    cw_error_set(in->err, CW_ERR_LIMIT, "%s: more than 2^32 list elements", in->name);
    return false;
}

bool cw_field_read_u32(struct cw_json_in *in, uint32_t max, uint32_t *value)
{
    uint64_t v = 0;
    bool ok = cw_json_u64(in, max, &v);

    *value = (uint32_t)v;
    return ok;
}

bool cw_field_read_ref(struct cw_json_in *in, uint32_t *id)
{
    *id = CW_NONE;
    return cw_json_null(in) || cw_field_read_u32(in, CW_NONE - 1, id);
}

bool cw_field_read_digits(struct cw_json_in *in, struct cw_trace *t, size_t max, uint32_t *first,
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
    if (!cw_field_fits(in, t->bytes.count + length / 2))
        return false;
    *first = (uint32_t)t->bytes.count;
    *count = length / 2;
    out = cw_trace_push(&t->bytes, length / 2);
    if (!out)
        return cw_field_no_memory(in);
    for (size_t i = 0; i < length; i++) {
        unsigned digit = (unsigned)(s[i] <= '9' ? s[i] - '0' : (s[i] | 32) - 'a' + 10);
        out[i / 2] = (uint8_t)(out[i / 2] << 4 | digit);
    }
    return true;
}

bool cw_field_key_is(const char *key, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(key, word, length) == 0;
}

/* One member of an argument; the kind of the argument follows from its members. */
static bool read_arg_member(struct cw_json_in *in, struct cw_trace *t, const char *key, size_t length,
                            struct cw_t_arg *a)
{
    size_t count = 0;

    if (cw_field_key_is(key, length, "index"))
        return cw_field_read_u32(in, UINT32_MAX, &a->command_index);
    if (cw_field_key_is(key, length, "size"))
        return cw_field_read_u32(in, UINT32_MAX, &a->size);
    if (cw_field_key_is(key, length, "value") || cw_field_key_is(key, length, "svm")) {
        a->kind = *key == 'v' ? CW_ARG_VALUE : CW_ARG_SVM;
        return cw_json_hex(in, &a->value);
    }
    if (cw_field_key_is(key, length, "bytes")) {
        a->kind = CW_ARG_VALUE;
        if (!cw_field_read_digits(in, t, UINT32_MAX, &a->blob, &count))
            return false;
        a->size = (uint32_t)count;
        return true;
    }
    if (cw_field_key_is(key, length, "local")) {
        a->kind = CW_ARG_LOCAL;
        return cw_field_read_u32(in, UINT32_MAX, &a->size);
    }
    if (!cw_field_key_is(key, length, "memory") && !cw_field_key_is(key, length, "sampler") &&
        !cw_field_key_is(key, length, "queue"))
        return cw_json_skip(in);
    a->kind = *key == 'm' ? CW_ARG_MEMORY : *key == 's' ? CW_ARG_SAMPLER : CW_ARG_QUEUE;
    a->size = sizeof(void *);
    return cw_field_read_ref(in, &a->memory);
}

bool cw_field_read_args(struct cw_json_in *in, struct cw_trace *t, struct cw_slice *s)
{
    *s = (struct cw_slice){(uint32_t)t->args.count, 0};
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first); s->count++) {
        struct cw_t_arg *a = cw_trace_push_spilled(&t->args, 1);
        const char *key;
        size_t length;
        if (!a)
            return cw_field_no_memory(in);
        if (!cw_field_fits(in, t->args.count))
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
            t->accesses.count--;
            s->count--;
            return;
        }
}

bool cw_field_read_accesses(struct cw_json_in *in, struct cw_trace *t, uint32_t mode, struct cw_slice *s)
{
    if (s->count == 0)
        s->first = (uint32_t)t->accesses.count;
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first);) {
        struct cw_t_access *a = cw_trace_push_spilled(&t->accesses, 1);
        const char *key;
        size_t length;
        bool ok = true;
        if (!a)
            return cw_field_no_memory(in);
        *a = (struct cw_t_access){.memory = CW_NONE, .mode = (uint16_t)mode, .declared = (uint16_t)mode};
        for (bool member = cw_json_begin(in, '{'); ok && cw_json_next(in, '}', &member);) {
            if (!cw_json_key(in, &key, &length))
                return false;
            if (cw_field_key_is(key, length, "memory"))
                ok = cw_field_read_ref(in, &a->memory);
            else if (cw_field_key_is(key, length, "offset"))
                ok = cw_json_u64(in, UINT64_MAX, &a->offset);
            else
                ok = cw_field_key_is(key, length, "bytes") ? cw_json_u64(in, UINT64_MAX, &a->bytes)
                                                           : cw_json_skip(in);
        }
        if (in->err->status || !cw_field_fits(in, t->accesses.count))
            return false;
        s->count++;
        merge_access(t, s);
    }
    return !in->err->status;
}
