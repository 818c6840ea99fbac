/* table.c - see table.h. */
#include "table.h"

#include <ctype.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "json_out.h"

/* ---- forms */

enum cw_table_form cw_table_form_called(const char *name)
{
    static const char *const names[] = {"csv", "json", "jsonl", "sqlite"};

    for (size_t k = 0; name && k < sizeof names / sizeof *names; k++)
        if (!strcmp(name, names[k]))
            return (enum cw_table_form)(CW_TABLE_CSV + k);
    return CW_TABLE_BY_NAME;
}

static bool ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), e = strlen(ending);

    return n >= e && !strcmp(path + n - e, ending);
}

/* The form of a table `path`: `form` itself, or as the name ends: .csv, .json, .jsonl, .sqlite, .db; CSV for
 * "-". CW_ERR_INVALID: another ending, or SQLite to standard output. */
static enum cw_status table_form_of(const char *path, enum cw_table_form form, enum cw_table_form *found,
                                    struct cw_error *err)
{
    bool output = !strcmp(path, "-");

    *found = form != CW_TABLE_BY_NAME                           ? form
             : output || ends_in(path, ".csv")                  ? CW_TABLE_CSV
             : ends_in(path, ".json")                           ? CW_TABLE_JSON
             : ends_in(path, ".jsonl")                          ? CW_TABLE_JSONL
             : ends_in(path, ".sqlite") || ends_in(path, ".db") ? CW_TABLE_SQLITE
                                                                : CW_TABLE_BY_NAME;
    if (*found == CW_TABLE_BY_NAME)
        return cw_error_set(err, CW_ERR_INVALID,
                            "the table '%s' ends neither in .csv, .json, .jsonl nor .sqlite; --format says "
                            "how to write it",
                            path);
    if (*found == CW_TABLE_SQLITE && output)
        return cw_error_set(err, CW_ERR_INVALID, "a SQLite table needs a file: name it with -o");
    return CW_OK;
}

static enum cw_status check_regular(const struct cw_output *out, struct cw_error *err)
{
    return out->temporary ? CW_OK
                          : cw_error_set(err, CW_ERR_INVALID,
                                         "%s is no regular file, which a SQLite table needs", out->path);
}

enum cw_status cw_table_check(const char *path, enum cw_table_form form, struct cw_error *err)
{
    struct cw_output out = {0};
    enum cw_status status = table_form_of(path, form, &form, err);

    if (status != CW_OK || !strcmp(path, "-"))
        return status;
    status = cw_output_open(&out, path, 0666, err);
    if (status == CW_OK && form == CW_TABLE_SQLITE)
        status = check_regular(&out, err);
    cw_output_discard(&out);
    return status;
}

/* ---- cells */

struct cw_table {
    enum cw_table_form form;
    struct cw_output out;
    struct cw_table_column *column;
    uint32_t count, at;
    uint64_t rows;
    struct cw_json_out *json;
    sqlite3 *db;
    sqlite3_stmt *insert;
    struct cw_error err;
};

static void fail_database(struct cw_table *t)
{
    if (t->err.status == CW_OK)
        cw_error_set(&t->err, CW_ERR_IO, "cannot write %s: %s; nothing was kept", t->out.path,
                     sqlite3_errmsg(t->db));
}

static void fail_memory(struct cw_table *t)
{
    if (t->err.status == CW_OK)
        cw_error_set(&t->err, CW_ERR_NOMEM, "out of memory for the table");
}

bool cw_table_failed(const struct cw_table *t)
{
    return t->err.status != CW_OK || ferror(t->out.f);
}

/* What stands before the cell. */
static void begin_cell(struct cw_table *t)
{
    if (t->form == CW_TABLE_CSV && t->at)
        putc(',', t->out.f);
    if (!t->json)
        return;
    if (!t->at)
        cw_json_put_text(t->json, t->form == CW_TABLE_JSONL ? "{" : t->rows ? ",\n {" : "\n {");
    else
        cw_json_put_char(t->json, ',');
    cw_json_put_string(t->json, t->column[t->at].name);
    cw_json_put_char(t->json, ':');
}

static void end_cell(struct cw_table *t)
{
    if (++t->at < t->count)
        return;
    t->at = 0;
    t->rows++;
    if (t->json)
        cw_json_put_text(t->json, t->form == CW_TABLE_JSONL ? "}\n" : "}");
    else if (t->form == CW_TABLE_CSV)
        putc('\n', t->out.f);
    if (!t->insert)
        return;
    if (sqlite3_step(t->insert) != SQLITE_DONE)
        fail_database(t);
    sqlite3_reset(t->insert);
    sqlite3_clear_bindings(t->insert);
}

void cw_table_put_null(struct cw_table *t)
{
    begin_cell(t);
    if (t->json)
        cw_json_put_string(t->json, NULL);
    end_cell(t); /* a statement's parameters are NULL before they are bound */
}

static void bind_number(struct cw_table *t, const char *text, size_t n)
{
    char copy[CW_TABLE_NUMBER_BYTES + 1];

    memcpy(copy, text, n);
    copy[n] = '\0';
    if (t->column[t->at].type == CW_TABLE_INTEGER)
        sqlite3_bind_int64(t->insert, (int)t->at + 1, strtoll(copy, NULL, 10));
    else
        sqlite3_bind_double(t->insert, (int)t->at + 1, strtod(copy, NULL));
}

static bool table_is_utf8(const char *text, size_t n);

static void bind_text(struct cw_table *t, const char *text, size_t n)
{
    int k = (int)t->at + 1;
    int rc = table_is_utf8(text, n)
                 ? sqlite3_bind_text64(t->insert, k, n ? text : "", n, SQLITE_TRANSIENT, SQLITE_UTF8)
                 : sqlite3_bind_blob64(t->insert, k, text, n, SQLITE_TRANSIENT);

    if (rc != SQLITE_OK)
        fail_database(t);
}

static void put_json_number(struct cw_table *t, const char *text, size_t n)
{
    for (size_t k = 0; k < n; k++)
        cw_json_put_char(t->json, text[k]);
}

static void table_csv(FILE *f, const char *text, size_t n);

static bool table_json(struct cw_json_out *json, const char *text, size_t n);

void cw_table_put_text(struct cw_table *t, const char *text, size_t n)
{
    bool number = t->column[t->at].type != CW_TABLE_TEXT;

    if (number && (n == 0 || n > CW_TABLE_NUMBER_BYTES)) {
        cw_table_put_null(t);
        return;
    }
    begin_cell(t);
    if (t->form == CW_TABLE_CSV)
        table_csv(t->out.f, text, n);
    else if (t->insert && number)
        bind_number(t, text, n);
    else if (t->insert)
        bind_text(t, text, n);
    else if (number)
        put_json_number(t, text, n);
    else if (!table_json(t->json, text, n))
        fail_memory(t);
    end_cell(t);
}

void cw_table_put_double(struct cw_table *t, double x)
{
    if (!isfinite(x)) {
        cw_table_put_null(t);
        return;
    }
    begin_cell(t);
    if (t->json)
        cw_json_put_double(t->json, x);
    else if (t->insert)
        sqlite3_bind_double(t->insert, (int)t->at + 1, x);
    else
        fprintf(t->out.f, "%.17g", x);
    end_cell(t);
}

void cw_table_put_u64(struct cw_table *t, uint64_t v)
{
    begin_cell(t);
    if (t->json)
        cw_json_put_u64(t->json, v);
    else if (t->insert)
        sqlite3_bind_int64(t->insert, (int)t->at + 1, (sqlite3_int64)v);
    else
        fprintf(t->out.f, "%llu", (unsigned long long)v);
    end_cell(t);
}

/* ---- open and close */

/* "CREATE TABLE title(a TEXT, …)" and "INSERT INTO title VALUES(?, …)", by sqlite3_free(). */
static char *statement(const struct cw_table *t, const char *title, bool create)
{
    static const char *const types[] = {"TEXT", "INTEGER", "REAL", "TEXT"};
    sqlite3_str *s = sqlite3_str_new(t->db);

    sqlite3_str_appendf(s, create ? "CREATE TABLE \"%w\"(" : "INSERT INTO \"%w\" VALUES(", title);
    for (uint32_t k = 0; k < t->count; k++) {
        sqlite3_str_appendall(s, k ? ", " : "");
        if (create)
            sqlite3_str_appendf(s, "\"%w\" %s", t->column[k].name, types[t->column[k].type]);
        else
            sqlite3_str_appendall(s, "?");
    }
    sqlite3_str_appendall(s, ")");
    return sqlite3_str_finish(s);
}

static enum cw_status open_database(struct cw_table *t, const char *title, struct cw_error *err)
{
    static const char begin[] = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN";
    char *create = NULL, *insert = NULL;

    if (check_regular(&t->out, err) != CW_OK)
        return CW_ERR_INVALID;
    if (sqlite3_open_v2(t->out.temporary, &t->db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK) {
        create = statement(t, title, true);
        insert = statement(t, title, false);
    }
    if (!create || !insert || sqlite3_exec(t->db, begin, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(t->db, create, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(t->db, insert, -1, &t->insert, NULL) != SQLITE_OK)
        fail_database(t);
    sqlite3_free(create);
    sqlite3_free(insert);
    return t->err.status == CW_OK ? CW_OK : cw_error_set(err, t->err.status, "%s", t->err.text);
}

/* The text before the first row. */
static void begin_text(struct cw_table *t)
{
    if (t->json) {
        cw_json_out_init(t->json, t->out.f);
        cw_json_put_text(t->json, t->form == CW_TABLE_JSON ? "[" : "");
        return;
    }
    for (uint32_t k = 0; k < t->count; k++) {
        table_csv(t->out.f, t->column[k].name, strlen(t->column[k].name));
        putc(k + 1 < t->count ? ',' : '\n', t->out.f);
    }
}

static enum cw_status begin_table(struct cw_table *t, const char *path, const char *title,
                                  struct cw_error *err)
{
    enum cw_status status = cw_output_open(&t->out, path, 0666, err);

    if (status != CW_OK)
        return status;
    if (t->form == CW_TABLE_SQLITE)
        return open_database(t, title, err);
    if (t->form != CW_TABLE_CSV && !(t->json = malloc(sizeof *t->json)))
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for the table");
    begin_text(t);
    return CW_OK;
}

enum cw_status cw_table_open(struct cw_table **to, const char *path, enum cw_table_form form,
                             const char *title, const struct cw_table_column *column, uint32_t count,
                             struct cw_error *err)
{
    struct cw_table *t = NULL;
    enum cw_status status = table_form_of(path, form, &form, err);

    *to = NULL;
    if (status == CW_OK && (!(t = calloc(1, sizeof *t)) || !(t->column = calloc(count, sizeof *column))))
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for the table");
    if (status == CW_OK) {
        memcpy(t->column, column, count * sizeof *column);
        t->form = form;
        t->count = count;
        status = begin_table(t, path, title, err);
    }
    if (status != CW_OK && t)
        cw_table_close(t, status, NULL);
    else
        *to = t;
    return status;
}

static void close_database(struct cw_table *t, bool good)
{
    sqlite3_finalize(t->insert);
    if (good && sqlite3_exec(t->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        fail_database(t);
    sqlite3_close(t->db);
}

enum cw_status cw_table_close(struct cw_table *t, enum cw_status status, struct cw_error *err)
{
    if (!t)
        return status;
    if (t->db)
        close_database(t, status == CW_OK && t->err.status == CW_OK);
    if (t->json && status == CW_OK) {
        cw_json_put_text(t->json, t->form == CW_TABLE_JSON ? t->rows ? "\n]\n" : "]\n" : "");
        cw_json_out_flush(t->json);
    }
    if (status == CW_OK && t->err.status != CW_OK)
        status = cw_error_set(err, t->err.status, "%s", t->err.text);
    status = cw_output_close(&t->out, status, err);
    free(t->json);
    free(t->column);
    free(t);
    return status;
}

/* ---- cells */

/* In quotes where it must be (RFC 4180). */
static void table_csv(FILE *f, const char *text, size_t n)
{
    bool quotes =
        n && (memchr(text, '"', n) || memchr(text, ',', n) || memchr(text, '\n', n) || memchr(text, '\r', n));

    if (quotes)
        putc('"', f);
    for (size_t i = 0; quotes && i < n; i++) {
        if (text[i] == '"')
            putc('"', f);
        putc(text[i], f);
    }
    if (quotes)
        putc('"', f);
    else if (n)
        fwrite(text, 1, n, f);
}

/* A string; a NUL byte is U+EF00, as json_out.h has U+EF00 + byte for bytes that are not UTF-8. False: out of
 * memory. */
static bool table_json(struct cw_json_out *json, const char *text, size_t n)
{
    static const char nul[] = "\xee\xbc\x80";
    size_t used = 0, nuls = 0;
    char *copy;

    for (size_t i = 0; i < n; i++)
        nuls += !text[i];
    copy = malloc(n + nuls * (sizeof nul - 2) + 1);
    if (!copy)
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t m = text[i] ? 1 : sizeof nul - 1;
        memcpy(copy + used, text[i] ? &text[i] : nul, m);
        used += m;
    }
    copy[used] = '\0';
    cw_json_put_string(json, copy);
    free(copy);
    return true;
}

/* Whether it is UTF-8 without NUL bytes. */
static bool table_is_utf8(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;

    for (size_t i = 0; i < n; i++) {
        unsigned c = s[i], more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
        unsigned code = more == 3 ? c & 7 : more == 2 ? c & 15 : more == 1 ? c & 31 : c;

        if (!c || (c >= 0x80 && c < 0xc2) || c > 0xf4 || more > n - 1 - i)
            return false;
        for (unsigned k = 1; k <= more; k++) {
            if ((s[i + k] & 0xc0) != 0x80)
                return false;
            code = code << 6 | (s[i + k] & 63);
        }
        if ((more == 2 && (code < 0x800 || (code >= 0xd800 && code < 0xe000))) ||
            (more == 3 && (code < 0x10000 || code > 0x10ffff)))
            return false;
        i += more;
    }
    return true;
}

static size_t digits(const char *s, size_t n)
{
    size_t k = 0;

    while (k < n && isdigit((unsigned char)s[k]))
        k++;
    return k;
}

enum cw_table_type cw_table_type_of(const char *s, size_t n)
{
    size_t at, whole, part;
    bool integer = true;

    if (n == 0)
        return CW_TABLE_NULL;
    at = *s == '-';
    whole = digits(s + at, n - at);
    if (n > CW_TABLE_NUMBER_BYTES || whole == 0 || (whole > 1 && s[at] == '0'))
        return CW_TABLE_TEXT;
    at += whole;
    if (at < n && s[at] == '.') {
        part = digits(s + at + 1, n - at - 1);
        integer = false;
        at += part ? 1 + part : 0;
    }
    if (at < n && (s[at] == 'e' || s[at] == 'E')) {
        size_t sign = at + 1 < n && (s[at + 1] == '+' || s[at + 1] == '-');
        part = digits(s + at + 1 + sign, n - at - 1 - sign);
        integer = false;
        at += part ? 1 + sign + part : 0;
    }
    return at < n ? CW_TABLE_TEXT : integer && whole <= 18 ? CW_TABLE_INTEGER : CW_TABLE_REAL;
}
