/* learn.h - parts of `clweave learn`: runs of the program, bare and under run, their progress and their
 * verdict. */
#ifndef CW_LEARN_H
#define CW_LEARN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../io/identity.h"
#include "cache_files.h"
#include "launch.h"

/* ---- one run (learn_process.c) */

struct cw_learn_program {
    char **argv;
    char library[PATH_MAX];
    struct cw_launch_options options;
    bool verbose;                /* the first run's output is shown */
    double most_ns;              /* a run that takes longer is ended; 0: any time */
    void (*tick)(void *context); /* called some times a second while it runs; NULL: never */
    void *context;
};

struct cw_learn_run {
    double wall_ns, cpu_ns; /* cpu: user and system time, with that of children that it has waited for */
    int status;             /* wait status */
    struct cw_key output;   /* of standard output */
};

enum cw_learn_end {
    CW_LEARN_ENDED,
    CW_LEARN_STOPPED,  /* a signal has asked the tool to end: the program was ended */
    CW_LEARN_TOO_LONG, /* it was ended after most_ns */
    CW_LEARN_NO_START  /* it cannot be run, which was told */
};

/* Blocks the signals that end the tool, and SIGCHLD, once before the functions below are used. */
bool cw_learn_process_begin(void);

/* The number of the signal that has asked the tool to end; 0: none has. */
int cw_learn_process_signal(void);

/* Runs the program once, with /dev/null as its standard input. errors: a descriptor that gets its standard
 * error; -1: /dev/null does. */
enum cw_learn_end cw_learn_process_run(const struct cw_learn_program *p, bool bare, int errors, bool first,
                                       struct cw_learn_run *run);

/* ---- what run has learnt (learn_verdict.c) */

enum cw_learn_state { /* of the program's record; the larger holds where there are several */
                      CW_LEARN_UNKNOWN,
                      CW_LEARN_WATCHING,
                      CW_LEARN_NO_GAIN,
                      CW_LEARN_GAINS,
                      CW_LEARN_TRYING
};

/* From the last used record of runs with the words of argv; where there is none (argv starts the program),
 * from all that were written after `begin_s`, seconds since 1970. */
enum cw_learn_state cw_learn_state_read(const struct cw_cache_files *c, char **argv, int64_t begin_s);
const char *cw_learn_state_word(enum cw_learn_state state);

/* ---- all runs (cmd_learn.c) */

struct cw_learn_pair {
    struct cw_learn_run bare, run;
};

struct cw_learn {
    struct cw_learn_program program;
    struct cw_cache_files cache;
    bool has_cache;
    char builder[PATH_MAX]; /* clweave-compile; "": there is none */
    struct cw_learn_pair *pair;
    size_t n;
    bool opencl;   /* the first run under run has made OpenCL calls */
    bool measures; /* pairs from number `first` on count for the verdict */
    size_t first;
    bool is_settled; /* run has learnt what there is, as far as its state and its times tell */
    enum cw_learn_state state;
    size_t steady; /* rounds without a change of `state` */
    size_t rounds; /* at most */
    double begin_ns, most_ns;
    unsigned waiting; /* requests that the builder has left */
    bool hung;
};

/* ---- progress (cmd_learn.c): a bar on a terminal, else a line per round, on standard error */

/* ---- the verdict (learn_verdict.c) */

/* Prints notes to standard error and the verdict, or JSON, to standard output. Returns the exit status: 1
 * when exit statuses or outputs differ under run. */
int cw_learn_verdict_print(const struct cw_learn *l, bool json);

/* The interval of the pairs that count is narrow enough, or there are many. */
bool cw_learn_verdict_is_clear(const struct cw_learn *l);

/* The gain of the last `rounds` pairs is about that of as many before them. */
bool cw_learn_verdict_is_level(const struct cw_learn *l, size_t rounds);

#endif
