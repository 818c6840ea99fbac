#include "farm_rows.h"

#include <stdlib.h>
#include <string.h>

#include "../io/array.h"
#include "../io/json_in.h"

enum cw_farm_rows_form cw_farm_rows_form_called(const char *name)
{
    static const char *const names[] = {"text", "csv", "json"};

    for (size_t k = 0; name && k < sizeof names / sizeof *names; k++)
        if (!strcmp(name, names[k]))
            return (enum cw_farm_rows_form)(CW_FARM_ROWS_TEXT + k);
    return CW_FARM_ROWS_BY_COMMAND;
}

enum cw_farm_rows_form cw_farm_rows_form_of(char *const *argv)
{
    bool own = argv[0] && !strcmp(argv[0], "clweave");

    for (size_t a = 1; own && argv[a]; a++) {
        if (!strcmp(argv[a], "--csv=-") ||
            (!strcmp(argv[a], "--csv") && argv[a + 1] && !strcmp(argv[a + 1], "-")))
            return CW_FARM_ROWS_CSV;
        if (!strcmp(argv[a], "--json") || !strcmp(argv[a], "-j") || !strcmp(argv[a], "--json=-"))
            return CW_FARM_ROWS_JSON;
    }
    return CW_FARM_ROWS_TEXT;
}

void cw_farm_columns_finish(struct cw_farm_columns *c)
{
    for (size_t k = 0; k < c->count; k++)
        free(c->v[k].name);
    free(c->v);
    *c = (struct cw_farm_columns){0};
}

void cw_farm_rows_finish(struct cw_farm_rows *r)
{
    free(r->cell);
    free(r->end);
    free(r->text.v);
    *r = (struct cw_farm_rows){0};
}

/* ---- columns, cells */

static enum cw_status no_memory(struct cw_error *err)
{
    return cw_error_set(err, CW_ERR_NOMEM, "out of memory for the rows of a task");
}

static enum cw_status find_column(struct cw_farm_columns *c, const char *name, size_t n, uint32_t repeat,
                                  uint32_t *found, struct cw_error *err)
{
    n = strnlen(name, n); /* names end at a NUL byte */
    for (size_t k = 0; k < c->count; k++)
        if (c->v[k].repeat == repeat && strlen(c->v[k].name) == n && !memcmp(c->v[k].name, name, n)) {
            *found = (uint32_t)k;
            return CW_OK;
        }
    if (c->count == CW_FARM_COLUMNS_MAX)
        return cw_error_set(err, CW_ERR_LIMIT, "its rows have more than %d columns", CW_FARM_COLUMNS_MAX);
    if (!cw_array_reserve(&c->v, &c->capacity, c->count, 1, sizeof *c->v) ||
        !(c->v[c->count].name = strndup(name, n)))
        return no_memory(err);
    c->v[c->count].repeat = repeat;
    c->v[c->count].type = CW_TABLE_NULL;
    *found = (uint32_t)c->count++;
    return CW_OK;
}

/* Adds a cell of the row that is being read; its text is copied. */
static enum cw_status add_cell(struct cw_farm_rows *r, struct cw_farm_columns *c, uint32_t column,
                               enum cw_table_type type, const char *text, size_t n, struct cw_error *err)
{
    size_t at = r->text.used;

    if (!cw_array_reserve(&r->cell, &r->cells_space, r->cells, 1, sizeof *r->cell) ||
        !cw_farm_result_add_bytes(&r->text, text, n))
        return no_memory(err);
    r->cell[r->cells++] = (struct cw_farm_cell){column, type, at, n};
    if (type > c->v[column].type)
        c->v[column].type = type;
    return CW_OK;
}

static enum cw_status end_row(struct cw_farm_rows *r, struct cw_error *err)
{
    if (!cw_array_reserve(&r->end, &r->rows_space, r->rows, 1, sizeof *r->end))
        return no_memory(err);
    r->end[r->rows++] = r->cells;
    return CW_OK;
}

/* ---- CSV */

struct csv {
    const char *p, *end;
    struct cw_farm_bytes field; /* without its quotes */
    bool quoted, last;          /* of its line */
    unsigned long line;
};

/* Reads the next field. CW_ERR_FORMAT: a quote is not closed, or text stands behind it. */
static enum cw_status next_field(struct csv *s, struct cw_error *err)
{
    s->field.used = 0;
    s->quoted = s->p < s->end && *s->p == '"';
    s->p += s->quoted;
    for (;; s->p++) {
        bool ends = s->p == s->end, quote = !ends && *s->p == '"';

        if (s->quoted && quote && s->p + 1 < s->end && s->p[1] == '"')
            s->p++;
        else if (s->quoted ? quote : ends || *s->p == ',' || *s->p == '\n')
            break;
        else if (ends)
            return cw_error_set(err, CW_ERR_FORMAT, "line %lu: a quote is not closed", s->line);
        if (!cw_farm_result_add_bytes(&s->field, s->p, 1))
            return no_memory(err);
    }
    s->p += s->quoted;
    if (s->p < s->end && *s->p == '\r' && s->p + 1 < s->end && s->p[1] == '\n')
        s->p++;
    else if (!s->quoted && s->field.used && s->field.v[s->field.used - 1] == '\r')
        s->field.used--;
    s->last = s->p == s->end || *s->p == '\n';
    if (!s->last && *s->p != ',')
        return cw_error_set(err, CW_ERR_FORMAT, "line %lu: text behind a closing quote", s->line);
    s->line += s->last;
    s->p += s->p < s->end;
    return CW_OK;
}

static enum cw_status read_header(struct csv *s, struct cw_farm_columns *c, uint32_t *column, uint32_t *count,
                                  struct cw_error *err)
{
    enum cw_status status;

    *count = 0;
    do {
        uint32_t repeat = 0;

        status = next_field(s, err);
        if (status == CW_OK && *count == CW_FARM_COLUMNS_MAX)
            status =
                cw_error_set(err, CW_ERR_LIMIT, "its rows have more than %d columns", CW_FARM_COLUMNS_MAX);
        if (status != CW_OK)
            return status;
        for (uint32_t k = 0; k < *count; k++)
            repeat += strlen(c->v[column[k]].name) == s->field.used &&
                      !memcmp(c->v[column[k]].name, s->field.v, s->field.used);
        status = find_column(c, s->field.v, s->field.used, repeat, &column[*count], err);
        ++*count;
    } while (status == CW_OK && !s->last);
    return status;
}

static enum cw_status read_line(struct csv *s, struct cw_farm_rows *r, struct cw_farm_columns *c,
                                const uint32_t *column, uint32_t count, struct cw_error *err)
{
    unsigned long line = s->line;
    uint32_t k = 0;

    do {
        enum cw_status status = next_field(s, err);
        enum cw_table_type type = s->quoted ? CW_TABLE_TEXT : cw_table_type_of(s->field.v, s->field.used);

        if (status == CW_OK && k < count)
            status = add_cell(r, c, column[k], type, s->field.v, s->field.used, err);
        if (status != CW_OK)
            return status;
        k++;
    } while (!s->last);
    if (k != count)
        return cw_error_set(err, CW_ERR_FORMAT, "line %lu has %u field%s, the header %u", line, k,
                            k == 1 ? "" : "s", count);
    return end_row(r, err);
}

static enum cw_status read_csv(struct cw_farm_rows *r, const char *text, size_t n, struct cw_farm_columns *c,
                               struct cw_error *err)
{
    struct csv s = {.p = text, .end = text + n, .line = 1};
    uint32_t column[CW_FARM_COLUMNS_MAX], count = 0;
    enum cw_status status = CW_OK;

    if (!cw_farm_result_add_bytes(&s.field, "", 1)) /* so that an empty field has an address */
        status = no_memory(err);
    if (status == CW_OK && n)
        status = read_header(&s, c, column, &count, err);
    while (status == CW_OK && s.p < s.end)
        status = read_line(&s, r, c, column, count, err);
    free(s.field.v);
    return status;
}

/* ---- JSON */

static enum cw_status read_value(struct cw_json_in *in, struct cw_farm_rows *r, struct cw_farm_columns *c,
                                 uint32_t column)
{
    char first = cw_json_peek(in);
    const char *text = in->p;
    size_t n;
    enum cw_table_type type = CW_TABLE_TEXT;

    if (first == '"' ? !cw_json_string(in, &text, &n) : !cw_json_skip(in))
        return in->err->status;
    if (first != '"') {
        n = (size_t)(in->p - text);
        type = first == 'n' ? CW_TABLE_NULL : cw_table_type_of(text, n);
    }
    return add_cell(r, c, column, type, text, type == CW_TABLE_NULL ? 0 : n, in->err);
}

static enum cw_status read_rows(struct cw_json_in *in, struct cw_farm_rows *r, struct cw_farm_columns *c);

/* Forgets the columns from `count` on. */
static void cut_columns(struct cw_farm_columns *c, size_t count)
{
    while (c->count > count)
        free(c->v[--c->count].name);
}

/* A row, or the rows in its array `results`. */
static enum cw_status read_object(struct cw_json_in *in, struct cw_farm_rows *r, struct cw_farm_columns *c)
{
    size_t cells = r->cells, columns = c->count, key_bytes;
    enum cw_status status = CW_OK;
    bool results = false;
    const char *key;
    uint32_t column;

    for (bool first = cw_json_begin(in, '{'); status == CW_OK && cw_json_next(in, '}', &first);) {
        if (!cw_json_key(in, &key, &key_bytes))
            break;
        if (key_bytes == 7 && !memcmp(key, "results", 7) && cw_json_peek(in) == '[') {
            if (!results) { /* other members belong to no row */
                r->cells = cells;
                cut_columns(c, columns);
            }
            results = true;
            status = read_rows(in, r, c);
        } else if (results) {
            cw_json_skip(in);
        } else {
            status = find_column(c, key, key_bytes, 0, &column, in->err);
            if (status == CW_OK)
                status = read_value(in, r, c, column);
        }
    }
    if (in->err->status != CW_OK)
        return in->err->status;
    return results ? CW_OK : end_row(r, in->err);
}

static enum cw_status read_rows(struct cw_json_in *in, struct cw_farm_rows *r, struct cw_farm_columns *c)
{
    enum cw_status status = CW_OK;

    if (cw_json_peek(in) == '{')
        return read_object(in, r, c);
    for (bool first = cw_json_begin(in, '['); status == CW_OK && cw_json_next(in, ']', &first);)
        status = read_object(in, r, c);
    return in->err->status;
}

static enum cw_status read_json(struct cw_farm_rows *r, const char *text, size_t n, struct cw_farm_columns *c,
                                struct cw_error *err)
{
    struct cw_error inner = {0};
    struct cw_json_in in;
    enum cw_status status = CW_OK;

    cw_json_in_init(&in, "output", text, n, &inner);
    while (status == CW_OK && cw_json_peek(&in))
        status = read_rows(&in, r, c);
    cw_json_in_finish(&in);
    return status == CW_OK ? CW_OK : cw_error_set(err, status, "%s", inner.text);
}

enum cw_status cw_farm_rows_read(struct cw_farm_rows *r, enum cw_farm_rows_form form, const char *text,
                                 size_t n, struct cw_farm_columns *c, struct cw_error *err)
{
    r->cells = r->rows = r->text.used = 0;
    return form == CW_FARM_ROWS_CSV ? read_csv(r, text, n, c, err) : read_json(r, text, n, c, err);
}
