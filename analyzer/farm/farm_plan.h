/* farm_plan.h - the tasks of a farm: a command with placeholders, and lists whose lines fill them in.
 *
 * A task is one line of each list: task numbers count through the last list first, as nested loops do. The
 * words of its lines, one list after the other, replace the placeholders: a word `{}` becomes all of them,
 * each an argument; `{}` inside a word becomes all of them with blanks between; `{3}` becomes the third.
 * Words are divided by blanks; '...' and "..." keep blanks in a word; no shell is involved. Empty lines do
 * not count.
 *
 * A plan is kept as bytes at the head of a checkpoint, lists included, so that a farm can go on when the
 * files have changed or were pipes. Memory: the lists' text and 8 bytes a line. Thread-safety: const calls
 * may run side by side. */
#ifndef CW_FARM_PLAN_H
#define CW_FARM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../sched/status.h"

enum { CW_FARM_LISTS_MAX = 8 };

struct cw_farm_list {
    char *name, *text; /* owned */
    size_t bytes;
    uint64_t *line; /* places of its lines in the text; owned */
    uint32_t lines;
};

struct cw_farm_plan {
    char **argv; /* the command; NULL-ended; owned */
    uint32_t argc;
    char *folder;     /* in which the commands run, and from which `out` counts; owned */
    char *out;        /* the table's name, "-": standard output; owned */
    uint16_t form;    /* how it is written: enum cw_table_form */
    uint16_t rows;    /* what tasks print: enum cw_farm_rows_form */
    double timeout_s; /* of a task; 0: none */
    uint32_t tries;   /* after so many failures a task is given up */
    struct cw_farm_list list[CW_FARM_LISTS_MAX];
    uint32_t lists, tasks;
};

/* Reads the list `path` ("-": standard input) into the plan. CW_ERR_IO, CW_ERR_NOMEM, CW_ERR_LIMIT. */
enum cw_status cw_farm_plan_add_list(struct cw_farm_plan *p, const char *path, struct cw_error *err);

/* The same with the list's text, n bytes that are copied; `name` for messages. */
enum cw_status cw_farm_plan_add_text(struct cw_farm_plan *p, const char *name, const char *text, size_t n,
                                     struct cw_error *err);

/* Counts the tasks of a plan that has its command and lists, and checks each line. CW_ERR_FORMAT: a line with
 * an open quote, a NUL byte, or too few words for the placeholders; CW_ERR_LIMIT: too many tasks;
 * CW_ERR_NOMEM. */
enum cw_status cw_farm_plan_check(struct cw_farm_plan *p, struct cw_error *err);

void cw_farm_plan_finish(struct cw_farm_plan *p);

/* The plan as bytes, malloc'ed for the caller; NULL: out of memory. And back: *p is finished by the caller in
 * any case; CW_ERR_FORMAT, CW_ERR_NOMEM, and those of cw_farm_plan_check(). */
void *cw_farm_plan_pack(const struct cw_farm_plan *p, size_t *bytes);
enum cw_status cw_farm_plan_unpack(struct cw_farm_plan *p, const void *data, size_t bytes,
                                   struct cw_error *err);

/* Whether both plans have the same tasks, in the same folder. */
bool cw_farm_plan_same(const struct cw_farm_plan *a, const struct cw_farm_plan *b);

/* The arguments of task `task`, NULL-ended, in one block that the caller frees; *argc of them. NULL: out of
 * memory. */
char **cw_farm_plan_command(const struct cw_farm_plan *p, uint32_t task, int *argc);

/* The lines of task `task` with blanks between, malloc'ed for the caller; NULL: out of memory. */
char *cw_farm_plan_line(const struct cw_farm_plan *p, uint32_t task);

/* Line `line` of a list, and the line that list `list` has for `task`: *n bytes in the list's text. */
const char *cw_farm_plan_list_line(const struct cw_farm_list *l, uint32_t line, size_t *n);
const char *cw_farm_plan_task_line(const struct cw_farm_plan *p, uint32_t task, uint32_t list, size_t *n);

#endif
