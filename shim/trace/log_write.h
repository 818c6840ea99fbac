/* log_write.h - appends records (analyzer/record/log_format.h) to this process's log.
 *
 * Every thread writes to a chunk of its own, without locks; chunks come from a shared mapping of the file,
 * whose blocks are reserved before they are mapped (a full disk would be a SIGBUS in the host otherwise);
 * log_guard.h handles the case that another process cuts the file short. No descriptor is kept open
 * (programs close descriptors they do not know), full chunks are unmapped. A forked child starts a log of its
 * own with its first record. When anything fails, recording stops for good with one message and the header
 * says why; every function here is then a cheap no-op. Nothing here changes errno. */
#ifndef CW_LOG_WRITE_H
#define CW_LOG_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../../analyzer/record/log_format.h"
#include "../door/clock.h"
#include "../door/dispatch.h"
#include "log_file.h"
#include "log_guard.h"

#define CW_REC_INLINE 400

/* A record in the making, on the caller's stack. Its body grows on the heap if it must (`heap`). */
struct cw_rec {
    uint64_t seq, begin_ns, end_ns;
    uint32_t flags; /* enum cw_log_enqueue_flags, for kinds with an enqueue head */
    int32_t status;
    uint8_t *p, *end; /* where the next byte goes; end of the room */
    uint8_t *body;    /* inline_bytes or heap */
    bool lost;        /* memory ran out: the record will be dropped and recording stops */
    uint8_t inline_bytes[CW_REC_INLINE];
};

/* State of a thread; made with its first record, freed when it ends. */
struct cw_thread {
    struct cw_log_place place;
    enum cw_log_guard guard; /* how to store into the chunk, as was right at guard_ns */
    uint64_t guard_ns;
    uint8_t *p, *end;
    uint64_t seq, time_ns; /* bases of the segment's next deltas */
    uint64_t calls, recorder_ns;
    uint32_t number, segment, enqueues;
    uint32_t generation; /* of cw_log_generation: a forked child's differs */
    uint32_t depth;      /* enqueue hooks this thread is inside of */
    bool busy;           /* inside a commit: a signal handler must not write */
    struct {
        uintptr_t address;
        uint32_t id, generation;
    } sites[16];                   /* call sites seen lately */
    struct cw_thread *definitions; /* of a limited log: writes this thread's definitions; NULL: none yet */
    struct cw_thread *next;
};

extern __thread struct cw_thread *cw_thread_self __attribute__((tls_model("initial-exec")));
extern _Atomic(volatile uint32_t *)
    cw_log_alive;                  /* points to 0 when nothing is recorded; a forked child finds 0 */
extern uint32_t cw_log_generation; /* counts the logs of this process: 1, in a forked child 2 ... */

/* Slow paths of cw_formula_is_recording and cw_log_thread. */
bool cw_log_wake(void);
struct cw_thread *cw_log_thread_slow(void);

/* Takes over the option `out`; the log itself is made by the first cw_formula_is_recording(). False when
 * memory is out. Not thread-safe, once. */
bool cw_log_configure(const char *out, struct cw_log_traits traits);

/* True when this process records. Opens the log at the first call, also in a forked child. */
static inline bool cw_formula_is_recording(void)
{
    volatile uint32_t *alive = atomic_load_explicit(&cw_log_alive, memory_order_acquire);

    return CW_LIKELY(__atomic_load_n(alive, __ATOMIC_ACQUIRE)) || cw_log_wake();
}

/* This thread's state; NULL when recording is over or memory is out. */
static inline struct cw_thread *cw_log_thread(void)
{
    struct cw_thread *t = cw_thread_self;

    return CW_LIKELY(t && t->generation == cw_log_generation) ? t : cw_log_thread_slow();
}

/* The next sequence number: the order in which calls began. Thread-safe. */
uint64_t cw_log_sequence(void);

/* True when old commands go (--limit). */
bool cw_log_is_limited(void);

/* In a limited log: makes room for `bytes` of the record `r` of thread `t`, beginning a segment if it
 * must, so that the record is in t->segment. */
void cw_log_thread_space(struct cw_thread *t, size_t bytes, const struct cw_rec *r);

/* Begins a record: takes its sequence number. cw_log_rec_begin_timed also takes the time. */
void cw_log_rec_begin(struct cw_rec *r);
void cw_log_rec_begin_timed(struct cw_rec *r);

/* Begins a record of thread `t` that nothing refers to: takes no sequence number. */
void cw_log_rec_begin_plain(struct cw_rec *r, const struct cw_thread *t);

/* Makes room for `bytes` more; false (and r->lost) when memory is out. */
bool cw_log_rec_space(struct cw_rec *r, size_t bytes);

/* Append to the body. */
void cw_log_rec_bytes(struct cw_rec *r, const void *bytes, size_t n);
void cw_log_rec_string(struct cw_rec *r, const char *s); /* NULL counts as "" */
static inline void cw_rec_u(struct cw_rec *r, uint64_t v)
{
    if (CW_UNLIKELY(r->end - r->p < 10) && !cw_log_rec_space(r, 10))
        return;
    while (v >= 0x80) {
        *r->p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *r->p++ = (uint8_t)v;
}
/* The first `bytes` (at most 8) bytes of `word`. */
static inline void cw_rec_word(struct cw_rec *r, uint64_t word, size_t bytes)
{
    if (CW_UNLIKELY(r->end - r->p < 10) && !cw_log_rec_space(r, 10))
        return;
    memcpy(r->p, &word, sizeof word);
    r->p += bytes;
}
static inline void cw_rec_s(struct cw_rec *r, int64_t v)
{
    cw_rec_u(r, cw_log_zigzag(v));
}

/* Finish a record and make it visible. cw_log_rec_commit writes kinds without a call head,
 * cw_log_rec_commit_call those with call and enqueue heads (times, flags and status from `r`; body = the
 * bytes behind the status). After either `r` must not be used again. */
void cw_log_rec_commit(struct cw_rec *r, enum cw_log_kind kind);
void cw_log_rec_commit_call(struct cw_rec *r, enum cw_log_kind kind);

/* Writes the record of a call of function `id` that succeeded and has no object, argument or call site to
 * tell: what cw_log_rec_commit_call would write of it, in place. False: nothing is written, take the long
 * way. */
bool cw_log_plain_call(struct cw_thread *t, uint32_t id, uint64_t begin_ns);

/* Gives up a record that was begun. */
void cw_log_rec_drop(struct cw_rec *r);

/* Ends recording early with one message: "recording stopped: <why>". Thread-safe. */
void cw_log_stop(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* True when this process records / has made a log (recording may have stopped since). Neither opens one. */
bool cw_log_is_open(void);
bool cw_log_exists(void);

/* Marks the log complete. Records may still follow until cw_log_close. Returns false when there is no log. */
bool cw_log_complete(void);

/* Ends recording without a message, and says where the log is; `names` may be NULL. */
void cw_log_close(struct cw_log_names *names);

/* Registers a function that a forked child runs before its first record (in its only thread). At most 4. */
void cw_log_on_fork(void (*reset)(void));

/* Stores `n` bytes in the data file, and says where in it. Thread-safe. Returns false when it could not;
 * recording has then stopped. */
bool cw_log_blob(const void *bytes, size_t n, uint64_t *offset);

#endif
