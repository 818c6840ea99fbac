/* activation.h - when helpers, the history and models of kernels begin: at once, or when the program has
 * worked for it. The rule is that of history/history_runs.h.
 *
 * Until then (cw_run.begun is false) every queue is native (tuning/bypass.c) or in hold (windows/hold.h), and
 * no helper, history or model exists. At once when an earlier run with the same arguments gained from it, or
 * the rule affords a trial; never in a run that is to show the time without helpers. At once, too, when
 * devices (but "none"), a policy or DSPs are asked for; under CLWEAVE_MANAGE_ALL, chaos and planted faults.
 * Nothing that a program can see depends on it.
 *
 * Lock held, unless said. */
#ifndef CW_RUN_ACTIVATION_H
#define CW_RUN_ACTIVATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../analyzer/io/identity.h"

struct cw_options;

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

#endif
