/* compile_client.c - see compile_client.h.
 *
 * A thread of this file runs the compiler and waits for its end; asking threads talk to it through the area.
 * When the compiler has ended, for want of questions or otherwise, the next question starts another, in an
 * area of its own. */
#include "compile_client.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../io/folders.h"
#include "../io/quiet_child.h"

enum {
    STARTS_MS = 20000,   /* until it may be asked */
    COMPILES_MS = 60000, /* until it answers: hardly a compiler, rather one that is stuck */
    LOOK_MS = 100,       /* at whether its thread is still there */
    FAILURES = 3,        /* to start: then it is not tried again */
    TRIES = 3,
    END_S = 1
};

static struct {
    pthread_mutex_t turn; /* of asking threads: guards all members but the atomic ones */
    struct cw_helper_tool *tool;
    struct cw_compile_area *area; /* of the running compiler, or of the last */
    pthread_t thread;
    bool has_thread;
    unsigned failures;
    _Atomic bool stopped;       /* the process ends */
    _Atomic bool there;         /* there is a tool, and it has not failed too often */
    _Atomic bool was_there;     /* until the process began to end */
    _Atomic bool has_failed;    /* too often */
    _Atomic bool over;          /* the thread's work is done */
    _Atomic uint32_t is_shared; /* the area may be looked at */
    _Atomic uint32_t turns;     /* that have ended */
} compiler = {.turn = PTHREAD_MUTEX_INITIALIZER};

void cw_compile_client_init(void)
{
    const char *cache = getenv("POCL_KERNEL_CACHE"), *folder = getenv("POCL_CACHE_DIR");

    bool valgrind = cw_quiet_child_is_valgrind(); /* looks once, before threads load things */

    compiler.tool = cw_helper_tool_find("clweave-compile");
    /* PoCL's without a cache, or in one that moves with the process, finds no code that another process has
     * compiled */
    atomic_store(&compiler.there, compiler.tool && !valgrind && !(cache && strchr("0nNfF", *cache)) &&
                                      !(folder && *folder && *folder != '/'));
}

bool cw_compile_client_is_there(void)
{
    return atomic_load(&compiler.there);
}

/* ---- the compiler's life */

static void *attend(void *area)
{
    const char *argv[] = {compiler.tool->path, NULL};
    struct cw_quiet_child child = {.kind = CW_QUIET_SERVER,
                                   .argv = argv,
                                   .env = compiler.tool->environment,
                                   .input = "",
                                   .max_bytes = 1,
                                   .milliseconds = UINT32_MAX,
                                   .shared = area,
                                   .shared_bytes = CW_COMPILE_BYTES,
                                   .is_shared = &compiler.is_shared};
    struct cw_quiet_output out;
    struct cw_error err;

    cw_quiet_child_run(&child, &out, &err);
    cw_quiet_output_finish(&out);
    atomic_store(&compiler.over, true);
    return NULL;
}

/* Has all signals blocked, as the helper's supervisor must. */
static bool start_thread(void)
{
    sigset_t all, before;
    bool good;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    good = pthread_create(&compiler.thread, NULL, attend, compiler.area) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

/* One that has been killed, or has ended. Where the process may not kill its child (it runs as another user
 * by now) the child is left behind, and there is no other. */
static void end_of_the_last(void)
{
    struct timespec end;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += END_S + CW_QUIET_LINGER_S;
    if (compiler.has_thread && pthread_timedjoin_np(compiler.thread, NULL, &end) != 0) {
        atomic_store(&compiler.there, false);
        return;
    }
    compiler.has_thread = false;
    if (compiler.area)
        munmap(compiler.area, CW_COMPILE_BYTES);
    compiler.area = NULL;
}

/* In any state. */
static void close_area(void)
{
    for (uint32_t s = CW_COMPILE_STARTS; s < CW_COMPILE_CLOSED; s++)
        cw_compile_area_change(compiler.area, s, CW_COMPILE_CLOSED);
}

static void pause_ms(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* It may answer: its thread is there, and no signal has stopped it. */
static bool is_at_work(void)
{
    return !atomic_load(&compiler.over) && !cw_quiet_child_is_stopped(CW_QUIET_SERVER);
}

/* True when it may be asked. */
static bool wait_until_ready(void)
{
    unsigned ms = 0;

    while (!atomic_load(&compiler.is_shared) && is_at_work() && ms++ < STARTS_MS)
        pause_ms();
    if (atomic_load(&compiler.is_shared) != 1)
        return false;
    madvise(compiler.area, CW_COMPILE_BYTES, MADV_DONTFORK);
    while (cw_compile_area_wait(compiler.area, CW_COMPILE_STARTS, LOOK_MS) == CW_COMPILE_STARTS &&
           is_at_work() && (ms += LOOK_MS) < STARTS_MS)
        ;
    return atomic_load(&compiler.area->state) == CW_COMPILE_IDLE &&
           compiler.area->version == CW_COMPILE_VERSION;
}

static bool start(void)
{
    void *area = mmap(NULL, CW_COMPILE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (area == MAP_FAILED)
        return false;
    atomic_store(&compiler.is_shared, 0); /* before the thread that stops it finds an area */
    atomic_store(&compiler.over, false);
    compiler.area = area;
    compiler.has_thread = start_thread();
    if (compiler.has_thread && wait_until_ready()) {
        compiler.failures = 0;
        return true;
    }
    if (compiler.has_thread)
        cw_quiet_child_kill(CW_QUIET_SERVER, false);
    end_of_the_last();
    if (++compiler.failures >= FAILURES) {
        atomic_store(&compiler.has_failed, true);
        atomic_store(&compiler.there, false);
    }
    return false;
}

/* ---- a question */

/* Whether the host finds the code where the compiler says that it is: with another cache it would compile
 * again. */
static bool is_found(struct cw_compile_area *a, char module[CW_COMPILE_MODULE])
{
    a->module[CW_COMPILE_MODULE - 1] = '\0';
    strcpy(module, a->module);
    return !*module || (*module == '/' && access(module, R_OK) == 0);
}

static enum cw_compile_answer talk(const struct cw_compile_question *q, char module[CW_COMPILE_MODULE])
{
    struct cw_compile_area *a = compiler.area;
    uint32_t state = CW_COMPILE_ASKED;

    if (!cw_compile_area_fill(a, q))
        return CW_COMPILE_BAD;
    if (!cw_compile_area_change(a, CW_COMPILE_IDLE, CW_COMPILE_ASKED))
        return CW_COMPILE_UNASKED; /* it has just gone */
    for (unsigned ms = 0; state == CW_COMPILE_ASKED && is_at_work() && ms < COMPILES_MS; ms += LOOK_MS)
        state = cw_compile_area_wait(a, CW_COMPILE_ASKED, LOOK_MS);
    state = atomic_load(&a->state); /* a compiler that ended after the last look may have answered before */
    if (state == CW_COMPILE_COMPILED || state == CW_COMPILE_REFUSED) {
        bool good = state == CW_COMPILE_COMPILED && is_found(a, module);

        cw_compile_area_change(a, state, CW_COMPILE_IDLE);
        return good ? CW_COMPILE_GOOD : CW_COMPILE_BAD;
    }
    if (state == CW_COMPILE_CLOSED)
        return CW_COMPILE_UNASKED; /* a new one can say */
    cw_compile_area_change(a, CW_COMPILE_ASKED, CW_COMPILE_CLOSED);
    cw_quiet_child_kill(CW_QUIET_SERVER, false);
    return CW_COMPILE_BAD;
}

static bool is_ready(void)
{
    return compiler.area && !atomic_load(&compiler.over) &&
           atomic_load(&compiler.area->state) == CW_COMPILE_IDLE;
}

/* The turn, unless one turn of another thread takes longer than any compiler: a signal handler may have
 * interrupted that thread and never return. */
static bool take_turn(void)
{
    struct timespec end;
    uint32_t turns = atomic_load(&compiler.turns), now;

    for (unsigned ms = 0; ms < STARTS_MS + COMPILES_MS && cw_compile_client_is_there(); ms += LOOK_MS) {
        if ((now = atomic_load(&compiler.turns)) != turns) {
            turns = now;
            ms = 0;
        }
        clock_gettime(CLOCK_REALTIME, &end); /* the thread sanitizer knows no other */
        end.tv_nsec += LOOK_MS * 1000000;
        end.tv_sec += end.tv_nsec / 1000000000;
        end.tv_nsec %= 1000000000;
        if (pthread_mutex_timedlock(&compiler.turn, &end) == 0)
            return true;
    }
    return false;
}

/* The vendor may not be asked instead while the process ends. */
static enum cw_compile_answer unless_stopped(enum cw_compile_answer answer)
{
    return answer == CW_COMPILE_UNASKED && atomic_load(&compiler.stopped) ? CW_COMPILE_BAD : answer;
}

enum cw_compile_answer cw_compile_client_ask(const struct cw_compile_question *q,
                                             char module[CW_COMPILE_MODULE])
{
    enum cw_compile_answer answer = CW_COMPILE_UNASKED;
    int saved = errno;

    *module = '\0';
    if (!cw_compile_client_is_there()) /* a forked child may find the lock taken for ever */
        return unless_stopped(answer);
    if (!take_turn())
        return CW_COMPILE_BAD;
    for (int try = 0; answer == CW_COMPILE_UNASKED && try < TRIES && cw_compile_client_is_there(); try++) {
        if (!is_ready())
            end_of_the_last();
        if (is_ready() || (!compiler.area && start()))
            answer = talk(q, module);
    }
    atomic_fetch_add(&compiler.turns, 1);
    pthread_mutex_unlock(&compiler.turn);
    errno = saved;
    return unless_stopped(answer);
}

bool cw_compile_client_was_there(void)
{
    return atomic_load(&compiler.there) || atomic_load(&compiler.was_there);
}

bool cw_compile_client_has_failed(void)
{
    return atomic_load(&compiler.has_failed);
}

bool cw_compile_client_has_stopped(void)
{
    return atomic_load(&compiler.stopped);
}

void cw_compile_client_stop(bool join)
{
    struct timespec end;

    atomic_store(&compiler.stopped, true);
    if (atomic_exchange(&compiler.there, false))
        atomic_store(&compiler.was_there, true);
    cw_quiet_child_kill(CW_QUIET_SERVER, true);
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += END_S;
    if (!join || pthread_mutex_timedlock(&compiler.turn, &end) != 0)
        return;
    if (compiler.area && atomic_load(&compiler.is_shared) == 1)
        close_area(); /* where it cannot be killed */
    if (compiler.has_thread && pthread_timedjoin_np(compiler.thread, NULL, &end) == 0)
        compiler.has_thread = false;
    pthread_mutex_unlock(&compiler.turn);
}

void cw_compile_client_after_fork(void)
{
    atomic_store(&compiler.there, false);
}
