/* kernel_rewritten.c - see kernel.h. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#include "../kernels/footprint/model_file.h"
#include "../io/text.h"
#include "../kernels/source/header_files.h"
#include "../kernels/models/program_models.h"
#include "../kernels/rewrite/rewrite.h"
#include "../kernels/rows/rewrite_rows.h"

static const char *read_header(void *files, size_t unit, const char *name, const char *includer)
{
    (void)unit;
    return cw_header_files_read(files, name, includer);
}

/* Empty where they cannot be had; then there are no forms for rows either. */
static void get_models(const char *source, const char *options, struct cw_model_set *set)
{
    struct cw_models_source from;
    struct cw_error ignored = {0};
    char *joined =
        cw_joined_source_is_needed(source, options) ? cw_joined_source(source, options, &ignored) : NULL;

    memset(set, 0, sizeof *set);
    cw_program_models_init(&from, "");
    if (cw_program_models_get(&from, joined ? joined : source, options, NULL, set, NULL, &ignored) != CW_OK)
        memset(set, 0, sizeof *set);
    free(joined);
}

/* The program's text, and which of its kernels stay as they are. */
static void print(const struct cw_rewrite_in *in, const struct cw_rewrite_out *result, FILE *out)
{
    fputs(result->source[0], out);
    for (size_t i = 0; i < in->kernels; i++)
        if (result->kernel[i].verdict == CW_REWRITE_REFUSED)
            fprintf(out, "/* %s stays whole: %s */\n", in->kernel[i], result->kernel[i].reason);
}

static enum cw_status rewrite(const char *path, const char *source, const char *options, FILE *out,
                              struct cw_error *err)
{
    struct cw_header_files headers;
    struct cw_rewrite_unit unit = {source, options};
    struct cw_model_set models;
    struct cw_rewrite_in in = {.forms = &cw_rewrite_rows_forms,
                               .unit = &unit,
                               .units = 1,
                               .context = &headers,
                               .rows = cw_program_models_bear_out,
                               .rows_context = &models};
    struct cw_rewrite_out result;
    const char **names;
    enum cw_status status;

    get_models(source, options, &models);
    in.kernel = names = calloc((size_t)models.n + 1, sizeof *names);
    for (; names && in.kernels < (size_t)models.n; in.kernels++)
        names[in.kernels] = models.model[in.kernels].kernel;
    if (cw_header_files_init(&headers, options))
        in.read_header = read_header;
    status = cw_rewrite(&in, &result, err);
    if (status == CW_OK && !result.source)
        status = cw_error_set(err, CW_ERR_UNSUPPORTED, "%s cannot be rewritten: %s", path, result.reason);
    if (status == CW_OK)
        print(&in, &result, out);
    cw_rewrite_finish(&result);
    free(names);
    cw_model_set_finish(&models);
    cw_header_files_finish(&headers);
    return status;
}

enum cw_status cw_kernel_print_rewritten(const char *path, const char *options, FILE *out,
                                         struct cw_error *err)
{
    struct cw_file_text file;
    enum cw_status status = cw_file_text_open(&file, path, err);
    char *source;

    if (status != CW_OK)
        return status;
    source = strndup(file.text, file.length);
    status =
        source ? rewrite(path, source, options, out, err) : cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    free(source);
    cw_file_text_close(&file);
    return status;
}
