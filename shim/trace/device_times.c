/* device_times.c - device times: those that the vendor's events tell, and those that run mode knows.
 *
 * An event that the program has released, or that this library has asked for, is pending until its times are
 * read. A question holds a lock of the vendor's driver, for which a thread of the program that enqueues waits
 * (NVIDIA: 2 us each). So in mode trace the reader, a thread of this library, asks while the program waits
 * inside the vendor. What is left is read by the program's threads: before a queue's last release, at the
 * end, and one event for each new one while as many are pending as memory allows; there the reader would
 * take the same time of the lock, and a hand-over of it each. In mode run the program's threads ask after
 * their waits, as a question may make run mode close a window. */
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../analyzer/record/command_facts.h"
#include "../door/lock.h"
#include "../door/log.h"
#include "../door/thread.h"
#include "recorder.h"

#define RING (1u << 18) /* pending commands; beyond it the oldest lose their times rather than memory grow */
/* Pending events take one part in MEMORY_SHARE of the machine's memory at most, a vendor's event counted as
 * EVENT_BYTES (1 to 4 KiB each) */
#define MEMORY_SHARE 256
#define EVENT_BYTES  4096
#define IN_RUN       1024 /* of mode run, whose events hold more */
#define BATCH        128  /* pending ones for which the reader is woken */
#define PATIENCE     256  /* unfinished ones in a row after which a harvest ends */
/* QUEUED and SUBMIT place the device's clock beside the host's: of as many commands first, then of one in as
 * many */
#define WHOLE 64

struct pending {
    cl_event event; /* a reference that this library holds */
    uint64_t seq;
    bool whole;
};
static struct pending *ring; /* RING entries, made when first needed */
static uint32_t head;
static _Atomic uint32_t size;    /* read without the lock, too */
static uint32_t most;            /* that are pending before an enqueue reads one */
static _Atomic uint32_t read_at; /* that, or more where the oldest ones are unfinished */
static _Atomic uint32_t wake_at; /* pending ones for which a wait of the program wakes the reader */
static cw_lock ring_lock;
static _Atomic uint32_t harvests;     /* under way: they hold commands that are not in the ring */
static _Thread_local uint32_t within; /* so many of them on this thread */
static _Thread_local bool is_reader;
static sem_t wake;        /* of the reader */
static atomic_bool asked; /* and not seen by the reader yet */
enum { READER_NONE, READER_IS_THERE, READER_CANNOT_BE };
static _Atomic int reader;
atomic_bool cw_device_times_waiting;

void cw_device_times_start(void)
{
    uint64_t events =
        (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / MEMORY_SHARE / EVENT_BYTES;

    cw_lock_free(&ring_lock);
    size = harvests = within = 0; /* the parent's commands */
    read_at = most = cw_recorder.reads_itself ? IN_RUN : events < RING / 2 ? (uint32_t)events : RING / 2;
    wake_at = BATCH;
    reader = READER_NONE;
    asked = cw_device_times_waiting = false;
    sem_init(&wake, 0, 0);
}

/* The finalizer of SplitMix64. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

bool cw_device_times_wants(uint64_t seq)
{
    uint32_t every = cw_recorder.device_times.every;

    return every <= 1 || seq % every == mix(seq / every + 1) % every;
}

/* Appends `p`; an entry that had to make room is returned in *out (event NULL: nothing). */
static bool push(struct pending p, struct pending *out)
{
    bool ok = true;
    int saved = errno;

    *out = (struct pending){0};
    cw_lock_take(&ring_lock);
    if (!ring)
        ring = calloc(RING, sizeof *ring);
    if (ring && size == RING) {
        *out = ring[head];
        head = (head + 1) % RING;
        size--;
    }
    if (ring)
        ring[(head + size++) % RING] = p;
    else
        ok = false;
    cw_lock_free(&ring_lock);
    errno = saved;
    if (!ok)
        cw_log_warning("device times are incomplete: out of memory");
    return ok;
}

static bool pop(struct pending *p)
{
    bool any;

    cw_lock_take(&ring_lock);
    any = size > 0;
    if (any) {
        *p = ring[head];
        head = (head + 1) % RING;
        size--;
    }
    cw_lock_free(&ring_lock);
    return any;
}

static void encode_times(struct cw_rec *r, uint64_t seq, cl_int status, const uint64_t at[4])
{
    cw_rec_s(r, (int64_t)(seq - r->seq));
    cw_rec_s(r, status);
    cw_rec_u(r, at[0]);
    for (int i = 1; i < 4; i++)
        cw_rec_s(r, (int64_t)(at[i] - at[i - 1]));
}

void cw_device_times_ran(uint64_t seq, uint64_t device, cl_int status, const uint64_t at[4])
{
    static const uint64_t unknown[4];
    struct cw_rec r;

    if (!cw_formula_is_recording())
        return;
    cw_log_rec_begin(&r);
    encode_times(&r, seq, status, cw_device_times_wants(seq) ? at : unknown);
    cw_rec_u(&r, device);
    cw_log_rec_commit(&r, CW_LOG_RAN);
}

void cw_device_times_went(uint32_t stream, uint64_t staged_bytes)
{
    struct cw_rec r;

    if (CW_LIKELY(!cw_enqueuing) || !cw_formula_is_recording())
        return;
    cw_log_rec_begin(&r);
    cw_rec_s(&r, (int64_t)(cw_enqueuing - 1 - r.seq));
    cw_rec_u(&r, stream);
    cw_rec_u(&r, staged_bytes);
    cw_log_rec_commit(&r, CW_LOG_WENT);
}

void cw_device_times_whole(uint64_t seq, const char *why)
{
    struct cw_rec r;

    if (!cw_formula_is_recording())
        return;
    cw_log_rec_begin(&r);
    cw_rec_s(&r, (int64_t)(seq - r.seq));
    cw_log_rec_string(&r, why);
    cw_log_rec_commit(&r, CW_LOG_WHOLE);
}

static void write_part(const struct cw_times_part *p, enum cw_log_kind kind)
{
    struct cw_rec r;

    if (!cw_formula_is_recording())
        return;
    cw_log_rec_begin(&r);
    cw_rec_s(&r, (int64_t)(p->seq - r.seq));
    cw_rec_u(&r, p->device);
    cw_rec_u(&r, p->dim);
    cw_rec_u(&r, p->first);
    cw_rec_u(&r, p->groups);
    cw_rec_u(&r, p->start_ns);
    cw_rec_u(&r, p->end_ns > p->start_ns ? p->end_ns - p->start_ns : 0);
    if (kind == CW_LOG_TILE)
        cw_rec_u(&r, p->priority_group);
    cw_log_rec_commit(&r, kind);
}

void cw_device_times_part(const struct cw_times_part *part)
{
    write_part(part, part->priority_group ? CW_LOG_TILE : CW_LOG_PART);
}

void cw_device_times_plan(const struct cw_times_part *part)
{
    write_part(part, CW_LOG_PLAN);
}

void cw_device_times_move(const struct cw_times_move *m)
{
    struct cw_rec r;

    if (!cw_formula_is_recording())
        return;
    cw_log_rec_begin(&r);
    cw_rec_u(&r, m->command);
    cw_rec_u(&r, m->memory);
    cw_rec_u(&r, m->why);
    cw_rec_u(&r, m->from);
    cw_rec_u(&r, m->to);
    cw_rec_u(&r, m->offset);
    cw_rec_u(&r, m->bytes);
    cw_rec_u(&r, m->start_ns);
    cw_rec_u(&r, m->end_ns > m->start_ns ? m->end_ns - m->start_ns : 0);
    cw_log_rec_commit(&r, CW_LOG_MOVE);
}

static uint64_t ask(cl_event event, cl_profiling_info what)
{
    uint64_t ns = 0;

    return cw_traced.clGetEventProfilingInfo(event, what, sizeof ns, &ns, NULL) == CL_SUCCESS ? ns : 0;
}

static bool has_finished(cl_event event, cl_int *status)
{
    return cw_traced.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof *status, status, NULL) ==
               CL_SUCCESS &&
           *status <= CL_COMPLETE;
}

/* A time of END that can be is one of a command that is complete: that saves the question for its status. */
bool cw_device_times_write(cl_event event, uint64_t seq, bool whole)
{
    static _Atomic uint32_t written;
    uint64_t at[4] = {[3] = ask(event, CL_PROFILING_COMMAND_END)};
    cl_int status = CL_COMPLETE;
    struct cw_thread *t;
    struct cw_rec r;
    uint32_t n;

    if ((!at[3] || !cw_event_times_are_possible(at)) && !has_finished(event, &status))
        return false;
    at[2] = at[3] ? ask(event, CL_PROFILING_COMMAND_START) : 0;
    n = atomic_fetch_add_explicit(&written, 1, memory_order_relaxed);
    if (at[3] && (whole || cw_recorder.device_times.all || n < WHOLE || n % WHOLE == 0)) {
        at[0] = ask(event, CL_PROFILING_COMMAND_QUEUED);
        at[1] = ask(event, CL_PROFILING_COMMAND_SUBMIT);
    }
    if (!cw_formula_is_recording() || !(t = cw_log_thread()))
        return true;
    cw_log_rec_begin_plain(&r, t); /* a number of its own would shift those of the program's commands */
    encode_times(&r, seq, status, at);
    cw_log_rec_commit(&r, CW_LOG_TIMES);
    return true;
}

static void begins(void)
{
    atomic_fetch_add(&harvests, 1);
    within++;
}

static void ends(void)
{
    atomic_fetch_sub(&harvests, 1);
    within--;
}

/* The reader: until the wait ends, or the program does. */
static bool may_ask(void)
{
    return !is_reader || (reader == READER_IS_THERE && cw_device_times_waiting);
}

/* Writes the times of the oldest pending command, or puts it behind the others. False: it is unfinished. */
static bool read_oldest(void)
{
    struct pending p, out;
    bool written;

    if (!pop(&p))
        return false;
    written = cw_device_times_write(p.event, p.seq, p.whole);
    if (written || !push(p, &out))
        out.event = p.event;
    if (out.event)
        cw_traced.clReleaseEvent(out.event);
    return written;
}

void cw_device_times_harvest(void)
{
    uint32_t left = size, unfinished = 0;

    if (CW_LIKELY(!left))
        return;
    begins(); /* before it looks: the end waits for the reader, or the reader sees the end */
    for (; left && unfinished < PATIENCE && may_ask(); left--)
        unfinished = read_oldest() ? 0 : unfinished + 1;
    ends();
}

static void *read_times(void *unused)
{
    bool late = false, was_late;
    uint32_t n;

    is_reader = true;
    for (;;) {
        while (sem_wait(&wake))
            ;
        asked = false;
        /* waits that are over before it is awake are not worth waking it; one may be of the last harvest */
        n = size;
        was_late = late;
        late = !cw_device_times_waiting && n >= BATCH;
        wake_at = !late || !was_late ? BATCH : n < most / 2 ? 2 * n : most;
        cw_device_times_harvest();
    }
    return unused;
}

static void wake_reader(void)
{
    int expected = READER_NONE, saved = errno;
    pthread_t thread;

    if (atomic_compare_exchange_strong(&reader, &expected, READER_IS_THERE) &&
        !cw_thread_try(&thread, read_times, NULL))
        reader = READER_CANNOT_BE;
    if (reader == READER_IS_THERE && !atomic_exchange(&asked, true))
        sem_post(&wake);
    errno = saved;
}

void cw_device_times_waits(void)
{
    if (CW_LIKELY(size < wake_at) || cw_recorder.reads_itself)
        return;
    cw_device_times_waiting = true;
    wake_reader();
}

void cw_device_times_finished(void)
{
    if (CW_UNLIKELY(size &&
                    (cw_recorder.reads_itself || reader == READER_CANNOT_BE || !cw_formula_is_recording())))
        cw_device_times_harvest();
}

/* A callback of the program that the vendor makes within a harvest does not wait for it. */
void cw_device_times_settle(void)
{
    cw_device_times_harvest();
    while (harvests && !within)
        sched_yield();
}

void cw_device_times_stop(bool waits)
{
    reader = READER_CANNOT_BE;
    while (waits && harvests && !within)
        sched_yield();
}

void cw_device_times_adopt(cl_event event, uint64_t seq, bool whole)
{
    struct pending out;

    if (!push((struct pending){event, seq, whole}, &out))
        cw_traced.clReleaseEvent(event);
    if (out.event)
        cw_traced.clReleaseEvent(out.event);
    if (CW_LIKELY(size <= read_at))
        return;
    begins();
    read_at = read_oldest() ? most : size + PATIENCE < RING ? size + PATIENCE : RING - 1;
    ends();
}
