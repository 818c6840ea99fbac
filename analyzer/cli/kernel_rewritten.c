/* kernel_rewritten.c - see kernel.h. */
#include "kernel.h"
#include "../kernels/footprint/model_file.h"
#include "../io/text.h"
#include "../kernels/source/header_files.h"
#include "../kernels/models/program_models.h"
#include "../kernels/rewrite/rewrite.h"
#include "../kernels/rows/rewrite_rows.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts it with its standard output at *from; the error number, 0 for none. */
static int start(char *const *argv, FILE **from, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int ends[2], e;
    if (pipe(ends))
        return errno;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    e = posix_spawn(pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *from = e ? NULL : fdopen(ends[0], "r");
    if (!*from)
        close(ends[0]);
    return e || *from ? e : ENOMEM;
}

enum cw_status cw_kernel_ask(const char *const *words, json_t **answer, struct cw_error *err)
{
    static struct cw_models_source source; /* large */
    const char **argv;
    size_t count = 0;
    FILE *from = NULL;
    pid_t pid = 0;
    int e;
    cw_program_models_init(&source, "");
    if (!*source.helper)
        return cw_error_set(err, CW_ERR_NOTFOUND, CW_MODELS_NO_HELPER);
    while (words[count])
        count++;
    argv = malloc((count + 2) * sizeof *argv);
    if (!argv)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for build options");
    argv[0] = source.helper;
    memcpy(argv + 1, words, (count + 1) * sizeof *words);
    e = start((char *const *)argv, &from, &pid);
    free(argv);
    if (e)
        return cw_error_set(err, CW_ERR_IO, "cannot start %s: %s", source.helper, strerror(e));
    *answer = json_loadf(from, JSON_REJECT_DUPLICATES, NULL);
    fclose(from);
    while (waitpid(pid, &e, 0) < 0 && errno == EINTR)
        ;
    const char *message = json_string_value(json_object_get(json_object_get(*answer, "error"), "message"));
    if (*answer && !message)
        return CW_OK;
    if (message)
        cw_error_set(err, CW_ERR_FORMAT, "%s", message);
    else
        cw_program_models_no_answer(source.helper, err);
    json_decref(*answer);
    *answer = NULL;
    return err->status;
}

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
    if (memchr(file.text, '\0', file.length)) {
        cw_file_text_close(&file);
        return cw_error_set(err, CW_ERR_UNSUPPORTED, "%s is no source", path);
    }
    source = strndup(file.text, file.length);
    status =
        source ? rewrite(path, source, options, out, err) : cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    free(source);
    cw_file_text_close(&file);
    return status;
}
