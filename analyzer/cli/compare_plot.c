/* compare_plot.c - clweave compare as a picture, drawn by gnuplot; see compare.h. */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../io/output.h"
#include "compare.h"

extern char **environ;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Text in gnuplot's quotes, without characters that could end them. */
static void put_text(FILE *f, const char *text)
{
    for (; *text; text++)
        fputc(strchr("'\\\n", *text) ? ' ' : *text, f);
}

/* One block of data a policy: makespan over the best, ascending, and the share of graphs up to there. */
static enum cw_status put_data(const struct cw_compare *c, FILE *f, double *most, struct cw_error *err)
{
    double *ratio = malloc(c->inputs * sizeof *ratio);

    if (!ratio)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (size_t k = 0; k < c->policies.count; k++) {
        for (size_t file = 0; file < c->inputs; file++) {
            double best = cw_compare_best(c, file);
            ratio[file] = best > 0 ? cw_compare_cell(c, file, k)->makespan / best : 1;
        }
        qsort(ratio, c->inputs, sizeof *ratio, by_value);
        *most = ratio[c->inputs - 1] > *most ? ratio[c->inputs - 1] : *most;
        fprintf(f, "$p%zu << EOD\n1 0\n", k);
        for (size_t file = 0; file < c->inputs; file++)
            fprintf(f, "%.9g %.9g\n", ratio[file], 100.0 * (double)(file + 1) / (double)c->inputs);
        fputs("EOD\n", f);
    }
    free(ratio);
    return CW_OK;
}

static enum cw_status put_script(const struct cw_compare *c, FILE *f, bool png, struct cw_error *err)
{
    static const char *const colours[] = {"#303030", "#2060b0", "#b03060", "#308050",
                                          "#d08020", "#674ea7", "#45818e", "#8a8a3a"};
    double most = 1;
    enum cw_status status = put_data(c, f, &most, err);
    unsigned high = 420 + (c->policies.count > 16 ? 14 * (unsigned)(c->policies.count - 16) : 0);

    if (status != CW_OK)
        return status;
    fprintf(f, "set terminal %s size %d,%u font 'sans-serif,%d' background 'white'\n",
            png ? "pngcairo" : "svg", png ? 1440 : 720, png ? 2 * high : high, png ? 20 : 12);
    fprintf(f,
            "set xlabel 'makespan / best of the graph'\nset ylabel 'graphs, %%'\nset yrange [0:105]\n"
            "set key outside right noenhanced\nset title '%zu graphs'\nset xrange [%.9g:%.9g]\n%s",
            c->inputs,
            most > 4 ? 0.97
                     : 1 - 0.02 * (most > 1 ? most - 1 : 1), /* the line of the best is not on the frame */
            most > 1 ? most : 2, most > 4 ? "set logscale x\n" : "");
    for (size_t k = 0; k < c->policies.count; k++) {
        fprintf(f, "%s$p%zu using 1:2 with steps linewidth 2 dashtype %zu linecolor rgb '%s' title '",
                k ? ", \\\n     " : "plot ", k, k / 8 + 1, colours[k % 8]);
        put_text(f, c->policies.label[k]);
        fputc('\'', f);
    }
    fputc('\n', f);
    return CW_OK;
}

/* Runs gnuplot on `script`, its picture to `out`. */
static enum cw_status run_gnuplot(FILE *script, FILE *out, struct cw_error *err)
{
    char *argv[] = {"gnuplot", "-", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int error, status = 0;

    if (fflush(script) != 0 || fflush(out) != 0 || lseek(fileno(script), 0, SEEK_SET) != 0)
        return cw_error_set(err, CW_ERR_IO, "cannot write a temporary file: %s", strerror(errno));
    if (posix_spawn_file_actions_init(&actions) != 0)
        return cw_error_set(err, CW_ERR_NOMEM, "plot: out of memory");
    error = posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
    if (!error)
        error = posix_spawnp(&child, "gnuplot", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error)
        return cw_error_set(err, CW_ERR_UNSUPPORTED,
                            "--plot: cannot run gnuplot: %s; install it (gnuplot-nox)", strerror(error));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return cw_error_set(err, CW_ERR_IO, "--plot: gnuplot failed: %s",
                            WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "see its message above");
    return CW_OK;
}

static bool ends_in(const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.');

    return dot && strcmp(dot, extension) == 0;
}

enum cw_status cw_compare_plot_check(const char *path, struct cw_error *err)
{
    if (ends_in(path, ".svg") || ends_in(path, ".png"))
        return CW_OK;
    return cw_error_set(err, CW_ERR_INVALID, "--plot: %s: the name must end in .svg or .png", path);
}

enum cw_status cw_compare_plot(const struct cw_compare *c, const char *path, struct cw_error *err)
{
    bool png = ends_in(path, ".png");
    struct cw_output out;
    FILE *script;
    enum cw_status status = cw_output_open(&out, path, 0666, err);

    if (status != CW_OK)
        return status;
    script = tmpfile();
    status = script ? put_script(c, script, png, err)
                    : cw_error_set(err, CW_ERR_IO, "cannot make a temporary file");
    if (status == CW_OK)
        status = run_gnuplot(script, out.f, err);
    if (script)
        fclose(script);
    return cw_output_close(&out, status, err);
}
