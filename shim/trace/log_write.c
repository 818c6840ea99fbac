#include "log_write.h"
#include "../door/lock_order.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../door/log.h"
#include "../door/thread.h"

__thread struct cw_thread *cw_thread_self __attribute__((tls_model("initial-exec")));
uint32_t cw_log_generation;

static uint32_t asleep; /* the target of cw_log_alive while nothing is recorded */
_Atomic(volatile uint32_t *) cw_log_alive = &asleep;

enum { UNCONFIGURED, READY, OPEN, OVER };
static _Atomic int state; /* changed under state_lock, but for the first steps of a forked child */
/* A thread whose call exit() has interrupted may take it again (mode_trace.c). */
static pthread_mutex_t state_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
CW_LOCK_RANK(&state_lock, LOG_STATE)
static volatile uint32_t
    *page; /* 1 in the process that made it; MADV_WIPEONFORK: 0 in its children. The second */
           /* word says that a thread of the child is resetting the inherited state */
static char *out_option;
static struct cw_log_traits of_log;
static pthread_key_t thread_key;
static bool have_key;
static struct cw_thread *threads; /* all of this process, for the child of a fork */
static _Atomic uint32_t next_thread;
static _Atomic uint64_t next_sequence;
static void (*fork_resets[4])(void);
static unsigned fork_reset_count;

bool cw_log_configure(const char *out, struct cw_log_traits traits)
{
    out_option = strdup(out);
    of_log = traits;
    if (out_option)
        state = READY;
    return out_option != NULL;
}

void cw_log_on_fork(void (*reset)(void))
{
    if (fork_reset_count < sizeof fork_resets / sizeof fork_resets[0])
        fork_resets[fork_reset_count++] = reset;
}

uint64_t cw_log_sequence(void)
{
    return atomic_fetch_add_explicit(&next_sequence, 1, memory_order_relaxed);
}

/* ---- opening, and waking up in a forked child */

static void thread_ends(void *p)
{
    struct cw_thread *t = p, **link;

    if (!t || t->generation != cw_log_generation || !page[0])
        return; /* freed by the child's reset, or the child has not recorded yet and its locks may be held */
    cw_log_guard_range(NULL, 0);
    cw_log_chunk_put(&t->place);
    if (t->definitions)
        cw_log_chunk_put(&t->definitions->place);
    free(t->definitions);
    pthread_mutex_lock(&state_lock);
    for (link = &threads; *link && *link != t; link = &(*link)->next)
        ;
    if (*link)
        *link = t->next;
    pthread_mutex_unlock(&state_lock);
    cw_thread_self = NULL;
    free(t);
}

static bool make_page(void)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        return false;
    if (madvise(p, size, MADV_WIPEONFORK)) {
        munmap(p, size);
        return false;
    }
    *(uint32_t *)p = 1; /* before others see it: a page of 0 is that of a child */
    __atomic_store_n(&page, p, __ATOMIC_RELEASE);
    return true;
}

/* In the child of a fork, by the first of its threads that records: forget the state of the parent's log.
 */
static void forget_parent(void)
{
    struct cw_thread *t, *next;
    bool forked_by_us = false; /* else that thread is alive and may still look at its state */
    unsigned i;

    for (t = threads; t; t = t->next)
        forked_by_us |= t == cw_thread_self;
    for (t = threads; t; t = next) {
        next = t->next;
        cw_log_chunk_forget(&t->place);
        if (t->definitions)
            cw_log_chunk_forget(&t->definitions->place);
        if (forked_by_us) {
            free(t->definitions);
            free(t);
        }
    }
    cw_thread_self = NULL;
    cw_log_generation++;
    threads = NULL;
    if (have_key)
        pthread_setspecific(thread_key, NULL);
    cw_log_alive = &asleep;
    atomic_store(&next_thread, 0);
    for (i = 0; i < fork_reset_count; i++)
        fork_resets[i]();
}

/* In a child of the process that made the page. It may have made threads before its first call: one of them
 * resets, the others wait until that is done. */
static void become_a_process(void)
{
    uint32_t none = 0;

    if (__atomic_compare_exchange_n(page + 1, &none, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        state_lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
        forget_parent();
        state = READY;
        __atomic_store_n(page, 1, __ATOMIC_RELEASE);
    }
    while (!__atomic_load_n(page, __ATOMIC_ACQUIRE))
        sched_yield();
}

/* In a signal handler. The next call that is recorded finds nothing alive, and says so. */
static void go_to_sleep(void)
{
    cw_log_alive = &asleep;
}

static void open_log(void *opened)
{
    struct cw_error err = {0};

    *(bool *)opened = false;
    cw_clock_start();
    if (!have_key && pthread_key_create(&thread_key, thread_ends)) {
        cw_log_error("recording is off: no thread key left");
        return;
    }
    have_key = true;
    if (!page && !make_page()) {
        cw_log_error("recording is off: cannot make a page that notices forks: %s", strerror(errno));
        return;
    }
    cw_log_guard_start(go_to_sleep);
    if (cw_log_file_open(out_option, of_log, &err) != CW_OK) {
        cw_log_error("recording is off: %s", err.text);
        return;
    }
    cw_log_generation++;
    state = OPEN;
    cw_log_alive = page;
    *(bool *)opened = true;
}

static void stop_cut(void)
{
    cw_log_stop("another process has cut %.380s short, or its disk fails", cw_log_file_names()->log);
}

bool cw_log_wake(void)
{
    int saved = errno;
    bool alive, cut, opened = true;

    if (state == UNCONFIGURED || (state == OVER && (!page || __atomic_load_n(page, __ATOMIC_ACQUIRE))))
        return false;
    if (page && !__atomic_load_n(page, __ATOMIC_ACQUIRE))
        become_a_process();
    pthread_mutex_lock(&state_lock);
    if (state == READY) /* others that call meanwhile find READY, and wait for the lock */
        cw_roomy(open_log, &opened);
    if (!opened)
        state = OVER;
    alive = state == OPEN;
    cut = alive && cw_log_guard_is_cut();
    pthread_mutex_unlock(&state_lock);
    if (cut)
        stop_cut();
    errno = saved;
    return alive && !cut;
}

struct cw_thread *cw_log_thread_slow(void)
{
    int saved = errno;
    struct cw_thread *t = calloc(1, sizeof *t);

    if (!t || pthread_setspecific(thread_key, t)) {
        free(t);
        cw_log_stop("out of memory");
        errno = saved;
        return NULL;
    }
    t->generation = cw_log_generation;
    t->number = atomic_fetch_add(&next_thread, 1);
    pthread_mutex_lock(&state_lock);
    t->next = threads;
    threads = t;
    pthread_mutex_unlock(&state_lock);
    cw_thread_self = t;
    errno = saved;
    return t;
}

/* ---- the end */

void cw_log_stop(const char *fmt, ...)
{
    char why[sizeof((struct cw_log_header *)0)->stopped_why];
    bool first;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    pthread_mutex_lock(&state_lock);
    first = state == OPEN;
    state = OVER;
    cw_log_alive = &asleep;
    if (first && cw_log_file_exists())
        cw_log_file_stopped(why);
    pthread_mutex_unlock(&state_lock);
    if (first)
        cw_log_error("recording stopped: %s (the program goes on; the trace ends here)", why);
}

bool cw_log_is_open(void)
{
    return state == OPEN && page && *page && cw_formula_is_recording();
}

bool cw_log_exists(void)
{
    return page && *page && cw_log_file_exists();
}

bool cw_log_complete(void)
{
    if (!cw_log_exists())
        return false;
    if (!cw_log_file_complete(cw_now_ns()))
        stop_cut();
    return true;
}

void cw_log_close(struct cw_log_names *names)
{
    pthread_mutex_lock(&state_lock);
    state = OVER;
    cw_log_alive = &asleep;
    if (names)
        *names = *cw_log_file_names();
    pthread_mutex_unlock(&state_lock);
}

bool cw_log_blob(const void *bytes, size_t n, uint64_t *offset)
{
    struct cw_error err = {0};
    int saved = errno;
    bool ok = cw_log_data_append(bytes, n, offset, &err) == CW_OK;

    if (!ok)
        cw_log_stop("%s", err.text);
    errno = saved;
    return ok;
}

/* ---- records */

static uint8_t *put_u(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

/* The kernel stores the record, and then the header of its chunk. */
static bool append_by_kernel(struct cw_thread *t, uint8_t *head, size_t head_bytes, const struct cw_rec *r)
{
    struct cw_log_counts *counts = &t->place.counts;
    size_t body_bytes = r ? (size_t)(r->p - r->body) : 0;
    uint8_t length[10];
    size_t length_bytes = (size_t)(put_u(length, head_bytes + body_bytes) - length);
    const struct iovec from[4] = {{length, length_bytes},
                                  {head, head_bytes},
                                  {r ? r->body : head, body_bytes},
                                  {counts, sizeof *counts}};
    const struct iovec to[2] = {{t->p, length_bytes + head_bytes + body_bytes},
                                {&t->place.chunk->committed, sizeof *counts}};

    t->p += to[0].iov_len;
    counts->committed += to[0].iov_len;
    counts->calls += t->calls;
    counts->recorder_ns += t->recorder_ns;
    t->calls = t->recorder_ns = 0;
    return cw_log_guard_copy(to, 2, from, 4);
}

/* Writes one whole record, `head` then the body, and makes it visible. There is room. */
static void append(struct cw_thread *t, uint8_t *head, size_t head_bytes, const struct cw_rec *r)
{
    size_t body_bytes = r ? (size_t)(r->p - r->body) : 0;
    struct cw_log_counts *counts = &t->place.counts;
    struct cw_log_chunk *c = t->place.chunk;
    uint8_t *p;

    if (CW_UNLIKELY(t->guard == CW_LOG_GUARD_KERNEL)) {
        if (!append_by_kernel(t, head, head_bytes, r))
            stop_cut();
        return;
    }
    p = put_u(t->p, head_bytes + body_bytes);
    memcpy(p, head, head_bytes);
    if (body_bytes)
        memcpy(p + head_bytes, r->body, body_bytes);
    t->p = p + head_bytes + body_bytes;
    if (t->calls)
        atomic_store_explicit(&c->calls, counts->calls += t->calls, memory_order_relaxed);
    if (t->recorder_ns)
        atomic_store_explicit(&c->recorder_ns, counts->recorder_ns += t->recorder_ns, memory_order_relaxed);
    t->calls = t->recorder_ns = 0;
    counts->committed = (uint64_t)(t->p - (uint8_t *)(c + 1));
    atomic_store_explicit(&c->committed, counts->committed, memory_order_release);
}

/* Looks at how this thread may store now. */
static void guard(struct cw_thread *t, uint64_t now_ns)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    int saved = errno;

    t->guard = cw_log_guard_choose();
    if (CW_UNLIKELY(t->guard == CW_LOG_GUARD_KERNEL) && !atomic_flag_test_and_set(&said))
        cw_log_info(
            "records are stored by system calls, which takes longer: the program handles or blocks SIGBUS");
    t->guard_ns = now_ns;
    cw_log_guard_range(t->guard == CW_LOG_GUARD_KERNEL ? NULL : t->place.chunk,
                       cw_log_chunk_bytes(&t->place));
    errno = saved;
}

/* Gives the thread a chunk with room for `bytes` and begins a segment in it. */
static bool new_chunk(struct cw_thread *t, size_t bytes, const struct cw_rec *r)
{
    struct cw_error err = {0};
    uint8_t head[64], *p = head;
    int saved = errno;
    bool got;

    cw_log_guard_range(NULL, 0);
    cw_log_chunk_put(&t->place);
    got = cw_log_chunk_get(&t->place, bytes + sizeof head + 2, t->number >= CW_LOG_DEFINITIONS, &err);
    errno = saved;
    if (!got) {
        t->p = t->end = NULL;
        cw_log_stop("%s", err.status ? err.text : "the log was closed");
        return false;
    }
    t->p = (uint8_t *)(t->place.chunk + 1) + t->place.counts.committed;
    t->end = (uint8_t *)t->place.chunk + cw_log_chunk_bytes(&t->place);
    t->seq = r->seq;
    t->time_ns = cw_now_ns();
    guard(t, t->time_ns);
    *p++ = CW_LOG_THREAD;
    p = put_u(p, t->number);
    p = put_u(p, t->segment++);
    p = put_u(p, t->seq);
    p = put_u(p, t->time_ns);
    append(t, head, (size_t)(p - head), NULL);
    return true;
}

/* A signal handler on this thread finds it busy from before the first byte until after the last. */
static inline void set_busy(struct cw_thread *t, bool busy)
{
    atomic_signal_fence(memory_order_seq_cst);
    t->busy = busy;
    atomic_signal_fence(memory_order_seq_cst);
}

/* True when `t` may write a record of the size of `r`; else `r` is dropped. */
static bool ready(struct cw_thread *t, struct cw_rec *r)
{
    size_t bytes = (size_t)(r->p - r->body) + 96; /* length, kind, seq, times, flags, status */

    if (CW_UNLIKELY(r->lost)) {
        cw_log_stop("out of memory");
        return false;
    }
    if (CW_UNLIKELY(t->busy)) /* called from a signal handler that interrupted a commit */
        return false;
    set_busy(t, true);
    if (CW_LIKELY((size_t)(t->end - t->p) >= bytes) || new_chunk(t, bytes, r))
        return true;
    set_busy(t, false);
    return false;
}

/* ---- limited logs */

bool cw_log_is_limited(void)
{
    return of_log.limit != 0;
}

void cw_log_thread_space(struct cw_thread *t, size_t bytes, const struct cw_rec *r)
{
    bytes += (size_t)(r->p - r->body);
    if (t->busy || (size_t)(t->end - t->p) >= bytes)
        return;
    set_busy(t, true);
    new_chunk(t, bytes, r);
    set_busy(t, false);
}

static bool is_definition(enum cw_log_kind kind)
{
    return kind < CW_LOG_KERNEL_COMMAND || kind == CW_LOG_CALLSITE || kind == CW_LOG_MODULE ||
           kind == CW_LOG_CONTENTS || kind == CW_LOG_RELEASE || kind == CW_LOG_FUNCTION ||
           kind == CW_LOG_BUILD_LOG || kind == CW_LOG_INJECTED || kind == CW_LOG_CONSTANT;
}

/* The state that writes records of this kind for thread `t`. */
static struct cw_thread *writer(struct cw_thread *t, enum cw_log_kind kind)
{
    int saved = errno;

    if (!t || !of_log.limit || !is_definition(kind))
        return t;
    if (!t->definitions && (t->definitions = calloc(1, sizeof *t))) {
        t->definitions->number = CW_LOG_DEFINITIONS + t->number;
        t->definitions->generation = t->generation;
    }
    errno = saved;
    if (!t->definitions)
        cw_log_stop("out of memory");
    else if (t->definitions->place.chunk)
        guard(t->definitions, t->definitions->time_ns);
    return t->definitions;
}

void cw_log_rec_commit(struct cw_rec *r, enum cw_log_kind kind)
{
    struct cw_thread *own = cw_formula_is_recording() ? cw_log_thread() : NULL, *t = writer(own, kind);
    uint8_t head[32], *p = head;

    if (t && ready(t, r)) {
        *p++ = (uint8_t)kind;
        p = put_u(p, cw_log_zigzag((int64_t)(r->seq - t->seq)));
        t->seq = r->seq;
        append(t, head, (size_t)(p - head), r);
        set_busy(t, false);
    }
    if (t != own && own->place.chunk) /* its own chunk is guarded again */
        guard(own, own->time_ns);
    cw_log_rec_drop(r);
}

void cw_log_rec_commit_call(struct cw_rec *r, enum cw_log_kind kind)
{
    struct cw_thread *t = cw_formula_is_recording() ? cw_log_thread() : NULL;
    uint8_t head[80], *p = head;

    if (CW_LIKELY(t && ready(t, r))) {
        if (CW_UNLIKELY((int64_t)(r->end_ns - t->guard_ns) > CW_LOG_GUARD_NS))
            guard(t, r->end_ns);
        *p++ = (uint8_t)kind;
        p = put_u(p, cw_log_zigzag((int64_t)(r->seq - t->seq)));
        p = put_u(p, cw_log_zigzag((int64_t)(r->begin_ns - t->time_ns)));
        if (r->end_ns < r->begin_ns) /* see clock.h */
            r->end_ns = r->begin_ns;
        p = put_u(p, r->end_ns - r->begin_ns);
        p = put_u(p, r->flags);
        if (r->flags & CW_LOG_E_STATUS)
            p = put_u(p, cw_log_zigzag(r->status));
        t->seq = r->seq;
        t->time_ns = r->end_ns;
        append(t, head, (size_t)(p - head), r);
        set_busy(t, false);
    }
    cw_log_rec_drop(r);
}

bool cw_log_plain_call(struct cw_thread *t, uint32_t id, uint64_t begin_ns)
{
    enum { MOST_BYTES = 64 };
    const uint64_t end_ns = cw_now_ns();
    struct cw_log_counts *counts = &t->place.counts;
    struct cw_log_chunk *c;
    uint8_t *p;

    if (CW_UNLIKELY(t->busy))
        return false;
    set_busy(t, true);
    if (CW_UNLIKELY(t->end - t->p < MOST_BYTES || t->guard == CW_LOG_GUARD_KERNEL ||
                    (int64_t)(end_ns - t->guard_ns) > CW_LOG_GUARD_NS)) {
        set_busy(t, false);
        return false;
    }
    c = t->place.chunk;
    p = t->p + 1;
    *p++ = CW_LOG_CALL;
    *p++ = 0; /* its sequence number is that of the record before */
    p = put_u(p, cw_log_zigzag((int64_t)(begin_ns - t->time_ns)));
    t->time_ns = end_ns > begin_ns ? end_ns : begin_ns;
    p = put_u(p, t->time_ns - begin_ns);
    *p++ = 0; /* flags */
    p = put_u(p, id);
    memset(p, 0, 4); /* kind and id of an object, argument, call site */
    p += 4;
    *t->p = (uint8_t)(p - t->p - 1);
    t->p = p;
    if (t->calls)
        atomic_store_explicit(&c->calls, counts->calls += t->calls, memory_order_relaxed);
    t->calls = 0;
    counts->committed = (uint64_t)(p - (uint8_t *)(c + 1));
    atomic_store_explicit(&c->committed, counts->committed, memory_order_release);
    set_busy(t, false);
    return true;
}
