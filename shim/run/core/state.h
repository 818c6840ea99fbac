/* state.h - the state of run mode: one per process, protected by its own lock (core/global_lock.h)
 * but where it says otherwise. */
#ifndef CW_RUN_STATE_H
#define CW_RUN_STATE_H

#include "types.h"

struct cw_run_counts {
    uint64_t managed, launches, moved, reordered, windows, retired, cut, tiles, cached, again;
    atomic_ullong by_rows;                /* tiles; lock not needed */
    uint64_t far_copies[2], far_bytes[2]; /* to devices' own memories; back */
    uint64_t far_bytes_for[4];            /* by enum cw_move_why of analyzer/record/trace.h */
    /* cut launches whose parts worked in several memories; those that copied; their work-items; beside
     * these */
    uint64_t several, several_fetches, several_units, margin_units;
    uint64_t evicted;        /* buffers, from a device's own memory */
    uint64_t lost, deprived; /* bytes that came to be valid nowhere; commands that needed some */
    uint64_t far_ahead;      /* copies that no command waited for yet */
    uint64_t far_shared;     /* bytes that came to one memory with their copy to another */
    uint64_t merged;         /* launches: tiles/tile_merge.c */
    uint64_t relieved,
        parts_relieved; /* launches that went home from behind late ones; parts that left them */
    uint64_t native[CW_RUN_REASON_COUNT]; /* by enum cw_run_reason */
};

struct cw_run_state_all {
    pthread_mutex_t lock;
    _Atomic uint32_t done;    /* changes when something has retired (cw_run_global_lock_wait) */
    _Atomic pthread_t holder; /* of the lock; 0: free, or a run mode thread that has waited */
    pthread_cond_t timer;     /* there is something for the timer, which sleeps */
    bool timer_asleep, timer_wanted, threads;
    bool ready;  /* start() has succeeded */
    bool forked; /* we are the child of a fork */
    bool ending; /* the process ends: no more code is compiled for helpers */
    bool
        abandoned; /* the process ends, and some commands never will: workers that come back from them stop */
    bool off;      /* everything new is native: fork, a function that we do not know */
    bool begun;    /* helpers, history, models: tuning/activation.c */
    bool holds;    /* commands are managed although helpers have not begun: windows/hold.c */
    bool recording;  /* the program's commands are recorded, too; constant after start() */
    bool all, chaos; /* all: CLWEAVE_MANAGE_ALL */
    /* all; or DSPs on the virtual clock under a policy that the user names. From the first launch on, each
     * command runs where the plan puts it, whatever that gains; constant after start() */
    bool eager;
    /* what changes later, under the lock, stands apart from these: compilers read several bools at once */
    uint64_t random, batches, sequence;
    uint64_t memory_ids; /* numbers of memory objects so far */
    uint64_t records;    /* of objects but events, made and freed so far */
    struct cw_run_task *window_first, *window_last;
    uint32_t window_count;
    bool window_mixed;                /* its commands are of several queues */
    uint64_t window_since_ns;         /* of its oldest command */
    struct cw_run_task *retire_first; /* linked by links.window */
    /* native commands may occupy threads of the vendor for as long as the program likes: functions of its
     * own, launches that may poll */
    bool held;
    pthread_t retirer; /* the thread that retires; 0: none does */
    uint32_t waiters;
    uint32_t unfinished;              /* managed commands that have not retired */
    uint32_t reserved;                /* every worker has room for so many that are ready */
    struct cw_run_task *became_ready; /* core/ready.h */
    uint32_t running, ready_count;    /* commands; that are ready */
    uint32_t wanted;                  /* copies of programs that workers are to make */
    uint32_t preparing;               /* workers that build a helper's copy of a program */
    uint32_t readying;                /* contexts of helpers, and rewritten programs, that are to be made */
    uint32_t copies;                  /* helpers' copies of programs so far */
    uint32_t far_workers;             /* workers whose device has a memory of its own */
    uint64_t direct;                  /* bits of the memories between which memory/relay.h copies */
    uint32_t spreads;                 /* buffers that have left the host's memory */
    uint32_t quarantines;             /* workers whose device has failed (memory/quarantine.h) */
    void (*over)(struct cw_run_task *t); /* cw_run_spread_over; NULL: far_workers is 0 */
    struct cw_run_worker workers[CW_RUN_WORKERS];
    uint32_t num_workers;
    struct cw_run_foreign *open; /* all whose event is not over */
    struct cw_run_region host;
    struct cw_run_counts counts;
};
extern struct cw_run_state_all cw_run;

/* There is something to do for the worker, whose thread may be there or not. Lock held. */
static inline bool cw_run_has_work(const struct cw_run_worker *l)
{
    return (l->num_ready && !l->blocked) || ((l->num_wanted || l->opens) && !cw_run.ending);
}

/* Wakes the workers that have something to do, and the timer for those that have no thread, which giving up
 * the lock does, too. Lock held. */
void cw_run_global_lock_kick_all(void);
static inline void cw_run_global_lock_kick(void)
{
    if (cw_run.ready_count || cw_run.wanted || cw_run.timer_wanted)
        cw_run_global_lock_kick_all();
}

/* Costs and savings of run mode, as each folder adds to them; tuning/activation.c reads them. */
struct cw_run_account {
    double cost_ns;  /* processor time of run mode's own work */
    double saved_ns; /* of the program's builds, which earlier runs have made */
    uint32_t learns; /* times that this run waits for something that a later run finds, or measures a way to
                        run for the first time; above 0: its time does not tell the gain */
};
extern struct cw_run_account cw_run_account;

#endif
