/* activation.c - see tuning/tuning.h. */
#include "tuning.h"

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
#include "../../door/thread.h"
#include "../../../analyzer/history/history_runs.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../core/fault.h"
#include "../models/program_models.h"
#include "../../builds/later_builds.h"

#define TEXT_BYTES 65536

enum why { ASKED, GAINED, TRIED, WORKED, HELD, NEVER, LIMITED };

static struct {
    struct cw_file_store store;
    struct cw_runs runs;
    struct cw_identity program;
    uint64_t arguments; /* their number in `runs` */
    bool recorded;      /* there is a place for the record */
    enum why why;
    double price_ns, not_before_ns; /* of beginning in the midst of the run */
    double work_ns;                 /* so far */
    double waiting_ns;              /* of commands that wait in the window, by their times at home */
    double home_ns;                 /* launches that have run managed would have taken at home */
    double begun_ns;                /* work when it began */
    uint64_t started_ns;            /* the process */
    uint64_t since_ns;              /* commands are under way; 0: none */
    uint32_t unwaited;              /* enqueued since the program has waited */
    uint32_t commands;              /* enqueued */
    uint32_t waited;                /* of them, before the last wait */
    uint32_t next_mark;             /* commands */
    float at_ns[CW_RUNS_MARKS];
    const char *command_line; /* `runs` may point to it */
    bool alone;               /* PoCL was not asked for helpers */
    double hope;              /* share of the work that may be saved, as far as models tell */
    double look_ns;           /* work at which the rule is asked again */
    double ended_ns;          /* work when it was given up; 0: it was not */
    struct {
        uint64_t wall_ns, cpu_ns;
    } from, looked;    /* at the first queue; when it was looked for an idle processor */
    double idle_share; /* of the processors that the process may use */
} rent = {.why = NEVER};

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- which program this is */

struct cw_identity cw_run_activation_identity(const char *kind, uint64_t size,
                                              const struct cw_options *options)
{
    const char *learn = strcmp(options->learn, "off") ? "auto" : "off"; /* `all` learns for `auto`, too */
    const char *const texts[] = {options->numerics,
                                 options->footprints,
                                 options->rows,
                                 options->devices,
                                 options->groups,
                                 options->policy,
                                 learn,
                                 options->share,
                                 options->blocks,
                                 options->ratio,
                                 options->group_rule,
                                 options->group_tile,
                                 options->group_reuse};
    struct cw_identity id = {.failed = true};
    struct stat st = {0};
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    const char *slash;

    if (n <= 0 || stat("/proc/self/exe", &st) != 0)
        return id;
    path[n] = '\0';
    slash = strrchr(path, '/');
    cw_identity_begin(&id, kind);
    cw_identity_number(&id, size);
    cw_identity_number(&id, (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    cw_identity_text(&id, slash ? slash + 1 : path);
    cw_identity_number(&id, (uint64_t)st.st_size);
    cw_identity_number(&id, (uint64_t)st.st_mtim.tv_sec);
    cw_identity_number(&id, (uint64_t)st.st_mtim.tv_nsec);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cw_identity_text(&id, texts[i]);
    cw_identity_number(&id, (uint64_t)options->blocks_n);
    cw_identity_number(&id, (uint64_t)options->dsp);
    return id;
}

const char *cw_run_activation_arguments(size_t *bytes)
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
    rent.program = cw_run_activation_identity(CW_HISTORY_RUNS_KIND, sizeof(struct cw_runs_entry), options);
    rent.command_line = cw_run_activation_arguments(&bytes);
    rent.recorded = !rent.program.failed && rent.command_line;
    if (!rent.recorded)
        return;
    cw_file_store_init(&rent.store, folder);
    if (cw_history_runs_read(&rent.runs, &rent.store, &rent.program))
        rent.store.trimmed = true; /* one file more or less is not worth a look at all of them */
    rent.arguments = cw_history_runs_number(&rent.runs, rent.command_line, bytes);
}

static enum cw_run_learn_mode learning(const struct cw_options *options)
{
    return !strcmp(options->learn, "off") ? CW_RUN_LEARN_OFF
           : !strcmp(options->learn, "all") || rent.why == ASKED || !strcmp(options->groups, "on")
               ? CW_RUN_LEARN_ALL
               : CW_RUN_LEARN_AUTO;
}

static enum why why_at_start(enum cw_run_learn_mode mode)
{
    switch (cw_history_runs_start(&rent.runs, rent.arguments, mode == CW_RUN_LEARN_ALL)) {
    case CW_RUNS_TRY:
        return TRIED;
    case CW_RUNS_GAINED:
        return GAINED;
    case CW_RUNS_HOLD:
        return HELD;
    default:
        return NEVER;
    }
}

/* The share that the rule spends of the time that a run of this program lives. */
static double lived_share(void)
{
    return rent.runs.number ? CW_RUNS_SHARE * rent.runs.lived_ns / (double)rent.runs.number : 0;
}

void cw_run_activation_init(const struct cw_options *options, const char *folder)
{
    int saved = errno;

    rent.started_ns = clock_ns(CLOCK_MONOTONIC);
    if (cw_limited()) {
        rent.why = LIMITED;
        cw_run.off = true;
    } else if (is_asked(options)) {
        rent.why = ASKED;
    } else {
        look_up(options, folder);
        rent.why = why_at_start(learning(options));
        rent.price_ns = cw_history_runs_price(&rent.runs, rent.arguments, &rent.not_before_ns);
        rent.alone = rent.why == HELD ||
                     (rent.why == NEVER && cw_history_runs_is_over_before(&rent.runs, rent.arguments));
    }
    if (!*options->devices)
        cw_device_afford_helpers(rent.alone ? 0 : fmax(CW_RUN_ACTIVATION_START_NS, lived_share()));
    else if (rent.alone)
        cw_device_afford_helpers(0);
    cw_run_learn_init(learning(options));
    cw_run.begun = rent.why == ASKED || rent.why == GAINED || rent.why == TRIED;
    errno = saved;
}

static double work_so_far(void)
{
    return rent.work_ns + (rent.since_ns ? (double)(cw_run_global_lock_now_ns() - rent.since_ns) : 0);
}

/* Lock held. Later commands are managed. */
static void begin(void *unused)
{
    (void)unused;
    rent.why = WORKED;
    rent.begun_ns = work_so_far();
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
    cw_roomy(prepare, NULL);
}

double cw_run_activation_trial_ns(void)
{
    const struct cw_runs_entry *e = cw_history_runs_find(&rent.runs, rent.arguments);

    return rent.why == TRIED && e ? e->bare_ns : 0;
}

void cw_run_activation_loaded(bool built, bool good, double ns)
{
    cw_run_account.cost_ns += built ? 0 : ns;
    cw_run_account.learns += built && good;
    if (built)
        cw_run_learn_ended(ns);
}

bool cw_run_activation_has_ended(void)
{
    return rent.ended_ns > 0;
}

/* ---- the rule */

/* The share of its processors that the process has left idle since its first queue was made. */
static double idle_share(void)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    double used;
    cpu_set_t set;

    if (now - rent.looked.wall_ns < CW_RUN_LOOK_NS || now <= rent.from.wall_ns)
        return rent.idle_share;
    rent.looked.wall_ns = now;
    rent.looked.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    used = (double)(rent.looked.cpu_ns - rent.from.cpu_ns) / (double)(now - rent.from.wall_ns);
    rent.idle_share =
        sched_getaffinity(0, sizeof set, &set) == 0 ? fmax(1 - used / (double)CPU_COUNT(&set), 0) : 0;
    return rent.idle_share;
}

bool cw_run_activation_allows(double ns)
{
    double spent = cw_run_learn_spent(), hope = fmax(fmax(idle_share(), rent.hope), CW_RUN_HOPE);
    double lived = rent.runs.lived_ns + (double)(clock_ns(CLOCK_MONOTONIC) - rent.started_ns);

    return cw_history_runs_affords(lived, rent.runs.lost_ns + spent, ns) ||
           cw_history_runs_pays(fmax(work_so_far(), rent.waiting_ns), hope, spent + ns);
}

bool cw_run_activation_is_promising(void)
{
    return rent.why != HELD && rent.recorded && rent.work_ns >= CW_RUNS_BEGIN_NS &&
           !cw_history_runs_is_over_before(&rent.runs, rent.arguments);
}

void cw_run_activation_hopes(double share)
{
    rent.hope = fmax(rent.hope, share);
}

/* Nothing begins in a program that has not worked, nor enqueued, as much as beginning costs. */
bool cw_run_activation_may_begin(void)
{
    return rent.why == NEVER && !rent.alone && work_so_far() >= rent.not_before_ns;
}

static void begin_if_allowed(void)
{
    double work = work_so_far();

    if (cw_run_activation_may_begin() && fmax(work, rent.waiting_ns) >= rent.price_ns &&
        cw_run_activation_allows(rent.price_ns))
        work_began();
}

void cw_run_activation_waiting(double ns)
{
    rent.waiting_ns = ns;
    if (!cw_run.begun)
        begin_if_allowed();
}

void cw_run_activation_ran_managed(double home_ns)
{
    rent.home_ns += home_ns;
}

/* ---- the program's work */

/* The program has waited, and goes on with so many commands enqueued: how long has it worked, and is that
 * more than without helpers? (The commands of a program that does not wait say nothing.) */
static void mark(void)
{
    uint32_t k = cw_history_runs_mark(rent.commands, &rent.next_mark);

    if (k >= CW_RUNS_MARKS)
        return;
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
        if (CW_UNLIKELY(rent.commands >= rent.next_mark))
            mark();
    } else if (CW_UNLIKELY(!cw_run.begun && ++rent.unwaited % CW_RUN_LOOK_EACH == 0)) {
        begin_if_allowed();
    }
}

void cw_run_activation_passed(uint64_t n, uint64_t since_ns)
{
    rent.commands += (uint32_t)n;
    if (rent.since_ns)
        return;
    rent.since_ns = since_ns ? since_ns : cw_run_global_lock_now_ns();
    rent.unwaited = 0;
    if (CW_UNLIKELY(rent.commands >= rent.next_mark))
        mark();
}

double cw_run_activation_span(uint32_t *n)
{
    *n = rent.commands - rent.waited;
    return rent.since_ns ? (double)(cw_run_global_lock_now_ns() - rent.since_ns) : 0;
}

void cw_run_activation_waited(uint64_t *now)
{
    double ns;

    if (!rent.since_ns)
        return;
    ns = (double)(cw_run_once_ns(now) - rent.since_ns);
    cw_run_reasons_waited(ns, rent.commands - rent.waited);
    if (CW_UNLIKELY(cw_run.far_workers))
        cw_run_gpu_gain_span(ns, rent.commands - rent.waited);
    rent.waited = rent.commands;
    rent.work_ns += ns;
    rent.since_ns = 0;
    rent.waiting_ns = 0;
    if (CW_UNLIKELY(!cw_run.begun && rent.work_ns >= rent.look_ns)) {
        rent.look_ns = rent.work_ns + CW_RUN_LOOK_NS / 10;
        begin_if_allowed();
    }
}

/* ---- the end */

/* What the program would have worked bare: its launches behind the beginning at their times at home.
 * Before it a first run may have paid for the vendor's compiler: then it says nothing. */
static double bare_by_launches(void)
{
    return rent.begun_ns <= CW_RUN_ACTIVATION_KNOWN * rent.home_ns ? rent.begun_ns + rent.home_ns : 0;
}

/* Lock held: other threads of the program may go on. */
static struct cw_runs_run result(void)
{
    const struct cw_runs_entry *e = cw_history_runs_find(&rent.runs, rent.arguments);
    bool early = rent.why == WORKED && rent.begun_ns <= CW_RUN_LITTLE * rent.work_ns && e &&
                 cw_history_runs_is_compared(e);
    struct cw_runs_run run = {.at_once = rent.why == GAINED || rent.why == TRIED || early,
                              .began = rent.why == WORKED && !early,
                              .waits = cw_run_account.learns,
                              .work_ns = rent.work_ns,
                              .lived_ns = (double)(clock_ns(CLOCK_MONOTONIC) - rent.started_ns)};

    run.idle = run.at_once && !cw_run.counts.launches && rent.work_ns > 0;
    if (run.at_once && run.work_ns > 0)
        run.work_ns += cw_device_helpers_ns(); /* which it has waited for, too */
    run.cost_ns = run.at_once || run.began ? cw_run_account.cost_ns : 0;
    run.guess_ns = run.at_once || run.began ? bare_by_launches() : 0;
    memcpy(run.at_ns, rent.at_ns, sizeof run.at_ns);
    return run;
}

void cw_run_activation_finish(void)
{
    struct cw_runs_run run;
    bool changed, disturbed;

    if (!rent.recorded || cw_run.forked)
        return;
    disturbed = cw_later_builds_is_at_work();
    cw_run_global_lock_take();
    run = result();
    run.waits |= disturbed;
    changed = cw_history_runs_add(&rent.runs, rent.arguments, &run);
    cw_run_global_lock_give();
    if (changed)
        cw_history_runs_write(&rent.runs, &rent.store, &rent.program);
}

struct cw_run_course cw_run_activation_course(void)
{
    const struct cw_runs_entry *e = rent.recorded ? cw_history_runs_find(&rent.runs, rent.arguments) : NULL;
    struct cw_run_course c = {.work_ns = rent.work_ns,
                              .waits = cw_run_account.learns,
                              .begun = cw_run.begun,
                              .held = rent.why == HELD,
                              .limited = rent.why == LIMITED,
                              .given_up = rent.ended_ns > 0,
                              .run = rent.runs.number};

    if (e && cw_history_runs_is_compared(e)) {
        c.bare_ns = e->bare_ns;
        c.measured = true;
    } else if (cw_run.begun) {
        c.bare_ns = bare_by_launches();
        if (!(c.bare_ns > 0) && e)
            c.bare_ns = e->guess_ns;
    }
    if (e && e->runs == CW_RUNS_TRIALS)
        c.usual_ns = e->run_ns;
    c.lost = e && cw_history_runs_state(e) == CW_RUNS_NO_GAIN;
    c.short_ = e && cw_history_runs_is_over_before(&rent.runs, rent.arguments);
    return c;
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
    double built = cw_run_learn_spent();
    int used = snprintf(text, size, "run: helpers %s", words[rent.why]);

    if (rent.why == WORKED)
        used += snprintf(text + used, size - (unsigned)used, ", after %.1f ms of work", rent.begun_ns / 1e6);
    used += snprintf(text + used, size - (unsigned)used, "; %.1f ms of work in all", rent.work_ns / 1e6);
    if (cw_run_account.cost_ns > 0)
        used += snprintf(text + used, size - (unsigned)used, ", beginning took %.1f ms",
                         cw_run_account.cost_ns / 1e6);
    if (rent.ended_ns > 0)
        used +=
            snprintf(text + used, size - (unsigned)used,
                     "; they stopped after %.1f ms, as the run was slower than bare", rent.ended_ns / 1e6);
    if (built > 0)
        used += snprintf(text + used, size - (unsigned)used, "; builds took %.1f ms", built / 1e6);
    if (cw_run_account.learns)
        used += snprintf(text + used, size - (unsigned)used, "; it learns");
    return used + snprintf(text + used, size - (unsigned)used, "\n");
}
