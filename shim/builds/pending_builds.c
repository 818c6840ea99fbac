/* pending_builds.c - see builds/isolated_compiler.h. */
#include "isolated_compiler.h"

#include <stdatomic.h>
#include <stdint.h>

#include "../door/dispatch.h"

static _Atomic uint32_t builds;
static _Atomic bool stopped;
static _Thread_local uint32_t
    mine; /* a callback of the vendor's in one of them may call exit(), or a handler of a signal */

void cw_pending_builds_end(void)
{
    mine--;
    atomic_fetch_sub(&builds, 1);
}

bool cw_pending_builds_begin(void)
{
    mine++;
    atomic_fetch_add(&builds, 1); /* first: so the stopping thread sees it, or it sees `stopped` */
    if (CW_LIKELY(!atomic_load(&stopped)))
        return true;
    cw_pending_builds_end();
    return false;
}

void cw_pending_builds_forbid(void)
{
    atomic_store(&stopped, true);
}

bool cw_pending_builds_are_forbidden(void)
{
    return atomic_load(&stopped);
}

bool cw_pending_builds_any(void)
{
    return atomic_load(&builds) > mine;
}
