/* launch.c - see launch.h. */
#include "launch.h"
#include "../plan/platform_file.h"
#include "../record/log_read.h"
#include "cache_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef CW_MULTIARCH
#error "the build says the name of the machine in the folders of libraries"
#endif

enum cw_status cw_launch_library(char path[PATH_MAX], struct cw_error *err)
{
    const char *given = getenv("CLWEAVE_LIB");
    char self[PATH_MAX], candidate[PATH_MAX + 64];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    static const char *const folders[] = {"", "../lib/", "../lib/" CW_MULTIARCH "/", "../lib64/"};
    static const char *const names[] = {"libclweave.so." CW_ABI, "libclweave.so"};
    bool found = false;

    if (given && *given && !realpath(given, path))
        return cw_error_set(err, CW_ERR_NOTFOUND, "CLWEAVE_LIB: cannot find %.400s: %s", given,
                            strerror(errno));
    found = given && *given;
    self[n > 0 ? n : 0] = '\0';
    if (strrchr(self, '/'))
        strrchr(self, '/')[1] = '\0';
    for (size_t i = 0; !found && i < 2 * sizeof folders / sizeof folders[0]; i++) {
        snprintf(candidate, sizeof candidate, "%s%s%s", self, folders[i / 2], names[i % 2]);
        found = realpath(candidate, path);
    }
    if (!found)
        return cw_error_set(
            err, CW_ERR_NOTFOUND,
            "libclweave.so is neither in %.180s nor below %.180s../lib: set CLWEAVE_LIB to its path", self,
            self);
    /* the dynamic linker has no way to quote a name in LD_PRELOAD */
    if (strpbrk(path, " :$"))
        return cw_error_set(err, CW_ERR_UNSUPPORTED,
                            "%.200s cannot be preloaded: the dynamic linker takes no blank, colon or dollar "
                            "sign in LD_PRELOAD; "
                            "install clweave elsewhere, or set CLWEAVE_LIB to a copy of it elsewhere",
                            path);
    return CW_OK;
}

/* An absolute form of the output pattern, so that a program that changes its folder does not move its trace.
 */
static bool absolute_pattern(const char *out, char path[PATH_MAX])
{
    char cwd[PATH_MAX];
    size_t n = 0;

    if (*out != '/') {
        if (!getcwd(cwd, sizeof cwd)) {
            cw_cli_complain("cannot write traces to the working folder: %s; choose another place with -o",
                            strerror(errno));
            return false;
        }
        for (const char *c = cwd; *c && n + 3 < PATH_MAX; c++) {
            path[n++] = *c;
            if (*c == '%') /* the folder's name is no pattern */
                path[n++] = '%';
        }
        path[n++] = '/';
    }
    if ((size_t)snprintf(path + n, PATH_MAX - n, "%s", out) < PATH_MAX - n)
        return true;
    cw_cli_complain("cannot write %s: the path is too long", out);
    return false;
}

/* The path that `pattern` expands to in every process; false when it has %e or %p. */
static bool is_one_path(const char *pattern, char path[PATH_MAX])
{
    char other[PATH_MAX];

    return !cw_options_expand(pattern, "a", 1, path, PATH_MAX, NULL) &&
           !cw_options_expand(pattern, "b", 2, other, PATH_MAX, NULL) && strcmp(path, other) == 0;
}

/* The folder must be there and writable, and the trace no folder: better said before the program has run than
 * after. */
static bool place_is_writable(const char *pattern)
{
    char folder[PATH_MAX], path[PATH_MAX];
    struct stat st;
    char *slash;

    snprintf(folder, sizeof folder, "%s", pattern);
    slash = strrchr(folder, '/');
    slash[slash == folder] = '\0';
    if (is_one_path(folder, path) && access(path, W_OK | X_OK) != 0) {
        cw_cli_complain("cannot write traces to %s: %s; choose another place with -o", path, strerror(errno));
        return false;
    }
    if (is_one_path(pattern, path) &&
        (path[strlen(path) - 1] == '/' || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)))) {
        cw_cli_complain(
            "cannot write a trace to %s: it is a folder; add a file name, as in -o %s/%%e-%%p.json", path,
            path);
        return false;
    }
    if (is_one_path(pattern, path) && strlen(strrchr(path, '/') + 1) + strlen(".data") > NAME_MAX) {
        cw_cli_complain(
            "cannot write a trace to %s: the name is too long, its log needs %zu characters more; "
            "choose a shorter one with -o",
            path, strlen(".data"));
        return false;
    }
    return true;
}

/* The setting number `i`, of the command line or the environment; NULL: it is not given. `variable`: its name
 * there. */
static const char *given(const struct cw_launch_options *o, int i, char variable[CW_OPTION_VARIABLE_BYTES])
{
    const char *inherited = getenv(cw_options_variable(&cw_option_table[i], variable));

    return o->setting[i] ? o->setting[i] : inherited && *inherited ? inherited : NULL;
}

/* Reads one word of --set. False: it has complained. */
static bool set(unsigned command, const char *word, const char **setting)
{
    const char *names[CW_LAUNCH_SETTINGS + 1], *value = word + strcspn(word, "="), *nearest;
    char name[CW_OPTION_VARIABLE_BYTES];
    size_t n = 0;

    snprintf(name, sizeof name, "%.*s", (int)(value - word), word);
    for (int i = 0; i < CW_LAUNCH_SETTINGS; i++) {
        const struct cw_option_info *info = &cw_option_table[i];

        if (!(info->commands & command) || !(info->commands & CW_CMD_SET))
            continue;
        names[n++] = info->field;
        if (strcmp(info->field, name) != 0)
            continue;
        setting[i] = *value ? value + 1 : value;
        if (!*setting[i])
            cw_cli_complain("--set %s: a value is missing: %s=%s", word, name, info->argument);
        return *setting[i];
    }
    names[n] = NULL;
    nearest = cw_cli_nearest(name, names);
    cw_cli_complain("--set %s: %s has no such setting%s%s%s; `clweave help settings` lists them", word,
                    command == CW_CMD_TRACE ? "trace" : "run", nearest ? " (did you mean " : "",
                    nearest ? nearest : "", nearest ? "?)" : "");
    return false;
}

bool cw_launch_check(unsigned command, struct cw_launch_options *o)
{
    char variable[CW_OPTION_VARIABLE_BYTES];
    struct cw_error err = {0};

    for (size_t i = 0; i < o->set.count; i++)
        if (!set(command, o->set.word[i], o->setting))
            return false;
    for (int i = 0; i < CW_LAUNCH_SETTINGS; i++) {
        const char *value = cw_option_table[i].commands & command ? given(o, i, variable) : NULL;

        if (!value || cw_settings_check(&cw_option_table[i], value, &err) == CW_OK)
            continue;
        if (o->setting[i])
            cw_cli_complain("%s", err.text);
        else
            cw_cli_complain("%s in the environment: %s", variable, err.text);
        return false;
    }
    return true;
}

void cw_launch_environment(const char *mode, const struct cw_launch_options *o, const char *library,
                           const char *pattern, uint64_t run)
{
    const char *preload = getenv("LD_PRELOAD");
    char text[2 * PATH_MAX], variable[CW_OPTION_VARIABLE_BYTES];

    for (int i = 0; i < CW_LAUNCH_SETTINGS; i++)
        if (o->setting[i])
            setenv(cw_options_variable(&cw_option_table[i], variable), o->setting[i], 1);
    snprintf(text, sizeof text, "%s%s%s", preload ? preload : "", preload && *preload ? ":" : "", library);
    setenv("LD_PRELOAD", text, 1);
    setenv("CLWEAVE_MODE", mode, 1);
    if (pattern)
        setenv("CLWEAVE_OUT", pattern, 1);
    setenv("CLWEAVE_TOOL", "1", 1);
    if (o->summary)
        setenv("CLWEAVE_SUMMARY", "1", 1);
    snprintf(text, sizeof text, "%llu", (unsigned long long)run);
    setenv("CLWEAVE_RUN", text, 1);
}

/* Folders that the library is told are absolute, as the program may change its own. False: it has
 * complained. */
static bool folder_is_there(const char *setting, const char *value, bool make, char path[PATH_MAX])
{
    struct stat st;

    if (!value)
        return true;
    if (make && mkdir(value, 0700) != 0 && errno != EEXIST)
        cw_cli_complain("%s: cannot make the folder %s: %s", setting, value, strerror(errno));
    else if (!realpath(value, path) || stat(path, &st) != 0)
        cw_cli_complain("%s: cannot use the folder %s: %s", setting, value, strerror(errno));
    else if (!S_ISDIR(st.st_mode) || (make && access(path, W_OK | X_OK) != 0))
        cw_cli_complain("%s: %s is no folder%s", setting, value, make ? " that can be written to" : "");
    else
        return true;
    return false;
}

/* A place for results that the user names is of use, or a message says why not. */
static void check_history(const struct cw_launch_options *o)
{
    struct cw_cache_files cache;
    struct cw_error err = {0};

    if (o->setting[CW_LAUNCH_history] &&
        cw_cache_files_find(&cache, o->setting[CW_LAUNCH_history], &err) != CW_OK &&
        err.status != CW_ERR_NOTFOUND)
        cw_cli_complain("warning: --history: %s; nothing that is learnt will be kept", err.text);
}

static volatile sig_atomic_t program; /* the process that signals are passed on to */

/* A signal that a process sent to the tool is meant for the program; the terminal's reaches the program
 * anyway. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code <= 0)
        kill(program, number);
}

static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

/* While the program runs the tool stays, to save the trace. Ignored signals (nohup) stay ignored. */
static void signals_pass_on(struct sigaction old[SIGNALS])
{
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};

    for (int i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i], NULL, &old[i]) == 0 && old[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

/* Runs the child; returns its wait status, or -1 when it could not be started (and says so). */
static int run_child(const char *mode, const struct cw_launch_options *o, const char *library,
                     const char *pattern, uint64_t run, char **argv)
{
    int report[2], error = 0, status = -1;
    struct sigaction old[SIGNALS];
    sigset_t block, mask;
    pid_t child;

    sigemptyset(&block);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&block, signals[i]);
    sigprocmask(SIG_BLOCK, &block, &mask); /* until there is a program to pass them on to */
    if (pipe(report) != 0 || (child = fork()) < 0) {
        cw_cli_complain("cannot start a process: %s", strerror(errno));
        return -1;
    }
    if (child == 0) {
        close(report[0]);
        /* closed by a successful exec: then the parent reads nothing */
        if (fcntl(report[1], F_SETFD, FD_CLOEXEC) == 0) {
            cw_launch_environment(mode, o, library, pattern, run);
            cw_cli_signals_restore();
            sigprocmask(SIG_SETMASK, &mask, NULL);
            execvp(argv[0], argv);
        }
        error = errno;
        _exit(write(report[1], &error, sizeof error) == sizeof error ? 1 : 2);
    }
    close(report[1]);
    program = child;
    signals_pass_on(old);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    while (read(report[0], &error, sizeof error) < 0 && errno == EINTR)
        ;
    close(report[0]);
    while (waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &old[i], NULL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) /* only now its id may become another's */
        ;
    if (!error)
        return status;
    cw_cli_complain("cannot run %s: %s; check its name, or give its path", argv[0], strerror(error));
    return -1;
}

/* False: it has complained. Captured contents are those of the beginning: a part cannot be run again with
 * them. `out`: the traces' names; NULL: there are none. */
static bool check_selection(const struct cw_launch_options *o, const char *out)
{
    char variable[CW_OPTION_VARIABLE_BYTES];
    const char *capture = given(o, CW_LAUNCH_capture_data, variable);
    const char *why =
        !cw_selection_given(&o->selection) ? NULL
        : !out ? "--from, --to, --commands, --windows and --kernel choose what a trace holds: say -o as well"
        : cw_log_is_name(out)
            ? "--from, --to, --commands, --windows and --kernel choose what a JSON trace holds: say -o "
              "FILE.json, or say them to the command that reads the log"
        : capture && strcmp(capture, "0") != 0
            ? "--capture-data needs all commands: cut the part out afterwards, with `clweave replay FILE "
              "--execute --commands A..B -o FOLDER`"
            : NULL;

    if (!why && capture && strcmp(capture, "0") != 0 && given(o, CW_LAUNCH_limit, variable))
        why = "--capture-data needs all commands: it does not go with --limit";
    if (why)
        cw_cli_complain("%s", why);
    return !why && cw_selection_options_check(&o->selection);
}

static bool find_folders(struct cw_launch_options *o)
{
    static char dump[PATH_MAX], inject[PATH_MAX];
    const char **to = &o->setting[CW_LAUNCH_dump_programs], **from = &o->setting[CW_LAUNCH_inject];
    bool good =
        folder_is_there("dump_programs", *to, true, dump) && folder_is_there("inject", *from, false, inject);

    *to = *to ? dump : NULL;
    *from = *from ? inject : NULL;
    return good;
}

int cw_launch(const char *mode, const struct cw_launch_options *options, char **argv)
{
    struct cw_launch_options with_folders = *options, *o = &with_folders;
    char library[PATH_MAX], pattern[PATH_MAX], file[PATH_MAX];
    char variable[CW_OPTION_VARIABLE_BYTES];
    const char *out = given(o, CW_LAUNCH_out, variable),
               *footprints = given(o, CW_LAUNCH_footprints, variable);
    bool records = !strcmp(mode, "trace") || out;
    struct cw_error err = {0};
    struct timespec now;
    uint64_t run;
    int status;

    if (!cw_launch_check(strcmp(mode, "trace") ? CW_CMD_RUN : CW_CMD_TRACE, o))
        return CW_EXIT_USAGE;
    if (!check_selection(o, records ? out : NULL) || !find_folders(o))
        return CW_EXIT_USAGE;
    if (cw_launch_library(library, &err) != CW_OK)
        return cw_cli_fail(&err);
    if ((records && !(absolute_pattern(out ? out : cw_option_table[CW_LAUNCH_out].default_value, pattern) &&
                      place_is_writable(pattern))))
        return CW_EXIT_FAILURE;
    if (!strcmp(mode, "run"))
        check_history(o);
    clock_gettime(CLOCK_REALTIME, &now);
    run = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    fflush(NULL);
    status = run_child(mode, o, library, records ? pattern : NULL, run, argv);
    if (status == -1)
        return CW_EXIT_FAILURE;
    if (records)
        cw_run_logs_convert(&(struct cw_run_logs){.pattern = pattern,
                                                  .file = is_one_path(pattern, file) ? file : NULL,
                                                  .run = run,
                                                  .program = argv[0],
                                                  .program_pid = (uint64_t)program,
                                                  .killed = WIFSIGNALED(status),
                                                  .footprints = !footprints || strcmp(footprints, "off") != 0,
                                                  .selection = &o->selection,
                                                  .summary = o->summary && !strcmp(mode, "trace")});
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGINT && WTERMSIG(status) != SIGPIPE) /* as shells do */
        cw_cli_complain("%s was killed by signal %d (%s)", argv[0], WTERMSIG(status),
                        strsignal(WTERMSIG(status)));
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
