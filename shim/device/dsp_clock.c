#include "dsp_clock.h"
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "device.h"
#include "../../analyzer/plan/ddr.h"
#include "../door/lock.h"
#include "../../sched/whole.h"

#define TOO_LONG 2

struct cw_dsp {
    uint32_t device;             /* in the platform */
    _Atomic uint64_t busy_until; /* ns */
    _Atomic uint64_t shown;      /* the latest of cw_dsp_shown */
    struct cw_dsp_faults faults;
    _Atomic uint64_t launches;
    _Atomic bool dead, hung;
    _Atomic uint32_t stopped; /* cw_dsp_stop() was called; a futex */
    _Atomic bool late;        /* it holds a launch for longer than TOO_LONG times the healthy time */
};

static struct {
    struct cw_platform_model *model;
    struct cw_dsp *dsp;
    unsigned n;
    uint32_t mover; /* the platform's device whose rule transfers follow where the DSP has none */
    uint32_t host;  /* the platform's first CPU; UINT32_MAX: it has none */
    bool virtual_clock, by_operations;
    uint64_t started;       /* ns */
    int64_t virtual_offset; /* cw_dsp_profiling_offset_ns, where nothing drifts */
    _Atomic uint64_t virtual_now;
    cw_lock lock; /* of the members below */
    struct cw_ddr ddr;
    uint64_t commands, overruns, programs;
    double worst; /* functional by modelled time of the worst overrun */
    double compile_ns;
    double behind_ns; /* by which commands took longer because others used the DDR */
} board;

static uint64_t monotonic_ns(void)
{
    return cw_dsp_read_clock(CLOCK_MONOTONIC);
}

/* ---- costs */

/* False: it cannot run there, or its cost follows from the functional time, work->traced_ns, and that is 0 =
 * not known yet. */
static bool cost_on(uint32_t device, const struct cw_work *work, struct cw_work_cost *c)
{
    return cw_platform_model_parts(board.model, device, work, c) && !(c->traced && work->traced_ns == 0);
}

static bool cost_of(const struct cw_dsp *d, const struct cw_work *work, struct cw_work_cost *c)
{
    return cost_on(d->device, work, c) || (!work->kernel && cost_on(board.mover, work, c));
}

double cw_dsp_cost_ns(const struct cw_dsp *d, const struct cw_work *work)
{
    struct cw_work_cost c;

    return cost_of(d, work, &c) ? cw_platform_work_ns(&c) : NAN;
}

/* The first device whose transfers take a time that the file gives. */
static uint32_t find_mover(uint32_t dsp)
{
    const struct cw_platform *p = cw_platform_model_platform(board.model);
    struct cw_work_cost c;

    for (uint32_t d = 0; d < p->devices; d++)
        if (cost_on(d, &(struct cw_work){.bytes = 1}, &c))
            return d;
    return dsp;
}

/* ---- start */

static bool fill_board(unsigned n, const char *platform, struct cw_error *err)
{
    const struct cw_platform *p = cw_platform_model_platform(board.model);
    unsigned k = 0;

    board.dsp = calloc(n, sizeof *board.dsp);
    if (!board.dsp) {
        cw_error_set(err, CW_ERR_NOMEM, "out of memory");
        return false;
    }
    board.host = UINT32_MAX;
    for (uint32_t d = p->devices; d-- > 0;)
        if (!strcmp(p->device[d].class_name, "cpu"))
            board.host = d;
    for (uint32_t d = 0; d < p->devices && k < n; d++)
        if (!strcmp(p->device[d].class_name, "dsp"))
            board.dsp[k++].device = d;
    if (k == 0) {
        cw_error_set(err, CW_ERR_INVALID, "the platform %s has no device of class dsp", platform);
        return false;
    }
    for (unsigned i = k; i < n; i++) /* more are asked for than the file's entries give: of the last kind */
        board.dsp[i].device = board.dsp[k - 1].device;
    board.mover = find_mover(board.dsp[0].device);
    return true;
}

static bool read_faults(const struct cw_dsp_settings *s, struct cw_error *err)
{
    struct cw_dsp_faults *faults = calloc(s->n, sizeof *faults);
    enum cw_status status;

    if (!faults) {
        cw_error_set(err, CW_ERR_NOMEM, "out of memory");
        return false;
    }
    status = cw_dsp_faults_read(s->faults, s->n, faults, err);
    for (unsigned k = 0; k < s->n; k++)
        board.dsp[k].faults = faults[k];
    free(faults);
    return status == CW_OK;
}

bool cw_dsp_board_start(const struct cw_dsp_settings *s, struct cw_error *err)
{
    if (cw_platform_model_load(s->platform, -1, &board.model, err) != CW_OK)
        return false;
    if (!fill_board(s->n, s->platform, err) || (s->faults && !read_faults(s, err))) {
        cw_platform_model_destroy(board.model);
        free(board.dsp);
        board.model = NULL;
        board.dsp = NULL;
        return false;
    }
    if (s->preload_poststore)
        cw_platform_model_preload(board.model);
    for (unsigned k = 0; k < s->n; k++)
        board.by_operations |= cw_platform_model_by_operations(board.model, board.dsp[k].device);
    board.virtual_offset = cw_dsp_profiling_offset_ns();
    board.virtual_clock = s->virtual_clock;
    board.virtual_now = board.started = monotonic_ns();
    board.n = s->n;
    return true;
}

bool cw_dsp_by_operations(void)
{
    return board.by_operations;
}

struct cw_dsp *cw_dsp_at(unsigned k)
{
    return k < board.n ? &board.dsp[k] : NULL;
}

/* ---- time */

uint64_t cw_dsp_now_ns(void)
{
    return board.virtual_clock ? atomic_load(&board.virtual_now) : monotonic_ns();
}

void cw_dsp_raise(_Atomic uint64_t *latest, uint64_t ns)
{
    uint64_t now = atomic_load(latest);

    while (now < ns && !atomic_compare_exchange_weak(latest, &now, ns))
        ;
}

void cw_dsp_reached(uint64_t ns)
{
    cw_dsp_raise(&board.virtual_now, ns);
}

void cw_dsp_shown(struct cw_dsp *d, uint64_t end_ns)
{
    cw_dsp_raise(&d->shown, end_ns);
}

uint64_t cw_dsp_shown_ns(const struct cw_dsp *d)
{
    return atomic_load(&d->shown);
}

bool cw_dsp_clock_is_virtual(void)
{
    return board.virtual_clock;
}

int64_t cw_dsp_profiling_offset_ns(void)
{
    if (board.virtual_clock)
        return board.virtual_offset;
    return (int64_t)(cw_dsp_read_clock(CLOCK_MONOTONIC_RAW) - monotonic_ns());
}

uint64_t cw_dsp_busy_until_ns(const struct cw_dsp *d)
{
    return atomic_load(&d->busy_until);
}

uint64_t cw_dsp_latest_end_ns(void)
{
    uint64_t latest = 0, end;

    for (unsigned k = 0; k < board.n; k++) {
        end = cw_dsp_busy_until_ns(&board.dsp[k]);
        latest = latest > end ? latest : end;
    }
    return latest;
}

/* ---- one command */

/* From h->submit_ns and the cost to start and end. */
static void set_times(const struct cw_dsp *d, const struct cw_work_cost *c, struct cw_hold *h)
{
    struct cw_ddr_work w = {c->compute_ns, c->memory_ns - c->fill_ns, c->overlapped};
    uint64_t alone, since = board.started;

    h->cost_ns = cw_platform_work_ns(c);
    alone = cw_whole_later(h->submit_ns, h->cost_ns);
    h->start_ns = h->submit_ns + cw_whole_from(c->set_up_ns, UINT64_MAX - h->submit_ns);
    cw_lock_take(&board.lock);
    h->end_ns =
        c->fill_ns > 0 ? cw_ddr_take(&board.ddr, h->start_ns, cw_whole_later(0, c->fill_ns)) : h->start_ns;
    h->end_ns = cw_ddr_run(&board.ddr, h->end_ns, &w);
    board.behind_ns += h->end_ns > alone + 2 ? (double)(h->end_ns - alone) : 0; /* 2: rounding */
    cw_lock_free(&board.lock);
    h->healthy_ns = h->end_ns;
    if (h->submit_ns >= since)
        h->end_ns = since + cw_dsp_faults_end(&d->faults, h->submit_ns - since, h->end_ns - since);
}

bool cw_dsp_refuses(const struct cw_dsp *d)
{
    uint64_t launch = atomic_load(&d->launches) + 1;

    return atomic_load(&d->dead) || (d->faults.dies_at && launch >= d->faults.dies_at) ||
           (d->faults.hangs_at && launch >= d->faults.hangs_at);
}

static void dsp_wait(_Atomic uint32_t *stopped, uint64_t ns);

/* Holds the caller until the modelled end. False: the DSP was stopped before. */
static bool hold(struct cw_dsp *d, const struct cw_hold *h)
{
    atomic_store(&d->late,
                 h->work.kernel && h->end_ns - h->submit_ns > TOO_LONG * (h->healthy_ns - h->submit_ns));
    dsp_wait(&d->stopped, h->end_ns);
    atomic_store(&d->late, false);
    return !atomic_load(&d->stopped);
}

/* Whether the DSP fails at this launch; then the times are those at which that is known. */
static bool fails(struct cw_dsp *d, struct cw_hold *h)
{
    uint64_t launch = atomic_fetch_add(&d->launches, 1) + 1;
    bool hangs = !atomic_load(&d->dead) && d->faults.hangs_at && launch >= d->faults.hangs_at;

    if (d->faults.dies_at && launch >= d->faults.dies_at)
        atomic_store(&d->dead, true);
    if (hangs) {
        atomic_store(&d->hung, true);
        atomic_store(&d->dead, true);
        h->healthy_ns = h->submit_ns + cw_whole_from(h->cost_ns, UINT64_MAX - h->submit_ns);
        h->end_ns = h->submit_ns + cw_dsp_watchdog_ns(isnan(h->cost_ns) ? 0 : h->cost_ns);
        if (!board.virtual_clock)
            hold(d, h);
    }
    return atomic_load(&d->dead);
}

void cw_dsp_begin(struct cw_dsp *d, const struct cw_work *work, uint64_t ready_ns, struct cw_hold *h)
{
    uint64_t busy = atomic_load(&d->busy_until);
    struct cw_work_cost c;

    h->real_ns = monotonic_ns();
    h->work = *work;
    h->submit_ns = ready_ns ? ready_ns : cw_dsp_now_ns();
    h->submit_ns = h->submit_ns > busy ? h->submit_ns : busy;
    h->start_ns = h->submit_ns;
    h->end_ns = 0; /* not known yet */
    h->cost_ns = cw_dsp_cost_ns(d, work);
    h->failed = work->kernel && fails(d, h);
    if (h->failed) {
        h->end_ns = h->end_ns ? h->end_ns : h->submit_ns;
        atomic_store(&d->busy_until, h->end_ns);
        return;
    }
    if (!cost_of(d, work, &c))
        return;
    set_times(d, &c, h);
    atomic_store(&d->busy_until, h->end_ns);
}

static void count(bool overran, double ratio)
{
    cw_lock_take(&board.lock);
    board.commands++;
    board.overruns += overran;
    if (overran && ratio > board.worst)
        board.worst = ratio;
    cw_lock_free(&board.lock);
}

bool cw_dsp_stop(struct cw_dsp *d)
{
    if (!atomic_load(&d->late))
        return false;
    atomic_store(&d->dead, true);
    atomic_store(&d->stopped, 1);
    syscall(SYS_futex, &d->stopped, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, NULL, NULL, 0);
    return true;
}

void cw_dsp_end(struct cw_dsp *d, struct cw_hold *h)
{
    uint64_t now = monotonic_ns();
    struct cw_work_cost c;
    bool overran = false;

    if (!h->end_ns) { /* the functional time was awaited */
        h->work.traced_ns = (double)(now - h->real_ns + 1);
        if (!cost_of(d, &h->work, &c)) /* the file says that it cannot run there: as long as it takes */
            c = (struct cw_work_cost){.compute_ns = h->work.traced_ns, .in_turn_ns = h->work.traced_ns};
        set_times(d, &c, h);
    }
    if (!board.virtual_clock && now > h->end_ns) {
        overran = h->cost_ns > 0 && h->end_ns > h->submit_ns;
        count(overran, overran ? (double)(now - h->submit_ns) / (double)(h->end_ns - h->submit_ns) : 0);
        h->end_ns = now;
    } else {
        count(false, 0);
        if (!board.virtual_clock && !hold(d, h)) {
            h->failed = true;
            h->end_ns = monotonic_ns();
        }
    }
    atomic_store(&d->busy_until, h->end_ns);
}

double cw_dsp_host_cost_ns(const struct cw_work *work)
{
    struct cw_work_cost c;
    bool modelled =
        board.virtual_clock && board.host != UINT32_MAX && cost_on(board.host, work, &c) && !c.traced;

    return modelled ? cw_platform_work_ns(&c) : NAN;
}

/* ---- totals */

void cw_dsp_built(struct cw_dsp *d)
{
    cw_lock_take(&board.lock);
    board.programs++;
    board.compile_ns += cw_platform_model_compile_ns(board.model, d->device);
    cw_lock_free(&board.lock);
}

bool cw_dsp_overran(void)
{
    bool any;

    cw_lock_take(&board.lock);
    any = board.overruns;
    cw_lock_free(&board.lock);
    return any;
}

bool cw_dsp_describe(char *text, size_t size)
{
    size_t n;

    if (!board.n)
        return false;
    cw_lock_take(&board.lock); /* a worker may still be at work when the process ends */
    snprintf(text, size,
             "%u DSPs, %s clock: %llu commands modelled, %llu overran (worst %.2f x), %llu programs built "
             "(%.0f us by the model), %.0f us behind each other at the DDR",
             board.n, board.virtual_clock ? "virtual" : "real", (unsigned long long)board.commands,
             (unsigned long long)board.overruns, board.worst, (unsigned long long)board.programs,
             board.compile_ns / 1000, board.behind_ns / 1000);
    cw_lock_free(&board.lock);
    n = strlen(text);
    if (board.virtual_clock)
        snprintf(text + n, size - n, ", the program waited %.0f us",
                 (double)(board.virtual_now - board.started) / 1000);
    for (unsigned k = 0; k < board.n; k++) {
        n = strlen(text);
        if (atomic_load(&board.dsp[k].dead))
            snprintf(text + n, size - n, ", dsp%u %s", k,
                     atomic_load(&board.dsp[k].stopped) ? "was too late and stopped"
                     : atomic_load(&board.dsp[k].hung)  ? "hung"
                                                        : "died");
    }
    return true;
}

void cw_dsp_after_fork(void)
{
    cw_lock_free(&board.lock);
}

/* ---- threads that wait for a DSP */

#define AWAKE_NS 120000 /* before the end; as much as a late wake-up costs */

static _Atomic unsigned awake; /* threads that spend the last of their wait so */

static void sleep_until(_Atomic uint32_t *stopped, uint64_t ns)
{
    struct timespec at = {.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
    int slack = prctl(PR_GET_TIMERSLACK);

    prctl(PR_SET_TIMERSLACK, 1);
    while (!atomic_load(stopped) && cw_dsp_read_clock(CLOCK_MONOTONIC) < ns)
        syscall(SYS_futex, stopped, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, &at, NULL,
                FUTEX_BITSET_MATCH_ANY);
    if (slack > 0)
        prctl(PR_SET_TIMERSLACK, slack);
}

void cw_dsp_wait_asleep(uint64_t ns)
{
    _Atomic uint32_t never = 0;
    int saved = errno;

    sleep_until(&never, ns);
    errno = saved;
}

/* One processor of two, two of four ...: the others run the DSPs' kernels. */
static bool may_stay_awake(void)
{
    cpu_set_t set;
    unsigned processors = sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);

    if (atomic_fetch_add(&awake, 1) < processors / 2)
        return true;
    atomic_fetch_sub(&awake, 1);
    return false;
}

/* Returns at `ns` of CLOCK_MONOTONIC, or soon after *stopped, a private futex, became other than 0 and was
 * woken. */
static void dsp_wait(_Atomic uint32_t *stopped, uint64_t ns)
{
    int saved = errno;

    if (cw_dsp_read_clock(CLOCK_MONOTONIC) + AWAKE_NS < ns)
        sleep_until(stopped, ns - AWAKE_NS);
    if (may_stay_awake()) {
        while (!atomic_load(stopped) && cw_dsp_read_clock(CLOCK_MONOTONIC) < ns)
            ;
        atomic_fetch_sub(&awake, 1);
    } else {
        sleep_until(stopped, ns);
    }
    errno = saved;
}
