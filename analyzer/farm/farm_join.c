/* farm_join.c - `clweave farm worker`: starts work_queue_worker for a farm of another machine, as a worker
 * or as a foreman, which is a regional master. See farm_command.h. */
#include "../io/folders.h"
#include "farm_command.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK_NS = 200000000, LINE_BYTES = 1024 };

struct watch {
    char line[LINE_BYTES];
    size_t used;
    bool failed, hopeless; /* it has served no farm; it never will */
};

/* What work_queue_worker says, and what the user reads instead. */
static const struct {
    const char *has, *text; /* text NULL: nothing */
    bool failed, hopeless;
} sayings[] = {
    {"requires a password", "the farm asks for a password: --password FILE", true, true},
    {"wrong password", "the farm has another password than that of --password", true, true},
    {"could not connect after", "no farm has answered", true, false},
    {"couldn't connect to", NULL, false, false},
    {"no other managers available", NULL, false, false},
    {"abort signal received", NULL, false, false},
};

static void take_line(struct watch *w, const char *line)
{
    for (size_t k = 0; k < sizeof sayings / sizeof *sayings; k++)
        if (strstr(line, sayings[k].has)) {
            if (sayings[k].text && !w->failed)
                cw_cli_complain("farm worker: %s", sayings[k].text);
            w->failed |= sayings[k].failed;
            w->hopeless |= sayings[k].hopeless;
            return;
        }
    if (*line)
        cw_cli_complain("farm worker: %s", line);
}

static void listen_to(struct watch *w, int said)
{
    ssize_t n;

    while ((n = read(said, w->line + w->used, sizeof w->line - 1 - w->used)) > 0) {
        char *end, *at = w->line;

        w->used += (size_t)n;
        w->line[w->used] = '\0';
        for (; (end = strchr(at, '\n')); at = end + 1) {
            *end = '\0';
            take_line(w, at);
        }
        if (at == w->line && w->used == sizeof w->line - 1)
            w->used = 0; /* a line as long as that is none of those above */
        else
            memmove(w->line, at, w->used -= (size_t)(at - w->line));
    }
}

/* Whether a block has left the reason why no farm can be served. */
static bool read_note(struct watch *w, const char *path)
{
    char text[512];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;

    if (fd >= 0)
        close(fd);
    if (n > 0)
        cw_cli_complain("farm worker: %.*s", (int)n, text);
    w->failed |= n > 0;
    return n > 0;
}

/* Waits for the end of the process `worker`. A signal of `set`, which is blocked and has SIGCHLD, ends it,
 * and so does a reason in the file `note` (CW_FARM_MACHINES_NOTE). `said`: its standard error, non-blocking,
 * of which the user reads the parts that matter. Returns an exit status: a worker that could serve no farm
 * fails. */
static int cw_farm_attend(pid_t worker, int said, const char *note, const sigset_t *set)
{
    struct watch w = {.used = 0};
    bool told = false;
    int status = 0;

    while (waitpid(worker, &status, WNOHANG) == 0) {
        int sig = sigtimedwait(set, NULL, &(struct timespec){0, TICK_NS});
        bool stop = sig > 0 && sig != SIGCHLD;

        listen_to(&w, said);
        if (!told && (stop || w.hopeless || read_note(&w, note))) {
            told = true;
            kill(worker, SIGTERM);
        }
    }
    listen_to(&w, said);
    if (!told && !w.failed && status) {
        cw_cli_complain("farm worker: work_queue_worker ended with %s %d",
                        WIFSIGNALED(status) ? "signal" : "status",
                        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        w.failed = true;
    }
    return w.failed ? CW_EXIT_FAILURE : CW_EXIT_OK;
}

#define WORKER "work_queue_worker"
enum { ADDRESSES = 16, HOST_BYTES = 256, CONNECT_MS = 5000, LIST_BYTES = 4096 };

struct join_options {
    const char *password;
    int64_t foreman, workers, wait;
};

#define OPTION(name_, kind_, member, argument_, help_)                                                       \
    {                                                                                                        \
        .name = name_, .kind = kind_, .offset = offsetof(struct join_options, member),                       \
        .argument = argument_, .help = help_                                                                 \
    }

static const struct cw_cli_option options[] = {
    OPTION("workers", CW_CLI_INT, workers, "N", "tasks at a time (default: the processors of this machine)"),
    OPTION("foreman", CW_CLI_INT, foreman, "PORT",
           "be a regional master: pass blocks on to workers that join here on PORT"),
    OPTION("password", CW_CLI_STRING, password, "FILE", "the farm's password is the text of FILE"),
    OPTION("wait", CW_CLI_INT, wait, "SECONDS", "end when there was no farm for so long (default 900)"),
    CW_CLI_END};

static const char *const examples[] = {"clweave farm worker head:9123",
                                       "serve the farm of 'clweave farm --manager 9123' on the machine head",
                                       "clweave farm worker --foreman 9124 head:9123",
                                       "pass its blocks on to the workers of this site",
                                       "clweave farm worker site1:9124 head:9123",
                                       "a worker of that site; without the foreman it turns to head",
                                       NULL};

static const struct join_options defaults = {.wait = 900};

static const struct cw_command_def def = {
    .name = "farm worker",
    .summary = "serve a farm of another machine",
    .usage = "[options] HOST:PORT [HOST:PORT]...",
    .details =
        "The worker takes tasks of the first of the addresses that answers, until the farm is done. It "
        "needs the package coop-computing-tools, clweave of the farm's version, and all that the tasks call "
        "and the farm does not send along (an OpenCL driver, libraries, programs of PATH). It runs the "
        "farm's commands with your rights: join only farms that you trust, and use --password where others "
        "can reach the port.",
    .options = options,
    .examples = examples,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 1,
    .max_operands = ADDRESSES,
};

/* ---- the addresses */

/* Whether a connection to one of the addresses comes about; errno tells why not. */
static bool answers(const struct addrinfo *list)
{
    int wrong = ETIMEDOUT;

    for (const struct addrinfo *a = list; a; a = a->ai_next) {
        int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = 0;
        socklen_t length = sizeof error;

        if (fd < 0)
            continue;
        if (connect(fd, a->ai_addr, a->ai_addrlen) < 0)
            error = errno;
        if (error == EINPROGRESS)
            error = poll(&(struct pollfd){fd, POLLOUT, 0}, 1, CONNECT_MS) > 0 &&
                            getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0
                        ? error
                        : ETIMEDOUT;
        close(fd);
        if (!error)
            return true;
        wrong = error;
    }
    errno = wrong;
    return false;
}

/* Checks one HOST:PORT. True: it can be one; *there: a connection came about. */
static bool check_address(const char *word, bool *there)
{
    const char *colon = strrchr(word, ':');
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    char host[HOST_BYTES];
    unsigned long port = colon && colon[1] ? strtoul(colon + 1, NULL, 10) : 0;
    int wrong;

    if (!colon || colon == word || colon - word >= HOST_BYTES || port < 1 || port > 65535 ||
        colon[1 + strspn(colon + 1, "0123456789")]) {
        cw_cli_complain("farm worker: '%s' is not HOST:PORT of a farm", word);
        return false;
    }
    snprintf(host, sizeof host, "%.*s", (int)(colon - word), word);
    wrong = getaddrinfo(host, colon + 1, &hints, &found);
    if (wrong) {
        cw_cli_complain("farm worker: %s: %s", host, gai_strerror(wrong));
        return false;
    }
    if (answers(found))
        *there = true;
    else
        cw_cli_complain("farm worker: no farm answers at %s: %s", word, strerror(errno));
    freeaddrinfo(found);
    return true;
}

/* ---- work_queue_worker */

/* The folder of this program comes first in PATH, so that blocks find this clweave. */
static void put_first_in_path(void)
{
    const char *path = getenv("PATH");
    char self[PATH_MAX], *longer;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    self[n > 0 ? n : 0] = '\0';
    if (!strrchr(self, '/'))
        return;
    *strrchr(self, '/') = '\0';
    if (asprintf(&longer, "%s:%s", self, path ? path : "/usr/bin:/bin") >= 0) {
        setenv("PATH", longer, 1);
        free(longer);
    }
}

/* Half of the free space, in MB. Work Queue divides the disk among the tasks of a worker, and when the
 * free space has shrunk since a task began, a second one does not fit beside it: the worker offers what it
 * will have. */
static long long disk_to_offer(void)
{
    struct statvfs s;

    if (statvfs(cw_temporary_folder(), &s) < 0)
        return 1;
    return (long long)(s.f_bavail * s.f_frsize >> 21) + 1;
}

/* In the child. Never returns. */
static void exec_worker(const struct join_options *o, const char *addresses, pid_t parent, const int said[2])
{
    char wait[32], cores[32], port[48], disk[32];
    const char *argv[20] = {WORKER, "--parent-death", "--min-backoff", "1", "--max-backoff", "5"};
    int n = 6, null;
    sigset_t none;

    snprintf(wait, sizeof wait, "%lld", (long long)o->wait);
    snprintf(cores, sizeof cores, "%lld", (long long)o->workers);
    snprintf(port, sizeof port, "--foreman-port=%lld", (long long)o->foreman);
    snprintf(disk, sizeof disk, "%lld", disk_to_offer());
    argv[n++] = "--disk";
    argv[n++] = disk;
    argv[n++] = "--timeout";
    argv[n++] = wait;
    if (o->foreman)
        argv[n++] = port;
    if (o->workers) {
        argv[n++] = "--cores";
        argv[n++] = cores;
    }
    if (o->password) {
        argv[n++] = "--password";
        argv[n++] = o->password;
    }
    argv[n] = addresses;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(1);
    put_first_in_path();
    null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    dup2(said[1], STDERR_FILENO);
    cw_cli_signals_restore();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(WORKER, (char *const *)(uintptr_t)argv);
    _exit(127);
}

static int serve(const struct join_options *o, const char *addresses)
{
    char folder[PATH_MAX], note[PATH_MAX + 8];
    pid_t parent = getpid(), worker;
    int said[2];
    sigset_t set, found;
    int result;

    snprintf(folder, sizeof folder, "%s/clweave-worker.XXXXXX", cw_temporary_folder());
    if (!mkdtemp(folder) || pipe2(said, O_CLOEXEC | O_NONBLOCK) < 0) {
        cw_cli_complain("farm worker: cannot begin in %s: %s", folder, strerror(errno));
        return CW_EXIT_FAILURE;
    }
    snprintf(note, sizeof note, "%s/note", folder);
    setenv(CW_FARM_MACHINES_NOTE, note, 1);
    sigemptyset(&set);
    for (size_t i = 0; i < 4; i++)
        sigaddset(&set, (const int[]){SIGINT, SIGTERM, SIGHUP, SIGCHLD}[i]);
    sigprocmask(SIG_BLOCK, &set, &found);
    worker = fork();
    if (worker == 0)
        exec_worker(o, addresses, parent, said);
    close(said[1]);
    result = worker > 0 ? cw_farm_attend(worker, said[0], note, &set) : CW_EXIT_FAILURE;
    close(said[0]);
    sigprocmask(SIG_SETMASK, &found, NULL);
    unlink(note);
    rmdir(folder);
    return result;
}

int cw_farm_machines_join(int argc, char **argv)
{
    struct join_options o = defaults;
    struct cw_error err = {0};
    char addresses[LIST_BYTES] = "";
    bool help, there = false;
    int first;

    if (cw_cli_parse(&def, &argc, argv, &o, &first, &help, &err) != CW_OK) {
        cw_cli_complain("%s", err.text);
        return CW_EXIT_USAGE;
    }
    if (help) {
        cw_cli_help_command(stdout, &def);
        return CW_EXIT_OK;
    }
    if (argc <= first || argc - first > ADDRESSES || o.workers < 0 || o.foreman < 0 || o.foreman > 65535 ||
        o.wait < 0 || o.wait > 1000000000) {
        cw_cli_complain("usage: clweave %s %s", def.name, def.usage);
        return CW_EXIT_USAGE;
    }
    if (cw_farm_task_check_program(WORKER, ".", &err) != CW_OK) {
        cw_cli_complain("farm worker: " WORKER " is not there; install the package coop-computing-tools");
        return CW_EXIT_FAILURE;
    }
    for (int a = first; a < argc; a++) {
        if (!check_address(argv[a], &there))
            return CW_EXIT_FAILURE;
        if (strlen(addresses) + strlen(argv[a]) + 2 < sizeof addresses)
            strcat(strcat(addresses, *addresses ? ";" : ""), argv[a]);
    }
    if (!there && !o.wait)
        return CW_EXIT_FAILURE;
    return serve(&o, addresses);
}
