/* history_runs.h - the record of a program's runs, and the one rule by which run mode spends time on a
 * program.
 *
 * THE RULE. Run mode begins something that costs c ns (helpers, a trial run, a build beside the program)
 *   - when a share CW_RUNS_SHARE of the time that all runs of the program have lived, less what run mode has
 *     lost on it so far, is at least c (cw_history_runs_affords), or
 *   - when this run itself can earn c: the work that is left, times the share of it that may be saved, is at
 *     least c (cw_history_runs_pays). The work left is what the program has enqueued, or else as much as it
 *     has worked so far. To begin, it must earn what the program's runs have lost, too.
 * and never before the program has worked, or enqueued, as much as beginning costs.
 * The second is the ski-rental rule (Karlin, Manasse, Rudolph, Sleator 1988, "Competitive snoopy caching"):
 * nothing is bought for more than the rent that was paid. The first lets short programs try at a price that
 * their user does not notice, and bounds what they lose for ever: the price of another trial doubles with
 * each one that has lost.
 *
 * "Work" is the time in which commands of the program were under way, from the first enqueue to the return
 * of the call that waited for it, summed up. "Bare" stands for a run that helpers never began in.
 *
 * Runs with the same arguments are compared: first some bare ones, then, when the rule affords it, some
 * that begin at once; if these were faster, all later ones do, but for a bare run ever more seldom. Runs
 * that a builder's work is missing for are no judges. A run that began in its middle says how long its
 * launches take at home: until a bare run is measured its time is estimated by that.
 *
 * The record is one small file in a file store: a damaged or senseless record counts as empty. Not
 * thread-safe. All times are in ns. */
#ifndef CW_HISTORY_RUNS_H
#define CW_HISTORY_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../io/file_store.h"

#define CW_RUNS_SHARE        0.04 /* of the time that runs have lived: may be lost */
#define CW_RUNS_BEGIN_NS     4e6  /* of beginning, while it was not measured */
#define CW_RUNS_ANALYSE_NS   1e8  /* of reading the kernels of a program that has no record */
#define CW_RUNS_UNNOTICED_NS 1e8  /* lost by all runs: no user notices it */
#define CW_RUNS_BUILD_NS     1e9  /* of processor time: the first build in a process ... */
#define CW_RUNS_NEXT_NS      4e8  /* ... and each later one */
#define CW_RUNS_BARE         2    /* bare runs before one tries: the first pays for the vendor's compiler */
#define CW_RUNS_TRIALS       3    /* runs that begin at once before their gain is judged */
#define CW_RUNS_GAIN         0.98 /* work of runs that began at once over that of bare ones: worth it */
#define CW_RUNS_AGAIN        32   /* runs until the bare time is measured again, then twice as many */
#define CW_RUNS_WAITING      16   /* runs in a row that the builder is waited for */
#define CW_RUNS_BEHIND       1.1  /* times the bare run's time at the same mark: a run so late is given up */
#define CW_RUNS_ARGUMENTS    32   /* kinds of arguments of one program; those unused for longest go */
#define CW_RUNS_MARKS        48   /* of a run's progress: at the 16th, 20th, 24th, 28th, 32nd, 40th ... */

#define CW_HISTORY_RUNS_KIND "runs 10" /* another one when the record means something else */

/* Runs with one kind of arguments. All zero: none yet. */
struct cw_runs_entry {
    uint64_t arguments;         /* their number, which no other entry has */
    uint64_t used;              /* number of the latest run, of all of this program */
    double bare_ns;             /* work of bare runs, of late; 0: none */
    double guess_ns;            /* the same by the launches' times at home; 0: not known */
    double run_ns;              /* work of runs that began at once, of late; 0: none since the last loss */
    double cost_ns;             /* processor time of beginning; 0: never measured */
    double lost_ns;             /* of the latest trial that lost */
    uint32_t bares;             /* how many bare_ns rests on, CW_RUNS_BARE at most */
    uint32_t runs;              /* how many run_ns rests on, CW_RUNS_TRIALS at most */
    uint32_t losses;            /* how often that was no gain, one after the other */
    uint32_t since;             /* runs since it was judged last */
    uint32_t waits;             /* latest runs at once, one after the other, that were no judges */
    uint32_t begins;            /* helpers have begun later, as it is long: 0 or 1 */
    uint32_t bytes;             /* of the arguments themselves */
    float at_ns[CW_RUNS_MARKS]; /* marks of a bare run; 0: it was over before */
};

struct cw_runs {
    uint64_t number; /* runs so far */
    double lived_ns; /* by all of those that were written down, from their start to their end */
    double lost_ns;  /* by all of them, compared with bare ones; gains are taken off, never below 0 */
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

/* ---- the rule */

/* True when runs that have lived `lived_ns`, and lost `lost_ns`, may spend `price_ns`. */
bool cw_history_runs_affords(double lived_ns, double lost_ns, double price_ns);

/* True when `left_ns` of work, of which the share `saved` (0 to 1) may be saved, earns `price_ns`. */
bool cw_history_runs_pays(double left_ns, double saved, double price_ns);

/* ---- the record */

/* Fills `r` with the record of program `id`, or with nothing; the caller's to finish. Returns whether there
 * was one. */
bool cw_history_runs_read(struct cw_runs *r, const struct cw_file_store *store, const struct cw_identity *id);
void cw_history_runs_write(const struct cw_runs *r, struct cw_file_store *store,
                           const struct cw_identity *id);
void cw_history_runs_finish(struct cw_runs *r);

/* A record of so many bytes as it is written, without its file's head. False: it is none. The caller's to
 * finish. */
bool cw_history_runs_parse(struct cw_runs *r, const void *data, size_t bytes);

/* The number by which the functions below know these arguments: that of an entry with the same ones, or a new
 * one. `text` stays where it is as long as `r` is used. */
uint64_t cw_history_runs_number(struct cw_runs *r, const void *text, size_t bytes);

/* The entry of `arguments`; NULL: there was no such run. Lives until the record changes. */
const struct cw_runs_entry *cw_history_runs_find(const struct cw_runs *r, uint64_t arguments);

/* Bare runs have been measured that later ones are compared with. */
bool cw_history_runs_is_compared(const struct cw_runs_entry *e);

/* The measured, or else the estimated time of a bare run, 0: not known. */
double cw_history_runs_bare_ns(const struct cw_runs_entry *e);

enum cw_runs_state {
    CW_RUNS_WATCHED, /* nothing is known yet, or the builder is waited for */
    CW_RUNS_TRYING,
    CW_RUNS_GAINING,
    CW_RUNS_NO_GAIN
};
enum cw_runs_state cw_history_runs_state(const struct cw_runs_entry *e);

/* ---- the next run */

enum cw_runs_start {
    CW_RUNS_LATER, /* in the midst of the run, when the rule allows it */
    CW_RUNS_HOLD,  /* never: to measure its time bare */
    CW_RUNS_TRY,   /* at once: the rule affords a trial */
    CW_RUNS_GAINED /* at once: earlier runs that did so were faster */
};

/* The action for a run with `arguments`. `all`: whatever it costs. */
enum cw_runs_start cw_history_runs_start(const struct cw_runs *r, uint64_t arguments, bool all);

/* The price of beginning in the midst of such a run, but not before it has worked *not_before_ns: where
 * earlier runs have lost by it, or the bare time is still to be measured, only one that is far longer begins.
 * What runs have lost while the builder was at work, or while they tried, is part of the price. */
double cw_history_runs_price(const struct cw_runs *r, uint64_t arguments, double *not_before_ns);

/* True when a run with `arguments` is over long before helpers could begin in it. */
bool cw_history_runs_is_over_before(const struct cw_runs *r, uint64_t arguments);

/* The last mark of a run that has enqueued so many commands; CW_RUNS_MARKS: it has passed none, or more than
 * there are. *next: commands at the next one, UINT32_MAX behind the last. */
uint32_t cw_history_runs_mark(uint32_t commands, uint32_t *next);

/* True when a run with `arguments` that has worked `work_ns` at mark `mark` is so far behind its bare time
 * that it should go on without helpers. */
bool cw_history_runs_is_behind(const struct cw_runs *r, uint64_t arguments, uint32_t mark, double work_ns);

/* Result of a run. */
struct cw_runs_run {
    bool at_once;    /* it began at once; else */
    bool began;      /* later; else never */
    bool waits;      /* the builder has not made all that it wanted, or has worked beside it */
    bool idle;       /* it began at once, and helpers had nothing to do */
    double work_ns;  /* 0: not known */
    double guess_ns; /* what it would have worked bare, by the launches' times at home; 0: not known */
    double cost_ns;  /* of beginning; 0: not measured */
    double lived_ns;
    float at_ns[CW_RUNS_MARKS];
};

/* One run more with `arguments`. Returns false when that is nothing new, so that nothing need be written. */
bool cw_history_runs_add(struct cw_runs *r, uint64_t arguments, const struct cw_runs_run *run);

#endif
