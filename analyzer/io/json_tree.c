/* json_tree.c - see json_tree.h. */
#include "json_tree.h"
#include "array.h"
#include "text.h"
#include "json_in.h"
#include "name_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An object of so many members or fewer is searched for equal names pair by pair. */
enum { PAIRS_MAX = 24 };

/* Values of the arrays and objects that are open, until these end. */
struct reader {
    struct cw_json_in in;
    struct cw_json_tree *t;
    struct cw_json_node *open;
    size_t opens, open_room;
};

static bool no_memory(struct reader *r)
{
    cw_error_set(r->in.err, CW_ERR_NOMEM, "%s: out of memory", r->in.name);
    return false;
}

/* Copies `length` bytes and a zero byte into the text; 0: it has failed. */
static uint32_t keep(struct reader *r, const char *bytes, size_t length)
{
    struct cw_json_tree *t = r->t;
    size_t at = t->bytes;

    if (at + length + 1 > UINT32_MAX) {
        cw_error_set(r->in.err, CW_ERR_LIMIT, "%s: more than 4 GiB of strings", r->in.name);
        return 0;
    }
    if (!cw_array_reserve(&t->text, &t->text_room, at, length + 1, 1)) {
        no_memory(r);
        return 0;
    }
    memcpy(t->text + at, bytes, length);
    t->bytes += length + 1;
    return (uint32_t)at;
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?, and not at the end of the text */
static bool read_number(struct reader *r, double *value)
{
    const char *p = r->in.p + (*r->in.p == '-'), *end = r->in.end, *digits = p;
    char *rest;

    while (p < end && *p >= '0' && *p <= '9')
        p++;
    if (p == digits || (*digits == '0' && p > digits + 1))
        return cw_json_expected(&r->in, "a number");
    for (int part = 0; part < 2; part++) {
        if (p == end || (part ? *p != 'e' && *p != 'E' : *p != '.'))
            continue;
        p++;
        p += part && p < end && (*p == '+' || *p == '-');
        for (digits = p; p < end && *p >= '0' && *p <= '9';)
            p++;
        if (p == digits)
            return cw_json_expected(&r->in, "a number");
    }
    if (p == end)
        return cw_json_fail(&r->in, p, "the file ends within a number");
    *value = strtod(r->in.p, &rest);
    if (rest != p || !isfinite(*value))
        return cw_json_expected(&r->in, "a number");
    r->in.p = p;
    return true;
}

static bool names_differ(struct reader *r, const struct cw_json_node *v, size_t n, const char *at)
{
    struct cw_name_table names = {0};
    const char *text = r->t->text;
    bool ok = true;

    for (size_t i = 0; ok && n <= PAIRS_MAX && i < n; i++)
        for (size_t k = 0; ok && k < i; k++)
            if (!strcmp(text + v[i].key, text + v[k].key))
                ok = cw_json_fail(&r->in, at, "\"%.60s\" is there twice", text + v[i].key);
    for (uint32_t i = 0; ok && n > PAIRS_MAX && i < n; i++) {
        uint32_t number = cw_name_table_add(&names, text + v[i].key, strlen(text + v[i].key));
        if (number == CW_NAME_NONE)
            ok = no_memory(r);
        else if (number != i)
            ok = cw_json_fail(&r->in, at, "\"%.60s\" is there twice", text + v[i].key);
    }
    cw_name_table_finish(&names);
    return ok;
}

/* The values that were opened behind the first `base` are those of `to`. */
static bool close_list(struct reader *r, struct cw_json_node *to, size_t base, const char *at)
{
    struct cw_json_tree *t = r->t;
    size_t n = r->opens - base;

    if (t->nodes + n >= UINT32_MAX)
        return cw_json_fail(&r->in, at, "more than 2^32 values");
    if (n && to->kind == CW_JSON_OBJECT && !names_differ(r, r->open + base, n, at))
        return false;
    if (!cw_array_reserve(&t->node, &t->node_room, t->nodes, n, sizeof *t->node))
        return no_memory(r);
    if (n)
        memcpy(t->node + t->nodes, r->open + base, n * sizeof *t->node);
    to->at = (uint32_t)t->nodes;
    to->count = (uint32_t)n;
    t->nodes += n;
    r->opens = base;
    return true;
}

static bool read_value(struct reader *r, struct cw_json_node *v);

static bool read_list(struct reader *r, struct cw_json_node *v, char bracket)
{
    const char *at = r->in.p, *key;
    size_t base = r->opens, length;

    v->kind = bracket == '{' ? CW_JSON_OBJECT : CW_JSON_ARRAY;
    for (bool first = cw_json_begin(&r->in, bracket);
         cw_json_next(&r->in, bracket == '{' ? '}' : ']', &first);) {
        struct cw_json_node member = {0};
        uint32_t name = 0;
        if (bracket == '{' && (!cw_json_key(&r->in, &key, &length) || !(name = keep(r, key, length))))
            return false;
        if (!read_value(r, &member))
            return false;
        member.key = name;
        if (!cw_array_reserve(&r->open, &r->open_room, r->opens, 1, sizeof *r->open))
            return no_memory(r);
        r->open[r->opens++] = member;
    }
    return !r->in.err->status && close_list(r, v, base, at);
}

static bool read_value(struct reader *r, struct cw_json_node *v)
{
    const char *text;
    size_t length;
    char c = cw_json_peek(&r->in);

    *v = (struct cw_json_node){.kind = CW_JSON_WORD};
    if (c == '{' || c == '[')
        return read_list(r, v, c);
    if (c == '"') {
        v->kind = CW_JSON_STRING;
        return cw_json_string(&r->in, &text, &length) && (v->at = keep(r, text, length));
    }
    if (c == '-' || (c >= '0' && c <= '9')) {
        v->kind = CW_JSON_NUMBER;
        return read_number(r, &v->number);
    }
    return cw_json_skip(&r->in);
}

enum cw_status cw_json_tree_read(struct cw_json_tree *t, const char *path, struct cw_error *err)
{
    struct cw_error own = {0};
    struct reader r = {.t = t};
    struct cw_json_node root;
    struct cw_file_text file;
    enum cw_status status = cw_file_text_open(&file, path, err);

    *t = (struct cw_json_tree){0};
    if (status)
        return status;
    cw_json_in_init(&r.in, path, file.text, file.length, &own);
    keep(&r, "", 0); /* so that no string lies at 0 */
    if (!own.status && cw_json_peek(&r.in) != '{')
        cw_json_expected(&r.in, "an object");
    if (!own.status && read_value(&r, &root) && cw_json_done(&r.in)) {
        if (cw_array_reserve(&t->node, &t->node_room, t->nodes, 1, sizeof root))
            t->node[t->nodes++] = root;
        else
            no_memory(&r);
    }
    cw_json_in_finish(&r.in);
    free(r.open);
    cw_file_text_close(&file);
    return own.status ? cw_error_set(err, own.status, "%s", own.text) : CW_OK;
}

void cw_json_tree_finish(struct cw_json_tree *t)
{
    free(t->node);
    free(t->text);
    *t = (struct cw_json_tree){0};
}

const struct cw_json_node *cw_json_tree_root(const struct cw_json_tree *t)
{
    return &t->node[t->nodes - 1];
}

const struct cw_json_node *cw_json_tree_item(const struct cw_json_tree *t, const struct cw_json_node *array,
                                             size_t i)
{
    return &t->node[array->at + i];
}

const struct cw_json_node *cw_json_tree_member(const struct cw_json_tree *t,
                                               const struct cw_json_node *object, const char *key)
{
    for (uint32_t i = 0; object && object->kind == CW_JSON_OBJECT && i < object->count; i++)
        if (!strcmp(t->text + t->node[object->at + i].key, key))
            return &t->node[object->at + i];
    return NULL;
}

const char *cw_json_tree_string(const struct cw_json_tree *t, const struct cw_json_node *value)
{
    return value && value->kind == CW_JSON_STRING ? t->text + value->at : NULL;
}

/* ---- members */

/* Finds a member of that kind, `wanted` in words. *found is NULL when it is absent and may be. */
static enum cw_status find(const struct cw_json_tree *t, const struct cw_json_node *object, const char *where,
                           const char *key, bool optional, enum cw_json_kind kind, const char *wanted,
                           const struct cw_json_node **found, struct cw_error *err)
{
    const char *dot = *where ? "." : "";

    *found = NULL;
    if (!object || object->kind != CW_JSON_OBJECT)
        return cw_error_set(err, CW_ERR_FORMAT, "%s: is not an object", *where ? where : "the file");
    *found = cw_json_tree_member(t, object, key);
    if (!*found)
        return optional ? CW_OK : cw_error_set(err, CW_ERR_FORMAT, "%s%s%s: is missing", where, dot, key);
    return (*found)->kind == kind ? CW_OK
                                  : cw_error_set(err, CW_ERR_FORMAT, "%s%s%s: %s", where, dot, key, wanted);
}

enum cw_status cw_json_tree_get_number(const struct cw_json_tree *t, const struct cw_json_node *object,
                                       const char *where, const char *key, bool optional, double *value,
                                       struct cw_error *err)
{
    const struct cw_json_node *v;
    enum cw_status status = find(t, object, where, key, optional, CW_JSON_NUMBER, "is not a number", &v, err);

    if (!status && v)
        *value = v->number;
    return status;
}

enum cw_status cw_json_tree_get_string(const struct cw_json_tree *t, const struct cw_json_node *object,
                                       const char *where, const char *key, bool optional, const char **value,
                                       struct cw_error *err)
{
    const struct cw_json_node *v;
    enum cw_status status = find(t, object, where, key, optional, CW_JSON_STRING, "is not a string", &v, err);

    if (!status && v)
        *value = t->text + v->at;
    return status;
}

enum cw_status cw_json_tree_get_array(const struct cw_json_tree *t, const struct cw_json_node *object,
                                      const char *where, const char *key, bool optional,
                                      const struct cw_json_node **value, struct cw_error *err)
{
    const struct cw_json_node *v;
    enum cw_status status = find(t, object, where, key, optional, CW_JSON_ARRAY, "is not an array", &v, err);

    *value = status ? NULL : v;
    return status;
}
