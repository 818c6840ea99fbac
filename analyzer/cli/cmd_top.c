/* cmd_top.c - clweave top: a live view of a process that records, read from the log that it is writing. */
#include "frame/cli.h"
#include "../io/quantity.h"
#include "../record/log_read.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct top_options {
    double interval;
    int64_t rows;
    bool once;
};

static const struct cw_cli_option options[] = {
    {"interval", 'i', CW_CLI_DOUBLE, offsetof(struct top_options, interval), "SECONDS", NULL,
     "time between two views (default 1)"},
    {"rows", 'n', CW_CLI_INT, offsetof(struct top_options, rows), "N", NULL,
     "show the N busiest kernels and kinds of command (default 20)"},
    {"once", 0, CW_CLI_BOOL, offsetof(struct top_options, once), NULL, NULL,
     "print one view, of one interval, and stop; a program that has ended is shown from its beginning"},
    CW_CLI_END,
};
static const struct top_options defaults = {.interval = 1, .rows = 20};

/* ---- the log of a process */

/* The log that process `pid` has mapped and writes; false: there is none. */
static bool find_log(uint64_t pid, char path[PATH_MAX])
{
    struct cw_log_header *h = malloc(sizeof *h);
    char maps[64], line[PATH_MAX + 128];
    bool found = false;
    FILE *f;

    snprintf(maps, sizeof maps, "/proc/%llu/maps", (unsigned long long)pid);
    f = h ? fopen(maps, "re") : NULL;
    while (f && !found && fgets(line, sizeof line, f)) {
        char *name = strchr(line, '/');
        if (!name || !strstr(name, ".log"))
            continue;
        name[strcspn(name, "\n")] = '\0';
        found = strlen(name) < PATH_MAX && cw_log_read_header(name, h) && h->pid == pid;
        if (found)
            strcpy(path, name);
    }
    if (f)
        fclose(f);
    free(h);
    return found;
}

/* The same of a child, as of `clweave trace`, which starts the program. */
static bool find_log_of_child(uint64_t pid, char path[PATH_MAX])
{
    char name[96], text[4096];
    bool found = false;
    FILE *f;

    snprintf(name, sizeof name, "/proc/%llu/task/%llu/children", (unsigned long long)pid,
             (unsigned long long)pid);
    f = fopen(name, "re");
    if (f && fgets(text, sizeof text, f))
        for (char *p = text, *end; !found; p = end) {
            uint64_t child = strtoull(p, &end, 10);
            if (end == p)
                break;
            found = find_log(child, path);
        }
    if (f)
        fclose(f);
    return found;
}

/* The log that `word` names, a process or a file. False: it has complained. */
static bool choose_log(const char *word, char path[PATH_MAX])
{
    char *end;
    uint64_t pid = strtoull(word, &end, 10);

    if (!*word || *end || *word == '-' || *word == '+') {
        if (strlen(word) < PATH_MAX) {
            strcpy(path, word);
            return true;
        }
        cw_cli_complain("top: the name of the log is too long");
        return false;
    }
    if (find_log(pid, path) || find_log_of_child(pid, path))
        return true;
    if (cw_log_process_start(pid))
        cw_cli_complain(
            "top: process %s records nothing yet, or is another user's: start it with `clweave trace "
            "--device-times -- PROGRAM`, or `clweave run -o FILE`",
            word);
    else
        cw_cli_complain(
            "top: there is no process %s; `clweave graph FILE.log` shows the log of one that has ended",
            word);
    return false;
}

/* ---- one view: what was added since the one before */

struct view {
    struct cw_follow_row *rows;       /* as they were */
    struct cw_follow_device *devices; /* likewise */
    size_t row_count, device_count;
    uint64_t commands, wait_ns, waits;
};

static void forget(struct view *v)
{
    free(v->rows);
    free(v->devices);
    *v = (struct view){0};
}

/* False: memory is out. */
static bool remember(struct view *v, const struct cw_log_follow *f)
{
    forget(v);
    v->rows = malloc((f->rows.count + 1) * sizeof *v->rows);
    v->devices = malloc((f->devices.count + 1) * sizeof *v->devices);
    if (!v->rows || !v->devices)
        return false;
    if (f->rows.count)
        memcpy(v->rows, f->rows.v, f->rows.count * sizeof *v->rows);
    if (f->devices.count)
        memcpy(v->devices, f->devices.v, f->devices.count * sizeof *v->devices);
    v->row_count = f->rows.count;
    v->device_count = f->devices.count;
    v->commands = f->commands;
    v->waits = f->waits;
    v->wait_ns = f->wait_ns;
    return true;
}

/* "12.3 k", "1.2 M" in `text` of 16 bytes. */
static const char *rate(double per_second, char text[16])
{
    snprintf(text, 16,
             per_second < 1000  ? "%.0f"
             : per_second < 1e6 ? "%.1f k"
                                : "%.2f M",
             per_second < 1000  ? per_second
             : per_second < 1e6 ? per_second / 1e3
                                : per_second / 1e6);
    return text;
}

static const char *bytes_rate(double per_second, char text[20])
{
    char plain[16];

    snprintf(text, 20, "%s/s", cw_quantity_bytes((uint64_t)per_second, plain));
    return per_second >= 1 ? text : "-";
}

/* A share of time says something where times of most commands are known. */
static bool are_timed(uint64_t timed, uint64_t commands)
{
    return timed && timed > commands - commands / 4; /* every:2 has half of them */
}

static void print_devices(const struct cw_log_follow *f, const struct view *last, double seconds)
{
    char a[16], b[20];

    printf("%-32s %12s %7s %12s %14s\n", "device", "commands/s", "busy", "open", "transfers");
    for (uint32_t i = 0; i < f->devices.count; i++) {
        const struct cw_follow_device *d = &f->devices.v[i];
        const struct cw_follow_device zero = {.commands = 0},
                                      *was = i < last->device_count ? &last->devices[i] : &zero;
        double busy = 100 * (double)(d->busy_ns - was->busy_ns) / (seconds * 1e9);
        char share[16] = "-";
        if (!d->name || (!d->commands && !d->busy_ns))
            continue;
        if (are_timed(d->timed - was->timed, d->commands - was->commands))
            snprintf(share, sizeof share, "%.0f %%", fmin(busy, 100));
        printf("%-32.32s %12s %7s %12llu %14s\n", d->name,
               rate((double)(d->commands - was->commands) / seconds, a), share,
               (unsigned long long)cw_log_follow_depth(f, i),
               bytes_rate((double)(d->bytes - was->bytes) / seconds, b));
    }
}

struct changed {
    const struct cw_follow_row *row;
    uint64_t commands, timed, device_ns, bytes;
};

static int by_work(const void *a, const void *b)
{
    const struct changed *x = a, *y = b;

    if (x->device_ns != y->device_ns)
        return x->device_ns < y->device_ns ? 1 : -1;
    return (x->commands < y->commands) - (x->commands > y->commands);
}

static void print_row(const struct changed *c, double seconds)
{
    char a[16], b[16], d[20], share[16] = "-";

    if (are_timed(c->timed, c->commands))
        snprintf(share, sizeof share, "%.1f %%", 100 * (double)c->device_ns / (seconds * 1e9));
    printf("%-32.32s %12s %12llu %9s %12s %14s\n", c->row->name, rate((double)c->commands / seconds, a),
           (unsigned long long)c->row->commands, share,
           c->timed ? cw_quantity_ns(c->device_ns / c->timed, b) : "-",
           bytes_rate((double)c->bytes / seconds, d));
}

static bool print_rows(const struct cw_log_follow *f, const struct view *last, double seconds, int64_t shown)
{
    struct changed *v = calloc(f->rows.count + 1, sizeof *v);

    if (!v)
        return false;
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct cw_follow_row zero = {.commands = 0}, *r = &f->rows.v[i],
                                   *was = i < last->row_count ? &last->rows[i] : &zero;
        v[i] = (struct changed){r, r->commands - was->commands, r->timed - was->timed,
                                r->device_ns - was->device_ns, r->bytes - was->bytes};
    }
    qsort(v, f->rows.count, sizeof *v, by_work);
    printf("\n%-32s %12s %12s %9s %12s %14s\n", "command", "per second", "in total", "device", "mean",
           "transfers");
    for (size_t i = 0; i < f->rows.count && (int64_t)i < shown; i++)
        print_row(&v[i], seconds);
    if ((int64_t)f->rows.count > shown)
        printf("(and %lld more; --rows N shows more)\n", (long long)f->rows.count - (long long)shown);
    free(v);
    return true;
}

/* What is new since `last`, which took `seconds`. */
static bool print_view(const struct cw_log_follow *f, const struct view *last, double seconds,
                       const char *path, int64_t shown)
{
    const double ran = f->last_ns > f->start_ns ? (double)(f->last_ns - f->start_ns) / 1e9 : 0;
    char a[16];

    printf("%s: %llu commands in %.1f s, %s/s", path, (unsigned long long)(f->commands + f->dropped), ran,
           rate((double)(f->commands - last->commands) / seconds, a));
    printf("; %s waits/s hold its threads for %.0f %% of the time",
           rate((double)(f->waits - last->waits) / seconds, a),
           fmin(100 * (double)(f->wait_ns - last->wait_ns) / (seconds * 1e9), 100));
    if (f->failed)
        printf("; %llu failed", (unsigned long long)f->failed);
    printf("%s\n", f->stopped ? "; recording has stopped" : f->complete ? "; the program has ended" : "");
    print_devices(f, last, seconds);
    return print_rows(f, last, seconds, shown);
}

/* ---- the command */

static void pause_for(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};

    nanosleep(&t, NULL);
}

/* True when the process writes no more. */
static bool is_over(const struct cw_log_follow *f, const char *path)
{
    struct cw_log_header *h = malloc(sizeof *h);
    bool over = f->complete || f->stopped || !h || !cw_log_read_header(path, h) || !h->process_start_ticks ||
                cw_log_process_start(h->pid) != h->process_start_ticks;

    free(h);
    return over;
}

/* The views until the program has ended, or one. */
static enum cw_status follow(struct cw_log_follow *f, const struct top_options *o, const char *path,
                             struct cw_error *err)
{
    const bool screen = isatty(STDOUT_FILENO) && !o->once;
    struct view last = {0};
    double then = cw_monotonic_s(), seconds;
    bool over = is_over(f, path), good = over || remember(&last, f);

    while (good) {
        if (!over) {
            pause_for(o->interval);
            over = is_over(f, path);
            if (cw_log_follow_poll(f, err))
                break;
        }
        seconds = last.rows ? cw_monotonic_s() - then : fmax((double)(f->last_ns - f->start_ns) / 1e9, 1e-9);
        then = cw_monotonic_s();
        fflush(stdout);
        if (screen && write(STDOUT_FILENO, "\033[H\033[J", 6) != 6)
            break;
        good = print_view(f, &last, seconds, path, o->rows) && remember(&last, f);
        if (o->once || over)
            break;
        if (!screen)
            putchar('\n');
        fflush(stdout);
    }
    forget(&last);
    if (!good)
        cw_error_set(err, CW_ERR_NOMEM, "top: out of memory");
    return err->status;
}

static int run(const void *values, int argc, char **argv)
{
    const struct top_options *o = values;
    struct cw_log_follow f;
    char path[PATH_MAX];
    struct cw_error err = {0};

    (void)argc;
    if (!(o->interval >= 0.01 && o->interval <= 3600) || o->rows < 0) {
        cw_cli_complain(o->rows < 0 ? "top: --rows: a number that is not negative is needed"
                                    : "top: --interval: a time from 0.01 to 3600 seconds is needed");
        return CW_EXIT_USAGE;
    }
    if (!choose_log(argv[0], path))
        return CW_EXIT_FAILURE;
    if (cw_log_follow_open(&f, path, &err) == CW_OK)
        follow(&f, o, path, &err);
    cw_log_follow_close(&f);
    return err.status ? cw_cli_fail(&err) : CW_EXIT_OK;
}

static const char *const examples[] = {"clweave trace --device-times -- ./app & clweave top $!",
                                       "what the program does now, every second",
                                       "clweave top --once --interval 5 1234",
                                       "five seconds of process 1234, for a script",
                                       "clweave top app.json.log",
                                       "the log of a program, running or not",
                                       NULL};

static const char *const output[] = {
    "commands/s, per second",
    "commands that were enqueued in the interval, by its length",
    "busy",
    "share of the interval in which the device ran at least one command; - without --device-times. Times "
    "become "
    "known when the program waits, so that busy moments may count in a later view",
    "open",
    "commands that are not known to be over: the depth of its queues",
    "transfers",
    "bytes of reads, writes, copies and maps of buffers",
    "in total",
    "commands since the program began",
    "device",
    "device time in the interval, by its length: more than 100 % where commands run side by side",
    "mean",
    "mean device time of the commands whose times became known in the interval",
    NULL,
};

const struct cw_command_def cw_cmd_top = {
    .name = "top",
    .summary = "show what a recording process does now",
    .usage = "[options] PID|FILE.log",
    .details =
        "Reads the log that the process writes, which was started with `clweave trace` or `clweave run -o`; "
        "PID is its, or the tool's that started it. The process does nothing for it. On a terminal the view "
        "is drawn anew, elsewhere views are printed one after the other. Ends when the program does.",
    .options = options,
    .output = output,
    .examples = examples,
    .defaults = &defaults,
    .values_size = sizeof(struct top_options),
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
