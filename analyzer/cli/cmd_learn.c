/* cmd_learn.c - clweave learn: all that `run` learns of a program in many runs, now, and the gain. */
#include "learn.h"
#include "../compile/requests.h"
#include "../io/folders.h"
#include "../io/quantity.h"
#include "frame/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define WIPE "\r\033[K"
enum {
    BAR = 16,
    STEADY_ROUNDS = 3,
    MEASURED = 9, /* rounds of the measurement, of those that the user allows */
};

static bool drawn;

static void put(const char *text, size_t n)
{
    ssize_t told = write(STDERR_FILENO, text, n);

    (void)told;
}

/* The text of the bar is cut where the terminal's line ends. */
static int width_of_terminal(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 79;
}

static double elapsed_s(const struct cw_learn *l)
{
    return cw_monotonic_s() - l->begin_ns / 1e9;
}

/* Rounds that are done, over those and the ones that are still to come if nothing changes. */
static double share_of(const struct cw_learn *l)
{
    size_t measured = l->measures ? l->n - l->first : 0;
    size_t left = (l->measures || l->steady >= STEADY_ROUNDS ? 0 : STEADY_ROUNDS - l->steady) +
                  (measured < MEASURED ? MEASURED - measured : 1);

    return (double)l->n / (double)(l->n + left);
}

static void learn_progress_draw(const struct cw_learn *l, bool waits)
{
    char text[256], bar[BAR + 1];
    double share = share_of(l);
    int n, most = (int)sizeof WIPE - 1 + width_of_terminal();

    if (!isatty(STDERR_FILENO))
        return;
    memset(bar, '-', BAR);
    memset(bar, '#', (size_t)(share * BAR));
    bar[BAR] = '\0';
    n = snprintf(text, sizeof text, WIPE "%s [%s] round %zu, %.0f s",
                 waits         ? "waiting for builds"
                 : l->measures ? "measuring"
                               : "learning",
                 bar, l->n + 1, elapsed_s(l));
    if (l->n)
        n += snprintf(text + n, sizeof text - (size_t)n, ", bare %.1f ms, run %.1f ms, %s",
                      l->pair[l->n - 1].bare.wall_ns / 1e6, l->pair[l->n - 1].run.wall_ns / 1e6,
                      cw_learn_state_word(l->state));
    put(text, (size_t)(n < most ? n : most));
    drawn = true;
}

/* a round is over */
static void learn_progress_round(const struct cw_learn *l)
{
    const struct cw_learn_pair *last = &l->pair[l->n - 1];

    if (isatty(STDERR_FILENO))
        learn_progress_draw(l, false);
    else
        fprintf(stderr, "round %zu: bare %.1f ms, run %.1f ms, %s\n", l->n, last->bare.wall_ns / 1e6,
                last->run.wall_ns / 1e6,
                l->measures && l->n > l->first ? "measured" : cw_learn_state_word(l->state));
}

/* wipes the bar */
static void learn_progress_end(void)
{
    if (drawn)
        put(WIPE, sizeof WIPE - 1);
    drawn = false;
}

enum {
    STEADY = 3,         /* rounds that gain or not, with a gain that is level: settled */
    STEADY_ANYHOW = 10, /* the same where times are restless, or nothing is worth a trial yet */
    WITHOUT_OPENCL = 3  /* rounds of a program that makes no OpenCL call */
};
#define TIMES_BARE     20 /* a run that takes so many times its bare time, and ... */
#define BUILDS_MOST_NS 1.2e11
#define PATIENCE_NS    3e10 /* ... so much more, does not end */

struct learn_options {
    struct cw_launch_options launch; /* first: the rows of launch_options.inc have offsets in it */
    int64_t rounds;
    double seconds;
    bool verbose, json;
};

/* Run's settings, without those that only recording has. */
#define CW_LAUNCH_TAKES(field, commands)                                                                     \
    ((commands)&CW_CMD_RUN && CW_LAUNCH_##field != CW_LAUNCH_out &&                                          \
     CW_LAUNCH_##field != CW_LAUNCH_device_times && CW_LAUNCH_##field != CW_LAUNCH_capture_data)
static const struct cw_cli_option options[] = {
#include "launch_options.inc"
    {"rounds", 0, CW_CLI_INT, offsetof(struct learn_options, rounds), "N", NULL,
     "rounds at most, of one bare run and one under run each (default 60)"},
    {"seconds", 0, CW_CLI_DOUBLE, offsetof(struct learn_options, seconds), "S", NULL,
     "begin no round after so many seconds (default 600)"},
    {"verbose", 'v', CW_CLI_BOOL, offsetof(struct learn_options, verbose), NULL, NULL,
     "show the output of the first run"},
    {"json", 0, CW_CLI_BOOL, offsetof(struct learn_options, json), NULL, NULL, "print the verdict as JSON"},
    CW_CLI_END,
};

static void tick(void *context)
{
    learn_progress_draw(context, false);
}

/* ---- the program bare, for the first time */

/* Prints the last lines of the file `fd`. */
static void print_tail(int fd)
{
    char text[2048 + 1];
    off_t end = lseek(fd, 0, SEEK_END), from = end > 2048 ? end - 2048 : 0;
    ssize_t n = end > 0 ? pread(fd, text, 2048, from) : 0;
    const char *at = text;

    text[n > 0 ? n : 0] = '\0';
    if (from && strchr(at, '\n'))
        at = strchr(at, '\n') + 1;
    fputs(at, stderr);
    if (*at && at[strlen(at) - 1] != '\n')
        fputc('\n', stderr);
}

/* A program that fails bare has nothing to learn. Returns its exit status, as a shell would; 0: go on. */
static int try_bare(struct cw_learn *l)
{
    int errors = l->program.verbose ? dup(STDERR_FILENO) : memfd_create("errors", MFD_CLOEXEC), result = 0;
    struct cw_learn_run run;
    enum cw_learn_end end = cw_learn_process_run(&l->program, true, errors, true, &run);

    learn_progress_end();
    if (end == CW_LEARN_NO_START) {
        result = CW_EXIT_FAILURE;
    } else if (end == CW_LEARN_STOPPED) {
        cw_cli_complain("learn: stopped in the first run of the program, which is bare");
        result = 128 + cw_learn_process_signal();
    } else if (run.status != 0) {
        result = WIFSIGNALED(run.status) ? 128 + WTERMSIG(run.status) : WEXITSTATUS(run.status);
        if (!l->program.verbose)
            print_tail(errors);
        if (WIFSIGNALED(run.status))
            cw_cli_complain("learn: %s fails without clweave: signal %d (%s); try it alone first",
                            l->program.argv[0], WTERMSIG(run.status), strsignal(WTERMSIG(run.status)));
        else
            cw_cli_complain("learn: %s fails without clweave: exit status %d; try it alone first",
                            l->program.argv[0], result);
    }
    if (errors >= 0)
        close(errors);
    l->program.most_ns = TIMES_BARE * run.wall_ns + PATIENCE_NS;
    return result;
}

/* ---- rounds */

static void tick_building(void *context)
{
    learn_progress_draw(context, true);
}

/* Makes what the last runs have asked for, now: a builder in the background may wait for long beside other
 * work. False: a signal has come. */
static bool build(struct cw_learn *l)
{
    char *argv[] = {l->builder, CW_BUILDER_WORD, l->cache.folder, CW_BUILDER_WAIT, NULL};
    struct cw_learn_program builder = {
        .argv = argv, .most_ns = BUILDS_MOST_NS, .tick = tick_building, .context = l};
    struct cw_learn_run run;

    l->waiting = l->has_cache ? cw_cache_files_requests(&l->cache).waiting : 0;
    if (l->waiting && *l->builder) {
        learn_progress_draw(l, true);
        cw_learn_process_run(&builder, true, -1, false, &run);
        l->waiting = cw_cache_files_requests(&l->cache).waiting;
    }
    return !cw_learn_process_signal();
}

/* Whether the library's summary is among the last of the file's text. */
static bool has_summary(int fd)
{
    char text[64 * 1024];
    off_t end = lseek(fd, 0, SEEK_END),
          from = end > (off_t)sizeof text - 1 ? end - (off_t)sizeof text + 1 : 0;
    ssize_t n = end > 0 ? pread(fd, text, sizeof text - 1, from) : 0;

    text[n > 0 ? n : 0] = '\0';
    return strstr(text, "run: helpers ") != NULL;
}

/* One run under run. The first one prints the summary, which it does when it has made OpenCL calls. */
static enum cw_learn_end run_managed(struct cw_learn *l, struct cw_learn_run *run)
{
    struct cw_learn_program with_summary = l->program;
    int errors = l->n ? -1 : memfd_create("errors", MFD_CLOEXEC);
    enum cw_learn_end end;

    with_summary.options.summary = errors >= 0;
    end = cw_learn_process_run(&with_summary, false, errors, false, run);
    l->opencl |= errors >= 0 && has_summary(errors);
    if (errors >= 0)
        close(errors);
    return end;
}

/* One pair, the order of which turns. False: learning is over. */
static bool run_pair(struct cw_learn *l)
{
    struct cw_learn_pair pair, *more = realloc(l->pair, (l->n + 1) * sizeof *more);
    enum cw_learn_end end = CW_LEARN_ENDED;

    if (!more) {
        cw_cli_complain("learn: out of memory");
        return false;
    }
    l->pair = more;
    for (size_t i = 0; i < 2 && end == CW_LEARN_ENDED; i++) {
        bool bare = (l->n + i) % 2 == 0;

        end =
            bare ? cw_learn_process_run(&l->program, true, -1, false, &pair.bare) : run_managed(l, &pair.run);
        l->hung |= end == CW_LEARN_TOO_LONG && !bare;
        if (end == CW_LEARN_TOO_LONG && bare)
            cw_cli_complain("learn: a bare run took %d times as long as the first one, and was ended",
                            TIMES_BARE);
    }
    if (end != CW_LEARN_ENDED)
        return false;
    l->pair[l->n++] = pair;
    return true;
}

/* After a round: does run still learn? */
static void look_at_state(struct cw_learn *l, int64_t begin_s, size_t most)
{
    enum cw_learn_state state =
        l->has_cache ? cw_learn_state_read(&l->cache, l->program.argv, begin_s) : CW_LEARN_UNKNOWN;
    bool known;

    l->steady = l->n > 1 && state == l->state ? l->steady + 1 : 0;
    l->state = state;
    if (l->measures)
        return;
    known = state == CW_LEARN_GAINS || state == CW_LEARN_NO_GAIN;
    l->is_settled = (known && l->steady >= STEADY && cw_learn_verdict_is_level(l, STEADY)) ||
                    (state != CW_LEARN_TRYING && l->steady >= STEADY_ANYHOW);
    l->measures = l->is_settled || l->n >= most;
    l->first = l->n;
}

static void learn(struct cw_learn *l)
{
    size_t measure = l->rounds / 2 < MEASURED ? l->rounds / 2 : MEASURED;
    int64_t begin_s = (int64_t)time(NULL);

    while (l->n < l->rounds && (!l->n || (double)cw_monotonic_ns() - l->begin_ns < l->most_ns) &&
           run_pair(l)) {
        look_at_state(l, begin_s, l->rounds - measure);
        learn_progress_round(l);
        if (!build(l) || cw_learn_verdict_is_clear(l) || (!l->opencl && l->n >= WITHOUT_OPENCL))
            break;
    }
}

static int run(const void *values, int argc, char **argv)
{
    const struct learn_options *o = values;
    static struct cw_learn l; /* large */
    struct cw_error err = {0};
    int result;

    (void)argc;
    if (o->rounds < 1 || o->rounds > 10000 || !(o->seconds > 0)) {
        cw_cli_complain("learn: --rounds takes 1 to 10000, --seconds more than 0");
        return CW_EXIT_USAGE;
    }
    l = (struct cw_learn){
        .program = {.argv = argv, .options = o->launch, .verbose = o->verbose, .tick = tick, .context = &l},
        .rounds = (size_t)o->rounds,
        .begin_ns = (double)cw_monotonic_ns(),
        .most_ns = o->seconds * 1e9};
    if (!cw_launch_check(CW_CMD_RUN, &l.program.options))
        return CW_EXIT_USAGE;
    if (cw_launch_library(l.program.library, &err) != CW_OK)
        return cw_cli_fail(&err);
    if (!cw_helper_tool_beside(l.program.library, "clweave-compile", l.builder))
        *l.builder = '\0';
    if (!cw_learn_process_begin()) {
        cw_cli_complain("learn: no descriptor for signals: %s", strerror(errno));
        return CW_EXIT_FAILURE;
    }
    l.has_cache = cw_cache_files_find(&l.cache, o->launch.setting[CW_LAUNCH_history], &err) == CW_OK;
    if (!l.has_cache)
        cw_cli_complain("learn: %s: nothing that is learnt will be kept", err.text);
    result = try_bare(&l);
    if (result == 0) {
        learn(&l);
        learn_progress_end();
        result = cw_learn_verdict_print(&l, o->json);
        if (cw_learn_process_signal())
            result = 128 + cw_learn_process_signal();
    }
    free(l.pair);
    return result;
}

static const struct learn_options defaults = {.rounds = 60, .seconds = 600};

static const char *const examples[] = {
    "clweave learn -- ./app input.dat", "learn all about app with this input, and print its gain",
    "clweave learn --groups auto -- ./stencil", "the same with an option of run", NULL};

static const char *const output[] = {
    "round",
    "bare, run: time of both processes; then the state of the program",
    "verdict",
    "ratio of times, bare over run: above 1 is faster, with the 95 % interval of the median of pairs; "
    "medians of "
    "times, and of processor times (user and system), bare and under run",
    "pair",
    "a bare run and the one under run beside it",
    NULL,
};

const struct cw_command_def cw_cmd_learn = {
    .name = "learn",
    .summary = "let run learn a program now, and measure its gain",
    .usage = "[options] [--] PROGRAM [ARGUMENTS]",
    .details = "Runs the program bare and under run in turns, with /dev/null as its input, and lets run "
               "build and try all "
               "that it otherwise spreads over many runs. Between two rounds the builder makes what they "
               "have asked for. When "
               "the state of "
               "the program (clweave cache explains it) and its gain do not change any more, nine rounds or "
               "more are "
               "measured. The last line is the verdict: bare time over time under run (above 1 is faster), "
               "the median of "
               "the pairs and its 95 % interval. Times are of whole processes. Later runs with the same "
               "arguments begin "
               "as the last ones here.\n\n"
               "Exit statuses and standard outputs are compared. A program whose output differs from run to "
               "run (it may "
               "print times) cannot be compared, which is told. A program that fails bare is not run again. "
               "Ctrl-C ends the "
               "program and prints the verdict of the rounds so far.\n\n"
               "The exit status is 0; 1 when exit statuses or outputs differ under run; the program's own "
               "when it fails "
               "bare; 128 + n after signal n.",
    .options = options,
    .output = output,
    .examples = examples,
    .defaults = &defaults,
    .values_size = sizeof(struct learn_options),
    .min_operands = 1,
    .max_operands = -1,
    .program = true,
    .run = run,
};
