/* graph_dot_build.c - from the contents of a DOT file to a graph and its platform, and back; see
 * graph_dot.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../io/json_out.h"
#include "../io/text_place.h"
#include "graph_dot.h"
#include "../../sched/whole.h"

/* ---- values */

static enum cw_status bad(struct cw_dot *d, const struct cw_dot_attributes *a, int key, const char *wanted)
{
    return cw_text_wrong(d->lex.name, d->lex.text, a->at[key], d->lex.err, "expected %s, found \"%.60s\"",
                         wanted, a->value[key]);
}

/* A number from 0 on at *text, moved behind it and the blanks and the comma that follow. False: it is none.
 */
static bool take_number(const char **text, double *x)
{
    char *rest;

    errno = 0;
    *x = strtod(*text, &rest);
    if (rest == *text || strpbrk(*text, "xX") || !(*x >= 0) || isinf(*x))
        return false;
    rest += strspn(rest, " \t");
    rest += *rest == ',' && rest[1];
    rest += strspn(rest, " \t");
    *text = rest;
    return true;
}

static enum cw_status one_number(struct cw_dot *d, const struct cw_dot_attributes *a, int key, double *x)
{
    const char *text = a->value[key];

    return !text || (take_number(&text, x) && !*text) ? CW_OK : bad(d, a, key, "a number from 0 on");
}

enum cw_status cw_graph_dot_edge_data(struct cw_dot *d, const struct cw_dot_attributes *a, double *data)
{
    static const int keys[] = {CW_DOT_DATA, CW_DOT_SIZE, CW_DOT_WEIGHT};

    *data = 0;
    for (int k = 0; k < 3; k++)
        if (a->value[keys[k]])
            return one_number(d, a, keys[k], data);
    return CW_OK;
}

/* The attribute that holds a node's cost, -1: none. */
static int cost_key(const struct cw_dot_attributes *a)
{
    return a->value[CW_DOT_COST]     ? CW_DOT_COST
           : a->value[CW_DOT_WEIGHT] ? CW_DOT_WEIGHT
           : a->value[CW_DOT_SIZE]   ? CW_DOT_SIZE
                                     : -1;
}

/* How many numbers a list has: words between commas and blanks. */
static uint32_t list_length(const char *text)
{
    uint32_t n = 0;

    for (text += strspn(text, " \t,"); *text; text += strspn(text, " \t,")) {
        n++;
        text += strcspn(text, " \t,");
    }
    return n;
}

/* A list of `devices` costs, or one for all. */
static enum cw_status read_costs(struct cw_dot *d, uint32_t node, uint32_t devices, double *cost)
{
    const struct cw_dot_attributes *a = &d->node[node];
    int key = cost_key(a);
    const char *text;
    uint32_t n;

    if (key < 0)
        return cw_error_set(
            d->lex.err, CW_ERR_FORMAT,
            "%s: node %.60s has no cost (nor weight, nor size); a default for all is node [cost=1]",
            d->lex.name, d->names.name[node]);
    text = a->value[key];
    n = list_length(text);
    if (n != 1 && n != devices)
        return cw_text_wrong(d->lex.name, d->lex.text, a->at[key], d->lex.err, "%u costs for %u devices", n,
                             devices);
    for (uint32_t k = 0; k < n; k++)
        if (*text == '-' && (text[1] == ',' || text[1] == ' ' || !text[1])) {
            cost[k] = INFINITY;
            text += 1 + strspn(text + 1, " \t");
            text += *text == ',';
            text += strspn(text, " \t");
        } else if (!take_number(&text, &cost[k])) {
            return bad(d, a, key, "numbers from 0 on, or - where a task cannot run");
        }
    for (uint32_t k = n; k < devices; k++)
        cost[k] = cost[0];
    return *text ? bad(d, a, key, "numbers with commas between them") : CW_OK;
}

/* ---- the platform */

static uint32_t count_devices(const struct cw_dot *d, uint32_t processors)
{
    uint32_t most = d->graph.value[CW_DOT_CLASSES] ? list_length(d->graph.value[CW_DOT_CLASSES]) : 0;

    for (uint32_t k = 0; k < d->nodes; k++)
        if (cost_key(&d->node[k]) >= 0) {
            uint32_t n = list_length(d->node[k].value[cost_key(&d->node[k])]);
            most = n > most ? n : most;
        }
    return most > 1                                 ? most
           : processors                             ? processors
           : most && d->graph.value[CW_DOT_CLASSES] ? 1
                                                    : CW_GRAPH_PROCESSORS;
}

/* The words of attribute `key` of the graph, one per device: into spec[].class_name or .memory. `copy` is cut
 * up. */
static enum cw_status spread(struct cw_dot *d, int key, uint32_t devices, char **copy,
                             struct cw_device_spec *spec)
{
    char *save = NULL, *word;
    uint32_t n = 0;

    if (!d->graph.value[key])
        return CW_OK;
    *copy = strdup(d->graph.value[key]);
    if (!*copy)
        return cw_error_set(d->lex.err, CW_ERR_NOMEM, "out of memory");
    for (word = strtok_r(*copy, ", \t", &save); word; word = strtok_r(NULL, ", \t", &save), n++)
        if (n < devices)
            *(key == CW_DOT_CLASSES ? &spec[n].class_name : &spec[n].memory) = word;
    return n == devices ? CW_OK : bad(d, &d->graph, key, "a word for each device");
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
        status = one_number(d, &d->graph, CW_DOT_BANDWIDTH, &bandwidth);
    if (status == CW_OK)
        status = one_number(d, &d->graph, CW_DOT_LATENCY, &latency);
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

/* ---- the graph */

static enum cw_status add_node(struct cw_dot *d, struct cw_graph_builder *b, uint32_t node, uint32_t devices,
                               double *cost)
{
    const struct cw_dot_attributes *a = &d->node[node];
    struct cw_task_spec spec = {
        .cost = cost, .name = a->value[CW_DOT_LABEL] ? a->value[CW_DOT_LABEL] : d->names.name[node]};
    double groups = 0;
    struct cw_error why = {0};
    enum cw_status status = read_costs(d, node, devices, cost);

    if (status == CW_OK)
        status = one_number(d, a, CW_DOT_GROUPS, &groups);
    if (status == CW_OK && (!cw_whole_is(groups, 0x1p64) || (groups == 0 && a->value[CW_DOT_GROUPS])))
        status = bad(d, a, CW_DOT_GROUPS, "a whole number from 1 on");
    spec.groups = cw_whole_from(groups, UINT64_MAX);
    if (status == CW_OK && a->value[CW_DOT_SPLITTABLE]) {
        spec.splittable = strcmp(a->value[CW_DOT_SPLITTABLE], "true") == 0;
        if (!spec.splittable && strcmp(a->value[CW_DOT_SPLITTABLE], "false") != 0)
            status = bad(d, a, CW_DOT_SPLITTABLE, "true or false");
    }
    if (status == CW_OK && (status = cw_graph_builder_add_task(b, &spec, &why)) != CW_OK)
        cw_error_set(d->lex.err, status, "%s: node %.60s: %s", d->lex.name, d->names.name[node], why.text);
    return status;
}

enum cw_status cw_graph_dot_build(struct cw_dot *d, uint32_t processors, struct cw_graph **graph,
                                  struct cw_platform **platform)
{
    uint32_t devices = count_devices(d, processors);
    struct cw_graph_builder *b = cw_graph_builder_create(devices);
    double *cost = malloc(devices * sizeof *cost);
    struct cw_error why = {0};
    enum cw_status status = b && cost
                                ? make_platform(d, devices, platform)
                                : cw_error_set(d->lex.err, CW_ERR_NOMEM, "%s: out of memory", d->lex.name);

    for (uint32_t k = 0; k < d->nodes && status == CW_OK; k++)
        status = add_node(d, b, k, devices, cost);
    for (size_t e = 0; e < d->edges && status == CW_OK; e++) {
        status = cw_graph_builder_add_edge(b, d->edge[e].from, d->edge[e].to, d->edge[e].data, &why);
        if (status != CW_OK)
            status = cw_text_wrong(d->lex.name, d->lex.text, d->edge[e].at, d->lex.err, "%s", why.text);
    }
    free(cost);
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
