/* history_runs.h - how long earlier runs of one program worked, with helpers and without: is it worth to
 * begin with them?
 *
 * Helpers (their contexts, the history, models of kernels) cost some milliseconds of each process, which a
 * short program never earns back. That is the ski-rental problem (Karlin, Manasse, Rudolph, Sleator 1988,
 * "Competitive snoopy caching"): a player that begins when the program itself has worked CW_RUNS_TIMES as
 * long loses at most 1 / CW_RUNS_TIMES in every case. A record of the times of earlier runs with the same
 * arguments can do better: when they were long enough, a few runs begin at once, and if these were faster,
 * all later ones do, but for a look at the times of the others, ever more seldom. If not, later runs wait
 * CW_RUNS_SOON times as long, and four times that after each trial that shows the same; so do the trials.
 * Runs as long as those that were compared never begin: they would begin amid work that gains nothing.
 *
 * "Work" is the time in which commands of the program were under way, from the first enqueue to the return of
 * the call that waited for it, summed up.
 *
 * The time saved by builds that earlier runs have kept pays for trials of short runs, too, as long as the
 * process takes less in all than without this library. Such runs begin at once only where that gains
 * CW_RUNS_RETURN of the cost of beginning.
 *
 * A trial needs builds for helpers, which take far more than beginning. It waits until all runs of the
 * program have lived CW_RUNS_LEARN times as long as these are thought to take, and as all learning has
 * taken; and so it does after trials that have shown no gain, but might have with builds that were
 * not allowed yet.
 *
 * In the first run of a program the vendor compiles its kernels while they are waited for, and the caches
 * hold nothing that helpers need: it begins after CW_RUNS_FIRST_NS.
 *
 * The record is one small file in a file store: a damaged or senseless record counts as empty. Not
 * thread-safe. */
#ifndef CW_HISTORY_RUNS_H
#define CW_HISTORY_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../analyzer/io/file_store.h"

#define CW_RUNS_ARGUMENTS                                                                                    \
    32 /* kinds of arguments remembered of one program; those that were not used for longest go */
#define CW_RUNS_TIMES 30.0 /* the program's work over the cost of beginning */
#define CW_RUNS_LONG                                                                                         \
    3.0 /* the same for a run that begins at once to see whether it gains: a few do, so they may lose more   \
 */
#define CW_RUNS_SHORT                                                                                        \
    0.5 /* the same for one whose kept builds have saved the rest; shorter ones have nothing to gain  \
 */
#define CW_RUNS_RETURN                                                                                       \
    0.5                     /* its gain over the cost, which is processor time, not all of it the program's  \
 */
#define CW_RUNS_COST_NS 4e6 /* of beginning, while nothing was measured */
#define CW_RUNS_FIRST_NS                                                                                     \
    2e9 /* of work until the first run of a program begins, which builds and analyses all anew: .1 to .9 s   \
 */
#define CW_RUNS_BEFORE 2    /* runs that begin later before one tries */
#define CW_RUNS_TRIALS 3    /* runs that begin at once before their gain is judged */
#define CW_RUNS_GAIN   0.98 /* work of runs that began at once over that of others: worth it */
#define CW_RUNS_SOON   16   /* runs after a loss before it is tried anew */
#define CW_RUNS_AGAIN                                                                                        \
    32 /* runs after which it is looked at anew whether something is gained; a power of two */
#define CW_RUNS_CLEAR    2.0  /* a gain that noise does not make: it is looked at half as early */
#define CW_RUNS_LEARNING 16   /* runs in a row that are no judges */
#define CW_RUNS_LEARN    2.0  /* life of all runs over time spent on learning (tuning/learn.h) */
#define CW_RUNS_BUILD_NS 1e9  /* estimated time of the first build in a process, ... */
#define CW_RUNS_NEXT_NS  4e8  /* ... and each one after it */
#define CW_RUNS_MARKS    12   /* the first is the 16th command */
#define CW_RUNS_BEHIND   1.1  /* times the value of a mark, and ... */
#define CW_RUNS_LOST     0.05 /* ... this share of the whole time of runs, and the cost of beginning or ... */
#define CW_RUNS_STAKE    0.25 /* ... this share of the gain of earlier runs: such a run is given up */

/* Runs with one kind of arguments. All zero: none yet. */
struct cw_runs_entry {
    uint64_t arguments;         /* their number, which no other entry has */
    uint64_t used;              /* number of the latest run, of all of this program */
    double later_ns;            /* work of runs that never began, of late; 0: none */
    double at_once_ns;          /* work of runs that began at once, of late; 0: none since the last loss */
    double cost_ns;             /* processor time of beginning; 0: never measured */
    float saved_ns;             /* time that kept builds have saved the latest run */
    float owed_ns;              /* time of builds that the latest run at once wanted and was not allowed */
    uint32_t later;             /* how many later_ns rests on, CW_RUNS_BEFORE at most */
    uint32_t at_once;           /* how many at_once_ns rests on, CW_RUNS_TRIALS at most */
    uint32_t losses;            /* how often that was no gain, one after the other */
    uint32_t since;             /* runs since the last loss */
    uint32_t learnt;            /* latest runs at once, one after the other, that were no judges */
    uint32_t begins;            /* helpers have begun later, as it is long: 0 or 1 */
    uint32_t bytes;             /* of the arguments themselves */
    float at_ns[CW_RUNS_MARKS]; /* marks of such a run; 0: it was over before */
};

struct cw_runs {
    uint64_t number;  /* runs so far */
    double lived_ns;  /* of all of those that were written down, from their start to their end */
    double learnt_ns; /* time spent on builds and analyses that later runs find */
    uint32_t count;
    struct cw_runs_entry entry[CW_RUNS_ARGUMENTS];

    /* of this process; the file has the texts behind the above */
    char *text[CW_RUNS_ARGUMENTS]; /* the arguments of each entry; NULL: none */
    struct {
        const void *text;
        size_t bytes;
        uint64_t number;
    } asked; /* of cw_history_runs_number() last, where no entry had it */
};

enum cw_runs_start {
    CW_RUNS_LATER, /* after *after_ns of work */
    CW_RUNS_HOLD,  /* never: to measure its time without helpers */
    CW_RUNS_TRY,   /* at once: earlier runs were long enough */
    CW_RUNS_GAINED /* at once: earlier runs that did so were faster */
};

/* Fills `r` with the record of program `id`, or with nothing; the caller's to finish. Returns whether there
 * was one. */
bool cw_history_runs_read(struct cw_runs *r, const struct cw_file_store *store, const struct cw_identity *id);
void cw_history_runs_write(const struct cw_runs *r, struct cw_file_store *store,
                           const struct cw_identity *id);
void cw_history_runs_finish(struct cw_runs *r);

/* The number by which the functions below know these arguments: that of an entry with the same ones, or a new
 * one. `text` stays where it is as long as `r` is used. */
uint64_t cw_history_runs_number(struct cw_runs *r, const void *text, size_t bytes);

/* True when there was a run with `arguments`. */
bool cw_history_runs_knows(const struct cw_runs *r, uint64_t arguments);

/* True when runs that have lived `lived_ns` in all, `learnt_ns` of it with learning, may learn something that
 * takes `ns`. */
bool cw_history_runs_can_learn(double lived_ns, double learnt_ns, double ns);

/* Result of a run. */
struct cw_runs_run {
    bool at_once;    /* it began at once; else */
    bool began;      /* later; else never */
    bool learns;     /* it has paid for builds that later runs find */
    double work_ns;  /* 0: not known */
    double cost_ns;  /* of beginning; 0: not measured */
    double saved_ns; /* by builds that earlier runs have kept */
    double lived_ns, learnt_ns, owed_ns;
    float at_ns[CW_RUNS_MARKS];
};

/* The work of runs with `arguments` that never began; 0: not known. */
double cw_history_runs_usual_ns(const struct cw_runs *r, uint64_t arguments);

/* The action for a run with `arguments`. all: learning at any cost. */
enum cw_runs_start cw_history_runs_start(const struct cw_runs *r, uint64_t arguments, bool all,
                                         double *after_ns);

/* True when a run with `arguments` is over long before it has worked `after_ns`, as far as earlier runs tell.
 */
bool cw_history_runs_is_over_before(const struct cw_runs *r, uint64_t arguments, double after_ns);

/* True when a run with `arguments` that has worked `work_ns` at mark `mark` is so far behind its time without
 * helpers that it should go on without. */
bool cw_history_runs_is_behind(const struct cw_runs *r, uint64_t arguments, uint32_t mark, double work_ns);

/* One run more with `arguments`. Returns false when that is nothing new, so that nothing need be written. */
bool cw_history_runs_add(struct cw_runs *r, uint64_t arguments, const struct cw_runs_run *run);

/* One run more with `arguments`, known ones, that began at once, and helpers had nothing to do: no gain,
 * at any time taken. */
void cw_history_runs_add_idle(struct cw_runs *r, uint64_t arguments);

#endif
