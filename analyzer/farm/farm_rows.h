/* farm_rows.h - the output of a task as rows: CSV with a header line, or JSON objects.
 *
 *     CSV    RFC 4180; the first line names the columns
 *     JSON   objects, one behind the other or in an array, a row each; an object with an array `results`
 *            stands for those rows. Arrays and objects inside a row stay JSON text.
 *
 * Columns are those of all tasks in the order in which they come up. Thread-safety: as of any plain data. */
#ifndef CW_FARM_ROWS_H
#define CW_FARM_ROWS_H

#include "../io/table.h"
#include "farm_result.h"

enum cw_farm_rows_form {
    CW_FARM_ROWS_BY_COMMAND,
    CW_FARM_ROWS_TEXT,
    CW_FARM_ROWS_CSV,
    CW_FARM_ROWS_JSON,
    CW_FARM_ROWS_OTHER /* the command whose farm it is reads the outputs itself */
};
#define CW_FARM_ROWS_FORMS "text|csv|json"

enum { CW_FARM_COLUMNS_MAX = 1000 };

/* The form called `name`, NULL: BY_COMMAND. */
enum cw_farm_rows_form cw_farm_rows_form_called(const char *name);

/* What a command prints that is clweave's own and computes: CSV for `--csv -`, JSON for `--json`, else
 * text. */
enum cw_farm_rows_form cw_farm_rows_form_of(char *const *argv);

struct cw_farm_columns {
    struct cw_farm_column {
        char *name;              /* owned */
        uint32_t repeat;         /* the how-manieth of this name in its row, from 0 */
        enum cw_table_type type; /* that holds all values until now */
    } * v;
    size_t count, capacity;
};
void cw_farm_columns_finish(struct cw_farm_columns *c);

struct cw_farm_cell {
    uint32_t column;
    enum cw_table_type type; /* NULL, TEXT, or as cw_table_type_of() says */
    size_t at, n;            /* in `text` */
};

/* The rows of a task; a zeroed one is empty. */
struct cw_farm_rows {
    struct cw_farm_cell *cell; /* row by row; owned */
    size_t *end;               /* per row: the number of cells up to its end; owned */
    size_t cells, cells_space, rows, rows_space;
    struct cw_farm_bytes text;
};

/* Reads n bytes into `r`, whose earlier rows are lost, and adds columns to `c`. CW_ERR_FORMAT: that is no CSV
 * or JSON, and err says where; CW_ERR_LIMIT: too many columns; CW_ERR_NOMEM. */
enum cw_status cw_farm_rows_read(struct cw_farm_rows *r, enum cw_farm_rows_form form, const char *text,
                                 size_t n, struct cw_farm_columns *c, struct cw_error *err);
void cw_farm_rows_finish(struct cw_farm_rows *r);

#endif
