/* quiet_child.h - runs a helper program that the host process can neither see nor reap.
 *
 * The host is another author's program: it may wait for any child, have a handler for SIGCHLD, count its
 * descriptors, close all of them, fork, and set limits. So
 *  - the helper is not its child. Between the two stands a supervising process that shares the host's memory
 *    (as a child of vfork does) and was made with no exit signal: no SIGCHLD comes, and wait() and
 *    waitpid(-1) pass it over (clone(2), __WCLONE). exec would give it back the signal, so the supervisor
 *    itself never execs;
 *  - pipe and source file exist in the supervisor's table of descriptors only, where all of the host's are
 *    closed;
 *  - nothing is inherited: no signal handler, mask, ignored signal, environment, terminal session,
 *    descriptor;
 *  - the processor time of the helper does not show in the host's RUSAGE_CHILDREN;
 *  - the kernel ends supervisor and helper with the calling thread (PR_SET_PDEATHSIG), but for a detached
 *    one, which outlives the host.
 *
 * Under valgrind, which knows no such process, nothing is started. Still visible: wait(__WALL) and
 * wait(__WCLONE) find the supervisor, and `ps` has a line more. */
#ifndef CW_QUIET_CHILD_H
#define CW_QUIET_CHILD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../sched/status.h"

#define CW_QUIET_CHILD_FILE "/proc/self/fd/3" /* where the helper finds the input */

#define CW_QUIET_LINGER_S 2 /* for a helper that has closed its output but not ended */

/* Of each kind there is one at a time in a process: the second caller waits. */
enum cw_quiet_kind {
    CW_QUIET_ONCE,   /* answers one question, and yields its core to the host (nice 10 more) */
    CW_QUIET_SERVER, /* stays, and is asked by way of memory that it shares with the host, which waits for its
                        answers */
    CW_QUIET_DETACHED, /* goes on in a child of its own, and ends itself at once: no answer but its end */
    CW_QUIET_KINDS
};

struct cw_quiet_child {
    enum cw_quiet_kind kind;
    const char *const *argv; /* argv[0] is the path; NULL-ended */
    const char *const *env;  /* the whole environment; NULL-ended */
    const void *input;       /* contents of CW_QUIET_CHILD_FILE */
    size_t input_bytes;
    size_t max_bytes;      /* of output; more ends the helper */
    unsigned milliseconds; /* then the helper is ended */
    /* Not NULL: whole pages of the caller's, in whose place the file is mapped (MAP_SHARED), `shared_bytes`
     * long; 1 is stored in *is_shared when it is there. No thread touches them before. They stay mapped when
     * the helper is gone. */
    void *shared;
    size_t shared_bytes;
    _Atomic uint32_t *is_shared;
    /* Not NULL: 1 is stored there once there is a process for it, which the host's end does not end where it
     * is DETACHED. */
    _Atomic uint32_t *begun;
};

struct cw_quiet_output {
    char *data; /* not NUL-terminated */
    size_t bytes;
    size_t mapped; /* private */
};

/* Runs it and waits; a DETACHED one gets on where the host ends meanwhile. The calling thread must have
 * all signals blocked. The helper's output is in *out, which the caller finishes (also after an error).
 * CW_ERR_LIMIT: too late, or too much output; CW_ERR_IO: it cannot be started, a signal has stopped it, or
 * cw_quiet_child_kill was called; CW_ERR_NOMEM. How the helper ended is not told: look at its output. errno
 * is preserved. */
enum cw_status cw_quiet_child_run(const struct cw_quiet_child *child, struct cw_quiet_output *out,
                                  struct cw_error *err);
void cw_quiet_output_finish(struct cw_quiet_output *out);

/* Ends the helper of this kind that is running, and with `forever` all later ones at once. Any thread. */
void cw_quiet_child_kill(enum cw_quiet_kind kind, bool forever);

/* A signal has stopped the process that attends to the helper of this kind. A helper that is stopped itself
 * is ended, but for a detached one. Any thread. */
bool cw_quiet_child_is_stopped(enum cw_quiet_kind kind);

/* Under valgrind, which ends programs that make such a process. */
bool cw_quiet_child_is_valgrind(void);

/* In a forked child: forgets the parent's helper. Nothing can be run there any more. */
void cw_quiet_child_after_fork(void);

#endif
