#include "graph_file.h"
#include "../io/json_fields.h"
#include "../io/json_out.h"
#include "graph_format.h"
#include "platform_file.h"
#include "../../sched/status.h"
#include "../io/array.h"
#include "../io/text.h"
#include "../io/json_in.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGE_BYTES = 1 << 20 };

/* A number as JSON has them, of digits and a fraction; false: another value, which is left to others. */
static bool read_number(struct cw_json_in *in, double *value)
{
    char *end;
    char first = cw_json_peek(in);

    if (first != '-' && (first < '0' || first > '9'))
        return false;
    if (in->p[first == '-'] == '0' && in->p[1 + (first == '-')] >= '0' && in->p[1 + (first == '-')] <= 'x')
        return false; /* 0x10, 007 */
    *value = strtod(in->p, &end);
    for (const char *c = in->p; c < end; c++) /* a digit on either side of the point */
        if (*c == '.' && !(c > in->p && c[-1] >= '0' && c[1] >= '0' && c[1] <= '9'))
            return false;
    if (end == in->p || *end == '.' || !isfinite(*value))
        return false;
    in->p = end;
    return true;
}

/* One edge; false: it is not {"from": N, "to": N, "data": X}, in any order, each at most once. */
static bool read_edge(struct cw_json_in *in, struct cw_graph_file_edge *e)
{
    static const char *const names[] = {"from", "to", "data"};
    unsigned seen = 0;
    const char *key;
    size_t length;

    *e = (struct cw_graph_file_edge){0, 0, 0};
    for (bool first = cw_json_begin(in, '{'); cw_json_next(in, '}', &first);) {
        unsigned k = 0;
        uint64_t id = 0;
        if (!cw_json_key(in, &key, &length))
            return false;
        while (k < 3 && (strlen(names[k]) != length || memcmp(names[k], key, length) != 0))
            k++;
        if (k == 3 || seen & 1u << k)
            return false;
        seen |= 1u << k;
        if (k == 2 ? !read_number(in, &e->data) : !cw_json_u64(in, UINT32_MAX - 1, &id))
            return false;
        if (k < 2)
            *(k ? &e->to : &e->from) = (uint32_t)id;
    }
    return !in->err->status && (seen & 3) == 3;
}

static bool edges_read_edges(struct cw_json_in *in, struct cw_graph_file_edges *edges)
{
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first);) {
        if (!cw_array_reserve(&edges->v, &edges->capacity, edges->count, 1, sizeof *edges->v) ||
            !read_edge(in, &edges->v[edges->count]))
            return false;
        edges->count++;
    }
    return !in->err->status;
}

/* Reads the top level of `text`, then takes out what it has read. */
static bool take(struct cw_json_in *in, char *text, struct cw_graph_file_edges *edges)
{
    char *begin = NULL, *end = NULL;
    const char *key;
    size_t length;

    for (bool first = cw_json_begin(in, '{'); cw_json_next(in, '}', &first);) {
        if (!cw_json_key(in, &key, &length))
            return false;
        if (length != 5 || memcmp(key, "edges", 5) != 0) {
            if (!cw_json_skip(in))
                return false;
            continue;
        }
        if (begin || cw_json_peek(in) != '[')
            return false;
        begin = text + (in->p - text) + 1;
        if (!edges_read_edges(in, edges))
            return false;
        end = text + (in->p - text) - 1;
    }
    if (!begin || in->err->status || !cw_json_done(in))
        return false;
    memmove(begin, end, strlen(end) + 1);
    return true;
}

/* The text with a NUL behind it; NULL: the file is no large regular one, or has a NUL in it. */
static char *read_text(const char *path, size_t *length)
{
    struct cw_file_text file;
    struct cw_error err = {0};
    struct stat st;
    char *text = NULL;

    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < LARGE_BYTES ||
        cw_file_text_open(&file, path, &err) != CW_OK)
        return NULL;
    *length = file.length;
    if (file.length && !memchr(file.text, 0, file.length) && (text = malloc(file.length + 1))) {
        memcpy(text, file.text, file.length);
        text[file.length] = '\0';
    }
    cw_file_text_close(&file);
    return text;
}

char *cw_graph_file_edges_take(const char *path, struct cw_graph_file_edges *edges)
{
    struct cw_error err = {0};
    struct cw_json_in in;
    size_t length;
    char *text = read_text(path, &length);
    bool good;

    *edges = (struct cw_graph_file_edges){0};
    if (!text)
        return NULL;
    cw_json_in_init(&in, path, text, length, &err);
    good = take(&in, text, edges);
    cw_json_in_finish(&in);
    if (good)
        return text;
    free(text);
    free(edges->v);
    *edges = (struct cw_graph_file_edges){0};
    return NULL;
}

static bool probe(const char *head, size_t head_bytes, const char *tail, size_t tail_bytes)
{
    static const char mark[] = "\"" CW_GRAPH_FORMAT "\"";

    return memmem(head, head_bytes, mark, sizeof mark - 1) || memmem(tail, tail_bytes, mark, sizeof mark - 1);
}

/* ---- reading */

static enum cw_status read_platform(const json_t *root, struct cw_platform **platform, struct cw_error *err)
{
    struct cw_device_spec *spec = NULL;
    const json_t *devices;
    uint32_t n;
    enum cw_status status = cw_json_get_array(root, "", "devices", false, &devices, err);

    if (status != CW_OK)
        return status;
    n = (uint32_t)json_array_size(devices);
    spec = calloc((size_t)n + 1, sizeof *spec);
    if (!spec)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (uint32_t d = 0; d < n && status == CW_OK; d++) {
        const json_t *device = json_array_get(devices, d);
        char where[32];
        snprintf(where, sizeof where, "devices[%u]", d);
        status = cw_json_get_string(device, where, "name", true, &spec[d].name, err);
        if (status == CW_OK)
            status = cw_json_get_string(device, where, "class", true, &spec[d].class_name, err);
        if (status == CW_OK)
            status = cw_json_get_string(device, where, "memory", true, &spec[d].memory, err);
    }
    if (status == CW_OK)
        status = cw_platform_links_create(root, spec, n, 1, platform, err);
    free(spec);
    return status;
}

static enum cw_status read_costs(const json_t *task, const char *where, double *cost, uint32_t devices,
                                 struct cw_error *err)
{
    const json_t *costs;
    enum cw_status status = cw_json_get_array(task, where, "cost", false, &costs, err);

    if (status != CW_OK)
        return status;
    if (json_array_size(costs) != devices)
        return cw_error_set(err, CW_ERR_FORMAT, "%s.cost: has %zu entries for %u devices", where,
                            json_array_size(costs), devices);
    for (uint32_t d = 0; d < devices; d++) {
        const json_t *j = json_array_get(costs, d);
        if (!json_is_number(j) && !json_is_null(j))
            return cw_error_set(err, CW_ERR_FORMAT, "%s.cost[%u]: is neither a number nor null", where, d);
        cost[d] = json_is_null(j) ? INFINITY : json_number_value(j);
    }
    return CW_OK;
}

static enum cw_status read_tasks(const json_t *root, struct cw_graph_builder *b, uint32_t devices,
                                 struct cw_error *err)
{
    double *cost = malloc(devices * sizeof *cost);
    const json_t *tasks;
    enum cw_status status = cw_json_get_array(root, "", "tasks", false, &tasks, err);

    if (!cost)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (size_t i = 0; status == CW_OK && i < json_array_size(tasks); i++) {
        const json_t *task = json_array_get(tasks, i);
        struct cw_task_spec spec = {.cost = cost};
        char where[32];
        snprintf(where, sizeof where, "tasks[%zu]", i);
        status = cw_json_get_string(task, where, "name", true, &spec.name, err);
        if (status == CW_OK)
            status = cw_json_get_count(task, where, "groups", true, &spec.groups, err);
        if (status == CW_OK && spec.groups == 0 && json_object_get(task, "groups"))
            status = cw_error_set(err, CW_ERR_FORMAT,
                                  "%s.groups: is 0; leave it out when the task divides without limit", where);
        if (status == CW_OK)
            status = cw_json_get_flag(task, where, "splittable", true, &spec.splittable, err);
        if (status == CW_OK)
            status = read_costs(task, where, cost, devices, err);
        if (status == CW_OK)
            status = cw_graph_builder_add_task(b, &spec, err);
    }
    free(cost);
    return status;
}

/* taken: the edges that were read already; none: they are in the tree. */
static enum cw_status read_edges(const json_t *root, const struct cw_graph_file_edges *taken,
                                 struct cw_graph_builder *b, struct cw_error *err)
{
    const json_t *edges;
    enum cw_status status = cw_json_get_array(root, "", "edges", true, &edges, err);

    for (size_t e = 0; status == CW_OK && e < taken->count; e++)
        status = cw_graph_builder_add_edge(b, taken->v[e].from, taken->v[e].to, taken->v[e].data, err);

    for (size_t e = 0; status == CW_OK && e < json_array_size(edges); e++) {
        const json_t *edge = json_array_get(edges, e);
        uint64_t from = 0, to = 0;
        double data = 0;
        char where[32];
        snprintf(where, sizeof where, "edges[%zu]", e);
        status = cw_json_get_count(edge, where, "from", false, &from, err);
        if (status == CW_OK)
            status = cw_json_get_count(edge, where, "to", false, &to, err);
        if (status == CW_OK)
            status = cw_json_get_number(edge, where, "data", true, &data, err);
        if (status == CW_OK && (from >= CW_SCHED_NONE || to >= CW_SCHED_NONE))
            status = cw_error_set(err, CW_ERR_FORMAT, "%s: names a task that does not exist", where);
        if (status == CW_OK)
            status = cw_graph_builder_add_edge(b, (uint32_t)from, (uint32_t)to, data, err);
    }
    return status;
}

enum cw_status cw_graph_file_read(const char *path, struct cw_graph **graph, struct cw_platform **platform,
                                  struct cw_error *err)
{
    struct cw_graph_builder *b = NULL;
    struct cw_error why = {0};
    struct cw_graph_file_edges edges;
    char *text = cw_graph_file_edges_take(path, &edges);
    json_t *root;
    enum cw_status status = cw_json_load(path, text, CW_GRAPH_FORMAT, CW_GRAPH_VERSION, &root, err);

    *graph = NULL;
    *platform = NULL;
    if (status != CW_OK && text) { /* once more, for the place in the file */
        edges.count = 0;
        status = cw_json_load(path, NULL, CW_GRAPH_FORMAT, CW_GRAPH_VERSION, &root, err);
    }
    free(text);
    if (status != CW_OK) {
        free(edges.v);
        return status;
    }
    status = read_platform(root, platform, &why);
    if (status == CW_OK && !(b = cw_graph_builder_create((*platform)->devices)))
        status = cw_error_set(&why, CW_ERR_NOMEM, "out of memory");
    if (status == CW_OK)
        status = read_tasks(root, b, (*platform)->devices, &why);
    if (status == CW_OK)
        status = read_edges(root, &edges, b, &why);
    json_decref(root);
    free(edges.v);
    if (status == CW_OK) {
        status = cw_graph_builder_finish(b, graph, &why);
        b = NULL;
    }
    cw_graph_builder_destroy(b);
    if (status != CW_OK) {
        cw_platform_destroy(*platform);
        *platform = NULL;
        cw_error_set(err, status, "%s: %s", path, why.text);
    }
    return status;
}

/* ---- writing */

static void write_devices(struct cw_json_out *o, const struct cw_platform *p)
{
    cw_json_put_text(o, " \"devices\": [");
    for (uint32_t d = 0; d < p->devices; d++) {
        bool shares = false;
        for (uint32_t k = 0; k < p->devices; k++)
            shares |= k != d && cw_platform_shared(p, d, k);
        cw_json_put_text(o, d ? ",\n  " : "\n  ");
        cw_json_put_open(o);
        cw_json_put_key(o, "name");
        cw_json_put_string(o, p->device[d].name);
        cw_json_put_key(o, "class");
        cw_json_put_string(o, p->device[d].class_name);
        if (shares) {
            cw_json_put_key(o, "memory");
            cw_json_put_text(o, "\"m");
            cw_json_put_u64(o, p->device[d].memory_id);
            cw_json_put_char(o, '"');
        }
        cw_json_put_close(o);
    }
}

static void write_numbers(struct cw_json_out *o, const double *x, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        cw_json_put_text(o, k ? ", " : "[");
        cw_json_put_double(o, x[k]);
    }
    cw_json_put_char(o, ']');
}

/* One number for each sender, or a matrix. */
static void write_latency(struct cw_json_out *o, const struct cw_platform *p)
{
    for (uint32_t m = 0; m < p->devices; m++) {
        const double *row = &p->latency[(size_t)m * p->devices];
        cw_json_put_text(o, m ? (p->by_sender ? ", " : ",\n  ") : p->by_sender ? "[" : "[\n  ");
        if (p->by_sender)
            cw_json_put_double(o, row[m == 0 && p->devices > 1]);
        else
            write_numbers(o, row, p->devices);
    }
    cw_json_put_char(o, ']');
}

static void write_links(struct cw_json_out *o, const struct cw_platform *p)
{
    cw_json_put_text(o, "],\n \"bandwidth\": ");
    if (p->one_bandwidth)
        cw_json_put_double(o, p->devices > 1 ? p->mean_bandwidth : 1);
    for (uint32_t m = 0; m < p->devices && !p->one_bandwidth; m++) {
        cw_json_put_text(o, m ? ",\n  " : "[\n  ");
        write_numbers(o, &p->bandwidth[(size_t)m * p->devices], p->devices);
    }
    cw_json_put_text(o, p->one_bandwidth ? ",\n \"latency\": " : "],\n \"latency\": ");
    write_latency(o, p);
}

static void write_task(struct cw_json_out *o, const struct cw_graph *g, uint32_t i)
{
    cw_json_put_text(o, i ? ",\n  " : "\n  ");
    cw_json_put_open(o);
    if (cw_graph_name(g, i)) {
        cw_json_put_key(o, "name");
        cw_json_put_string(o, cw_graph_name(g, i));
    }
    cw_json_put_key(o, "cost");
    write_numbers(o, &g->cost[(size_t)i * g->devices], g->devices);
    if (g->groups[i]) {
        cw_json_put_key(o, "groups");
        cw_json_put_u64(o, g->groups[i]);
    }
    if (g->splittable[i]) {
        cw_json_put_key(o, "splittable");
        cw_json_put_text(o, "true");
    }
    cw_json_put_close(o);
}

static void write_edges(struct cw_json_out *o, const struct cw_graph *g)
{
    bool first = true;

    for (uint32_t i = 0; i < g->tasks; i++)
        for (uint32_t e = g->succ.start[i]; e < g->succ.start[i + 1]; e++, first = false) {
            cw_json_put_text(o, first ? "\n  " : ",\n  ");
            cw_json_put_open(o);
            cw_json_put_key(o, "from");
            cw_json_put_u64(o, i);
            cw_json_put_key(o, "to");
            cw_json_put_u64(o, g->succ.task[e]);
            cw_json_put_key(o, "data");
            cw_json_put_double(o, g->succ.data[e]);
            cw_json_put_close(o);
        }
}

static enum cw_status write_graph(const struct cw_graph_output *out, FILE *f, struct cw_error *err)
{
    const struct cw_graph *g = out->graph;
    struct cw_json_out o;

    (void)err;
    cw_json_out_init(&o, f);
    cw_json_put_text(&o, "{\"format\": \"" CW_GRAPH_FORMAT "\", \"version\": ");
    cw_json_put_u64(&o, CW_GRAPH_VERSION);
    cw_json_put_text(&o, ",\n");
    write_devices(&o, out->platform);
    write_links(&o, out->platform);
    cw_json_put_text(&o, ",\n \"tasks\": [");
    for (uint32_t i = 0; i < g->tasks; i++)
        write_task(&o, g, i);
    cw_json_put_text(&o, "],\n \"edges\": [");
    write_edges(&o, g);
    cw_json_put_text(&o, "]}\n");
    cw_json_out_flush(&o);
    return CW_OK;
}

static enum cw_status read_graph(const char *path, uint32_t processors, struct cw_graph **graph,
                                 struct cw_platform **platform, struct cw_error *err)
{
    (void)processors; /* it names its devices */
    return cw_graph_file_read(path, graph, platform, err);
}

const struct cw_graph_format cw_graph_format_clweave = {
    .name = "json",
    .suffix = ".json",
    .description = "clweave-graph: everything that a graph and its devices are",
    .probe = probe,
    .read = read_graph,
    .write = write_graph,
};
