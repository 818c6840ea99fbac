#include "svg_text.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "../../io/output.h"

/* Turns the SVG in `svg` (at its start) into a PNG, twice as large, on `out`. */
static enum cw_status rasterise(FILE *svg, FILE *out, struct cw_error *err)
{
    char *const argv[] = {"rsvg-convert", "--zoom=2", NULL};
    extern char **environ;
    posix_spawn_file_actions_t actions;
    pid_t child;
    int failed, wait_status = 0;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(svg), 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(out), 1);
    failed = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return cw_error_set(err, CW_ERR_UNSUPPORTED,
                            "cannot run rsvg-convert: %s; install librsvg2-bin, or write .svg",
                            strerror(failed));
    while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(wait_status) || WEXITSTATUS(wait_status) != 0)
        return cw_error_set(err, CW_ERR_IO, "rsvg-convert failed; write .svg instead");
    return CW_OK;
}

static enum cw_status write_png(FILE *out, cw_svg_draw_fn *draw, const void *context, struct cw_error *err)
{
    FILE *svg = tmpfile();
    enum cw_status status;

    if (!svg)
        return cw_error_set(err, CW_ERR_IO, "cannot make a temporary file: %s", strerror(errno));
    status = draw(svg, context, err);
    if (status == CW_OK && (fflush(svg) != 0 || fseek(svg, 0, SEEK_SET) != 0))
        status = cw_error_set(err, CW_ERR_IO, "cannot write a temporary file: %s", strerror(errno));
    if (status == CW_OK)
        status = rasterise(svg, out, err);
    fclose(svg);
    return status;
}

enum cw_status cw_svg_file_write(const char *path, cw_svg_draw_fn *draw, const void *context,
                                 struct cw_error *err)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    bool png = dot && strcmp(dot, ".png") == 0;
    struct cw_output out;
    enum cw_status status;

    if (dot && !png && strcmp(dot, ".svg") != 0)
        return cw_error_set(err, CW_ERR_INVALID, "%s: charts are .svg or .png", path);
    status = cw_output_open(&out, path, 0666, err);
    if (status != CW_OK)
        return status;
    status = png ? write_png(out.f, draw, context, err) : draw(out.f, context, err);
    return cw_output_close(&out, status, err);
}
