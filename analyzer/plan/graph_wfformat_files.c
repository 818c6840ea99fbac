/* graph_wfformat_files.c - the data on the edges of a workflow: the files that one task writes and another
 * reads; see graph_wfformat.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph_wfformat.h"

static enum cw_status add_use(struct cw_wf *w, struct cw_wf_uses *u, const char *file, size_t length,
                              uint32_t task, double bytes)
{
    uint32_t number = cw_name_table_add(&w->files, file, length);

    if (u->count == u->capacity) {
        size_t capacity = 2 * u->capacity + 256;
        struct cw_wf_use *more = realloc(u->v, capacity * sizeof *more);
        if (!more)
            return cw_graph_wf_no_memory(w);
        u->v = more;
        u->capacity = capacity;
    }
    if (number == CW_NAME_NONE)
        return cw_graph_wf_no_memory(w);
    u->v[u->count++] = (struct cw_wf_use){number, task, bytes};
    return CW_OK;
}

/* 1.5: inputFiles, outputFiles hold ids of files. */
static enum cw_status read_file_ids(struct cw_wf *w, uint32_t i, const char *key, struct cw_wf_uses *u)
{
    const struct cw_json_node *list = NULL;
    char where[64];
    enum cw_status status = cw_json_tree_get_array(&w->tree, cw_json_tree_item(&w->tree, w->tasks, i),
                                                   cw_graph_wf_at(w, i, where), key, true, &list, w->err);

    for (size_t k = 0; status == CW_OK && k < (list ? list->count : 0); k++) {
        const struct cw_json_node *id = cw_json_tree_item(&w->tree, list, k);
        const char *text = cw_json_tree_string(&w->tree, id);
        if (!text)
            status = cw_error_set(w->err, CW_ERR_FORMAT, "%s.%s[%zu]: is not a string", where, key, k);
        else
            status = add_use(w, u, text, strlen(text), i, NAN);
    }
    return status;
}

/* before: files holds objects with a link (input, output), a name and a size */
static enum cw_status read_file_objects(struct cw_wf *w, uint32_t i)
{
    const struct cw_json_node *list = NULL;
    char task[64], where[96];
    enum cw_status status = cw_json_tree_get_array(&w->tree, cw_json_tree_item(&w->tree, w->tasks, i),
                                                   cw_graph_wf_at(w, i, task), "files", true, &list, w->err);

    for (size_t k = 0; status == CW_OK && k < (list ? list->count : 0); k++) {
        const struct cw_json_node *one = cw_json_tree_item(&w->tree, list, k);
        const char *link, *name;
        double bytes = NAN;
        snprintf(where, sizeof where, "%s.files[%zu]", task, k);
        status = cw_json_tree_get_string(&w->tree, one, where, "link", false, &link, w->err);
        if (status == CW_OK && strcmp(link, "input") != 0 && strcmp(link, "output") != 0)
            status =
                cw_error_set(w->err, CW_ERR_FORMAT, "%s.link: is neither \"input\" nor \"output\"", where);
        if (status == CW_OK)
            status = cw_json_tree_get_string(&w->tree, one, where,
                                             cw_json_tree_member(&w->tree, one, "name") ? "name" : "id",
                                             false, &name, w->err);
        if (status == CW_OK)
            status = cw_graph_wf_number(w, one, where, "sizeInBytes", "size", true, &bytes);
        if (status == CW_OK)
            status = add_use(w, *link == 'i' ? &w->reads : &w->writes, name, strlen(name), i, bytes);
    }
    return status;
}

/* 1.5: sizes stand beside the tasks */
static enum cw_status read_sizes(struct cw_wf *w, const struct cw_json_node *specification)
{
    const struct cw_json_node *files = NULL;
    enum cw_status status = cw_json_tree_get_array(&w->tree, specification, "workflow.specification", "files",
                                                   true, &files, w->err);

    for (size_t k = 0; status == CW_OK && k < (files ? files->count : 0); k++) {
        const struct cw_json_node *one = cw_json_tree_item(&w->tree, files, k);
        const char *id;
        char where[64];
        double bytes = 0;
        uint32_t number;
        snprintf(where, sizeof where, "workflow.specification.files[%zu]", k);
        status = cw_json_tree_get_string(&w->tree, one, where, "id", false, &id, w->err);
        if (status == CW_OK)
            status = cw_graph_wf_number(w, one, where, "sizeInBytes", NULL, false, &bytes);
        if (status != CW_OK || (number = cw_name_table_find(&w->files, id, strlen(id))) == CW_NAME_NONE)
            continue;
        if (!isnan(w->size[number]))
            status = cw_error_set(w->err, CW_ERR_FORMAT, "%s.id: \"%.60s\" is that of another file, too",
                                  where, id);
        w->size[number] = bytes;
    }
    return status;
}

static int by_file(const void *a, const void *b)
{
    const struct cw_wf_use *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->task > y->task) - (x->task < y->task);
}

static void sort_uses(struct cw_wf_uses *u)
{
    size_t stay = 0;

    if (u->count)
        qsort(u->v, u->count, sizeof *u->v, by_file);
    for (size_t k = 0; k < u->count; k++)
        if (stay == 0 || by_file(&u->v[stay - 1], &u->v[k]) != 0)
            u->v[stay++] = u->v[k];
    u->count = stay;
}

static void set_size(struct cw_wf *w, const struct cw_wf_use *use)
{
    if (!isnan(use->bytes))
        w->size[use->file] = use->bytes;
}

static enum cw_status check_writers(const struct cw_wf *w)
{
    char where[64];

    for (size_t k = 1; k < w->writes.count; k++) {
        const struct cw_wf_use *first = &w->writes.v[k - 1], *second = &w->writes.v[k];
        if (first->file == second->file)
            return cw_error_set(
                w->err, CW_ERR_FORMAT,
                "%s: writes file \"%.60s\", and so does task \"%.60s\": a file has one writer",
                cw_graph_wf_at(w, second->task, where), w->files.name[second->file],
                w->ids.name[first->task]);
    }
    return CW_OK;
}

/* Both lists go by file: each file goes from its writer to every reader to which there is an edge. */
static enum cw_status add_bytes(struct cw_wf *w, bool listed)
{
    size_t at = 0;
    char where[64];

    for (size_t r = 0; r < w->reads.count && w->links; r++) {
        const struct cw_wf_use *read = &w->reads.v[r];
        struct cw_wf_link key = {0, read->task, 0}, *link;
        while (at < w->writes.count && w->writes.v[at].file < read->file)
            at++;
        if (at == w->writes.count || w->writes.v[at].file != read->file)
            continue;
        key.from = w->writes.v[at].task;
        link = bsearch(&key, w->link, w->links, sizeof key, cw_graph_wf_by_ends);
        if (link && isnan(w->size[read->file]))
            return cw_error_set(
                w->err, CW_ERR_FORMAT, "%s: reads file \"%.60s\" of task \"%.60s\", whose size %s",
                cw_graph_wf_at(w, read->task, where), w->files.name[read->file], w->ids.name[key.from],
                listed ? "is not in workflow.specification.files" : "neither task gives");
        if (link)
            link->bytes += w->size[read->file];
    }
    return CW_OK;
}

enum cw_status cw_graph_wf_read_files(struct cw_wf *w, const struct cw_json_node *specification)
{
    enum cw_status status = CW_OK;

    for (uint32_t i = 0; i < w->ids.count && status == CW_OK; i++) {
        status = specification ? read_file_ids(w, i, "inputFiles", &w->reads) : read_file_objects(w, i);
        if (status == CW_OK && specification)
            status = read_file_ids(w, i, "outputFiles", &w->writes);
    }
    w->size = malloc(((size_t)w->files.count + 1) * sizeof *w->size);
    if (status == CW_OK && !w->size)
        status = cw_graph_wf_no_memory(w);
    for (uint32_t k = 0; k < w->files.count && status == CW_OK; k++)
        w->size[k] = NAN;
    for (size_t k = 0; k < w->reads.count && status == CW_OK; k++)
        set_size(w, &w->reads.v[k]);
    for (size_t k = 0; k < w->writes.count && status == CW_OK; k++) /* its writer knows best */
        set_size(w, &w->writes.v[k]);
    if (status == CW_OK && specification)
        status = read_sizes(w, specification);
    sort_uses(&w->writes);
    sort_uses(&w->reads);
    if (status == CW_OK)
        status = check_writers(w);
    return status == CW_OK ? add_bytes(w, specification != NULL) : status;
}
