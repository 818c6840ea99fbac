/* graph_stg.c - the Standard Task Graph Set's files; see graph_format.h.
 *
 * A first line with the number of tasks (prototype files: and of processors), then for each task its number,
 * its time, the number of its predecessors, and these: on the same line, or, in graphs with communication
 * costs, each on a line of its own with the cost of the transfer from it. Numbers run from 0 (a dummy entry)
 * or, in prototype files, from 1, to a dummy exit; "#" begins a comment. Dummies (no time, only at the ends)
 * are no tasks here: the first task of the graph is number 1, and tasks are called by their numbers. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../io/text.h"
#include "../io/json_out.h"
#include "graph_format.h"
#include "../../sched/whole.h"

struct row {
    double time;
    uint32_t first, count; /* predecessors: arcs first to first + count - 1 */
    const char *at;
};

struct arc {
    uint32_t from;
    double time;
    const char *at;
};

struct stg {
    const char *name, *text, *p, *end;
    struct cw_error *err;
    uint32_t tasks, processors, base; /* as the first line says; number of the first row */
    struct row *row;
    uint32_t rows, row_room;
    struct arc *arc;
    uint32_t arcs, arc_room;
};

/* ---- numbers on lines */

/* Moves to the next word of this line; false at its end. */
static bool word_here(struct stg *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\r'))
        s->p++;
    return s->p < s->end && *s->p != '\n' && *s->p != '#';
}

/* Moves to the next word of the file; false at its end. */
static bool word_anywhere(struct stg *s)
{
    while (!word_here(s)) {
        const char *line = memchr(s->p, '\n', (size_t)(s->end - s->p));
        if (!line) {
            s->p = s->end;
            return false;
        }
        s->p = line + 1;
    }
    return true;
}

/* The word at s->p as a number from 0 on. */
static enum cw_status number(struct stg *s, const char *what, double *value)
{
    char copy[40], *rest;
    size_t n = 0;

    while (s->p + n < s->end && !strchr(" \t\r\n#", s->p[n]) && s->p[n] && n < sizeof copy - 1) {
        copy[n] = s->p[n];
        n++;
    }
    copy[n] = '\0';
    errno = 0;
    *value = strtod(copy, &rest);
    if (n == 0 || *rest || strpbrk(copy, "xXnN") || !(*value >= 0) || isinf(*value))
        return cw_text_wrong(s->name, s->text, s->p, s->err, "%s: expected a number from 0 on%s%.30s%s", what,
                             n ? ", found \"" : "", copy, n ? "\"" : "");
    s->p += n;
    return CW_OK;
}

static enum cw_status whole(struct stg *s, const char *what, double most, uint32_t *value)
{
    const char *at;
    double x = 0;
    enum cw_status status;

    if (!word_here(s))
        return cw_text_wrong(s->name, s->text, s->p, s->err, "%s is missing; the line ends here", what);
    at = s->p;
    status = number(s, what, &x);
    if (status == CW_OK && !cw_whole_is(x, most))
        status = cw_text_wrong(s->name, s->text, at, s->err, "%s: expected a whole number, at most %.0f",
                               what, most);
    *value = status == CW_OK ? (uint32_t)cw_whole_from(x, UINT32_MAX) : 0;
    return status;
}

/* ---- rows */

static void *grown(void *v, uint32_t used, uint32_t *room, size_t size)
{
    void *more = v;

    if (used == *room) {
        more = realloc(v, (size_t)(2 * *room + 64) * size);
        *room = more ? 2 * *room + 64 : *room;
    }
    return more;
}

static enum cw_status read_arc(struct stg *s, bool costs)
{
    struct arc a = {.at = s->p};
    struct arc *more = grown(s->arc, s->arcs, &s->arc_room, sizeof a);
    enum cw_status status = whole(s, "predecessor", UINT32_MAX - 1, &a.from);

    if (!more)
        return cw_error_set(s->err, CW_ERR_NOMEM, "%s: out of memory", s->name);
    s->arc = more;
    if (status == CW_OK && costs) {
        if (!word_here(s))
            return cw_text_wrong(s->name, s->text, s->p, s->err,
                                 "the cost of the transfer is missing; the line ends here");
        status = number(s, "cost of the transfer", &a.time);
    }
    s->arc[s->arcs] = a;
    s->arcs += status == CW_OK;
    return status;
}

static enum cw_status read_row(struct stg *s)
{
    struct row r = {.at = s->p, .first = s->arcs};
    struct row *more = grown(s->row, s->rows, &s->row_room, sizeof r);
    uint32_t number_of = 0;
    bool costs;
    enum cw_status status = whole(s, "number of the task", UINT32_MAX - 1, &number_of);

    if (!more)
        return cw_error_set(s->err, CW_ERR_NOMEM, "%s: out of memory", s->name);
    s->row = more;
    if (status == CW_OK && s->rows == 0)
        s->base = number_of > 0; /* prototype files have no entry */
    if (status == CW_OK && number_of != s->base + s->rows)
        return cw_text_wrong(s->name, s->text, r.at, s->err, "task %u stands where task %u should", number_of,
                             s->base + s->rows);
    if (status == CW_OK && !word_here(s))
        return cw_text_wrong(s->name, s->text, s->p, s->err, "the time of task %u is missing", number_of);
    if (status == CW_OK)
        status = number(s, "time of the task", &r.time);
    if (status == CW_OK)
        status = whole(s, "number of predecessors", (double)(s->end - s->text), &r.count);
    costs = r.count && status == CW_OK && !word_here(s);
    for (uint32_t k = 0; k < r.count && status == CW_OK; k++) {
        if (costs ? !word_anywhere(s) : !word_here(s))
            return cw_text_wrong(s->name, s->text, s->p, s->err, "task %u has %u of %u predecessors",
                                 number_of, k, r.count);
        status = read_arc(s, costs);
        if (status == CW_OK && costs && word_here(s))
            return cw_text_wrong(s->name, s->text, s->p, s->err,
                                 "a line of a predecessor has two numbers: which one, and the cost");
    }
    if (status == CW_OK && word_here(s))
        return cw_text_wrong(s->name, s->text, s->p, s->err,
                             "task %u says that it has %u predecessors, but "
                             "there are more",
                             number_of, r.count);
    s->row[s->rows] = r;
    s->rows += status == CW_OK;
    return status;
}

static enum cw_status read_rows(struct stg *s)
{
    enum cw_status status = CW_OK;

    if (!word_anywhere(s))
        return cw_text_wrong(s->name, s->text, s->end, s->err, "the file is empty");
    status = whole(s, "number of tasks", UINT32_MAX / 2, &s->tasks);
    if (status == CW_OK && word_here(s))
        status = whole(s, "number of processors", CW_GRAPH_PROCESSORS_MAX, &s->processors);
    if (status == CW_OK && word_here(s))
        return cw_text_wrong(s->name, s->text, s->p, s->err,
                             "the first line has the number of tasks, and of processors at most");
    while (status == CW_OK && word_anywhere(s))
        status = read_row(s);
    if (status == CW_OK && (s->base == 0 ? s->rows != (uint64_t)s->tasks + 2
                                         : s->rows == 0 || s->rows < s->tasks || s->rows > s->tasks + 1u))
        return cw_text_wrong(s->name, s->text, s->end, s->err,
                             "the file has %u tasks and should have %u, and %s; it is cut off or no STG file",
                             s->rows, s->tasks, s->base ? "a dummy at the end" : "a dummy at either end");
    return status;
}

/* ---- the graph */

/* How many rows at the beginning and at the end are dummies. */
static void find_dummies(const struct stg *s, uint32_t *entry, uint32_t *leave)
{
    uint32_t extra = s->rows - s->tasks, last = s->rows - 1;

    *entry = extra && s->base == 0 && s->row[0].time == 0 && s->row[0].count == 0;
    *leave = extra > *entry && s->row[last].time == 0;
    for (uint32_t a = 0; a < s->arcs; a++) { /* a dummy that data come from or go to is a task */
        bool to_last = a >= s->row[last].first && a < s->row[last].first + s->row[last].count;
        if (*entry && s->arc[a].from == s->base && s->arc[a].time > 0)
            *entry = 0;
        if (*leave && (s->arc[a].from == s->base + last || (to_last && s->arc[a].time > 0)))
            *leave = 0;
    }
}

static enum cw_status build(struct stg *s, uint32_t processors, struct cw_graph **graph)
{
    struct cw_graph_builder *b = cw_graph_builder_create(processors);
    double *cost = malloc(processors * sizeof *cost);
    uint32_t entry, leave;
    struct cw_error why = {0};
    enum cw_status status = b && cost ? CW_OK : cw_error_set(&why, CW_ERR_NOMEM, "out of memory");

    find_dummies(s, &entry, &leave);
    for (uint32_t k = entry; k < s->rows - leave && status == CW_OK; k++) {
        const struct row *r = &s->row[k];
        char name[16];
        snprintf(name, sizeof name, "%u", s->base + k);
        status = cw_graph_add_alike(b, cost, processors, r->time, name, &why);
        for (uint32_t a = r->first; a < r->first + r->count && status == CW_OK; a++) {
            uint32_t from = s->arc[a].from - s->base;
            if (s->arc[a].from < s->base || from >= s->rows)
                status = cw_text_wrong(s->name, s->text, s->arc[a].at, s->err,
                                       "task %u follows task %u, which does not exist", s->base + k,
                                       s->arc[a].from);
            else if (from >= entry && from < s->rows - leave)
                status = cw_graph_builder_add_edge(b, from - entry, k - entry, s->arc[a].time, &why);
        }
    }
    free(cost);
    if (status == CW_OK) {
        status = cw_graph_builder_finish(b, graph, &why);
        b = NULL;
    }
    cw_graph_builder_destroy(b);
    return status == CW_OK ? CW_OK : cw_error_set(s->err, status, "%s: %s", s->name, why.text);
}

static enum cw_status read_stg(const char *path, uint32_t processors, struct cw_graph **graph,
                               struct cw_platform **platform, struct cw_error *err)
{
    struct cw_file_text file;
    struct stg s = {.name = path, .err = err};
    enum cw_status status = cw_file_text_open(&file, path, err);

    *graph = NULL;
    *platform = NULL;
    if (status != CW_OK)
        return status;
    s.text = s.p = file.text;
    s.end = file.text + file.length;
    status = read_rows(&s);
    if (processors == 0)
        processors = s.processors ? s.processors : CW_GRAPH_PROCESSORS;
    if (status == CW_OK)
        status = build(&s, processors, graph);
    if (status == CW_OK)
        status = cw_graph_alike(processors, 1, platform, err);
    if (status != CW_OK) {
        cw_graph_destroy(*graph);
        *graph = NULL;
    }
    free(s.row);
    free(s.arc);
    cw_file_text_close(&file);
    return status;
}

static bool probe(const char *head, size_t head_bytes, const char *tail, size_t tail_bytes)
{
    bool digits = false;

    (void)tail;
    (void)tail_bytes;
    for (size_t k = 0; k < head_bytes && head[k] != '#'; k++) {
        if (!memchr("0123456789. \t\r\n", head[k], 15))
            return false;
        digits |= head[k] >= '0';
    }
    return digits;
}

/* ---- writing */

static enum cw_status same_everywhere(const struct cw_graph *g, struct cw_error *err)
{
    for (uint32_t i = 0; i < g->tasks; i++)
        for (uint32_t d = 1; d < g->devices; d++)
            if (cw_graph_cost(g, i, d) != cw_graph_cost(g, i, 0))
                return cw_error_set(
                    err, CW_ERR_UNSUPPORTED,
                    "STG has one time per task, but task %u takes %g on device 0 and %g on device "
                    "%u; write json, dot or wfformat",
                    i, cw_graph_cost(g, i, 0), cw_graph_cost(g, i, d), d);
    return CW_OK;
}

static void put_numbers(struct cw_json_out *j, const double *x, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        cw_json_put_text(j, k ? " " : "");
        cw_json_put_double(j, x[k]);
    }
}

static void put_task(struct cw_json_out *j, const struct cw_graph_output *o, uint32_t i, bool costs)
{
    const struct cw_graph *g = o->graph;
    uint32_t first = g->pred.start[i], n = g->pred.start[i + 1] - first;

    put_numbers(j, (double[]){i + 1.0, cw_graph_cost(g, i, 0), n ? n : 1.0}, 3);
    if (n == 0)
        cw_json_put_text(j, costs ? "\n0 0" : " 0"); /* the entry */
    for (uint32_t e = first; e < first + n; e++) {
        double time = cw_platform_mean_comm(o->platform, g->pred.data[e]);
        cw_json_put_text(j, costs ? "\n" : " ");
        put_numbers(j, (double[]){g->pred.task[e] + 1.0, time}, costs ? 2 : 1);
    }
    cw_json_put_char(j, '\n');
}

static void put_exit(struct cw_json_out *j, const struct cw_graph *g, bool costs)
{
    double exits = 0;

    for (uint32_t i = 0; i < g->tasks; i++)
        exits += g->succ.start[i + 1] == g->succ.start[i];
    put_numbers(j, (double[]){g->tasks + 1.0, 0, exits}, 3);
    for (uint32_t i = 0; i < g->tasks; i++)
        if (g->succ.start[i + 1] == g->succ.start[i]) {
            cw_json_put_text(j, costs ? "\n" : " ");
            put_numbers(j, (double[]){i + 1.0, 0}, costs ? 2 : 1);
        }
    cw_json_put_char(j, '\n');
}

static enum cw_status write_stg(const struct cw_graph_output *o, FILE *f, struct cw_error *err)
{
    const struct cw_graph *g = o->graph;
    struct cw_json_out j;
    bool costs = false;
    enum cw_status status = same_everywhere(g, err);

    if (status != CW_OK)
        return status;
    for (uint32_t e = 0; e < g->edges; e++)
        costs |= cw_platform_mean_comm(o->platform, g->succ.data[e]) > 0;
    cw_json_out_init(&j, f);
    cw_json_put_u64(&j, g->tasks);
    cw_json_put_text(&j, "\n0 0 0\n");
    for (uint32_t i = 0; i < g->tasks; i++)
        put_task(&j, o, i, costs);
    put_exit(&j, g, costs);
    cw_json_put_text(&j, "# tasks and a dummy at either end: number, time, predecessors");
    cw_json_put_text(&j, costs ? ", each with the time of its transfer\n" : "\n");
    cw_json_out_flush(&j);
    return CW_OK;
}

const struct cw_graph_format cw_graph_format_stg = {
    .name = "stg",
    .suffix = ".stg",
    .description = "Standard Task Graph Set: one time per task, alike processors",
    .probe = probe,
    .read = read_stg,
    .write = write_stg,
};
