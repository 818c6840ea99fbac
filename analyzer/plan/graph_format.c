#include "graph_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../io/text.h"
#include "../io/output.h"

const struct cw_graph_format *const cw_graph_formats[] = {
    &cw_graph_format_clweave, &cw_graph_format_stg, &cw_graph_format_wfformat, &cw_graph_format_dot, NULL};

static bool ends_with(const char *path, const char *suffix)
{
    size_t n = strlen(path), m = strlen(suffix);

    return n > m && strcmp(path + n - m, suffix) == 0;
}

const struct cw_graph_format *cw_graph_format_find(const char *name, const char *path)
{
    const struct cw_graph_format *best = NULL;

    for (size_t k = 0; cw_graph_formats[k]; k++) {
        const struct cw_graph_format *f = cw_graph_formats[k];
        if (name ? strcmp(f->name, name) == 0 : ends_with(path, f->suffix))
            if (!best || strlen(f->suffix) > strlen(best->suffix)) /* .wfformat.json is no .json */
                best = f;
    }
    return best;
}

const struct cw_graph_format *cw_graph_format_probe(const char *path)
{
    char head[4096], tail[4096];
    size_t heads, tails = 0, mark;
    FILE *f;
    struct stat what;
    const struct cw_graph_format *found = NULL;

    if (stat(path, &what) != 0 || !S_ISREG(what.st_mode)) /* the bytes read from a pipe are gone */
        return NULL;
    f = fopen(path, "re");
    if (!f)
        return NULL;
    heads = fread(head, 1, sizeof head, f);
    if (heads == sizeof head && fseek(f, -(long)sizeof tail, SEEK_END) == 0)
        tails = fread(tail, 1, sizeof tail, f);
    fclose(f);
    mark = cw_file_text_mark(head, heads);
    for (size_t k = 0; cw_graph_formats[k] && !found; k++)
        if (cw_graph_formats[k]->probe(head + mark, heads - mark, tail, tails) ||
            (strcmp(cw_graph_formats[k]->suffix, ".json") != 0 &&
             ends_with(path, cw_graph_formats[k]->suffix)))
            found = cw_graph_formats[k];
    return found;
}

enum cw_status cw_graph_format_write(const struct cw_graph_format *format, const char *path,
                                     const struct cw_graph_output *o, struct cw_error *err)
{
    struct cw_output out;
    enum cw_status status = cw_output_open(&out, path, 0666, err);

    return status ? status : cw_output_close(&out, format->write(o, out.f, err), err);
}

enum cw_status cw_graph_alike(uint32_t processors, double bandwidth, struct cw_platform **platform,
                              struct cw_error *err)
{
    struct cw_device_spec *spec = calloc(processors, sizeof *spec);
    char(*name)[16] = malloc(processors * sizeof *name);
    enum cw_status status = CW_OK;

    *platform = NULL;
    if (!spec || !name)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u processors", processors);
    for (uint32_t d = 0; d < processors && status == CW_OK; d++) {
        snprintf(name[d], sizeof *name, "p%u", d);
        spec[d] = (struct cw_device_spec){.name = name[d], .class_name = "cpu"};
    }
    if (status == CW_OK)
        status = cw_platform_create(spec, processors, NULL, bandwidth, NULL, 0, platform, err);
    free(spec);
    free(name);
    return status;
}

enum cw_status cw_graph_add_alike(struct cw_graph_builder *b, double *cost, uint32_t processors, double time,
                                  const char *name, struct cw_error *err)
{
    for (uint32_t d = 0; d < processors; d++)
        cost[d] = time;
    return cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = cost, .name = name}, err);
}

double cw_graph_mean_cost(const struct cw_graph *g, uint32_t i)
{
    double sum = 0;
    uint32_t n = 0;

    for (uint32_t d = 0; d < g->devices; d++)
        if (isfinite(cw_graph_cost(g, i, d))) {
            sum += cw_graph_cost(g, i, d);
            n++;
        }
    return sum / n;
}
