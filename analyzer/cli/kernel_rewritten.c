/* kernel_rewritten.c - see kernel_rewritten.h. */
#include "kernel_rewritten.h"

#include <stdlib.h>
#include <string.h>

#include "../io/file_text.h"
#include "../kernel/header_files.h"
#include "../kernel/rewrite.h"

static const char *read_header(void *files, size_t unit, const char *name, const char *includer)
{
    (void)unit;
    return cw_header_files_read(files, name, includer);
}

static enum cw_status rewrite(const char *path, const char *source, const char *options, FILE *out,
                              struct cw_error *err)
{
    struct cw_header_files headers;
    struct cw_rewrite_unit unit = {source, options};
    struct cw_rewrite_in in = {.unit = &unit, .units = 1, .context = &headers};
    struct cw_rewrite_out result;
    enum cw_status status;

    if (cw_header_files_init(&headers, options))
        in.read_header = read_header;
    status = cw_rewrite(&in, &result, err);
    if (status == CW_OK && !result.source)
        status = cw_error_set(err, CW_ERR_UNSUPPORTED, "%s cannot be rewritten: %s", path, result.reason);
    if (status == CW_OK)
        fputs(result.source[0], out);
    cw_rewrite_finish(&result);
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
