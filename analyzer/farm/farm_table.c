#include "farm_command.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../io/table.h"
#include "farm_rows.h"

enum { COLUMNS_MAX = CW_FARM_LISTS_MAX + CW_FARM_COLUMNS_MAX + 4, NAME = 120 };

struct table {
    const struct cw_farm_plan *plan;
    const struct cw_farm_checkpoint *checkpoint;
    enum cw_farm_rows_form form;
    struct cw_farm_columns columns;   /* of the rows */
    struct cw_farm_rows rows;         /* of one task */
    const struct cw_farm_cell **cell; /* per column of the rows: of one row */
    size_t cells;
    struct cw_farm_bytes bytes;
    struct cw_table_column column[COLUMNS_MAX];
    char name[COLUMNS_MAX][NAME];
    uint32_t count;
    struct cw_table *out;
};

enum cw_status cw_farm_table_check(const struct cw_farm_plan *p, struct cw_error *err)
{
    return cw_table_check(p->out, (enum cw_table_form)p->form, err);
}

/* ---- columns */

static bool has_column(const struct table *t, const char *name)
{
    for (uint32_t k = 0; k < t->count; k++)
        if (!strcasecmp(t->name[k], name))
            return true;
    return false;
}

/* A second one of a name gets a number. */
static void add_column(struct table *t, const char *name, size_t n, enum cw_table_type type)
{
    char *to = t->name[t->count];
    int length = n > NAME - 12 ? NAME - 12 : (int)n;

    if (n == 0) {
        name = "column";
        length = 6;
    }
    snprintf(to, NAME, "%.*s", length, name);
    for (unsigned k = 2; has_column(t, to); k++)
        snprintf(to, NAME, "%.*s_%u", length, name, k);
    t->column[t->count++] = (struct cw_table_column){to, type == CW_TABLE_NULL ? CW_TABLE_TEXT : type};
}

static enum cw_table_type type_of_list(const struct cw_farm_list *l)
{
    enum cw_table_type most = CW_TABLE_NULL;

    for (uint32_t k = 0; k < l->lines && most != CW_TABLE_TEXT; k++) {
        size_t n;
        const char *line = cw_farm_plan_list_line(l, k, &n);
        enum cw_table_type type = cw_table_type_of(line, n);
        most = type > most ? type : most;
    }
    return most;
}

static void add_lists(struct table *t)
{
    for (uint32_t k = 0; k < t->plan->lists; k++) {
        const struct cw_farm_list *l = &t->plan->list[k];
        const char *slash = strrchr(l->name, '/'), *base = slash ? slash + 1 : l->name;
        const char *dot = strrchr(base, '.'), *name = strcmp(base, "-") ? base : "stdin";

        if (t->plan->lists == 1)
            add_column(t, "input", 5, type_of_list(l));
        else
            add_column(t, name, dot && dot > base ? (size_t)(dot - base) : strlen(name), type_of_list(l));
    }
}

/* Reads the rows of a task that ended well. CW_ERR_FORMAT: they are none. */
static enum cw_status read_rows(struct table *t, const struct cw_farm_result *r, struct cw_error *err)
{
    t->rows.rows = 0;
    if (t->form == CW_FARM_ROWS_TEXT || cw_farm_result_failed(r))
        return CW_OK;
    return cw_farm_rows_read(&t->rows, t->form, r->out, r->out_bytes, &t->columns, err);
}

/* Finds the columns, which all rows must be read for. */
static enum cw_status find_columns(struct table *t, struct cw_error *err)
{
    struct cw_farm_result r;
    enum cw_status status = CW_OK;

    for (uint32_t task = 0; t->form != CW_FARM_ROWS_TEXT && task < t->plan->tasks && status == CW_OK;
         task++) {
        struct cw_error why = {0};
        status = cw_farm_checkpoint_read(t->checkpoint, task, &t->bytes, &r, err);
        if (status == CW_OK && read_rows(t, &r, &why) != CW_OK && why.status != CW_ERR_FORMAT)
            status = cw_error_set(err, why.status, "task %u: %s", task + 1, why.text);
    }
    add_column(t, "task", 4, CW_TABLE_INTEGER);
    add_lists(t);
    add_column(t, "status", 6, CW_TABLE_TEXT);
    if (t->form == CW_FARM_ROWS_TEXT)
        add_column(t, "output", 6, CW_TABLE_TEXT);
    for (size_t k = 0; k < t->columns.count; k++)
        add_column(t, t->columns.v[k].name, strlen(t->columns.v[k].name), t->columns.v[k].type);
    add_column(t, "errors", 6, CW_TABLE_TEXT);
    t->cells = t->columns.count;
    t->cell = calloc(t->cells + 1, sizeof *t->cell);
    if (status == CW_OK && !t->cell)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for the table");
    return status;
}

/* ---- rows */

/* The cells of row `row` of the task; of none: nulls. */
static void put_cells(struct table *t, size_t row)
{
    size_t from = row && t->rows.rows ? t->rows.end[row - 1] : 0, to = t->rows.rows ? t->rows.end[row] : 0;

    memset(t->cell, 0, t->cells * sizeof *t->cell);
    for (size_t k = from; k < to; k++)
        if (t->rows.cell[k].column < t->cells)
            t->cell[t->rows.cell[k].column] = &t->rows.cell[k];
    for (size_t k = 0; k < t->cells; k++)
        if (t->cell[k] && t->cell[k]->type != CW_TABLE_NULL)
            cw_table_put_text(t->out, t->rows.text.v + t->cell[k]->at, t->cell[k]->n);
        else
            cw_table_put_null(t->out);
}

/* Of a text, less one newline at its end. */
static void put_output(struct cw_table *t, const char *s, size_t n)
{
    cw_table_put_text(t, s, n && s[n - 1] == '\n' ? n - 1 : n);
}

static void put_row(struct table *t, uint32_t task, size_t row, const struct cw_farm_result *r,
                    const struct cw_error *odd)
{
    static const char *const no_rows[] = {"", "", "its output is no CSV", "its output is no JSON"};
    bool failed = cw_farm_result_failed(r);
    const char *word;
    char text[80];
    size_t n;

    cw_table_put_u64(t->out, task + 1u);
    for (uint32_t k = 0; k < t->plan->lists; k++) {
        const char *line = cw_farm_plan_task_line(t->plan, task, k, &n);
        cw_table_put_text(t->out, line, n);
    }
    word = odd->status == CW_OK ? cw_farm_result_word(r, text) : no_rows[t->form];
    cw_table_put_text(t->out, word, strlen(word));
    if (t->form == CW_FARM_ROWS_TEXT)
        put_output(t->out, r->out, r->out_bytes);
    put_cells(t, row);
    if (odd->status != CW_OK)
        cw_table_put_text(t->out, odd->text, strlen(odd->text));
    else if (failed)
        put_output(t->out, r->errors, r->errors_bytes);
    else
        cw_table_put_null(t->out);
}

static enum cw_status write_task(struct table *t, uint32_t task, uint32_t *odd, struct cw_error *err)
{
    struct cw_farm_result r;
    struct cw_error wrong = {0};
    enum cw_status status = cw_farm_checkpoint_read(t->checkpoint, task, &t->bytes, &r, err);

    if (status == CW_OK)
        status = read_rows(t, &r, &wrong);
    if (status == CW_ERR_FORMAT) {
        t->rows.rows = 0;
        ++*odd;
        status = CW_OK;
    } else if (wrong.status != CW_OK) {
        return cw_error_set(err, status, "task %u: %s", task + 1, wrong.text);
    }
    for (size_t row = 0; status == CW_OK && (row == 0 || row < t->rows.rows); row++)
        put_row(t, task, row, &r, &wrong);
    return status;
}

enum cw_status cw_farm_table_write(const struct cw_farm_plan *p, const struct cw_farm_checkpoint *c,
                                   uint32_t *odd, struct cw_error *err)
{
    struct table *t = calloc(1, sizeof *t);
    enum cw_status status = t ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory for the table");

    *odd = 0;
    if (!t)
        return status;
    t->plan = p;
    t->checkpoint = c;
    t->form =
        p->rows != CW_FARM_ROWS_BY_COMMAND ? (enum cw_farm_rows_form)p->rows : cw_farm_rows_form_of(p->argv);
    status = find_columns(t, err);
    if (status == CW_OK)
        status =
            cw_table_open(&t->out, p->out, (enum cw_table_form)p->form, "farm", t->column, t->count, err);
    for (uint32_t task = 0; status == CW_OK && task < p->tasks && !cw_table_failed(t->out); task++)
        status = write_task(t, task, odd, err);
    status = cw_table_close(t->out, status, err);
    cw_farm_rows_finish(&t->rows);
    cw_farm_columns_finish(&t->columns);
    free(t->cell);
    free(t->bytes.v);
    free(t);
    return status;
}
