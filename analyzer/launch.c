/* launch.c - see launch.h. */
#include "launch.h"
#include "run_logs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Finds libclweave.so: $CLWEAVE_LIB, beside the tool, in ../lib of it. */
static bool find_library(char path[PATH_MAX])
{
    const char *given = getenv("CLWEAVE_LIB");
    char self[PATH_MAX], candidate[PATH_MAX + 32];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    static const char *const places[] = {"libclweave.so", "../lib/libclweave.so"};

    if (given && *given) {
        if (realpath(given, path))
            return true;
        cw_cli_complain("CLWEAVE_LIB: cannot find %s: %s", given, strerror(errno));
        return false;
    }
    self[n > 0 ? n : 0] = '\0';
    if (strrchr(self, '/'))
        strrchr(self, '/')[1] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(candidate, sizeof candidate, "%s%s", self, places[i]);
        if (realpath(candidate, path))
            return true;
    }
    cw_cli_complain("libclweave.so is neither in %s nor in %s../lib: set CLWEAVE_LIB to its path", self,
                    self);
    return false;
}

/* An absolute form of the output pattern, so that a program that changes its folder does not move its trace.
 */
static bool absolute_pattern(const char *out, char path[PATH_MAX])
{
    char cwd[PATH_MAX];
    int n;

    if (*out == '/')
        n = snprintf(path, PATH_MAX, "%s", out);
    else if (getcwd(cwd, sizeof cwd))
        n = snprintf(path, PATH_MAX, "%s/%s", cwd, out);
    else
        n = -1;
    if (n >= 0 && n < PATH_MAX)
        return true;
    cw_cli_complain("cannot write %s: the path is too long", out);
    return false;
}

/* The folder must be there and writable: better said before the program has run than after. */
static bool folder_is_writable(const char *pattern)
{
    char folder[PATH_MAX];
    char *slash;

    snprintf(folder, sizeof folder, "%s", pattern);
    slash = strrchr(folder, '/');
    slash[slash == folder] = '\0';
    if (strchr(folder, '%') || access(folder, W_OK | X_OK) == 0)
        return true;
    cw_cli_complain("cannot write traces to %s: %s; choose another place with -o", folder, strerror(errno));
    return false;
}

/* In the child: the environment that makes the library record. */
static void set_environment(const char *mode, const struct cw_launch_options *o, const char *library,
                            const char *pattern, uint64_t run)
{
    const char *preload = getenv("LD_PRELOAD");
    char text[2 * PATH_MAX], variable[CW_OPTION_VARIABLE_BYTES];

    for (int i = 0; i < CW_LAUNCH_SETTINGS; i++)
        if (o->setting[i])
            setenv(cw_option_variable(&cw_option_table[i], variable), o->setting[i], 1);
    snprintf(text, sizeof text, "%s%s%s", preload ? preload : "", preload && *preload ? ":" : "", library);
    setenv("LD_PRELOAD", text, 1);
    setenv("CLWEAVE_MODE", mode, 1);
    setenv("CLWEAVE_OUT", pattern, 1);
    setenv("CLWEAVE_TOOL", "1", 1);
    snprintf(text, sizeof text, "%llu", (unsigned long long)run);
    setenv("CLWEAVE_RUN", text, 1);
}

/* Runs the child; returns its wait status, or -1 when it could not be started (and says so). */
static int run_child(const char *mode, const struct cw_launch_options *o, const char *library,
                     const char *pattern, uint64_t run, char **argv)
{
    int report[2], error = 0, status = -1;
    pid_t child;

    if (pipe(report) != 0 || (child = fork()) < 0) {
        cw_cli_complain("cannot start a process: %s", strerror(errno));
        return -1;
    }
    if (child == 0) {
        close(report[0]);
        /* closed by a successful exec: then the parent reads nothing */
        if (fcntl(report[1], F_SETFD, FD_CLOEXEC) == 0) {
            set_environment(mode, o, library, pattern, run);
            cw_cli_signals_restore();
            execvp(argv[0], argv);
        }
        error = errno;
        _exit(write(report[1], &error, sizeof error) == sizeof error ? 1 : 2);
    }
    close(report[1]);
    /* the terminal's interrupt is for the program; the tool stays to save the trace */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    while (read(report[0], &error, sizeof error) < 0 && errno == EINTR)
        ;
    close(report[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    if (!error)
        return status;
    cw_cli_complain("cannot run %s: %s; check its name, or give its path", argv[0], strerror(error));
    return -1;
}

int cw_launch(const char *mode, const struct cw_launch_options *o, char **argv)
{
    char library[PATH_MAX], pattern[PATH_MAX];
    const char *out = o->setting[CW_LAUNCH_out];
    struct timespec now;
    uint64_t run;
    int status;

    out = out                                               ? out
          : getenv("CLWEAVE_OUT") && *getenv("CLWEAVE_OUT") ? getenv("CLWEAVE_OUT")
                                                            : cw_option_table[CW_LAUNCH_out].default_value;
    if (!find_library(library) || !absolute_pattern(out, pattern) || !folder_is_writable(pattern))
        return CW_EXIT_FAILURE;
    clock_gettime(CLOCK_REALTIME, &now);
    run = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    fflush(NULL);
    status = run_child(mode, o, library, pattern, run, argv);
    if (status == -1)
        return CW_EXIT_FAILURE;
    cw_run_logs_convert(pattern, run, argv[0], o->summary);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
