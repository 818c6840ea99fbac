/* table_cell.h - parts of table.c: one cell as CSV or JSON, and the type of a text. */
#ifndef CW_TABLE_CELL_H
#define CW_TABLE_CELL_H

#include <stdbool.h>
#include <stdio.h>

#include "json_out.h"

enum { CW_TABLE_NUMBER_BYTES = 60 }; /* of a number, at most */

/* In quotes where it must be (RFC 4180). */
void cw_table_csv(FILE *f, const char *text, size_t n);

/* A string; a NUL byte is U+EF00, as json_out.h has U+EF00 + byte for bytes that are not UTF-8. False: out of
 * memory. */
bool cw_table_json(struct cw_json_out *json, const char *text, size_t n);

/* Whether it is UTF-8 without NUL bytes. */
bool cw_table_is_utf8(const char *text, size_t n);

#endif
