/* export_picture.c - SVG and PNG through graphviz's `dot`, and the table of exporters; see exporter.h. */
#include "exporter.h"
#include "../../record/trace_write.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool cw_export_is_large(const struct cw_trace *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->commands.count; i++)
        n += t->commands.v[i].status == 0 && t->commands.v[i].type != CW_HOST_FLUSH;
    return n > CW_PICTURE_NODES;
}

enum cw_status cw_export_run_dot(FILE *source, const char *format_option, FILE *out, struct cw_error *err)
{
    /* bounds the search for the best columns, in passes per node: without it 91 nodes can take a minute */
    static char passes[] = "-Gnslimit=2";
    char *argv[] = {"dot", (char *)format_option, passes, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int error, status = 0;

    if (fflush(out) != 0 || fflush(source) != 0 || lseek(fileno(source), 0, SEEK_SET) != 0)
        return cw_error_set(err, CW_ERR_IO, "cannot write a temporary file: %s", strerror(errno));
    if (posix_spawn_file_actions_init(&actions) != 0)
        return cw_error_set(err, CW_ERR_NOMEM, "picture: out of memory");
    error = posix_spawn_file_actions_adddup2(&actions, fileno(source), STDIN_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
    if (!error)
        error = posix_spawnp(&child, "dot", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error)
        return cw_error_set(err, CW_ERR_UNSUPPORTED,
                            "cannot run dot: %s; install graphviz, or write a .dot file instead",
                            strerror(error));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return cw_error_set(err, CW_ERR_IO, "dot failed: %s; write a .dot file to look at its input",
                            WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "see its message above");
    return CW_OK;
}

static enum cw_status write_picture(const struct cw_trace *t, const struct cw_export_options *o,
                                    const char *format_option, FILE *f, struct cw_error *err)
{
    FILE *source = tmpfile();
    enum cw_status status;

    if (!source)
        return cw_error_set(err, CW_ERR_IO, "cannot make a temporary file: %s", strerror(errno));
    status = cw_export_dot(t, o, source, err);
    if (!status)
        status = cw_export_run_dot(source, format_option, f, err);
    fclose(source);
    return status;
}

static enum cw_status write_svg(const struct cw_trace *t, const struct cw_export_options *o, FILE *f,
                                struct cw_error *err)
{
    return write_picture(t, o, "-Tsvg", f, err);
}

static enum cw_status write_png(const struct cw_trace *t, const struct cw_export_options *o, FILE *f,
                                struct cw_error *err)
{
    return write_picture(t, o, "-Tpng", f, err);
}

static enum cw_status write_json(const struct cw_trace *t, const struct cw_export_options *o, FILE *f,
                                 struct cw_error *err)
{
    (void)o;
    return cw_trace_write(t, f, err);
}

static const struct cw_exporter json = {
    .name = "json", .description = "the trace with its graph", .write = write_json};
static const struct cw_exporter dot = {
    .name = "dot", .description = "graphviz source", .write = cw_export_dot};
static const struct cw_exporter svg = {.name = "svg", .description = "picture", .write = write_svg};
static const struct cw_exporter png = {.name = "png", .description = "picture", .write = write_png};

const struct cw_exporter *const cw_exporters[] = {&json, &dot, &svg, &png, NULL};

const struct cw_exporter *cw_exporter_find(const char *name, const char *path)
{
    const char *extension = name;

    if (!name) {
        const char *dot_at = strrchr(path, '.');
        extension = dot_at && !strchr(dot_at, '/') ? dot_at + 1 : "";
    }
    for (size_t i = 0; cw_exporters[i]; i++)
        if (strcmp(cw_exporters[i]->name, extension) == 0)
            return cw_exporters[i];
    return NULL;
}
