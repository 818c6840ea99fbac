/* main.c - clweave-footprint: the bytes that the kernels of an OpenCL C file touch, as JSON on standard
 * output.
 *
 * The work happens in a child with limits; this process waits, and says so in JSON when the child crashes,
 * hangs or runs out of memory or time. Processor time is limited, of the child and of each clang, so that a
 * busy machine changes no answer; the limit of wall time is for a child that waits for something. Nothing
 * is written before everything is known. */
#include "analyse.h"
#include "ir.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_USAGE = 2, DEFAULT_SECONDS = 10, DEFAULT_MIB = 4096 };
enum { WALL_SECONDS = 20 }; /* for each second of processor time, unless --wall says otherwise */

struct limits {
    long seconds, wall, mib; /* processor time of a process, wall time, memory */
};

static const char usage[] =
    "usage: clweave-footprint [--kernel NAME] [--eval LAUNCHES.json | --models | --rows] [--seconds N] "
    "[--wall N] "
    "[--mib N] [--time] [build options] FILE.cl\n"
    "       (FILE.cl may be - for standard input; build options are those of clBuildProgram)\n";

/* Prints the error; `words` may quote a source that is no UTF-8. */
static int fail(enum cw_status status, const char *words)
{
    char message[400];
    snprintf(message, sizeof message, "%s", words);
    for (char *p = message; *p; p++)
        if ((unsigned char)*p < ' ' || (unsigned char)*p > '~')
            *p = '?';
    json_t *j = json_pack("{s:s, s:i, s:{s:s, s:s}}", "format", "clweave-footprint", "version", 1, "error",
                          "status", cw_status_string(status), "message", message);
    char *text = j ? json_dumps(j, JSON_COMPACT) : NULL;
    puts(text ? text
              : "{\"format\":\"clweave-footprint\",\"version\":1,\"error\":{\"status\":\"out of "
                "memory\",\"message\":\"\"}}");
    free(text);
    json_decref(j);
    fflush(stdout);
    return EXIT_FAILURE;
}

/* ---- the child */

/* `grace` more before the hard limit. */
static void limit(int resource, rlim_t value, rlim_t grace)
{
    struct rlimit old, new = {value, value + grace};
    if (!getrlimit(resource, &old) && old.rlim_max < new.rlim_max)
        new.rlim_max = old.rlim_max;
    if (new.rlim_cur > new.rlim_max)
        new.rlim_cur = new.rlim_max;
    setrlimit(resource, &new);
}

static void limit_self(const struct limits *l)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    limit(RLIMIT_CORE, 0, 0);
    signal(SIGXCPU, SIG_DFL);
    limit(RLIMIT_CPU, (rlim_t)l->seconds, 1);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* they reserve terabytes of addresses */
    limit(RLIMIT_AS, (rlim_t)l->mib << 20, 0);
#endif
}

static int work(const struct cw_analyse_request *request)
{
    struct cw_error err = {0};
    json_t *result = NULL;
    enum cw_status s = CW_OK;

    if (request->models)
        s = cw_analyse_models(request, stdout, &err);
    else if (request->rows)
        s = cw_rows_described(request, &result, &err);
    else
        s = cw_analyse(request, &result, &err);
    if (s != CW_OK)
        return fail(s, err.text);
    if (request->models)
        return fflush(stdout) || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
    int bad = json_dumpf(result, stdout, JSON_COMPACT) || putchar('\n') == EOF || fflush(stdout);
    json_decref(result);
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* ---- the parent */

static long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Everything the child says until it closes its end; false when the deadline passes or reading fails. */
static bool listen_to(int fd, long deadline_ms, struct cw_bytes *said)
{
    for (;;) {
        long left = deadline_ms - now_ms();
        struct pollfd p = {fd, POLLIN, 0};
        int ready = poll(&p, 1, left > 0 ? (int)left : 0);
        if (ready == 0 || (ready < 0 && errno != EINTR))
            return false;
        if (ready < 0)
            continue;
        int more = cw_child_read_bytes(said, fd);
        if (more <= 0)
            return more == 0;
    }
}

static int supervise(pid_t pid, int fd, const struct limits *l)
{
    struct cw_bytes said = {0};
    int status = 0;
    char message[160];
    setpgid(pid, pid); /* both sides do it: the first one counts */
    bool heard = listen_to(fd, now_ms() + l->wall * 1000, &said);
    if (!heard)
        kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    kill(-pid, SIGKILL); /* a clang that has outlived it */
    int code;
    if (!heard) {
        snprintf(message, sizeof message,
                 "no answer within %ld seconds, in which it hardly worked; --wall N waits longer", l->wall);
        code = fail(CW_ERR_LIMIT, message);
    } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
        snprintf(message, sizeof message, CW_IR_NO_TIME, l->seconds);
        code = fail(CW_ERR_LIMIT, message);
    } else if (WIFSIGNALED(status)) {
        snprintf(message, sizeof message, "the analysis died of signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
        code = fail(CW_ERR_LIMIT, message);
    } else if (said.n == 0 || said.data[said.n - 1] != '\n') {
        code = fail(CW_ERR_LIMIT, "LLVM gave up on the kernels or the analysis ran out of memory");
    } else {
        code = WEXITSTATUS(status);
        if (fwrite(said.data, 1, said.n, stdout) != said.n || fflush(stdout))
            code = EXIT_FAILURE;
    }
    free(said.data);
    return code;
}

static int run(const struct cw_analyse_request *request, const struct limits *l)
{
    int pipe_[2];
    if (pipe2(pipe_, O_CLOEXEC))
        return fail(CW_ERR_IO, "cannot make a pipe");
    pid_t pid = fork();
    if (pid < 0)
        return fail(CW_ERR_IO, "cannot start a process");
    if (pid == 0) {
        limit_self(l);
        if (dup2(pipe_[1], STDOUT_FILENO) < 0)
            _exit(EXIT_FAILURE);
        close(pipe_[1]);
        _exit(work(request));
    }
    close(pipe_[1]);
    int code = supervise(pid, pipe_[0], l);
    close(pipe_[0]);
    return code;
}

/* A positive number of an option, or 0. */
static long positive(const char *text)
{
    char *end;
    long v = text ? strtol(text, &end, 10) : 0;
    return text && !*end && v > 0 && v < 1000000 ? v : 0;
}

int main(int argc, char **argv)
{
    struct cw_analyse_request request = {0};
    struct cw_error err = {0};
    struct limits l = {.seconds = DEFAULT_SECONDS, .mib = DEFAULT_MIB};
    unsetenv("LD_PRELOAD"); /* the program's: nothing of it belongs in here or in clang */
    unsetenv("OPENCL_LAYERS");
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        enum cw_status s = CW_OK;
        if (!strcmp(a, "--help")) {
            fputs(usage, stdout);
            return EXIT_SUCCESS;
        } else if (!strcmp(a, "--kernel") && value) {
            request.kernel = argv[++i];
        } else if (!strcmp(a, "--eval") && value) {
            request.launches = argv[++i];
        } else if (!strcmp(a, "--models")) {
            request.models = true;
        } else if (!strcmp(a, "--rows")) {
            request.rows = true;
        } else if (!strcmp(a, "--time")) {
            request.time = true;
        } else if (!strcmp(a, "--seconds") && positive(value)) {
            l.seconds = positive(argv[++i]);
        } else if (!strcmp(a, "--wall") && positive(value)) {
            l.wall = positive(argv[++i]);
        } else if (!strcmp(a, "--mib") && positive(value)) {
            l.mib = positive(argv[++i]);
        } else if (i == argc - 1 && strncmp(a, "--", 2)) {
            request.path = a;
        } else {
            s = cw_ir_add_option(&request.options, a, &err);
        }
        if (s != CW_OK)
            return fail(s, err.text);
    }
    if (!request.path) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    if (l.wall == 0)
        l.wall = WALL_SECONDS * l.seconds;
    int code = run(&request, &l);
    cw_ir_options_finish(&request.options);
    return code;
}
