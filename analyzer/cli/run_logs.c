/* run_logs.c - see run_logs.h. */
#include "run_logs.h"
#include "cli.h"
#include "footprints.h"
#include "../graph/graph_summary.h"
#include "../trace/log_process.h"
#include "../trace/log_read.h"
#include "../trace/trace_read.h"
#include "../trace/trace_write.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
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
    strcat(text, ".log");
    return true;
}

static bool is_there(const struct cw_log_header *h)
{
    return h->process_start_ticks && cw_log_process_start(h->pid) == h->process_start_ticks;
}

/* A process that outlives the program (a daemon, a background job) is still writing. One that was killed
 * writes no more, and is gone soon. */
static bool is_being_written(const struct cw_log_header *h)
{
    const struct timespec pause = {.tv_nsec = 10000000};

    for (int i = 0; i < ENDING_PAUSES && !h->complete && is_there(h) && cw_log_process_is_ending(h->pid); i++)
        nanosleep(&pause, NULL);
    return !h->complete && is_there(h) && !cw_log_process_is_ending(h->pid);
}

/* Converts one log; returns the number of its enqueues, or -1 after a failure. */
static long convert(const char *log, bool footprints, bool summary)
{
    struct cw_error err = {0};
    struct cw_trace t;
    char json[PATH_MAX];
    long enqueues = 0;

    snprintf(json, sizeof json, "%.*s", (int)(strlen(log) - strlen(".log")), log);
    cw_trace_init(&t);
    if (cw_trace_load(&t, log, &err) || (footprints && cw_footprints_build(&t, false, &err)) ||
        cw_trace_save(&t, json, &err)) {
        cw_cli_complain("%s", err.text);
        cw_cli_complain("the log %s is kept: `clweave graph %s -o out.json` converts it", log, log);
        enqueues = -1;
    } else {
        for (size_t i = 0; i < t.commands.count; i++)
            enqueues += cw_command_is_enqueue(&t.commands.v[i]);
        unlink(log);
        fprintf(stderr, "clweave: %s: %ld command%s, %zu edges%s\n", json, enqueues, enqueues == 1 ? "" : "s",
                t.edges.count,
                t.process.complete ? "" : "; the program ended abruptly, the trace reaches to its last call");
        if (t.process.stopped_why)
            cw_cli_complain("%s: recording stopped early: %s", json, t.process.stopped_why);
        if (summary)
            cw_graph_summary_print(&t, stderr);
    }
    cw_trace_finish(&t);
    return enqueues;
}

void cw_run_logs_convert(const char *pattern, uint64_t run, const char *program, bool footprints, bool summary)
{
    struct cw_log_header h;
    char text[2 * PATH_MAX];
    size_t logs = 0;
    long enqueues = 0;
    glob_t found = {0};

    if (log_glob(pattern, text, sizeof text) && glob(text, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char *log = found.gl_pathv[i];
            long n = 1;
            if (!cw_log_read_header(log, &h) || h.run_id != run)
                continue;
            logs++;
            if (is_being_written(&h))
                cw_cli_complain(
                    "process %llu is still running: when it has ended, `clweave graph %s -o out.json` "
                    "converts its log",
                    (unsigned long long)h.pid, log);
            else
                n = convert(log, footprints, summary);
            enqueues += n > 0 ? n : n < 0;
        }
    globfree(&found);
    if (logs == 0)
        cw_cli_complain(
            "%s left no trace: it has made no OpenCL call that leaves one, unless an error above says why",
            program);
    else if (enqueues == 0)
        cw_cli_complain("warning: %s enqueued nothing: the trace holds its queries only", program);
}
