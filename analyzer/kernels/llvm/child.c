/* child.c - see ir.h. */
#include "ir.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_OUTPUT = 64 << 20, NOT_FOUND = 127 };

int cw_child_read_bytes(struct cw_bytes *b, int fd)
{
    if (b->n + 65536 + 1 > b->capacity) {
        size_t capacity = b->capacity ? 2 * b->capacity : 128 << 10;
        char *data = b->n > MAX_OUTPUT ? NULL : realloc(b->data, capacity);
        if (!data) {
            errno = b->n > MAX_OUTPUT ? EFBIG : ENOMEM;
            return -1;
        }
        b->data = data;
        b->capacity = capacity;
    }
    ssize_t got = read(fd, b->data + b->n, b->capacity - b->n - 1);
    if (got < 0)
        return errno == EINTR ? 1 : -1;
    b->n += (size_t)got;
    b->data[b->n] = 0;
    return got > 0;
}

void cw_child_output_finish(struct cw_child_output *out)
{
    free(out->out.data);
    free(out->err.data);
    memset(out, 0, sizeof *out);
}

static void child_side(const char *const *candidates, const char **argv, int out, int err)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0)
        for (int i = 0; candidates[i]; i++) {
            argv[0] = candidates[i];
            execvp(argv[0], (char *const *)argv);
        }
    _exit(NOT_FOUND);
}

static int collect(struct cw_child_output *o, int out, int err)
{
    struct pollfd p[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
    struct cw_bytes *to[2] = {&o->out, &o->err};
    while (p[0].fd >= 0 || p[1].fd >= 0) {
        if (poll(p, 2, -1) < 0 && errno != EINTR)
            return -1;
        for (int i = 0; i < 2; i++) {
            if (p[i].fd < 0 || !p[i].revents)
                continue;
            int more = cw_child_read_bytes(to[i], p[i].fd);
            if (more < 0)
                return -1;
            if (more == 0)
                p[i].fd = -1;
        }
    }
    return 0;
}

enum cw_status cw_child_run(const char *const *candidates, const char **argv, struct cw_child_output *out,
                            struct cw_error *err)
{
    int o[2] = {-1, -1}, e[2] = {-1, -1};
    enum cw_status s = CW_OK;
    memset(out, 0, sizeof *out);
    pid_t pid = -1;
    if (pipe2(o, O_CLOEXEC) || pipe2(e, O_CLOEXEC) || (pid = fork()) < 0)
        s = cw_error_set(err, CW_ERR_IO, "cannot start %s: %s", candidates[0], strerror(errno));
    if (pid == 0)
        child_side(candidates, argv, o[1], e[1]);
    if (o[1] >= 0)
        close(o[1]);
    if (e[1] >= 0)
        close(e[1]);
    if (pid > 0 && collect(out, o[0], e[0])) {
        s = cw_error_set(err, errno == EFBIG ? CW_ERR_LIMIT : CW_ERR_IO, "reading from %s: %s", candidates[0],
                         strerror(errno));
        kill(pid, SIGKILL);
    }
    if (o[0] >= 0)
        close(o[0]);
    if (e[0] >= 0)
        close(e[0]);
    int status = 0;
    if (pid > 0) {
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        out->exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        if (s == CW_OK && out->exit_status == NOT_FOUND && out->err.n == 0)
            s = cw_error_set(err, CW_ERR_NOTFOUND,
                             "%s is not installed; install it, or name a clang in CLWEAVE_CLANG",
                             candidates[0]);
    }
    if (s == CW_OK && (!out->out.data || !out->err.data))
        s = cw_error_set(err, CW_ERR_NOMEM, "out of memory for the output of %s", candidates[0]);
    return s;
}
