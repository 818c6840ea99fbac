/* run_logs.c - see launch.h. */
#include "launch.h"
#include "frame/cli.h"
#include "traces.h"
#include "../io/quantity.h"
#include "../graph/graph_build.h"
#include "../explain/graph_summary.h"
#include "../record/log_read.h"
#include "../graph/trace_read.h"
#include "../record/trace_write.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ENDING_PAUSES = 1000 }; /* 10 s: then its memory is unlikely to matter any more */

/* A glob for the logs of an output pattern: "a-%e.json" gives "a-*" "*.json.log". False when it does not fit.
 */
static bool log_glob(const char *pattern, char *text, size_t size)
{
    const char *slash = strrchr(pattern, '/'), *dot = strrchr(pattern, '.');
    const char *stem = dot && dot > slash + 1 ? dot : pattern + strlen(pattern);
    size_t n = 0;

    for (const char *p = pattern;; p++) {
        if (p == stem && n + 1 < size)
            text[n++] = '*';
        if (!*p || n + 8 >= size)
            break;
        if (*p == '%' && p[1]) {
            if (*++p == '%')
                text[n++] = '%';
            else
                text[n++] = '*';
        } else {
            if (strchr("*?[]\\", *p))
                text[n++] = '\\';
            text[n++] = *p;
        }
    }
    text[n] = '\0';
    if (n + 8 >= size)
        return false;
    strcat(text, cw_log_is_name(pattern) ? "" : ".log");
    return true;
}

static bool is_there(const struct cw_log_header *h)
{
    return h->process_start_ticks && cw_log_process_start(h->pid) == h->process_start_ticks;
}

struct found {
    char log[PATH_MAX], trace[PATH_MAX]; /* trace: where its trace goes, which may be a log */
    char program[64];                    /* the file that it ran, without its folder */
    uint64_t pid;
    bool running;  /* it writes its log still */
    bool stopped;  /* recording stopped early */
    long commands; /* -1: the log cannot be read */
};

/* A process that outlives the program (a daemon, a background job) is still writing. One that was killed
 * writes no more, and is gone soon. */
static bool is_being_written(const struct cw_log_header *h)
{
    const struct timespec pause = {.tv_nsec = 10000000};

    for (int i = 0; i < ENDING_PAUSES && !h->complete && is_there(h) && cw_log_process_is_ending(h->pid); i++)
        nanosleep(&pause, NULL);
    return !h->complete && is_there(h) && !cw_log_process_is_ending(h->pid);
}

/* The commands that the log holds; -1: it cannot be read, which its conversion says. */
static long count_commands(const char *log)
{
    struct cw_error err = {0};
    struct cw_trace t;
    long commands = 0;

    cw_trace_init(&t);
    if (cw_log_read(&t, log, &err))
        commands = -1;
    else
        for (size_t i = 0; i < t.commands.count; i++)
            commands += cw_trace_command_is_enqueue(&t.commands.v[i]);
    cw_trace_finish(&t);
    return commands;
}

static void describe(struct found *f, const char *log, bool stays, const struct cw_log_header *h)
{
    const char *slash = strrchr(h->program, '/');

    snprintf(f->log, sizeof f->log, "%s", log);
    snprintf(f->trace, sizeof f->trace, "%.*s", (int)(strlen(log) - (stays ? 0 : strlen(".log"))), log);
    snprintf(f->program, sizeof f->program, "%.63s", slash ? slash + 1 : h->program);
    for (char *c = f->program; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    f->pid = h->pid;
    f->running = is_being_written(h);
}

/* The logs of the run, *n of them; to be freed. NULL: there are none, or memory is out. */
static struct found *find(const struct cw_run_logs *r, size_t *n)
{
    struct cw_log_header h;
    struct found *found = NULL;
    char text[2 * PATH_MAX];
    glob_t names = {0};

    *n = 0;
    if (log_glob(r->pattern, text, sizeof text) && glob(text, 0, NULL, &names) == 0 &&
        (found = calloc(names.gl_pathc, sizeof *found)))
        for (size_t i = 0; i < names.gl_pathc; i++)
            if (strlen(names.gl_pathv[i]) < PATH_MAX && cw_log_read_header(names.gl_pathv[i], &h) &&
                h.run_id == r->run)
                describe(&found[(*n)++], names.gl_pathv[i], cw_log_is_name(r->pattern), &h);
    globfree(&names);
    return found;
}

/* ---- one path for all processes: which of them gets it */

/* The program that was named, if it has enqueued anything, else the process that has enqueued most; NULL: all
 * run still. */
static struct found *choose_main(const struct cw_run_logs *r, struct found *f, size_t n)
{
    struct found *best = NULL;

    for (size_t i = 0; i < n; i++) {
        bool named = f[i].pid == r->program_pid, best_named = best && best->pid == r->program_pid;

        if (f[i].running)
            continue;
        if (!best || (f[i].commands > 0) > (best->commands > 0) ||
            ((f[i].commands > 0) == (best->commands > 0) &&
             (named > best_named || (named == best_named && f[i].commands > best->commands))))
            best = &f[i];
    }
    return best;
}

static bool is_taken(const struct found *f, size_t n, const char *trace)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(f[i].trace, trace))
            return true;
    return access(trace, F_OK) == 0;
}

/* The name that `f` would have got had another process been there before it. */
static void name_beside(struct found *f, const struct found *all, size_t n, const char *file)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    int stem = dot && dot > slash + 1 ? (int)(dot - file) : (int)strlen(file);
    char json[PATH_MAX], again[16] = "";

    for (unsigned k = 2; k < 1000; k++) {
        if ((size_t)snprintf(json, sizeof json, "%.*s-%llu%s%s", stem, file, (unsigned long long)f->pid,
                             again, file + stem) >= sizeof json)
            return;
        if (!is_taken(all, n, json))
            break;
        snprintf(again, sizeof again, "-%u", k);
    }
    strcpy(f->trace, json);
}

/* Returns the process whose trace is `file`, or of which that is said where `file` is taken. */
static struct found *share_out(const struct cw_run_logs *r, struct found *f, size_t n)
{
    struct found *best;

    for (size_t i = 0; i < n && n > 1; i++)
        f[i].commands = f[i].running ? 0 : count_commands(f[i].log);
    best = choose_main(r, f, n);
    if (!best || !strcmp(best->trace, r->file))
        return best;
    for (size_t i = 0; i < n && cw_log_is_name(r->file); i++)
        if (!strcmp(f[i].trace, r->file) && f[i].running)
            return best; /* a log that is being written stays where it is */
    for (size_t i = 0; i < n; i++)
        if (!strcmp(f[i].trace, r->file) && !f[i].running)
            name_beside(&f[i], f, n, r->file);
    strcpy(best->trace, r->file);
    return best;
}

/* ---- conversion */

/* The name that the captured data get, beside the saved trace; "": they stay where they are. The trace names
 * it so. */
static void name_data(struct cw_trace *t, const char *json, char data[PATH_MAX], char from[PATH_MAX])
{
    char *path = NULL;

    data[0] = '\0';
    if (!t->data_path || (size_t)snprintf(from, PATH_MAX, "%s", t->data_path) >= PATH_MAX ||
        (size_t)snprintf(data, PATH_MAX, "%s.data", json) >= PATH_MAX || access(data, F_OK) == 0 ||
        !(path = strdup(data))) {
        data[0] = '\0';
        return;
    }
    free(t->data_path);
    t->data_path = path;
}

/* Gives a log that stays its name. */
static enum cw_status name_log(const struct found *f, struct cw_error *err)
{
    if (!strcmp(f->log, f->trace) || !rename(f->log, f->trace))
        return CW_OK;
    return cw_error_set(err, CW_ERR_IO, "cannot rename it to %.300s: %s", f->trace, strerror(errno));
}

/* Saves what the log holds as JSON, and removes the log. */
static enum cw_status save_json(const struct found *f, struct cw_trace *t, struct cw_error *err)
{
    char data[PATH_MAX], from[PATH_MAX];
    enum cw_status status;

    name_data(t, f->trace, data, from);
    status = cw_trace_save(t, f->trace, err);
    if (status)
        return status;
    unlink(f->log);
    if (*data)
        rename(from, data);
    return CW_OK;
}

/* Reads the log into `t` and leaves the trace as the run wants it. */
static enum cw_status save(const struct found *f, const struct cw_run_logs *r, struct cw_trace *t,
                           struct cw_error *err)
{
    bool log, stays = cw_log_is_name(r->pattern);
    enum cw_status status = cw_trace_load_bare(t, f->log, &log, err);

    if (!status && (!stays || r->summary))
        status = r->footprints ? cw_footprints_build(t, false, true, err) : cw_graph_build(t, NULL, err);
    if (!status && stays)
        return name_log(f, err);
    if (!status)
        status = cw_selection_apply(t, r->selection, err);
    return status ? status : save_json(f, t, err);
}

/* Says on stderr what the trace holds. */
static void describe_trace(const struct found *f, const struct cw_run_logs *r, const struct cw_trace *t)
{
    fprintf(stderr, "clweave: %s: %s", f->trace, CW_COUNT((uint64_t)f->commands, "command"));
    if (!cw_log_is_name(r->pattern))
        fprintf(stderr, ", %s", CW_COUNT(t->edges.count, "edge"));
    fprintf(stderr, "%s\n",
            t->process.complete || t->process.stopped_why
                ? ""
                : "; the program ended abruptly, the trace reaches to its last call");
}

/* Makes the trace of one log, and counts its commands. `quiet`: it is a line of list_others(). */
static void convert(struct found *f, const struct cw_run_logs *r, bool quiet)
{
    struct cw_error err = {0};
    struct cw_trace t;

    f->commands = 0;
    cw_trace_init(&t);
    if (save(f, r, &t, &err)) {
        cw_cli_complain("%s", err.text);
        cw_cli_complain("the log %s is kept: `clweave graph %s -o out.json` converts it", f->log, f->log);
        f->commands = -1;
    } else {
        for (size_t i = 0; i < t.commands.count; i++)
            f->commands += cw_trace_command_is_enqueue(&t.commands.v[i]);
        if (!quiet)
            describe_trace(f, r, &t);
        f->stopped = t.process.stopped_why != NULL;
        if (f->stopped)
            cw_cli_complain("%s: recording stopped early: %s", f->trace, t.process.stopped_why);
        if (r->summary && !quiet)
            cw_graph_summary_print(&t, stderr);
    }
    cw_trace_finish(&t);
}

/* The processes but `main`, whose trace is named already, in one line. */
static void list_others(const struct found *f, size_t n, const struct found *main)
{
    const char *between = "clweave: other processes have traces of their own: ";

    for (size_t i = 0; i < n; i++) {
        if (&f[i] == main || f[i].running || f[i].commands < 0)
            continue;
        fprintf(stderr, "%s%s (%s, %ld command%s)", between, f[i].trace, f[i].program, f[i].commands,
                f[i].commands == 1 ? "" : "s");
        between = ", ";
    }
    if (*between == ',')
        fputc('\n', stderr);
}

void cw_run_logs_convert(const struct cw_run_logs *r)
{
    size_t n, enqueued = 0;
    struct found *f = find(r, &n), *main = f && r->file ? share_out(r, f, n) : NULL;

    for (size_t i = 0; i < n; i++) {
        if (f[i].running)
            cw_cli_complain(
                "process %llu is still running: when it has ended, `clweave graph %s -o out.json` "
                "converts its log",
                (unsigned long long)f[i].pid, f[i].log);
        else if (&f[i] != main)
            convert(&f[i], r, main);
        enqueued += f[i].running || f[i].stopped || f[i].commands != 0;
    }
    if (main) {
        convert(main, r, false);
        enqueued += main->stopped || main->commands != 0;
        list_others(f, n, main);
    }
    free(f);
    if (n == 0 && r->killed)
        cw_cli_complain("%s left no trace: no OpenCL call that leaves one had returned when it was killed",
                        r->program);
    else if (n == 0)
        cw_cli_complain(
            "%s left no trace: it has made no OpenCL call that leaves one, unless an error above says why",
            r->program);
    else if (enqueued == 0 && r->killed)
        cw_cli_complain(
            "warning: no enqueue of %s had returned when it was killed: the trace holds its queries only",
            r->program);
    else if (enqueued == 0)
        cw_cli_complain("warning: %s enqueued nothing: the trace holds its queries only", r->program);
}
