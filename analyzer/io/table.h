/* table.h - a table with typed columns as CSV, JSON or SQLite: the same cells in each, complete or not there.
 *
 *     CSV     a header, then a line per row (RFC 4180); null is an empty field
 *     JSON    an array of objects; JSON lines: one object per line
 *     SQLite  a database with one table; text that is not UTF-8, or has a NUL byte, is a BLOB
 *
 * The caller puts the cells of a row one after the other; behind the last one the row is written. Errors are
 * kept until cw_table_close(). Thread-safety: a table belongs to one thread. */
#ifndef CW_TABLE_H
#define CW_TABLE_H

#include <stdint.h>

#include "json_out.h"
#include "output.h"

enum cw_table_form { CW_TABLE_BY_NAME, CW_TABLE_CSV, CW_TABLE_JSON, CW_TABLE_JSONL, CW_TABLE_SQLITE };
#define CW_TABLE_FORMS "csv|json|jsonl|sqlite"

/* Each holds the values of those before it. */
enum cw_table_type { CW_TABLE_NULL, CW_TABLE_INTEGER, CW_TABLE_REAL, CW_TABLE_TEXT };

struct cw_table_column {
    const char *name; /* borrowed until the table is closed; no two are equal but for case */
    enum cw_table_type type;
};

/* The form called `name`, NULL: CW_TABLE_BY_NAME. */
enum cw_table_form cw_table_form_called(const char *name);

/* Fails early as cw_table_open() would: the form, and a place where no file can be made. Makes nothing. */
enum cw_status cw_table_check(const char *path, enum cw_table_form form, struct cw_error *err);

/* The type of n bytes: NULL for none, INTEGER for a number of JSON's grammar that fits an int64_t, REAL for
 * another one of at most 60 bytes, else TEXT. */
enum cw_table_type cw_table_type_of(const char *text, size_t n);

struct cw_table; /* opaque */

/* Opens `path` ("-": standard output) for `count` columns, 1 or more. `title` names the table in a database.
 * On failure (CW_ERR_INVALID, CW_ERR_IO, CW_ERR_NOMEM) *t is NULL and nothing was made. */
enum cw_status cw_table_open(struct cw_table **t, const char *path, enum cw_table_form form,
                             const char *title, const struct cw_table_column *column, uint32_t count,
                             struct cw_error *err);

/* The next cell. Text of a column of numbers must be a number (cw_table_type_of), or empty: null. */
void cw_table_put_text(struct cw_table *t, const char *text, size_t n);
void cw_table_put_double(struct cw_table *t, double x); /* null when it is not finite */
void cw_table_put_u64(struct cw_table *t, uint64_t v);
void cw_table_put_null(struct cw_table *t);

/* Whether an error is kept; more cells are in vain then. */
bool cw_table_failed(const struct cw_table *t);

/* Commits the table when `status` is CW_OK and nothing went wrong, else leaves the place as it was. Returns
 * the first error (CW_ERR_IO, CW_ERR_NOMEM). NULL allowed: returns `status`. */
enum cw_status cw_table_close(struct cw_table *t, enum cw_status status, struct cw_error *err);

/* ---- one cell, for table.c */

enum { CW_TABLE_NUMBER_BYTES = 60 }; /* of a number, at most */

#endif
