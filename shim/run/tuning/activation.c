/* activation.c - see tuning/activation.h. */
#include "activation.h"
#include "../core/thresholds.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../../analyzer/settings/options.h"
#include "../../door/limited.h"
#include "../../door/roomy.h"
#include "../../history/history_runs.h"
#include "perf_model.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../workers/window.h"
#include "learn.h"
#include "../core/fault.h"
#include "../models/program_models.h"

#define TEXT_BYTES 65536
#define KIND       "runs 7" /* another one when the record means something else */

enum why { ASKED, GAINED, TRIED, WORKED, HELD, NEVER, LIMITED };

static struct {
    struct cw_file_store store;
    struct cw_runs runs;
    struct cw_identity program;
    uint64_t arguments; /* their number in `runs` */
    bool kept;          /* there is a place for the record */
    bool first;         /* it has nothing of these arguments */
    enum why why;
    double after_ns; /* work that it takes to begin */
    double work_ns;  /* so far */
    double cost_ns, saved_ns;
    double begun_ns;   /* work when it began */
    uint64_t since_ns; /* commands are under way; 0: none */
    uint32_t unwaited; /* enqueued since the program has waited */
    uint32_t commands; /* enqueued */
    uint32_t marks;    /* passed */
    float at_ns[CW_RUNS_MARKS];
    const char *command_line; /* `runs` may point to it */
    bool learns;
    double ended_ns; /* work when it was given up; 0: it was not */
    struct {
        uint64_t wall_ns, cpu_ns;
    } from, looked; /* at the first queue; when it was looked for an idle processor */
    bool idle;
} rent = {.why = NEVER};

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- which program this is */

/* The program's file by name, size and time; the settings that matter; the number of processors. */
static struct cw_identity identity(const struct cw_options *options)
{
    struct cw_identity id = {.failed = true};
    struct stat st = {0};
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    const char *slash;

    if (n <= 0 || stat("/proc/self/exe", &st) != 0)
        return id;
    path[n] = '\0';
    slash = strrchr(path, '/');
    cw_identity_begin(&id, KIND);
    cw_identity_number(&id, sizeof(struct cw_runs_entry));
    cw_identity_number(&id, (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    cw_identity_text(&id, slash ? slash + 1 : path);
    cw_identity_number(&id, (uint64_t)st.st_size);
    cw_identity_number(&id, (uint64_t)st.st_mtim.tv_sec);
    cw_identity_number(&id, (uint64_t)st.st_mtim.tv_nsec);
    cw_identity_text(&id, options->numerics);
    cw_identity_text(&id, options->footprints);
    cw_identity_text(&id, options->rows);
    cw_identity_text(&id, options->devices);
    return id;
}

/* The process's command line, as far as TEXT_BYTES go; it stays. NULL: it cannot be read. */
static const char *read_arguments(size_t *bytes)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    char *text = fd >= 0 ? malloc(TEXT_BYTES) : NULL, *shorter;
    ssize_t n = text ? read(fd, text, TEXT_BYTES) : 0;

    if (fd >= 0)
        close(fd);
    *bytes = n > 0 ? (size_t)n : 0;
    shorter = text ? realloc(text, *bytes + 1) : NULL;
    return shorter ? shorter : text;
}

/* ---- the decision */

/* The settings ask for helpers: MANAGE_ALL, chaos, a planted fault, devices, DSPs or a policy. */
static bool is_asked(const struct cw_options *options)
{
    return cw_run.all || cw_run.chaos || cw_run_fault_planted ||
           (*options->devices && strcmp(options->devices, "none") != 0) || options->dsp > 0 ||
           strcmp(options->policy, "heft") != 0;
}

static void look_up(const struct cw_options *options, const char *folder)
{
    size_t bytes;

    if (!*folder)
        return;
    rent.program = identity(options);
    rent.command_line = read_arguments(&bytes);
    rent.kept = !rent.program.failed && rent.command_line;
    if (!rent.kept)
        return;
    cw_file_store_init(&rent.store, folder);
    if (cw_history_runs_read(&rent.runs, &rent.store, &rent.program))
        rent.store.trimmed = true; /* one file more or less is not worth a look at all of them */
    rent.arguments = cw_history_runs_number(&rent.runs, rent.command_line, bytes);
    rent.first = !cw_history_runs_knows(&rent.runs, rent.arguments);
}

static enum cw_run_learn_mode learning(const struct cw_options *options)
{
    return !strcmp(options->learn, "off") ? CW_RUN_LEARN_OFF
           : !strcmp(options->learn, "all") || rent.why == ASKED || !strcmp(options->groups, "on")
               ? CW_RUN_LEARN_ALL
               : CW_RUN_LEARN_RENT;
}

void cw_run_activation_init(const struct cw_options *options, const char *folder)
{
    int saved = errno;

    if (cw_limited()) {
        rent.why = LIMITED;
        cw_run.off = true;
    } else if (is_asked(options)) {
        rent.why = ASKED;
    } else {
        look_up(options, folder);
        switch (cw_history_runs_start(&rent.runs, rent.arguments, learning(options) == CW_RUN_LEARN_ALL,
                                      &rent.after_ns)) {
        case CW_RUNS_TRY:
            rent.why = TRIED;
            break;
        case CW_RUNS_GAINED:
            rent.why = GAINED;
            break;
        case CW_RUNS_HOLD:
            rent.why = HELD;
            rent.after_ns = INFINITY;
            cw_device_need_no_helpers();
            break;
        case CW_RUNS_LATER:
            if (cw_history_runs_is_over_before(&rent.runs, rent.arguments, rent.after_ns))
                cw_device_need_no_helpers();
            break;
        }
    }
    cw_run_learn_init(learning(options), rent.runs.lived_ns, rent.runs.learnt_ns);
    cw_run.begun = rent.why != NEVER && rent.why != HELD && rent.why != LIMITED;
    errno = saved;
}

/* Lock held. Later commands are managed. */
static void begin(void *unused)
{
    (void)unused;
    rent.why = WORKED;
    rent.begun_ns = rent.work_ns;
    cw_run.begun = true;
    cw_run_activation_queue_made();
    cw_run_program_models_begin();
}

static void work_began(void)
{
    if (!cw_run.begun && !cw_run.off && !cw_run.forked)
        cw_roomy(begin, NULL);
}

static void prepare(void *unused)
{
    (void)unused;
    cw_run_perf_model_prepare();
}

void cw_run_activation_queue_made(void)
{
    if (!rent.from.wall_ns) {
        rent.from.wall_ns = clock_ns(CLOCK_MONOTONIC);
        rent.from.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    }
    if (!cw_run.begun || cw_run.off || cw_run.forked)
        return;
    cw_run_window_start();
    cw_roomy(prepare, NULL);
}

bool cw_run_activation_is_trial(void)
{
    return rent.why == TRIED;
}

bool cw_run_activation_is_at_once(void)
{
    return rent.why == ASKED || rent.why == GAINED || rent.why == TRIED;
}

double cw_run_activation_trial_ns(void)
{
    return rent.why == TRIED ? cw_history_runs_usual_ns(&rent.runs, rent.arguments) : 0;
}

bool cw_run_activation_is_first(void)
{
    return rent.kept && rent.first;
}

void cw_run_activation_learns(void)
{
    rent.learns = true;
}

void cw_run_activation_loaded(bool built, bool good, double ns)
{
    rent.cost_ns += built ? 0 : ns;
    rent.learns |= built && good;
    if (built)
        cw_run_learn_ended(ns);
}

bool cw_run_activation_has_ended(void)
{
    return rent.ended_ns > 0;
}

/* ---- the program's work */

/* The program has waited, and goes on with so many commands enqueued: how long has it worked, and is that
 * more than without helpers? (The commands of a program that does not wait say nothing.) */
static void mark(void)
{
    uint32_t k = rent.marks;

    while (k + 1 < CW_RUNS_MARKS && rent.commands >> (CW_RUN_ACTIVATION_FIRST_MARK + k + 1))
        k++;
    rent.marks = k + 1;
    rent.at_ns[k] = (float)rent.work_ns;
    if ((rent.why == TRIED || rent.why == GAINED) && !rent.ended_ns &&
        cw_history_runs_is_behind(&rent.runs, rent.arguments, k, rent.work_ns))
        rent.ended_ns = rent.work_ns;
}

void cw_run_activation_enqueued(uint64_t *now)
{
    rent.commands++;
    if (!rent.since_ns) {
        rent.since_ns = cw_run_once_ns(now);
        rent.unwaited = 0;
        if (CW_UNLIKELY(rent.marks < CW_RUNS_MARKS &&
                        rent.commands >> (CW_RUN_ACTIVATION_FIRST_MARK + rent.marks)))
            mark();
    } else if (CW_UNLIKELY(!cw_run.begun && ++rent.unwaited % CW_RUN_ACTIVATION_LOOK_EACH == 0)) {
        if (rent.work_ns + (double)(cw_run_once_ns(now) - rent.since_ns) >= rent.after_ns)
            work_began();
    }
}

void cw_run_activation_waited(uint64_t *now)
{
    if (!rent.since_ns)
        return;
    rent.work_ns += (double)(cw_run_once_ns(now) - rent.since_ns);
    rent.since_ns = 0;
    if (CW_UNLIKELY(!cw_run.begun && rent.work_ns >= rent.after_ns))
        work_began();
}

bool cw_run_activation_idle_processor(void)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    cpu_set_t set;

    if (now - rent.looked.wall_ns < CW_RUN_ACTIVATION_LOOK_NS)
        return rent.idle;
    rent.looked.wall_ns = now;
    rent.looked.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    rent.idle = sched_getaffinity(0, sizeof set, &set) == 0 &&
                CPU_COUNT(&set) -
                        (double)(rent.looked.cpu_ns - rent.from.cpu_ns) / (double)(now - rent.from.wall_ns) >=
                    CW_RUN_ACTIVATION_IDLE;
    return rent.idle;
}

void cw_run_activation_cost(double ns)
{
    rent.cost_ns += ns;
}

double cw_run_activation_saved(double ns)
{
    return rent.saved_ns += ns;
}

/* ---- the end */

/* A trial that builds or compiles is late by more than the builders measured: first launches wait for
 * compilers, too. */
static void keep_learnt(struct cw_runs_run *run)
{
    struct cw_run_learnt now = cw_run_learn_is_done();
    double usual = run->at_once && run->learns ? cw_history_runs_usual_ns(&rent.runs, rent.arguments) : 0;

    run->lived_ns = now.lived_ns;
    run->owed_ns = now.owed_ns;
    run->learnt_ns = usual > 0 ? fmax(now.learnt_ns, run->work_ns - usual) : now.learnt_ns;
}

void cw_run_activation_finish(void)
{
    struct cw_runs_run run = {.at_once = rent.why == GAINED || rent.why == TRIED,
                              .began = rent.why == WORKED};
    bool changed, idle;

    if (!rent.kept || cw_run.forked)
        return;
    cw_run_global_lock_take();
    idle = run.at_once && !cw_run.counts.launches;
    cw_run_global_lock_give();
    if (idle) {
        cw_history_runs_add_idle(&rent.runs, rent.arguments);
        cw_history_runs_write(&rent.runs, &rent.store, &rent.program);
        return;
    }
    cw_run_global_lock_take(); /* other threads of the program may go on */
    run.learns = rent.learns;
    run.work_ns = rent.work_ns;
    if (run.at_once && rent.work_ns > 0)
        run.work_ns += cw_device_helpers_ns(); /* which it has waited for, too */
    run.cost_ns = run.at_once || run.began ? rent.cost_ns : 0;
    run.saved_ns = fmax(rent.saved_ns, 0);
    keep_learnt(&run);
    memcpy(run.at_ns, rent.at_ns, sizeof run.at_ns);
    changed = cw_history_runs_add(&rent.runs, rent.arguments, &run);
    cw_run_global_lock_give();
    if (changed)
        cw_history_runs_write(&rent.runs, &rent.store, &rent.program);
}

int cw_run_activation_describe(char *text, unsigned size)
{
    static const char *const words[] = {[ASKED] = "at once: asked for",
                                        [GAINED] = "at once: earlier runs gained",
                                        [TRIED] = "at once: earlier runs were long enough to try",
                                        [WORKED] = "begun later",
                                        [HELD] = "held back: to see what it takes without",
                                        [NEVER] = "not needed",
                                        [LIMITED] = "not possible: memory or processor time is limited "
                                                    "(ulimit -v, -d, -t)"};
    struct cw_run_learnt learnt = cw_run_learn_is_done();
    int used = snprintf(text, size, "run: helpers %s", words[rent.why]);

    if (rent.why == WORKED)
        used += snprintf(text + used, size - (unsigned)used, ", after %.1f ms of work", rent.begun_ns / 1e6);
    used += snprintf(text + used, size - (unsigned)used, "; %.1f ms of work in all", rent.work_ns / 1e6);
    if (rent.cost_ns > 0)
        used += snprintf(text + used, size - (unsigned)used, ", beginning took %.1f ms", rent.cost_ns / 1e6);
    if (rent.ended_ns > 0)
        used += snprintf(text + used, size - (unsigned)used,
                         "; given up after %.1f ms, behind what it takes without", rent.ended_ns / 1e6);
    if (learnt.learnt_ns > 0 || learnt.owed_ns > 0)
        used += snprintf(text + used, size - (unsigned)used,
                         "; builds took %.1f ms, earlier ones %.1f ms of %.1f ms that runs have lived%s",
                         (learnt.learnt_ns - learnt.stayed_ns) / 1e6, rent.runs.learnt_ns / 1e6,
                         (rent.runs.lived_ns + learnt.lived_ns) / 1e6,
                         learnt.owed_ns > 0 ? ", more wait until these are longer" : "");
    if (learnt.stayed_ns > 0)
        used += snprintf(text + used, size - (unsigned)used, "; its end waited for an analysis: %.1f ms",
                         learnt.stayed_ns / 1e6);
    if (rent.learns && (rent.why == TRIED || rent.why == GAINED))
        used += snprintf(text + used, size - (unsigned)used, "; it learns");
    return used + snprintf(text + used, size - (unsigned)used, "\n");
}
