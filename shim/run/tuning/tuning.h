/* tuning.h - whether and when managing pays. Each section is the file of its name; lock held in all
 * functions, unless said. What they try, and how long it rests, stands in core/trial.h. */
#ifndef CW_RUN_TUNING_H
#define CW_RUN_TUNING_H

#include <limits.h>
#include <stdatomic.h>

#include "../../../analyzer/io/identity.h"
#include "../core/types.h"
#include "../memory/link_fit.h"
#include "../planner/estimate.h"
#include "../planner/plan.h"

struct cw_options;

/* ---- activation: when helpers, the history and models of kernels begin: at once, or when the program has
 * worked for it. The rule is that of history/history_runs.h.
 *
 * Until then (cw_run.begun is false) every queue is native (tuning/bypass.c) or in hold (windows/hold.c), and
 * no helper, history or model exists. At once when an earlier run with the same arguments gained from it, or
 * the rule affords a trial; never in a run that is to show the time without helpers. At once, too, when
 * devices (but "none"), a policy or DSPs are asked for; under CLWEAVE_MANAGE_ALL, chaos and planted faults.
 * Nothing that a program can see depends on it. */

/* Called once by start(), when all else is set: no OpenCL call, lock not held. `folder`: where records of
 * programs are kept, "" for nowhere. */
void cw_run_activation_init(const struct cw_options *options, const char *folder);
/* What the program is known by in records of `kind`, of `size` bytes each: its file by name, size and time;
 * the settings that change how it runs; the number of processors. It has failed where the file cannot be
 * read. */
struct cw_identity cw_run_activation_identity(const char *kind, uint64_t size,
                                              const struct cw_options *options);
/* The process's command line, *bytes bytes of it, which is long enough to tell it from others; the caller's
 * to free. NULL: it cannot be read. */
const char *cw_run_activation_arguments(size_t *bytes);
/* A command of a known queue is being enqueued; the program has waited for some. May begin. `now`: of
 * cw_run_once_ns(). */
void cw_run_activation_enqueued(uint64_t *now);
void cw_run_activation_waited(uint64_t *now);
/* The same for `n` commands that have passed (core/passing.h), the first of them at `since_ns`; 0: now. */
void cw_run_activation_passed(uint64_t n, uint64_t since_ns);
/* The time since the first command after the program last waited, and in *n how many there have been. */
double cw_run_activation_span(uint32_t *n);
/* There is something that helpers might do; begins at once if that was decided. */
void cw_run_activation_queue_made(void);
/* A helper has looked for its copy of a program, which took so much processor time, or built it, which later
 * runs find. */
void cw_run_activation_loaded(bool built, bool good, double ns);
/* This run is behind the program's time without helpers: its queues bypass the planner from now on. */
bool cw_run_activation_has_ended(void);
/* In a run that begins at once to show the possible gain: the time of such runs bare; 0: in any other. */
double cw_run_activation_trial_ns(void);
/* Helpers may still begin in the midst of this run: not in one that shows its time without them, nor
 * before it is longer than those that lost. */
bool cw_run_activation_may_begin(void);
/* True when the rule allows spending `ns` of processor time beside the program now. */
bool cw_run_activation_allows(double ns);
/* The models expect that so much of the program's work (0 to 1) may be saved. */
void cw_run_activation_hopes(double share);
/* Helpers may gain something in later runs with the same arguments: this one has worked for longer than their
 * beginning takes. */
bool cw_run_activation_is_promising(void);
/* Commands that take `ns` at home wait in the window. May begin. */
void cw_run_activation_waiting(double ns);
/* A launch that was managed, and would have taken so long at home, has run. */
void cw_run_activation_ran_managed(double home_ns);
/* At exit, lock not held: keeps the record of this run. */
void cw_run_activation_finish(void);

/* The course of this run, and its time bare. Call after cw_run_activation_finish. */
struct cw_run_course {
    double work_ns;  /* this run's */
    double bare_ns;  /* measured in earlier runs (`measured`), or by launches' times at home; 0: not known */
    double usual_ns; /* work of runs under run mode of late; 0: not known */
    bool measured, begun, held, limited, given_up;
    bool lost;    /* earlier runs were slower with helpers */
    bool short_;  /* too short for helpers to pay */
    bool waits;   /* more will be ready for a later run */
    uint64_t run; /* number of this run of the program; 0: nothing is kept */
};
struct cw_run_course cw_run_activation_course(void);
/* One line for the summary; returns its length. */
int cw_run_activation_describe(char *text, unsigned size);

/* ---- learn: builds of what helpers run, in this run or for a later one.
 *
 * A build takes the vendor's compiler 0.3 to 1.5 s of processor time. It begins here when the rule of
 * history/history_runs.h allows that (cw_run_activation_allows); the user may ask for builds at once
 * (CLWEAVE_LEARN=all, or devices, a policy, groups), or for none (CLWEAVE_LEARN=off). Else it is the
 * builder's (builds/later_builds.h). */
enum cw_run_learn {
    CW_RUN_LEARN_STORED, /* an earlier run, or the builder, has kept it: some milliseconds */
    CW_RUN_LEARN_BUILD
};
enum cw_run_learn_mode { CW_RUN_LEARN_OFF, CW_RUN_LEARN_AUTO, CW_RUN_LEARN_ALL };

/* Called once, before all other calls; lock not held. */
void cw_run_learn_init(enum cw_run_learn_mode mode);
/* Whether so many builds, of which one is of no use without the others, may begin now. */
bool cw_run_learn_may(unsigned builds);
/* One is begun, if it may be: cw_run_learn_ended is to be called with the processor time that it took. */
bool cw_run_learn_begins(enum cw_run_learn what);
void cw_run_learn_ended(double ns);
/* Processor time of the builds of this run, in ns: of those that have ended, and as expected of those that
 * have not. */
double cw_run_learn_spent(void);
/* A kernel of `p` is launched, of which helpers have no binary yet, or which have not begun. */
void cw_run_learn_later(struct cw_run_program *p);
/* At exit, threads stopped, lock not held: asks the builder for the binaries of those programs, if the run
 * was long enough for helpers to gain something in a run like it. */
void cw_run_learn_stop(void);

/* ---- perf_model: the planner and the history over the workers that there are. The history is loaded by a
 * thread of its own at the first command, and saved at exit. */

/* Planner and costs for as many workers as there are now. Never freed: another thread may be planning with
 * it. */
struct cw_run_perf_model {
    struct cw_run_planner *planner;
    struct cw_run_estimator estimator;
    uint32_t workers;
    struct cw_plan_link link[CW_RUN_WORKERS][2]; /* of workers with a memory of their own: to it, and home */
    struct cw_run_perf_model *before;            /* that it has taken the place of; NULL: none */
};

/* Reads policy, seed and history settings. Called by start(): no OpenCL call, lock not held. False: a setting
 * is impossible, which has been said; the mode must not start. */
bool cw_run_perf_model_start(const struct cw_options *options, uint64_t seed);
/* The folder of records of programs, beside the history; "": there is none. */
void cw_run_perf_model_programs(char folder[PATH_MAX]);
/* Begins to load the history, once. */
void cw_run_perf_model_prepare(void);
/* The model for the workers that there are now; NULL: there is nothing to plan with. Begins to load the
 * history. */
struct cw_run_perf_model *cw_run_perf_model_now(void);
/* A launch has run: with t->measured, this is learnt from. */
void cw_run_perf_model_measured(struct cw_run_task *t, cl_int status);
/* The launch is managed: its time at home is told to cw_run_activation_ran_managed(), now or when it is
 * known. */
void cw_run_perf_model_count_home(const struct cw_run_launch *l);
/* The time of such a launch at home in earlier runs; 0: not known. Names the launch. */
double cw_run_perf_model_earlier_ns(struct cw_run_task *t);
/* At exit, threads stopped, lock not held: saves the history. In a forked child nothing is saved. */
void cw_run_perf_model_finish(void);
/* The name of the policy that was chosen. */
const char *cw_run_perf_model_policy(void);

/* ---- first_launch: the kinds of launches that a device has run. The first of a kind pays for the vendor's
 * compiler, which says nothing of the later ones.
 *
 * Vendors compile a kernel for a local size; PoCL 3.1 does so again when a one-dimensional launch is wider
 * than any before. Exact: a kind that is said to have run has run. It may be forgotten when there are many,
 * and then counts as new. No lock. */
#define CW_RUN_KINDS 64 /* of launches, remembered of one device */

/* A kind of launch for which a vendor compiles code. */
struct cw_run_warm_what {
    struct cw_key kernel;
    uint64_t form, size[3]; /* form: not 0; dimensions, and whether the sizes are local ones */
};

/* On one device; all zero: none yet. */
struct cw_run_first_launch {
    struct cw_run_warm_kind {
        struct cw_run_warm_what what; /* form 0: unused */
        uint64_t wide;
    } of[CW_RUN_KINDS / 4][4];
    uint8_t next[CW_RUN_KINDS / 4]; /* to be forgotten */
};

/* True when no launch of that kind, at least `wide` wide, was told of; from now on one was. */
bool cw_run_first_launch_is(struct cw_run_first_launch *w, const struct cw_run_warm_what *what,
                            uint64_t wide);

/* ---- devices */

/* Bit l: the command may run on worker l, where that is legal and its program is built. Asks the workers for
 * programs that are not there, and for builds once the program is worth that. */
uint64_t cw_run_devices_allowed(const struct cw_run_task *t);

/* ---- gpu_begin: when GPUs that may help get their contexts.
 *
 * A context takes some .15 s, a part of it in locks of the driver that the program's own calls wait for, and
 * it ends with the process. So other GPUs begin when launches that they would have shortened have cost the
 * program as much as their contexts do (the ski-rental rule, history/history_runs.h), at the first launch to
 * cut (--learn all), or with the program where its last run with these arguments had twice that to gain. */

/* At once: other GPUs begin with the first queue (CLWEAVE_MANAGE_ALL, chaos, planted faults). `folder`: the
 * records of programs are in it, "" for none. Called once by start(): no OpenCL call, lock not held. */
void cw_run_gpu_begin_start(const struct cw_options *options, const char *folder);
/* The contexts of GPUs that help may be made now. Other devices than GPUs may begin at once. */
bool cw_run_gpu_begin_may(const struct cw_run_context_device *p);
/* They have begun, or may. */
bool cw_run_gpu_begin_is_due(void);
/* All that may help in the context are GPUs that have not begun. */
bool cw_run_gpu_begin_is_awaited(const struct cw_run_context *c);
/* The program's commands are long enough for them: the next run looks at its launches from its begin. */
void cw_run_gpu_begin_may_pay(void);
bool cw_run_gpu_begin_paid(void); /* the last run has said so, or more */
/* The user pays for trials: --learn all. */
bool cw_run_gpu_begin_learns_all(void);
/* GPUs save, or would have saved, so much of a launch; cut: in parts. */
void cw_run_gpu_begin_saves(double ns, bool cut);
/* A span of a streamed queue took so long (streams/stream_worth.h); beside: on several streams. Any thread.
 * Under `run` alone a context of a GPU has streams, and no other GPUs, until spans of long commands that
 * streams do not shorten show that they might help. Then other GPUs are offered (device/device.h) to two
 * runs, and to later ones while they gain 1.3x; else to none for 16 runs. */
void cw_run_gpu_begin_span(uint64_t ns, uint32_t commands, bool beside);
/* They are offered to the next run. */
bool cw_run_gpu_begin_next(void);
/* At exit, lock not held: writes how much time they might have saved in this run, for the next one. */
void cw_run_gpu_begin_stop(void);
/* One line for the summary, where GPUs may help; returns its length. */
int cw_run_gpu_begin_describe(char *text, unsigned size);

/* ---- gpu_gain: what launches that are cut between GPUs gain, all of a program together.
 *
 * Each launch is cut because it is expected to end sooner. But it leaves its bytes in several memories, the
 * next one may have to fetch them, and other commands wait for cuts. So there is one account of all that,
 * from the first cut on: each cut launch, with its copies and merges, beside its time at home with all bytes
 * there; what home waits for bytes; and each whole span, from the first command to the program's wait,
 * beside the quickest one without other GPUs of as many commands and work-items. Where that span is known,
 * it stands in place of its launches and waits, whose times at home may be old guesses.
 *
 * The program is never behind by more than the limit of the account (cw_run_trial_limit), beside what is
 * under way: a trial ends when it has lost half of what was left, and launches stay whole for a while,
 * longer each time; for good at the fourth time in a row, or where a loss like the worst would be too much.
 * Where whole spans end a trial, that is for good, too, and the next runs of the program with these
 * arguments leave other GPUs alone (gpu_begin). */

/* A launch that was cut took so long, and would take `home_ns` at home; 0: not known, it does not count. Of
 * its shape there were so many `before`. */
void cw_run_gpu_gain_cut(double home_ns, double took_ns, uint64_t before);
/* The program's own GPU has waited for bytes from others, for a launch. */
void cw_run_gpu_gain_waited(double ns);
/* The program enqueues a launch of `items` work-items. */
void cw_run_gpu_gain_launch(double items);
/* Launches of a span were looked at, whether others would shorten them: it took so long, and would have taken
 * `home_ns`. */
void cw_run_gpu_gain_looked(double home_ns, double took_ns);
/* The program has waited, `ns` after the first of `commands` commands. */
void cw_run_gpu_gain_span(double ns, uint64_t commands);
/* Whole spans have lost so much that launches stay whole for good. */
bool cw_run_gpu_gain_harms(void);
/* Launches stay whole now. */
bool cw_run_gpu_gain_rests(void);
/* The sum of all gains and losses in this run. */
double cw_run_gpu_gain_all(void);

/* ---- bypass: queues whose commands are native for a while */

/* The program has made a queue. */
void cw_run_bypass_queue_made(struct cw_run_queue *q);
/* Why this command shall be native; -1: it shall not, and the queue does not pass (core/passing.h). */
int cw_run_bypass_wanted(struct cw_run_queue *q, bool blocking);
/* From the next command on those of `q` pass, where it is bypassed and nothing of it is managed. */
void cw_run_bypass_pass(struct cw_run_queue *q);
/* Adds commands that have passed to the counts of the summary and of the account. */
void cw_run_bypass_count(struct cw_run_queue *q);
/* The program has waited for all commands of the calls up to `calls`, a value of q->passing.calls. */
void cw_run_bypass_waited(struct cw_run_queue *q, uint64_t calls);
/* A window with launches of `q` has been planned. */
void cw_run_bypass_window(struct cw_run_queue *q, bool gained);
/* The program has waited for its commands. */
void cw_run_bypass_synchronised(struct cw_run_queue *q);

/* ---- left: launches that are left in the queue of their GPU, where other GPUs may help
 * (cw_run_context_device_is_gpu).
 *
 * A managed launch costs some of the vendor's user events, which hold a queue for tenths of a millisecond.
 * So a kernel whose launch was planned and stayed at home as a whole is native for a while, longer each time;
 * larger launches of it are planned again. It becomes native, and managed again, when nothing of its queue is
 * unfinished: else one side would wait for the other, launch by launch. Behind native commands it waits for
 * that as long again. */

/* A launch of `k` over so many work-items, which is enqueued to `q`, is native. */
bool cw_run_left_is(const struct cw_run_queue *q, struct cw_run_kernel *k, double items);
/* The commands from `first` on, linked by links.window, have been planned. */
void cw_run_left_planned(const struct cw_run_task *first);

/* ---- gain: the measured gain of plans. A span is the time from the closing of a planned window to the end
 * of the last command of it and of every window that closed meanwhile. The time of these commands
 * at home, one after the other, is the sum of their mean times in the history, with the standard errors
 * added up, as launches of one kernel err together. Spans of which that is not known, or in which anything
 * else ran on the program's queues, are not judged.
 *
 * On the virtual clock nothing is measured: there the plans' makespan is held against the modelled one. Time
 * in which the windows of several plans run counts once. */
struct cw_run_gain_window {
    struct cw_run_task *first; /* linked by links.window */
    double home_ns, error_ns;
    double plan_ns; /* by the plan, from now; 0: there is none */
    bool known;     /* home_ns and error_ns are */
    bool acted;     /* something was moved, reordered or cut; else it only counts within a span */
};

/* The planner's figures for a window's tasks: tasks x workers, row by row, of cost and error; the worker
 * that is home and, for launches that are sent elsewhere to be measured, the one. */
struct cw_run_gain_prices {
    const uint32_t *home, *trial;
    const double *cost_ns, *error_ns;
    uint32_t workers;
};

/* Fills *g, but `acted`, for a window of `count` tasks. */
void cw_run_gain_expect(struct cw_run_gain_window *g, struct cw_run_task *const *task, uint32_t count,
                        const struct cw_run_gain_prices *prices);
/* The window is going to run. */
void cw_run_gain_window(const struct cw_run_gain_window *w);
/* `t`, a command with `gauged` set, is over. */
void cw_run_gain_done(const struct cw_run_task *t);
/* Something runs that is in no such window. */
void cw_run_gain_spoilt(void);
/* A line for the summary, with its end of line; 0: no window was planned. Returns its length. */
int cw_run_gain_describe(char *text, unsigned size);

/* ---- repeat_place: one launch a window, again and again. Where the launch before went, which was like it,
 * the next one goes without a plan; every now and then it is planned anew. */

/* True when `t`, alone in its window and not to be shared, has been sent where the launch before it went,
 * which was like it; the policy would do the same. Its kernel's record then says with which verdict, and *g
 * holds the known gain. */
bool cw_run_repeat_place_of(struct cw_run_task *t, const struct cw_run_perf_model *b,
                            struct cw_run_gain_window *g);
/* True when `t`, whose like has long gone elsewhere, is to show its time at home now. */
bool cw_run_repeat_place_looks_home(struct cw_run_task *t);
/* Keeps where `t`, alone in its window and no trial, has been sent by `plan`. */
void cw_run_repeat_place_keep(const struct cw_run_task *t, const struct cw_run_plan *plan,
                              const struct cw_run_gain_window *g);

/* ---- reasons: the time of native commands and of launches that stay whole, by reason, for --summary.
 *
 * Launches that stay whole are measured where run mode measures launches. Native commands are the vendor's:
 * the time between the first command under way and the wait for all is shared evenly by the launches of that
 * span, or by its commands where there is no launch. */

/* Counts a command that is native. */
void cw_run_reasons_native(enum cw_run_reason why, bool launch);
/* The same for commands that have passed (core/passing.h), which are not told apart. */
void cw_run_reasons_passed(uint64_t commands);
/* Commands of queues that are bypassed, which count as native. No lock needed. */
extern atomic_ullong cw_run_reasons_bypassed;
/* Native commands so far. */
uint64_t cw_run_reasons_count(enum cw_run_reason why);
/* Counts launch `t`, which stays whole. `why`: static words. */
void cw_run_reasons_whole(struct cw_run_task *t, const char *why);
/* Launch `t` stays whole by choice: for the recorded log alone. */
void cw_run_reasons_of(const struct cw_run_task *t, const char *why);
/* Counts a launch that may not run on a device with another code generator. `why`: static words, NULL: not
 * known. */
void cw_run_reasons_code(const char *why);
/* Launch `t` was measured. */
void cw_run_reasons_measured(const struct cw_run_task *t);
/* A span is over: so many ns, in which the program has enqueued `commands`. */
void cw_run_reasons_waited(double ns, uint64_t commands);
/* Lines for the summary, the largest time first: of native commands those that cannot be managed, then those
 * that run mode leaves by choice; of launches those that stay whole, then those that stay with their vendor.
 * Return their length. */
int cw_run_reasons_describe_native(char *text, unsigned size);
int cw_run_reasons_describe_whole(char *text, unsigned size);

/* ---- verdict */

/* Writes "clweave: ...\n" into `text` as snprintf does, one line at the end of a run that says whether run
 * mode helped, and returns its length; 0: the program has enqueued nothing. A ratio compares the times in
 * which commands of the program were under way. It is *measured* when earlier runs with the same arguments
 * ran bare, and *expected* when the time bare stems from the launches' times at home, or from what cut
 * launches save on several GPUs. `grouped`: launches have run in groups. After cw_run_activation_finish(). */
int cw_run_verdict_describe(char *text, unsigned size, bool grouped);

#endif
