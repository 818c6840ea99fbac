/* graph_wfformat.c - reading WfCommons WfFormat, versions 1.2 to 1.5; see graph_format.h.
 *
 * Version 1.5 describes tasks under workflow.specification and their times under workflow.execution; earlier
 * ones have both in workflow.tasks (1.2: jobs). Tasks are named by id, in earlier versions by name. A task
 * takes its run time, in seconds; an edge carries the bytes of the files that its first task writes and its
 * second reads. */
#include "graph_wfformat.h"
#include "../io/json_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Graphs as WfFormat 1.5; see graph_format.h.
 *
 * A task's run time is the mean of its times on the devices that can run it. A file stands for each edge that
 * carries something; its size is such that a transfer at CW_WFFORMAT_BYTES_PER_S takes as long as one in the
 * mean on the graph's own platform. Traces have bytes and keep them. The format wants a length and a date of
 * the execution: it is said to have run in sequence, at the beginning of 1970. */

static double bytes(const struct cw_graph_output *o, double data)
{
    const struct cw_platform *p = o->platform;

    if (o->unit_s != 1) /* a trace */
        return round(data);
    if (p->one_memory || p->devices == 1)
        return round(data * CW_WFFORMAT_BYTES_PER_S);
    return round(cw_platform_mean_comm(p, data) * CW_WFFORMAT_BYTES_PER_S);
}

static void put_id(struct cw_json_out *j, const char *prefix, uint32_t i)
{
    char text[32];

    snprintf(text, sizeof text, "%s%u", prefix, i);
    cw_json_put_string(j, text);
}

static void put_file_id(struct cw_json_out *j, uint32_t from, uint32_t to)
{
    char text[48];

    snprintf(text, sizeof text, "t%u-t%u", from, to);
    cw_json_put_string(j, text);
}

/* One list of task `i`: those before or behind it, or the files from or to them. */
static void put_list(struct cw_json_out *j, const struct cw_graph_output *o, uint32_t i, const char *key,
                     bool before, bool files)
{
    const struct cw_adjacency *a = before ? &o->graph->pred : &o->graph->succ;
    bool first = true;

    cw_json_put_key(j, key);
    cw_json_put_char(j, '[');
    for (uint32_t e = a->start[i]; e < a->start[i + 1]; e++) {
        if (files && bytes(o, a->data[e]) == 0)
            continue;
        cw_json_put_text(j, first ? "" : ", ");
        first = false;
        if (files)
            put_file_id(j, before ? a->task[e] : i, before ? i : a->task[e]);
        else
            put_id(j, "t", a->task[e]);
    }
    cw_json_put_char(j, ']');
}

static void put_specification(struct cw_json_out *j, const struct cw_graph_output *o)
{
    const struct cw_graph *g = o->graph;
    bool first = true;

    cw_json_put_text(j, " \"workflow\": {\n  \"specification\": {\n   \"tasks\": [");
    for (uint32_t i = 0; i < g->tasks; i++) {
        cw_json_put_text(j, i ? ",\n    " : "\n    ");
        cw_json_put_open(j);
        cw_json_put_key(j, "name");
        if (cw_graph_name(g, i) && *cw_graph_name(g, i))
            cw_json_put_string(j, cw_graph_name(g, i));
        else
            put_id(j, "task ", i);
        cw_json_put_key(j, "id");
        put_id(j, "t", i);
        put_list(j, o, i, "parents", true, false);
        put_list(j, o, i, "children", false, false);
        put_list(j, o, i, "inputFiles", true, true);
        put_list(j, o, i, "outputFiles", false, true);
        cw_json_put_close(j);
    }
    cw_json_put_text(j, "],\n   \"files\": [");
    for (uint32_t i = 0; i < g->tasks; i++)
        for (uint32_t e = g->succ.start[i]; e < g->succ.start[i + 1]; e++) {
            double size = bytes(o, g->succ.data[e]);
            if (size == 0)
                continue;
            cw_json_put_text(j, first ? "\n    " : ",\n    ");
            first = false;
            cw_json_put_open(j);
            cw_json_put_key(j, "id");
            put_file_id(j, i, g->succ.task[e]);
            cw_json_put_key(j, "sizeInBytes");
            cw_json_put_double(j, size);
            cw_json_put_close(j);
        }
    cw_json_put_text(j, "]},\n");
}

static void put_execution(struct cw_json_out *j, const struct cw_graph_output *o)
{
    const struct cw_graph *g = o->graph;
    double total = 0;

    for (uint32_t i = 0; i < g->tasks; i++)
        total += cw_graph_mean_cost(g, i) * o->unit_s;
    cw_json_put_text(j, "  \"execution\": {\n   \"makespanInSeconds\": ");
    cw_json_put_double(j, total);
    cw_json_put_text(j, ", \"executedAt\": \"1970-01-01T00:00:00Z\",\n   \"tasks\": [");
    for (uint32_t i = 0; i < g->tasks; i++) {
        cw_json_put_text(j, i ? ",\n    " : "\n    ");
        cw_json_put_open(j);
        cw_json_put_key(j, "id");
        put_id(j, "t", i);
        cw_json_put_key(j, "runtimeInSeconds");
        cw_json_put_double(j, cw_graph_mean_cost(g, i) * o->unit_s);
        cw_json_put_close(j);
    }
    cw_json_put_text(j, "]}}}\n");
}

/* Writes WfFormat 1.5; a member of struct cw_graph_format. */
static enum cw_status graph_wf_write(const struct cw_graph_output *o, FILE *f, struct cw_error *err)
{
    struct cw_json_out j;

    (void)err;
    cw_json_out_init(&j, f);
    cw_json_put_text(&j, "{\"name\": ");
    cw_json_put_string(&j, o->title && *o->title ? o->title : "clweave");
    cw_json_put_text(&j, ", \"schemaVersion\": \"1.5\",\n");
    put_specification(&j, o);
    put_execution(&j, o);
    cw_json_out_flush(&j);
    return CW_OK;
}

enum cw_status cw_graph_wf_no_memory(const struct cw_wf *w)
{
    return cw_error_set(w->err, CW_ERR_NOMEM, "out of memory");
}

const char *cw_graph_wf_at(const struct cw_wf *w, size_t i, char text[64])
{
    snprintf(text, 64, "%s[%zu]", w->where, i);
    return text;
}

enum cw_status cw_graph_wf_number(const struct cw_wf *w, const struct cw_json_node *object, const char *where,
                                  const char *key, const char *older, bool optional, double *value)
{
    const char *found =
        cw_json_tree_member(&w->tree, object, key) || !older || !cw_json_tree_member(&w->tree, object, older)
            ? key
            : older;
    enum cw_status status = cw_json_tree_get_number(&w->tree, object, where, found, optional, value, w->err);

    if (status == CW_OK && (*value < 0 || isinf(*value)))
        status = cw_error_set(w->err, CW_ERR_FORMAT, "%s.%s: is not a number from 0 on", where, found);
    return status;
}

/* ---- tasks */

static enum cw_status name_tasks(struct cw_wf *w)
{
    size_t n = (w->tasks ? w->tasks->count : 0);
    enum cw_status status = CW_OK;

    w->of_name = malloc((n + 1) * sizeof *w->of_name);
    w->seconds = malloc((n + 1) * sizeof *w->seconds);
    if (!w->of_name || !w->seconds)
        return cw_graph_wf_no_memory(w);
    for (size_t i = 0; i < n && status == CW_OK; i++) {
        const struct cw_json_node *task = cw_json_tree_item(&w->tree, w->tasks, i);
        const char *name = NULL, *id = NULL;
        char where[64];
        uint32_t number, before = w->ids.count;
        w->seconds[i] = NAN;
        status = cw_json_tree_get_string(&w->tree, task, cw_graph_wf_at(w, i, where), "name",
                                         cw_json_tree_member(&w->tree, task, "id"), &name, w->err);
        id = name;
        if (status == CW_OK)
            status = cw_json_tree_get_string(&w->tree, task, where, "id", true, &id, w->err);
        if (status != CW_OK)
            break;
        number = cw_name_table_add(&w->ids, id, strlen(id));
        if (number != before)
            return number == CW_NAME_NONE
                       ? cw_graph_wf_no_memory(w)
                       : cw_error_set(w->err, CW_ERR_FORMAT, "%s.id: \"%.60s\" is that of another task, too",
                                      where, id);
        before = w->names.count;
        number = cw_name_table_add(&w->names, name ? name : id, strlen(name ? name : id));
        if (number == CW_NAME_NONE)
            return cw_graph_wf_no_memory(w);
        w->of_name[number] = number == before ? (uint32_t)i : CW_NAME_NONE;
    }
    return status;
}

static uint32_t find_task(const struct cw_wf *w, const char *word)
{
    uint32_t task = cw_name_table_find(&w->ids, word, strlen(word)), name;

    if (task != CW_NAME_NONE)
        return task;
    name = cw_name_table_find(&w->names, word, strlen(word));
    return name == CW_NAME_NONE ? name : w->of_name[name];
}

/* Run times: from the execution, or from the tasks themselves. */
static enum cw_status read_times(struct cw_wf *w)
{
    const struct cw_json_node *list = w->ran ? w->ran : w->tasks;
    enum cw_status status = CW_OK;

    for (size_t i = 0; i < (list ? list->count : 0) && status == CW_OK; i++) {
        const struct cw_json_node *one = cw_json_tree_item(&w->tree, list, i);
        uint32_t task = (uint32_t)i;
        const char *id;
        char where[80];
        snprintf(where, sizeof where, "%s[%zu]", w->ran ? "workflow.execution.tasks" : w->where, i);
        if (w->ran) {
            status = cw_json_tree_get_string(&w->tree, one, where, "id", false, &id, w->err);
            if (status == CW_OK && (task = find_task(w, id)) == CW_NAME_NONE)
                status = cw_error_set(w->err, CW_ERR_FORMAT, "%s.id: there is no task \"%.60s\"", where, id);
            else if (status == CW_OK && !isnan(w->seconds[task]))
                status =
                    cw_error_set(w->err, CW_ERR_FORMAT, "%s.id: task \"%.60s\" is there twice", where, id);
        }
        if (status == CW_OK)
            status =
                cw_graph_wf_number(w, one, where, "runtimeInSeconds", "runtime", false, &w->seconds[task]);
    }
    for (uint32_t i = 0; i < w->ids.count && status == CW_OK; i++)
        if (isnan(w->seconds[i]))
            status =
                cw_error_set(w->err, CW_ERR_FORMAT,
                             "workflow.execution.tasks: says nothing of task \"%.60s\", so nobody knows how "
                             "long it takes",
                             w->ids.name[i]);
    return status;
}

/* ---- dependences */

static enum cw_status add_link(struct cw_wf *w, uint32_t from, uint32_t to)
{
    if (w->links == w->link_space) {
        size_t capacity = 2 * w->link_space + 256;
        struct cw_wf_link *more = realloc(w->link, capacity * sizeof *more);
        if (!more)
            return cw_graph_wf_no_memory(w);
        w->link = more;
        w->link_space = capacity;
    }
    w->link[w->links++] = (struct cw_wf_link){from, to, 0};
    return CW_OK;
}

/* Member `key` of task `i`: the tasks before it (parents) or behind it. */
static enum cw_status read_relatives(struct cw_wf *w, uint32_t i, const char *key)
{
    const struct cw_json_node *list = NULL;
    char where[64];
    enum cw_status status = cw_json_tree_get_array(&w->tree, cw_json_tree_item(&w->tree, w->tasks, i),
                                                   cw_graph_wf_at(w, i, where), key, true, &list, w->err);

    for (size_t k = 0; status == CW_OK && k < (list ? list->count : 0); k++) {
        const char *word = cw_json_tree_string(&w->tree, cw_json_tree_item(&w->tree, list, k));
        uint32_t other = word ? find_task(w, word) : CW_NAME_NONE;
        if (other == CW_NAME_NONE)
            status = cw_error_set(w->err, CW_ERR_FORMAT, "%s.%s[%zu]: %s%.60s%s", where, key, k,
                                  word ? "there is no task \"" : "is not a string", word ? word : "",
                                  word ? "\", or several are called so" : "");
        else
            status = *key == 'p' ? add_link(w, other, i) : add_link(w, i, other);
    }
    return status;
}

int cw_graph_wf_by_ends(const void *a, const void *b)
{
    const struct cw_wf_link *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static enum cw_status read_links(struct cw_wf *w)
{
    enum cw_status status = CW_OK;
    size_t stay = 0;

    for (uint32_t i = 0; i < w->ids.count && status == CW_OK; i++) {
        status = read_relatives(w, i, "parents");
        if (status == CW_OK)
            status = read_relatives(w, i, "children");
    }
    if (w->links)
        qsort(w->link, w->links, sizeof *w->link, cw_graph_wf_by_ends);
    for (size_t k = 0; k < w->links; k++) /* most stand there twice, at either end */
        if (stay == 0 || cw_graph_wf_by_ends(&w->link[stay - 1], &w->link[k]) != 0)
            w->link[stay++] = w->link[k];
    w->links = stay;
    return status;
}

/* ---- the graph */

static enum cw_status build(struct cw_wf *w, uint32_t processors, struct cw_graph **graph)
{
    struct cw_graph_builder *b = cw_graph_builder_create(processors);
    double *cost = malloc(processors * sizeof *cost);
    enum cw_status status = b && cost ? CW_OK : cw_graph_wf_no_memory(w);

    for (uint32_t i = 0; i < w->ids.count && status == CW_OK; i++) {
        const char *name = cw_json_tree_string(
            &w->tree, cw_json_tree_member(&w->tree, cw_json_tree_item(&w->tree, w->tasks, i), "name"));
        status = cw_graph_add_alike(b, cost, processors, w->seconds[i], name ? name : w->ids.name[i], w->err);
    }
    for (size_t k = 0; k < w->links && status == CW_OK; k++)
        status = cw_graph_builder_add_edge(b, w->link[k].from, w->link[k].to, w->link[k].bytes, w->err);
    free(cost);
    if (status == CW_OK) {
        status = cw_graph_builder_finish(b, graph, w->err);
        b = NULL;
    }
    cw_graph_builder_destroy(b);
    return status;
}

/* Finds the lists of the version at hand. *specification is NULL before 1.5. */
static enum cw_status find_lists(struct cw_wf *w, const struct cw_json_node *root,
                                 const struct cw_json_node **specification)
{
    const struct cw_json_node *workflow = cw_json_tree_member(&w->tree, root, "workflow"), *execution;
    enum cw_status status;

    if (!workflow || workflow->kind != CW_JSON_OBJECT)
        return cw_error_set(w->err, CW_ERR_FORMAT, "workflow: is %s; this is no WfFormat file",
                            workflow ? "not an object" : "missing");
    *specification = cw_json_tree_member(&w->tree, workflow, "specification");
    execution = cw_json_tree_member(&w->tree, workflow, "execution");
    if (!*specification) {
        const char *key = cw_json_tree_member(&w->tree, workflow, "tasks") ? "tasks" : "jobs";
        w->where = *key == 't' ? "workflow.tasks" : "workflow.jobs";
        return cw_json_tree_get_array(&w->tree, workflow, "workflow", key, false, &w->tasks, w->err);
    }
    w->where = "workflow.specification.tasks";
    status = cw_json_tree_get_array(&w->tree, *specification, "workflow.specification", "tasks", false,
                                    &w->tasks, w->err);
    if (status == CW_OK && !execution)
        return cw_error_set(w->err, CW_ERR_FORMAT,
                            "workflow.execution: is missing: without run times there is nothing to plan");
    if (status == CW_OK)
        status = cw_json_tree_get_array(&w->tree, execution, "workflow.execution", "tasks", false, &w->ran,
                                        w->err);
    return status;
}

static enum cw_status read_workflow(struct cw_wf *w, const struct cw_json_node *root, uint32_t processors,
                                    struct cw_graph **graph)
{
    const struct cw_json_node *specification = NULL;
    enum cw_status status = find_lists(w, root, &specification);

    if (status == CW_OK && (w->tasks ? w->tasks->count : 0) == 0)
        status = cw_error_set(w->err, CW_ERR_FORMAT, "%s: holds no task", w->where);
    if (status == CW_OK)
        status = name_tasks(w);
    if (status == CW_OK)
        status = read_times(w);
    if (status == CW_OK)
        status = read_links(w);
    if (status == CW_OK)
        status = cw_graph_wf_read_files(w, specification);
    if (status == CW_OK)
        status = build(w, processors, graph);
    cw_name_table_finish(&w->ids);
    cw_name_table_finish(&w->names);
    cw_name_table_finish(&w->files);
    free(w->of_name);
    free(w->size);
    free(w->seconds);
    free(w->writes.v);
    free(w->reads.v);
    free(w->link);
    return status;
}

static enum cw_status read_wfformat(const char *path, uint32_t processors, struct cw_graph **graph,
                                    struct cw_platform **platform, struct cw_error *err)
{
    struct cw_error why = {0};
    struct cw_wf w = {.err = &why};
    enum cw_status status = cw_json_tree_read(&w.tree, path, err);

    *graph = NULL;
    *platform = NULL;
    if (status != CW_OK) {
        cw_json_tree_finish(&w.tree);
        return status;
    }
    processors = processors ? processors : CW_GRAPH_PROCESSORS;
    status = read_workflow(&w, cw_json_tree_root(&w.tree), processors, graph);
    cw_json_tree_finish(&w.tree);
    if (status != CW_OK)
        return cw_error_set(err, status, "%s: %s", path, why.text);
    status = cw_graph_alike(processors, CW_WFFORMAT_BYTES_PER_S, platform, err);
    if (status != CW_OK) {
        cw_graph_destroy(*graph);
        *graph = NULL;
    }
    return status;
}

static bool has(const char *text, size_t bytes, const char *mark)
{
    return memmem(text, bytes, mark, strlen(mark)) != NULL;
}

static bool probe(const char *head, size_t head_bytes, const char *tail, size_t tail_bytes)
{
    if (has(head, head_bytes, "\"clweave-"))
        return false;
    return has(head, head_bytes, "\"schemaVersion\"") || has(head, head_bytes, "\"workflow\"") ||
           has(tail, tail_bytes, "\"schemaVersion\"");
}

const struct cw_graph_format cw_graph_format_wfformat = {
    .name = "wfformat",
    .suffix = ".wfformat.json",
    .description = "WfCommons WfFormat: one time per task, in seconds",
    .probe = probe,
    .read = read_wfformat,
    .write = graph_wf_write,
};
