/* run_recount.c - see run_recount.h. */
#include "run_recount.h"

#include <sched.h>
#include <stdatomic.h>

#include "run.h"

#define RECOUNT_NS UINT64_C(100000000)

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
    *r = (struct cw_run_recount){.until_ns = cw_run_now_ns() + RECOUNT_NS};
}

bool cw_run_recount_again(struct cw_run_recount *r)
{
    uint64_t over = atomic_load(&ended), now = atomic_load(&begun); /* in this order: never more over than begun */

    if (r->read && (now == r->changes || cw_run_now_ns() >= r->until_ns))
        return false; /* none has begun since `changes`, when all but our own were over */
    while (now - over > mine && cw_run_now_ns() < r->until_ns) {
        sched_yield();
        over = atomic_load(&ended);
        now = atomic_load(&begun);
    }
    r->changes = now;
    r->read = true;
    return true;
}
