/* graph_dot_build.c - from the contents of a DOT file to a task graph and its platform; see graph_dot.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../io/text.h"
#include "graph_dot.h"
#include "../../sched/whole.h"

enum { NAME_MAX_BYTES = 4096 }; /* of labels with \N and \G: those multiply */

/* ---- values */

static enum cw_status no_memory(struct cw_dot *d)
{
    return cw_error_set(d->lex.err, CW_ERR_NOMEM, "%s: out of memory", d->lex.name);
}

static enum cw_status bad(struct cw_dot *d, const char *at, const char *wanted)
{
    const char *text = cw_graph_dot_value(d, at);

    return text ? cw_text_wrong(d->lex.name, d->lex.text, at, d->lex.err, "expected %s, found \"%.60s\"",
                                wanted, text)
                : no_memory(d);
}

/* A number at *text, moved behind it and the blanks and the comma that follow. False: it is none. */
static bool take_number(const char **text, double *x)
{
    char *rest;

    errno = 0;
    *x = strtod(*text, &rest);
    if (rest == *text || strpbrk(*text, "xX") || isnan(*x) || isinf(*x))
        return false;
    rest += strspn(rest, " \t");
    rest += *rest == ',' && rest[1];
    rest += strspn(rest, " \t");
    *text = rest;
    return true;
}

/* The number at `at` into *x, which stays as it is where `at` is NULL. */
static enum cw_status any_number(struct cw_dot *d, const char *at, double *x)
{
    const char *text = at ? cw_graph_dot_value(d, at) : NULL;

    if (!at)
        return CW_OK;
    if (!text)
        return no_memory(d);
    return take_number(&text, x) && !*text ? CW_OK : bad(d, at, "a number from 0 on");
}

static enum cw_status one_number(struct cw_dot *d, const char *at, double *x)
{
    enum cw_status status = any_number(d, at, x);

    return status == CW_OK && at && *x < 0 ? bad(d, at, "a number from 0 on") : status;
}

/* SimGrid writes a size below 0 on edges that carry nothing. */
static enum cw_status edge_data(struct cw_dot *d, const struct cw_dot_edge *e, double *data)
{
    enum cw_status status;

    *data = 0;
    if (e->value[CW_DOT_DATA])
        return one_number(d, e->value[CW_DOT_DATA], data);
    if (!e->value[CW_DOT_SIZE])
        return one_number(d, e->value[CW_DOT_WEIGHT], data);
    status = any_number(d, e->value[CW_DOT_SIZE], data);
    *data = *data < 0 ? 0 : *data;
    return status;
}

/* The attribute that holds a node's cost, -1: none. */
static int cost_key(const struct cw_dot_attributes *a)
{
    return a->at[CW_DOT_COST]     ? CW_DOT_COST
           : a->at[CW_DOT_WEIGHT] ? CW_DOT_WEIGHT
           : a->at[CW_DOT_SIZE]   ? CW_DOT_SIZE
                                  : -1;
}

/* How many numbers the list at `at` has: words between commas and blanks. */
static uint32_t list_length(struct cw_dot *d, const char *at)
{
    const char *text = at ? cw_graph_dot_value(d, at) : NULL;
    uint32_t n = 0;

    for (text = text ? text + strspn(text, " \t,") : ""; *text; text += strspn(text, " \t,")) {
        n++;
        text += strcspn(text, " \t,");
    }
    return n;
}

/* SimGrid's tasks root and end take no time where the file gives none. It has sizes for times. */
static bool is_implied(const struct cw_dot *d, uint32_t node)
{
    const char *name = d->names.name[node];

    if (strcmp(name, "root") != 0 && strcmp(name, "end") != 0)
        return false;
    for (uint32_t k = 0; k < d->names.count; k++)
        if (cost_key(&d->node[k]) == CW_DOT_SIZE)
            return true;
    return false;
}

/* A list of `devices` costs, or one for all. */
static enum cw_status read_costs(struct cw_dot *d, uint32_t node, uint32_t devices, double *cost)
{
    int key = cost_key(&d->node[node]);
    const char *at = key < 0 ? NULL : d->node[node].at[key], *text;
    uint32_t n = list_length(d, at);

    for (uint32_t k = 0; k < devices; k++)
        cost[k] = 0;
    if (key < 0 && is_implied(d, node))
        return CW_OK;
    if (key < 0)
        return cw_error_set(
            d->lex.err, CW_ERR_FORMAT,
            "%s: node %.60s has no cost (nor weight, nor size); a default for all is node [cost=1]",
            d->lex.name, d->names.name[node]);
    if (n != 1 && n != devices)
        return cw_text_wrong(d->lex.name, d->lex.text, at, d->lex.err, "%u costs for %u devices", n, devices);
    text = cw_graph_dot_value(d, at);
    for (uint32_t k = 0; text && k < n; k++)
        if (*text == '-' && (text[1] == ',' || text[1] == ' ' || !text[1])) {
            cost[k] = INFINITY;
            text += 1 + strspn(text + 1, " \t");
            text += *text == ',';
            text += strspn(text, " \t");
        } else if (!take_number(&text, &cost[k]) || cost[k] < 0) {
            return bad(d, at, "numbers from 0 on, or - where a task cannot run");
        }
    for (uint32_t k = n; k < devices; k++)
        cost[k] = cost[0];
    return !text ? no_memory(d) : *text ? bad(d, at, "numbers with commas between them") : CW_OK;
}

/* ---- the platform */

static uint32_t count_devices(struct cw_dot *d, uint32_t processors)
{
    uint32_t most = list_length(d, d->graph.at[CW_DOT_CLASSES]);

    for (uint32_t k = 0; k < d->names.count; k++)
        if (cost_key(&d->node[k]) >= 0) {
            uint32_t n = list_length(d, d->node[k].at[cost_key(&d->node[k])]);
            most = n > most ? n : most;
        }
    return most > 1                              ? most
           : processors                          ? processors
           : most && d->graph.at[CW_DOT_CLASSES] ? 1
                                                 : CW_GRAPH_PROCESSORS;
}

/* The words of attribute `key` of the graph, one per device: into spec[].class_name or .memory. `copy` is cut
 * up. */
static enum cw_status spread(struct cw_dot *d, int key, uint32_t devices, char **copy,
                             struct cw_device_spec *spec)
{
    const char *at = d->graph.at[key], *text = at ? cw_graph_dot_value(d, at) : NULL;
    char *save = NULL, *word;
    uint32_t n = 0;

    if (!at)
        return CW_OK;
    if (!text || !(*copy = strdup(text)))
        return no_memory(d);
    for (word = strtok_r(*copy, ", \t", &save); word; word = strtok_r(NULL, ", \t", &save), n++)
        if (n < devices)
            *(key == CW_DOT_CLASSES ? &spec[n].class_name : &spec[n].memory) = word;
    return n == devices ? CW_OK : bad(d, at, "a word for each device");
}

static enum cw_status make_platform(struct cw_dot *d, uint32_t devices, struct cw_platform **platform)
{
    struct cw_device_spec *spec = calloc(devices, sizeof *spec);
    char(*name)[16] = malloc(devices * sizeof *name), *classes = NULL, *memories = NULL;
    double bandwidth = 1, latency = 0;
    struct cw_error why = {0};
    enum cw_status status = spec && name ? CW_OK : cw_error_set(d->lex.err, CW_ERR_NOMEM, "out of memory");

    for (uint32_t k = 0; k < devices && status == CW_OK; k++) {
        snprintf(name[k], sizeof *name, "p%u", k);
        spec[k] = (struct cw_device_spec){.name = name[k], .class_name = "cpu"};
    }
    if (status == CW_OK)
        status = spread(d, CW_DOT_CLASSES, devices, &classes, spec);
    if (status == CW_OK)
        status = spread(d, CW_DOT_MEMORIES, devices, &memories, spec);
    if (status == CW_OK)
        status = one_number(d, d->graph.at[CW_DOT_BANDWIDTH], &bandwidth);
    if (status == CW_OK)
        status = one_number(d, d->graph.at[CW_DOT_LATENCY], &latency);
    if (status == CW_OK) {
        status = cw_platform_create(spec, devices, NULL, bandwidth, NULL, latency, platform, &why);
        if (status != CW_OK)
            cw_error_set(d->lex.err, status, "%s: %s", d->lex.name, why.text);
    }
    free(spec);
    free(name);
    free(classes);
    free(memories);
    return status;
}

/* ---- names */

/* Writes `label`, with the node's name for \N and the graph's for \G, to `to` unless that is NULL. Returns
 * the length. */
static size_t insert_names(const char *label, const char *name, const char *title, char *to)
{
    size_t length = 0;

    for (const char *p = label; *p;) {
        bool pair = p[0] == '\\' && p[1];
        const char *in = pair && p[1] == 'N' ? name : pair && p[1] == 'G' ? title : NULL;
        size_t n = in ? strlen(in) : 1 + (size_t)pair;
        if (to)
            memcpy(to + length, in ? in : p, n);
        length += n;
        p += 1 + pair;
    }
    return length;
}

/* The text that graphviz draws, on one line: \n, \l, \r and a new line become blanks, none at the end; of
 * other pairs the backslash goes. In place. */
static void draw(char *text)
{
    char *to = text, *end = text;

    for (const char *p = text; *p; p++) {
        bool pair = *p == '\\' && p[1], breaks;
        p += pair;
        breaks = *p == '\n' || (pair && strchr("nlr", *p));
        *to++ = (char)(breaks ? ' ' : *p);
        end = breaks ? end : to;
    }
    *end = '\0';
}

/* The name of the task: the node's label, else its name. The caller frees *text. */
static enum cw_status task_name(struct cw_dot *d, uint32_t node, const char *title, char **text)
{
    const char *at = d->node[node].at[CW_DOT_LABEL], *label = at ? cw_graph_dot_value(d, at) : "\\N";
    const char *name = d->names.name[node];
    bool html = at && *at == '<'; /* stays as it is written */
    size_t length;

    if (!label)
        return no_memory(d);
    length = html ? strlen(label) : insert_names(label, name, title, NULL);
    if (length > NAME_MAX_BYTES && length > strlen(label) && at)
        return cw_text_wrong(d->lex.name, d->lex.text, at, d->lex.err,
                             "the label of node %.60s has more than %d bytes with the names in it", name,
                             NAME_MAX_BYTES);
    *text = calloc(1, length + 1);
    if (!*text)
        return no_memory(d);
    if (html) {
        memcpy(*text, label, length);
    } else {
        insert_names(label, name, title, *text);
        draw(*text);
    }
    return CW_OK;
}

/* ---- the graph */

static enum cw_status add_node(struct cw_dot *d, struct cw_graph_builder *b, uint32_t node, const char *title,
                               uint32_t devices, double *cost)
{
    const struct cw_dot_attributes *a = &d->node[node];
    struct cw_task_spec spec = {.cost = cost};
    double groups = 0;
    struct cw_error why = {0};
    const char *text;
    char *name = NULL;
    enum cw_status status = read_costs(d, node, devices, cost);

    if (status == CW_OK)
        status = one_number(d, a->at[CW_DOT_GROUPS], &groups);
    if (status == CW_OK && (!cw_whole_is(groups, 0x1p64) || (groups == 0 && a->at[CW_DOT_GROUPS])))
        status = bad(d, a->at[CW_DOT_GROUPS], "a whole number from 1 on");
    spec.groups = cw_whole_from(groups, UINT64_MAX);
    if (status == CW_OK && a->at[CW_DOT_SPLITTABLE]) {
        text = cw_graph_dot_value(d, a->at[CW_DOT_SPLITTABLE]);
        spec.splittable = text && strcmp(text, "true") == 0;
        if (!spec.splittable && !(text && strcmp(text, "false") == 0))
            status = bad(d, a->at[CW_DOT_SPLITTABLE], "true or false");
    }
    if (status == CW_OK)
        status = task_name(d, node, title, &name);
    spec.name = name;
    if (status == CW_OK && (status = cw_graph_builder_add_task(b, &spec, &why)) != CW_OK)
        cw_error_set(d->lex.err, status, "%s: node %.60s: %s", d->lex.name, d->names.name[node], why.text);
    free(name);
    return status;
}

static enum cw_status add_nodes(struct cw_dot *d, struct cw_graph_builder *b, uint32_t devices)
{
    double *cost = malloc(devices * sizeof *cost);
    const char *text = d->title ? cw_graph_dot_value(d, d->title) : "";
    char *title = text ? strdup(text) : NULL;
    enum cw_status status = cost && title ? CW_OK : no_memory(d);

    for (uint32_t k = 0; k < d->names.count && status == CW_OK; k++)
        status = add_node(d, b, k, title, devices, cost);
    free(title);
    free(cost);
    return status;
}

static enum cw_status add_edges(struct cw_dot *d, struct cw_graph_builder *b)
{
    enum cw_status status = CW_OK;

    for (size_t e = 0; e < d->edges && status == CW_OK; e++) {
        const struct cw_dot_edge *edge = &d->edge[e];
        struct cw_error why = {0};
        double data;
        status = edge_data(d, edge, &data);
        if (status == CW_OK &&
            (status = cw_graph_builder_add_edge(b, edge->from, edge->to, data, &why)) != CW_OK)
            cw_text_wrong(d->lex.name, d->lex.text, edge->at, d->lex.err, "%s", why.text);
    }
    return status == CW_OK ? CW_OK : d->lex.err->status;
}

enum cw_status cw_graph_dot_build(struct cw_dot *d, uint32_t processors, struct cw_graph **graph,
                                  struct cw_platform **platform)
{
    uint32_t devices = count_devices(d, processors);
    struct cw_graph_builder *b = cw_graph_builder_create(devices);
    struct cw_error why = {0};
    enum cw_status status = b ? make_platform(d, devices, platform) : no_memory(d);

    if (status == CW_OK)
        status = add_nodes(d, b, devices);
    if (status == CW_OK)
        status = add_edges(d, b);
    if (status == CW_OK) {
        status = cw_graph_builder_finish(b, graph, &why);
        b = NULL;
        if (status != CW_OK)
            cw_error_set(d->lex.err, status, "%s: %s", d->lex.name, why.text);
    }
    cw_graph_builder_destroy(b);
    if (status != CW_OK) {
        cw_platform_destroy(*platform);
        *platform = NULL;
    }
    return status;
}
