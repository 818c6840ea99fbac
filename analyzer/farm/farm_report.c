#include "farm_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../io/json_out.h"
#include "../cli/frame/cli.h"

/* ---- clweave's own commands, run inside a worker */

/* Those that start no program, and that end as calls do. */
static bool job_fits(int argc, char **argv)
{
    static const char *const names[] = {"compare", "replay", "simulate", "generate", "dispatch", "version"};
    bool fits = false;

    for (size_t i = 0; argc > 1 && i < sizeof names / sizeof *names; i++)
        fits |= !strcmp(argv[1], names[i]);
    for (int a = 2; a < argc; a++)
        fits &= strncmp(argv[a], "--ex", 4) != 0; /* replay --execute runs a driver's code */
    return fits;
}

static int job_run(int argc, char **argv)
{
    return cw_cli_main(cw_commands, argc, argv);
}

const struct cw_farm_jobs cw_farm_own_jobs = {.name = "clweave",
                                              .program = "/proc/self/exe",
                                              .fits = job_fits,
                                              .call = job_run,
                                              .before_exec = cw_cli_signals_restore};

/* ---- progress, state, failures */

#define WIPE "\r\033[K"
enum { SHOWN = 10, LINE = 120 };

static bool drawn;

/* ---- the progress; it goes past the stream, which would print its control characters */

static void put(const char *text, size_t n)
{
    ssize_t told = write(STDERR_FILENO, text, n);

    (void)told;
}

static void format_time(double s, char text[32])
{
    if (s < 100)
        snprintf(text, 32, "%.0f s", s);
    else if (s < 6000)
        snprintf(text, 32, "%.0f min", s / 60);
    else
        snprintf(text, 32, "%.1f h", s / 3600);
}

void cw_farm_report_tick(void *context, const struct cw_farm_figures *f)
{
    double rate = f->seconds > 0 ? f->session_done / f->seconds : 0;
    char text[256], left[32] = "?";
    struct winsize size;
    int n, most = (int)sizeof WIPE - 1 + 79;

    (void)context;
    if (!isatty(STDERR_FILENO))
        return;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        most = (int)sizeof WIPE - 1 + size.ws_col - 1;
    if (rate > 0)
        format_time((f->tasks - f->done) / rate, left);
    n = snprintf(text, sizeof text, WIPE "%u/%u tasks, %.*f/s, %s left", f->done, f->tasks, rate < 10, rate,
                 left);
    if (f->failed)
        n += snprintf(text + n, sizeof text - (size_t)n, ", %u failed", f->failed);
    put(text, (size_t)(n < most ? n : most));
    drawn = true;
}

void cw_farm_report_wipe(void)
{
    if (drawn)
        put(WIPE, sizeof WIPE - 1);
    drawn = false;
}

void cw_farm_report_note(const char *text)
{
    cw_farm_report_wipe();
    cw_cli_complain("%s", text);
}

/* ---- failures */

/* The last line of a task's standard error that is not empty; *n bytes of it. */
static const char *last_line(const struct cw_farm_result *r, int *n)
{
    const char *begin = r->errors, *end = begin ? begin + r->errors_bytes : begin, *line;

    while (end > begin && end[-1] == '\n')
        end--;
    for (line = end; line > begin && line[-1] != '\n';)
        line--;
    *n = end - line < LINE ? (int)(end - line) : LINE;
    return line;
}

void cw_farm_report_failures(const struct cw_farm_plan *p, const struct cw_farm_checkpoint *c)
{
    struct cw_farm_bytes b = {0};
    struct cw_farm_result r;
    uint32_t shown = 0;

    for (uint32_t t = 0; shown < c->failed && t < p->tasks; t++) {
        char word[80], *line;
        int n;

        if (!c->place[t] || cw_farm_checkpoint_read(c, t, &b, &r, NULL) != CW_OK ||
            !cw_farm_result_failed(&r))
            continue;
        if (shown++ == SHOWN) {
            cw_cli_complain("%u more tasks failed; the table has them all", c->failed - SHOWN);
            break;
        }
        line = cw_farm_plan_line(p, t);
        const char *last = last_line(&r, &n);
        cw_cli_complain("task %u (%.*s) failed: %s%s%.*s", t + 1, LINE, line ? line : "?",
                        cw_farm_result_word(&r, word), n ? ": " : "", n, n ? last : "");
        free(line);
    }
    free(b.v);
}

/* ---- the state */

/* The time that all results took together. */
static double task_seconds(const struct cw_farm_plan *p, const struct cw_farm_checkpoint *c)
{
    struct cw_farm_bytes b = {0};
    struct cw_farm_result r;
    double seconds = 0;

    for (uint32_t t = 0; t < p->tasks; t++)
        if (c->place[t] && cw_farm_checkpoint_read(c, t, &b, &r, NULL) == CW_OK)
            seconds += (double)r.ns / 1e9;
    free(b.v);
    return seconds;
}

static void print_json(uint32_t tasks, uint32_t done, uint32_t failed, bool busy, double rate)
{
    struct cw_json_figure rows[] = {
        {"tasks", tasks}, {"done", done}, {"failed", failed}, {"at_work", busy}, {"per_second", rate}};

    cw_json_print_figures(stdout, rows, sizeof rows / sizeof *rows);
}

void cw_farm_report_finished(const char *path, uint32_t tasks, uint32_t failed, bool json)
{
    if (json)
        print_json(tasks, tasks, failed, false, 0);
    else
        printf("%s: finished: %u task%s, %u failed\n", path, tasks, tasks == 1 ? "" : "s", failed);
    fflush(stdout);
}

static void print_state(const struct cw_farm_plan *p, const struct cw_farm_checkpoint *c, bool busy,
                        double rate)
{
    char left[32];

    printf("%s: %u of %u tasks done, %u of them failed; %s\n", c->path, c->done, p->tasks, c->failed,
           busy ? "at work" : "stopped");
    if (rate <= 0)
        return;
    format_time((p->tasks - c->done) / rate, left);
    printf("%.*f tasks/s", rate < 10, rate);
    printf(c->done < p->tasks ? ", %s left\n" : "\n", left);
}

void cw_farm_report_status(const struct cw_farm_plan *p, const struct cw_farm_checkpoint *c, bool json)
{
    double seconds = (double)(c->last_ns - c->session_ns) / 1e9;
    double rate = seconds > 0 ? (c->done - c->session_done) / seconds : 0;
    bool busy = cw_farm_checkpoint_busy(c);

    if (json) {
        struct cw_json_figure rows[] = {{"tasks", p->tasks},
                                        {"done", c->done},
                                        {"failed", c->failed},
                                        {"at_work", busy},
                                        {"seconds", seconds},
                                        {"per_second", rate},
                                        {"task_seconds", task_seconds(p, c)}};
        cw_json_print_figures(stdout, rows, sizeof rows / sizeof *rows);
        return;
    }
    if (!busy && c->done == p->tasks)
        cw_farm_report_finished(c->path, p->tasks, c->failed, false);
    else
        print_state(p, c, busy, rate);
    if (c->dropped)
        printf("%llu bytes at its end are damaged or not complete and count for nothing\n",
               (unsigned long long)c->dropped);
    fflush(stdout);
    cw_farm_report_failures(p, c);
}
