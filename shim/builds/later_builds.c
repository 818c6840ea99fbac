/* later_builds.c - see builds/later_builds.h. */
#include "later_builds.h"
#include "../door/lock_order.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "../../analyzer/compile/compile_client.h"
#include "../../analyzer/io/folders.h"
#include "../../analyzer/io/quiet_child.h"
#include "../../analyzer/settings/options.h"
#include "../door/log.h"
#include "../door/thread.h"
#include "isolated_compiler.h"

#define MOST     64     /* requests of one process: a program may make sources without end */
#define BEGIN_NS 50000  /* between looks whether the builder's process is there, ... */
#define BEGINS   40     /* ... at the end */
#define WAIT_MS  600000 /* for tests */

static struct {
    struct cw_requests requests;
    const char **environment;
    struct cw_helper_tool *tool; /* clweave-compile; NULL: there is no builder */
    const char **tool_environment;
    bool on, off, wait; /* off: requests are written, for tests */
    _Atomic unsigned asked;
    _Atomic bool left;    /* a request waits, of which no builder was told */
    _Atomic bool started; /* before the end: once */
    _Atomic bool impossible_said;
    _Atomic uint32_t begun; /* the builder's process is there */
    char program[64];
} later;

/* The builder takes requests of its own environment alone: it gets the program's, with those of clweave's
 * variables that say how results are made. NULL: memory is out. */
static const char **environment_of(const struct cw_helper_tool *tool)
{
    static const char *const ours[] = {"CLWEAVE_CLANG=", "CLWEAVE_FAULT=", "CLWEAVE_FOOTPRINT="};
    const char **list;
    size_t n = 0;

    while (tool->environment[n])
        n++;
    list = calloc(n + sizeof ours / sizeof *ours + 1, sizeof *list);
    if (!list)
        return NULL;
    memcpy(list, tool->environment, n * sizeof *list);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        for (char **v = environ; v && *v; v++)
            if (!strncmp(*v, ours[i], strlen(ours[i]))) {
                list[n++] = strdup(*v);
                break;
            }
    return list;
}

void cw_later_builds_start(const struct cw_options *options, const char *folder)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    const char *slash;

    if (!*folder || !strcmp(options->learn, "off"))
        return;
    path[n > 0 ? n : 0] = '\0';
    slash = strrchr(path, '/');
    snprintf(later.program, sizeof later.program, "%.63s", slash ? slash + 1 : path);
    cw_requests_init(&later.requests, folder);
    later.environment = cw_requests_environment(environ);
    later.on = later.environment && *later.requests.folder;
    later.wait = !strcmp(options->builder, "wait");
    later.off = !strcmp(options->builder, "off");
    if (!later.off)
        later.tool = cw_helper_tool_find("clweave-compile");
    later.tool_environment = later.tool ? environment_of(later.tool) : NULL;
}

static void say_impossible(const char *why)
{
    if (!atomic_exchange(&later.impossible_said, true))
        cw_log_info("nothing is built for later runs: %s", why);
}

/* ---- the builder */

/* On a thread of its own, all signals blocked. */
static void *run_builder(void *unused)
{
    const char *argv[] = {later.tool->path, "--requests", later.requests.folder, later.wait ? "--wait" : NULL,
                          NULL};
    const struct cw_quiet_child child = {.kind = CW_QUIET_DETACHED,
                                         .argv = argv,
                                         .env = later.tool_environment,
                                         .input = "",
                                         .max_bytes = 1,
                                         .milliseconds = WAIT_MS,
                                         .begun = &later.begun};
    struct cw_quiet_output out;
    struct cw_error err;

    (void)unused;
    if (cw_quiet_child_run(&child, &out, &err) != CW_OK)
        say_impossible(err.text);
    cw_quiet_output_finish(&out);
    return NULL;
}

/* A process that adopts the orphans among its descendants would find the builder among its children. */
static bool adopts(void)
{
    int is = 0;

    return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &is) == 0 && is);
}

static bool start_builder(pthread_t *thread)
{
    if (later.off)
        return false;
    atomic_store(&later.begun, 0);
    atomic_store(&later.left, false); /* it finds those that are there */
    if (later.tool_environment && !adopts() && cw_compiler_resources_isolated() &&
        cw_thread_try(thread, run_builder, NULL))
        return true;
    say_impossible(later.tool ? "this process may not start the builder" : "clweave-compile is not there");
    return false;
}

/* ---- requests */

/* The results that this process has asked for: each once. */
static struct {
    pthread_mutex_t lock;
    struct cw_identity_set set;
} asked = {.lock = PTHREAD_MUTEX_INITIALIZER};
CW_LOCK_RANK(&asked.lock, ASKED)

static bool is_asked(const struct cw_identity *result)
{
    bool is;

    pthread_mutex_lock(&asked.lock);
    is = cw_identity_set_find(&asked.set, result) != CW_IDENTITY_NONE;
    pthread_mutex_unlock(&asked.lock);
    return is;
}

static void note_asked(const struct cw_identity *result)
{
    pthread_mutex_lock(&asked.lock);
    cw_identity_set_add(&asked.set, result);
    pthread_mutex_unlock(&asked.lock);
}

struct asking {
    struct cw_request q;
    bool good, writable;
};

static void write_request(void *asking)
{
    struct asking *a = asking;

    a->good = cw_requests_write(&later.requests, &a->q);
    a->writable = a->good || cw_requests_can_be_written(&later.requests);
}

bool cw_later_builds_ask(const struct cw_request *q)
{
    struct asking a = {.q = *q};
    pthread_t thread;

    if (!later.on || a.q.result.failed)
        return false;
    if (is_asked(&a.q.result))
        return true;
    if (atomic_fetch_add(&later.asked, 1) >= MOST)
        return false;
    a.q.program = later.program;
    a.q.environment = later.environment;
    a.q.failed = 0;
    cw_isolated_compiler_files(write_request, &a);
    if (a.good)
        note_asked(&a.q.result);
    if (a.good)
        atomic_store(&later.left, true);
    if (!a.writable)
        say_impossible("no request can be written");
    if (a.good && !later.wait && !cw_compile_client_has_stopped() && !atomic_exchange(&later.started, true) &&
        start_builder(&thread))
        pthread_detach(thread);
    return a.good;
}

static void look_at_lock(void *held)
{
    char path[PATH_MAX + 16];
    int fd;

    snprintf(path, sizeof path, "%s/requests/lock", later.requests.folder);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    *(bool *)held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0;
    if (fd >= 0)
        close(fd);
}

bool cw_later_builds_is_at_work(void)
{
    bool held = false;

    if (later.on)
        cw_isolated_compiler_files(look_at_lock, &held);
    return held;
}

void cw_later_builds_stop(void)
{
    pthread_t thread;

    /* where one was started before, it may have ended */
    if (!later.on || !atomic_load(&later.left) || !start_builder(&thread))
        return;
    if (later.wait) {
        pthread_join(thread, NULL);
        return;
    }
    pthread_detach(thread);
    for (int i = 0; i < BEGINS && !atomic_load(&later.begun); i++)
        nanosleep(&(struct timespec){.tv_nsec = BEGIN_NS}, NULL);
}

void cw_later_builds_after_fork(void)
{
    later.on = false;
}
