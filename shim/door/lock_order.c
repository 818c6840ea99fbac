/* lock_order.c - see lock_order.h. */
#include "lock_order.h"

#ifdef CW_LOCK_ORDER
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dispatch.h"
#include "lock.h"

#define MUTEXES 65536u
#define HELD    16

enum { NONE, QUERIES, ALL };

static const struct {
    const char *name;
    int calls;
} ranks[] = {
    {"no", ALL},
#define X(rank, name, calls) {name, calls},
#include "lock_order.inc"
};

static struct {
    const pthread_mutex_t *mutex; /* NULL: free from here on */
    enum cw_lock_rank rank;       /* NO_RANK: it has gone */
} known[MUTEXES];
static cw_lock known_lock;

static __thread struct {
    const pthread_mutex_t *mutex;
    enum cw_lock_rank rank;
} held[HELD] __attribute__((tls_model("initial-exec")));
static __thread unsigned held_count __attribute__((tls_model("initial-exec")));

static struct cw_dispatch vendor;

/* `known_lock` held. */
static unsigned place_of(const pthread_mutex_t *mutex)
{
    unsigned i = (unsigned)((uintptr_t)mutex >> 3) % MUTEXES;

    while (known[i].mutex && known[i].mutex != mutex)
        i = (i + 1) % MUTEXES;
    return i;
}

void cw_lock_order_add(const pthread_mutex_t *mutex, enum cw_lock_rank rank)
{
    unsigned i;

    cw_lock_take(&known_lock);
    i = place_of(mutex);
    known[i].mutex = mutex;
    known[i].rank = rank;
    cw_lock_free(&known_lock);
}

static enum cw_lock_rank rank_of(const pthread_mutex_t *mutex)
{
    enum cw_lock_rank rank;

    cw_lock_take(&known_lock);
    rank = known[place_of(mutex)].rank;
    cw_lock_free(&known_lock);
    return rank;
}

static void fail(const char *what, const char *inner, const char *outer)
{
    dprintf(STDERR_FILENO, "lock order: %s%s with %s mutex held\n", what, inner, outer);
    abort();
}

static void check(const pthread_mutex_t *mutex)
{
    enum cw_lock_rank rank = rank_of(mutex);

    for (unsigned i = 0; i < held_count; i++)
        if (held[i].mutex == mutex)
            return; /* recursive */
    for (unsigned i = 0; rank && i < held_count; i++)
        if (held[i].rank >= rank)
            fail("taken: the mutex of rank ", ranks[rank].name, ranks[held[i].rank].name);
}

static void taken(const pthread_mutex_t *mutex)
{
    enum cw_lock_rank rank = rank_of(mutex);

    if (!rank)
        return;
    if (held_count == HELD)
        fail("too many mutexes: ", ranks[rank].name, "another");
    held[held_count].mutex = mutex;
    held[held_count++].rank = rank;
}

static void given(const pthread_mutex_t *mutex)
{
    for (unsigned i = held_count; i-- > 0;)
        if (held[i].mutex == mutex) {
            memmove(&held[i], &held[i + 1], (--held_count - i) * sizeof *held);
            return;
        }
}

/* ---- the linker's --wrap */

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __real_pthread_mutex_destroy(pthread_mutex_t *mutex);
int __real_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    int err;

    check(mutex);
    err = __real_pthread_mutex_lock(mutex);
    taken(mutex);
    return err;
}

/* It does not wait, but most are tried before they are taken. */
int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    int err;

    check(mutex);
    err = __real_pthread_mutex_trylock(mutex);
    if (!err)
        taken(mutex);
    return err;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    given(mutex);
    return __real_pthread_mutex_unlock(mutex);
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    cw_lock_order_add(mutex, CW_LOCK_NO_RANK);
    return __real_pthread_mutex_destroy(mutex);
}

/* Takes it again: with all others that the thread holds. */
int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    int err;

    given(mutex);
    check(mutex);
    err = __real_pthread_cond_wait(cond, mutex);
    taken(mutex);
    return err;
}

/* ---- calls of the vendor */

static void calls(const char *name)
{
    bool asks = !strncmp(name, "clGet", 5) || !strncmp(name, "clRetain", 8);

    for (unsigned i = 0; i < held_count; i++)
        if (ranks[held[i].rank].calls < (asks ? QUERIES : ALL))
            fail("called: ", name, ranks[held[i].rank].name);
}

#define CW_API(ret, name, since, fails, handle, params, args)                                                \
    static ret checked_##name params                                                                         \
    {                                                                                                        \
        calls(#name);                                                                                        \
        return vendor.name args;                                                                             \
    }
#include "api.inc"

void cw_lock_order_watch(struct cw_dispatch *next)
{
    __typeof__(next->clGetPlatformIDs) first = next->clGetPlatformIDs;

    vendor = *next;
#define CW_API(ret, name, since, fails, handle, params, args) next->name = checked_##name;
#include "api.inc"
    next->clGetPlatformIDs = first;
}
#endif
