#include "svg_text.h"
#include "../../io/text.h"
#include "../../../sched/whole.h"
#include "../../io/output.h"

#include <string.h>
#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>

#define EM_PER_CHARACTER 0.61

static size_t characters(const char *s)
{
    size_t n = 0;

    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

double cw_svg_text_width(const char *s, double size)
{
    return (double)characters(s) * size * EM_PER_CHARACTER;
}

const char *cw_svg_text_fit(const char *s, double size, double width, char *out, size_t bytes)
{
    double room = width / (size * EM_PER_CHARACTER);
    size_t fits = cw_whole_from(room, SIZE_MAX), n = 0;

    if (characters(s) <= fits && strlen(s) < bytes) {
        strcpy(out, s);
        return out;
    }
    out[0] = '\0';
    if (fits < 2 || bytes < 8)
        return out;
    for (fits--; *s; s++) { /* one character for the ellipsis */
        if (((unsigned char)*s & 0xc0) != 0x80 && fits-- == 0)
            break;
        if (n + 4 >= bytes)
            break;
        out[n++] = *s;
    }
    while (n > 0 && ((unsigned char)out[n - 1] & 0xc0) == 0x80 && ((unsigned char)*s & 0xc0) == 0x80)
        n--; /* `bytes` ran out inside a character */
    strcpy(out + n, "\u2026");
    return out;
}

void cw_svg_text_escape(FILE *f, const char *s)
{
    size_t length;

    for (; *s; s += length ? length : 1) {
        char c = *s;

        length = cw_printable_length(s, strnlen(s, 4));
        if (c == '<')
            fputs("&lt;", f);
        else if (c == '>')
            fputs("&gt;", f);
        else if (c == '&')
            fputs("&amp;", f);
        else if (c == '"')
            fputs("&quot;", f);
        else if (length && c != '\n' && c != '\t')
            fwrite(s, 1, length, f);
        else
            fputc('?', f);
    }
}

void cw_svg_text(FILE *f, double x, double y, double size, const char *anchor, const char *fill,
                 const char *attributes, const char *s)
{
    fprintf(f, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%g\" text-anchor=\"%s\" fill=\"%s\" %s>", x, y, size,
            anchor, fill, attributes);
    cw_svg_text_escape(f, s);
    fputs("</text>\n", f);
}

/* ---- SVG files, and PNG by rsvg-convert */

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
