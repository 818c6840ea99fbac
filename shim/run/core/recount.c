/* recount.c - see core/recount.h. */
#include "recount.h"

#include <sched.h>
#include <stdatomic.h>

#include "global_lock.h"
#include "types.h"

#define RECOUNT_NS    UINT64_C(100000000)
#define RECOUNT_TURNS 100 /* on a busy machine a thread in a change may wait for a processor */

static _Atomic uint64_t begun, ended;
static _Thread_local uint64_t mine; /* the vendor may call the program back within one, and that may ask */

void cw_run_recount_begins(void)
{
    mine++;
    atomic_fetch_add(&begun, 1);
}

void cw_run_recount_ends(void)
{
    atomic_fetch_add(&ended, 1);
    mine--;
}

void cw_run_recount_after_fork(void)
{
    atomic_store(&ended, atomic_load(&begun) - mine);
}

void cw_run_recount_read(struct cw_run_recount *r)
{
    *r = (struct cw_run_recount){.until_ns = cw_run_global_lock_now_ns() + RECOUNT_NS};
}

/* Changes that other threads are in; *now: all that have begun. */
static uint64_t in_progress(uint64_t *now)
{
    uint64_t over = atomic_load(&ended); /* first: never more over than begun */

    *now = atomic_load(&begun);
    return *now - over - mine;
}

static bool gives_up(struct cw_run_recount *r)
{
    return r->turns++ >= RECOUNT_TURNS && cw_run_global_lock_now_ns() >= r->until_ns;
}

bool cw_run_recount_again(struct cw_run_recount *r)
{
    bool over = r->read && (atomic_load(&begun) == r->changes || gives_up(r));

    if (r->read)
        cw_run_global_lock_give();
    if (over)
        return false; /* none has begun since `changes`, when all but our own were over */
    cw_run_global_lock_take();
    while ((in_progress(&r->changes) || cw_run_global_lock_has_releases()) && !gives_up(r)) {
        cw_run_global_lock_give(); /* their notes need the lock, and giving it hands over noted releases */
        sched_yield();
        cw_run_global_lock_take();
    }
    r->read = true;
    return true;
}

void cw_run_recount_settle(void)
{
    struct cw_run_recount r;

    for (cw_run_recount_read(&r); cw_run_recount_again(&r);)
        ;
}
