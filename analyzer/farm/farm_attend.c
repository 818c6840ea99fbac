/* farm_attend.c - see farm_command.h. */
#include "farm_command.h"

#include <fcntl.h>
#include <string.h>
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

int cw_farm_attend(pid_t worker, int said, const char *note, const sigset_t *set)
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
