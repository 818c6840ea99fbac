/* main.c - clweave-farm-queue; see queue.h. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../io/text.h"
#include "queue.h"

enum { ANSWER_MS = 20, KEEPALIVE_S = 30, FOREMAN_S = 60, ALONE_S = 3 };

struct link {
    int fd;
    uint32_t epoch;
    struct cw_farm_inbox in;
    bool asked; /* the master owes an answer */
    bool end;   /* all is done */
    bool gone;
};

static volatile sig_atomic_t stop;

static void on_term(int sig)
{
    (void)sig;
    stop = 1;
}

/* ---- the link to the master */

static void tell(const struct link *l, enum cw_farm_kind kind, const char *text)
{
    if (*text)
        cw_farm_link_send(l->fd, kind, l->epoch, text, strlen(text), NULL, 0);
}

static void report(struct link *l, uint32_t wanted, uint32_t below, struct cw_farm_bytes *results)
{
    uint64_t head = wanted | (uint64_t)below << 32;

    l->gone |=
        !cw_farm_link_send(l->fd, CW_FARM_REPORT, l->epoch, &head, sizeof head, results->v, results->used);
    l->asked |= wanted > 0;
    results->used = 0;
}

/* Takes the messages of the master, for which it waits `ms`. False: out of memory. */
static bool listen_to(struct cw_queue *q, struct link *l, int ms)
{
    enum cw_farm_received got = CW_FARM_EMPTY;
    struct cw_dispatch_range range;
    struct cw_farm_frame f;
    const char *payload;
    bool ok = true;

    if (poll(&(struct pollfd){l->fd, POLLIN, 0}, 1, ms) <= 0)
        return true;
    l->gone |= cw_farm_link_read(l->fd, &l->in) == CW_FARM_CLOSED;
    while (ok && (got = cw_farm_link_next(&l->in, &f, &payload)) == CW_FARM_FULL) {
        if (f.kind == CW_FARM_WORK && f.bytes == sizeof range) {
            memcpy(&range, payload, sizeof range);
            l->asked = false;
            ok = cw_queue_blocks_submit(q, range);
        }
        l->end |= f.kind == CW_FARM_NO_MORE;
    }
    l->gone |= got == CW_FARM_CLOSED;
    return ok;
}

/* ---- workers */

/* Asks for blocks as long as there are fewer than two for each processor. False: out of memory. */
static bool ask(struct cw_queue *q, struct link *l, uint32_t processors)
{
    struct cw_farm_bytes none = {0};
    bool ok = listen_to(q, l, 0);

    while (ok && !l->asked && !l->gone && !l->end && q->outs < 2 * (size_t)processors) {
        report(l, cw_queue_blocks_size(q), processors, &none);
        ok = listen_to(q, l, ANSWER_MS);
    }
    return ok;
}

/* Whether there has been no worker for a while, but tasks for them: this program ends then, so that they
 * go back to the master's queue, from which others may take them. Its successor listens on the same port. */
static bool is_deserted(const struct cw_queue *q, uint32_t processors, uint32_t *alone_s)
{
    *alone_s = processors || !q->outs ? 0 : *alone_s + 1;
    return *alone_s > ALONE_S;
}

/* Tells the user how many processors there are, when that has changed. */
static uint32_t count_processors(struct cw_queue *q, const struct link *l, uint32_t before)
{
    struct work_queue_stats s;
    uint32_t now;
    char text[128];

    work_queue_get_stats(q->work, &s);
    now = s.workers_connected > 0 && s.total_cores > 0 ? (uint32_t)s.total_cores : 0;
    snprintf(text, sizeof text, "other machines: %u processor%s", now, now == 1 ? "" : "s");
    if (now != before)
        tell(l, CW_FARM_NOTE, text);
    return now;
}

static enum cw_status serve(struct cw_queue *q, struct link *l, struct cw_error *err)
{
    uint32_t processors = 0, alone_s = 0;
    struct cw_farm_bytes results = {0};
    enum cw_status status = CW_OK;
    char note[256];

    while (status == CW_OK && !stop && !l->end && !l->gone) {
        struct work_queue_task *t = work_queue_wait(q->work, 1);
        bool done = false;

        if (t)
            status = cw_queue_blocks_take(q, t, &results, &done, note, err);
        if (t)
            tell(l, CW_FARM_NOTE, note);
        if (done)
            report(l, 0, processors, &results);
        processors = count_processors(q, l, processors);
        if (status == CW_OK && !ask(q, l, processors))
            status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for blocks of tasks");
        if (!t && is_deserted(q, processors, &alone_s))
            break;
    }
    free(results.v);
    return status;
}

/* ---- begin and end */

static enum cw_status read_plan(struct cw_queue *q, const char *fd, struct cw_error *err)
{
    char path[64];
    struct cw_file_text text;
    enum cw_status status;

    snprintf(path, sizeof path, "/proc/self/fd/%s", fd);
    status = cw_file_text_open(&text, path, err);
    if (status != CW_OK)
        return status;
    status = cw_farm_plan_unpack(&q->plan, text.text, text.length, err);
    cw_file_text_close(&text);
    if (status == CW_OK && chdir(q->plan.folder) < 0)
        status = cw_error_set(err, CW_ERR_IO, "the farm's folder %s: %s", q->plan.folder, strerror(errno));
    return status;
}

static enum cw_status begin(struct cw_queue *q, char **argv, int argc, struct cw_error *err)
{
    const char *password = argv[CW_FARM_OUTSIDE_PASSWORD];
    int port = atoi(argv[CW_FARM_OUTSIDE_PORT]);
    enum cw_status status = read_plan(q, argv[CW_FARM_OUTSIDE_PLAN], err);

    if (status == CW_OK)
        status =
            cw_queue_files_find(q, argv + CW_FARM_OUTSIDE_WITH, (size_t)(argc - CW_FARM_OUTSIDE_WITH), err);
    if (status != CW_OK)
        return status;
    q->work = work_queue_create(port);
    if (!q->work)
        return cw_error_set(err, CW_ERR_IO, "cannot listen on port %d", port);
    if (*password && !work_queue_specify_password_file(q->work, password))
        return cw_error_set(err, CW_ERR_IO, "cannot read the password of %s", password);
    work_queue_specify_keepalive_interval(q->work, KEEPALIVE_S);
    work_queue_tune(q->work, "long-timeout", FOREMAN_S);
    return CW_OK;
}

static void end(struct cw_queue *q, const struct link *l)
{
    if (q->work)
        cw_queue_blocks_cancel(q);
    if (q->work && l->end)
        work_queue_shut_down_workers(q->work, 0);
    if (q->work)
        work_queue_delete(q->work);
    cw_farm_plan_finish(&q->plan);
    free(q->file);
    free(q->out);
    free(l->in.bytes.v);
}

int main(int argc, char **argv)
{
    struct cw_queue q = {0};
    struct link l = {0};
    struct cw_error err = {0};
    enum cw_status status;

    if (argc < CW_FARM_OUTSIDE_WITH) {
        fprintf(stderr, "%s is a part of 'clweave farm --manager', which starts it\n",
                CW_FARM_OUTSIDE_PROGRAM);
        return 2;
    }
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_term}, NULL);
    signal(SIGPIPE, SIG_IGN);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* it may crash when a worker dies: ../README.md */
    l.fd = atoi(argv[CW_FARM_OUTSIDE_LINK]);
    l.epoch = (uint32_t)strtoul(argv[CW_FARM_OUTSIDE_EPOCH], NULL, 10);
    q.block = (uint32_t)strtoul(argv[CW_FARM_OUTSIDE_BLOCK], NULL, 10);
    q.folder = argv[CW_FARM_OUTSIDE_FOLDER];
    q.version = argv[CW_FARM_OUTSIDE_VERSION];
    status = begin(&q, argv, argc, &err);
    if (status == CW_OK) {
        tell(&l, CW_FARM_NOTE, argv[CW_FARM_OUTSIDE_JOIN]);
        status = serve(&q, &l, &err);
    }
    if (status != CW_OK)
        tell(&l, CW_FARM_FAILED, err.text[0] ? err.text : cw_status_string(status));
    end(&q, &l);
    return status == CW_OK ? 0 : 1;
}
