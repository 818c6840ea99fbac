#include "farm_command.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "../io/text.h"

struct reader {
    const char *p, *end;
    uint64_t last; /* number of the task of the row before */
    struct cw_farm_summary *s;
};

static void count(struct reader *r, uint64_t task, bool ok)
{
    if (task != r->last) {
        r->s->tasks++;
        r->s->failed += !ok;
    }
    r->last = task;
}

/* ---- CSV */

/* Takes a cell, and the comma or the newline behind it; the first bytes of its text. False: the row ends
 * with it. */
static bool take_cell(struct reader *r, char text[16])
{
    bool quoted = r->p < r->end && *r->p == '"';
    size_t n = 0;

    for (r->p += quoted; r->p < r->end; r->p++) {
        if (quoted && *r->p == '"') {
            r->p++;
            quoted = r->p < r->end && *r->p == '"';
            if (r->p == r->end)
                break;
        }
        if (!quoted && (*r->p == ',' || *r->p == '\n'))
            break;
        if (n < 15)
            text[n++] = *r->p;
    }
    text[n] = '\0';
    return r->p < r->end && *r->p++ == ',';
}

static bool read_csv(struct reader *r)
{
    char text[16];
    int status = 0;

    if (!take_cell(r, text) || strcmp(text, "task"))
        return false;
    for (status = 1; take_cell(r, text) && strcmp(text, "status"); status++)
        ;
    if (strcmp(text, "status"))
        return false;
    while (take_cell(r, text))
        ;
    while (r->p < r->end) {
        char task[16], word[16] = "";
        bool more = take_cell(r, task);

        for (int column = 1; more; column++) {
            more = take_cell(r, text);
            if (column == status)
                memcpy(word, text, sizeof word);
        }
        count(r, strtoull(task, NULL, 10), !strcmp(word, "ok"));
    }
    return true;
}

/* ---- JSON */

/* Moves behind the next `key`, which cannot stand inside a string: the quotes there have backslashes. */
static bool find(struct reader *r, const char *key)
{
    const char *at = memmem(r->p, (size_t)(r->end - r->p), key, strlen(key));

    if (at)
        r->p = at + strlen(key);
    return at != NULL;
}

static bool read_json(struct reader *r)
{
    static const char ok[] = "\"ok\"";

    while (find(r, "{\"task\":")) {
        char number[16] = "";

        memcpy(number, r->p, (size_t)(r->end - r->p) < 15 ? (size_t)(r->end - r->p) : 15);
        if (!find(r, "\"status\":"))
            return false;
        count(r, strtoull(number, NULL, 10),
              (size_t)(r->end - r->p) >= sizeof ok - 1 && !memcmp(r->p, ok, sizeof ok - 1));
    }
    return r->s->tasks > 0;
}

/* ---- SQLite */

static bool read_database(const char *path, struct cw_farm_summary *s)
{
    static const char count[] = "SELECT count(DISTINCT task), "
                                "count(DISTINCT CASE WHEN status <> 'ok' THEN task END) FROM farm";
    sqlite3_stmt *query = NULL;
    sqlite3 *db = NULL;
    bool found = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
                 sqlite3_prepare_v2(db, count, -1, &query, NULL) == SQLITE_OK &&
                 sqlite3_step(query) == SQLITE_ROW;

    if (found)
        *s = (struct cw_farm_summary){(uint32_t)sqlite3_column_int64(query, 0),
                                      (uint32_t)sqlite3_column_int64(query, 1)};
    sqlite3_finalize(query);
    sqlite3_close(db);
    return found;
}

bool cw_farm_summary_read(const char *path, struct cw_farm_summary *s)
{
    struct cw_file_text f;
    struct reader r;
    bool is_table, is_database;

    *s = (struct cw_farm_summary){0};
    if (cw_file_text_open(&f, path, NULL) != CW_OK)
        return false;
    r = (struct reader){f.text, f.text + f.length, 0, s};
    is_database = f.length > 6 && !memcmp(f.text, "SQLite", 6);
    is_table = !is_database && f.length && (*f.text == 't' ? read_csv(&r) : read_json(&r));
    cw_file_text_close(&f);
    return is_database ? read_database(path, s) : is_table;
}
