/* process_end.c - the end of the process, forks, and the summary. */
#include "hooks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../../../analyzer/compile/compile_client.h"
#include "../../../analyzer/settings/options.h"
#include "../../door/door.h"
#include "../../door/dynamic_loader.h"
#include "../../door/log.h"
#include "../../door/thread.h"
#include "../windows/window.h"
#include "../tuning/tuning.h"
#include "../workers/worker.h"
#include "process_end.h"
#include "../../builds/later_builds.h"
#include "../code/code.h"
#include "../memory/relay.h"
#include "../models/program_models.h"
#include "../core/fault.h"
#include "../groups/group.h"
#include "../memory/quarantine.h"
#include "../core/thread.h"
#include "../tiles/share.h"
#include "../tiles/tile.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/recount.h"
#include "../core/state.h"
#include "../memory/spread.h"
#include "../memory/spread_ahead.h"
#include "../staging/staging.h"
#include "../tasks/callback.h"
#include "../tasks/task.h"
#include "../streams/stream_start.h"
#include "../streams/stream_ways.h"
#include "../tasks/foreign.h"

#define MOMENT_NS UINT64_C(2000000000)

static bool wants_summary, wants_verdict;
static pid_t self;

static bool all_over(const void *unused)
{
    (void)unused;
    return !cw_run.unfinished;
}

void cw_run_process_end_drain(void)
{
    cw_run_global_lock_take();
    cw_run_window_close();
    cw_run_help(NULL, 0, all_over, NULL);
    cw_run.off = true; /* later commands are native: no worker is left to run them */
    cw_run_global_lock_give();
}

/* Commands of a program that ends without having waited for them get a moment. A bare program would not wait
 * for a kernel that takes long, or for ever; but the vendor's compiler must not meet its own end, so that is
 * waited for, and a first launch that has it in it (code/code.h). */
static void drain_for_a_moment(void)
{
    uint64_t now = cw_run_global_lock_now_ns(), until = now + MOMENT_NS;
    bool abandoned;

    cw_run_global_lock_take();
    cw_run.ending = true;
    cw_run_window_close();
    cw_run.waiters++;
    while (cw_run.unfinished && !cw_run.abandoned) {
        cw_run_worker_take_ready();
        if (cw_run.retire_first && !cw_run.retirer) {
            cw_run_worker_retire();
        } else if (cw_run_foreign_give_and_take()) {
            continue;
        } else {
            cw_run_loop_staff();
            cw_run_global_lock_kick();
            cw_run_global_lock_wait(until > now ? until - now : 1);
            now = cw_run_global_lock_now_ns();
            cw_run.abandoned = now >= until;
        }
    }
    cw_run.waiters--;
    cw_run.off = true;
    abandoned = cw_run.abandoned;
    cw_run_global_lock_give();
    if (abandoned)
        cw_pending_launches_stop();
}

/* Commands under way stop where they are; compilations are waited for. */
static void abandon(void)
{
    cw_run_global_lock_take();
    cw_run.ending = cw_run.abandoned = cw_run.off = true;
    cw_run_global_lock_give();
    cw_pending_launches_stop();
}

static void stop_models(void)
{
    cw_run_program_models_stop(true);
}

static void stop_compiler(void)
{
    cw_compile_client_stop(true);
}

/* The parts of run mode that end with the process, in the order in which they stop, in which the summary
 * names them, and in which a forked child forgets them. Lock held in `describe` only, which returns the
 * length of its line as snprintf does. */
static const struct subsystem {
    void (*stop)(void);
    int (*describe)(char *text, unsigned size);
    void (*after_fork)(void);
} subsystems[] = {
    {.after_fork = cw_run_recount_after_fork},
    {.after_fork = cw_helper_build_after_fork},
    {.describe = cw_run_spread_describe},
    {.describe = cw_run_tile_memory_describe},
    /* before the others: their threads do not wait for a compiler */
    {.stop = stop_compiler, .after_fork = cw_compile_client_after_fork},
    {stop_models, cw_run_program_models_describe, cw_run_program_models_after_fork},
    {.stop = cw_run_local_size_stop},
    {.stop = cw_run_tile_build_stop, .describe = cw_run_reasons_describe_whole},
    {.stop = cw_run_loop_stop_all},
    {.stop = cw_run_spread_ahead_stop},
    {.stop = cw_run_window_stop},
    {cw_run_staging_stop, cw_run_staging_describe, cw_run_staging_after_fork},
    {.stop = cw_run_callback_stop},
    {.describe = cw_run_group_describe},
    {.describe = cw_run_decide_describe},
    {.describe = cw_run_gain_describe},
    {cw_stream_ways_stop, cw_stream_start_describe, cw_stream_start_after_fork},
    {.describe = cw_run_activation_describe},
    {.stop = cw_run_gpu_begin_stop, .describe = cw_run_gpu_begin_describe},
    {.stop = cw_run_learn_stop},
    {.stop = cw_later_builds_stop, .after_fork = cw_later_builds_after_fork},
    {.stop = cw_isolated_compiler_stop}, /* the others begin nothing there any more */
    {.after_fork = cw_run_relay_after_fork},
    {.after_fork = cw_device_after_fork},
};

static void say(char *line, int n)
{
    if (n > 0)
        cw_log_plain(line, strnlen(line, (size_t)n)); /* n counts text that did not fit, too */
}

static int describe_fates(char *text, unsigned size)
{
    const struct cw_run_counts *c = &cw_run.counts;
    uint64_t native = 0, left = 0;
    int used;

    for (int i = 0; i < CW_RUN_REASON_COUNT; i++)
        *(i < CW_RUN_CHOICE_COUNT ? &left : &native) += c->native[i];
    used =
        snprintf(text, size,
                 "run: %llu commands managed (%llu kernels), %llu reordered, %llu moved, %llu cut (%llu "
                 "tiles), %llu windows; %llu native",
                 (unsigned long long)c->managed, (unsigned long long)c->launches,
                 (unsigned long long)c->reordered, (unsigned long long)c->moved, (unsigned long long)c->cut,
                 (unsigned long long)c->tiles, (unsigned long long)c->windows, (unsigned long long)native);
    if (left)
        used +=
            snprintf(text + used, size - (unsigned)used, ", %llu left by choice", (unsigned long long)left);
    return used + snprintf(text + used, size - (unsigned)used, "\n");
}

static void summary(void)
{
    const struct cw_run_counts *c = &cw_run.counts;
    char line[4096];

    cw_run_global_lock_take(); /* other threads of the program may go on */
    say(line, describe_fates(line, sizeof line));
    say(line, cw_run_reasons_describe_native(line, sizeof line));
    if (cw_run.quarantines || c->deprived || c->relieved || c->parts_relieved)
        say(line, cw_run_quarantine_describe(line, sizeof line));
    if (c->by_rows)
        say(line, snprintf(line, sizeof line, "run: %llu tiles by rows of work-items\n",
                           (unsigned long long)c->by_rows));
    if (c->cached)
        say(line, snprintf(line, sizeof line,
                           "run: %llu builds answered by what earlier runs have kept, which saved %.1f ms\n",
                           (unsigned long long)c->cached, cw_run_account.saved_ns / 1e6));
    if (c->again)
        say(line,
            snprintf(
                line, sizeof line,
                "run: %llu launches repeated the one before, and ran inside the call that enqueued them\n",
                (unsigned long long)c->again));
    for (size_t i = 0; i < sizeof subsystems / sizeof *subsystems; i++)
        if (subsystems[i].describe)
            say(line, subsystems[i].describe(line, sizeof line));
    if (cw_device_describe(line + 5, sizeof line - 6))
        say(line, (int)strlen(strcat(memcpy(line, "run: ", 5), "\n")));
    cw_run_global_lock_give();
}

static void verdict(void)
{
    char line[512];
    int n;

    cw_run_global_lock_take();
    n = cw_run.counts.managed ? 0 : cw_stream_start_verdict(line, sizeof line);
    say(line, n ? n : cw_run_verdict_describe(line, sizeof line, cw_run_group_counts.made));
    cw_run_global_lock_give();
}

/* True when a callback of the program that the vendor made inside a call of run mode has called exit(): this
 * thread does not finish its work for other threads, so no other thread may be waited for. Everything new is
 * native. */
static bool within_vendor(void)
{
    bool within;

    cw_run_global_lock_take();
    within = pthread_equal(cw_run.retirer, pthread_self());
    cw_run.off |= within;
    cw_run_global_lock_give();
    return within;
}

/* A handler of a signal has interrupted a call of this thread, run mode's or the vendor's, and calls
 * exit(): the call never goes on, and its locks stay held. */
static bool within_call(void)
{
    cw_run_global_lock_keep();
    if (cw_door_depth > 0)
        cw_run_global_lock_ends_in_call();
    return cw_door_depth > 0;
}

static void count_passed(void)
{
    cw_run_global_lock_take();
    for (struct cw_run_queue *q = NULL; (q = cw_run_record_next(CW_RUN_QUEUE, q));)
        cw_run_bypass_count(q);
    cw_run_global_lock_give();
}

static void end(void *unused)
{
    struct cw_run_caller me;
    char line[128];

    (void)unused;
    cw_run_thread_caller_enter(&me);
    cw_run_thread_becomes_worker(false);
    if (within_call() || within_vendor()) {
        cw_compile_client_stop(
            false); /* first: this thread may have been waiting for it, and others may stand behind it */
        abandon();
        cw_run_program_models_stop(false);
    } else {
        drain_for_a_moment();
        cw_dynamic_loader_look(); /* threads that are joined may wait for one that loads */
        for (size_t i = 0; i < sizeof subsystems / sizeof *subsystems; i++)
            if (subsystems[i].stop)
                subsystems[i].stop();
    }
    count_passed();
    if (!cw_run_global_lock_keep())
        cw_run_perf_model_finish(); /* else this thread may be in the middle of writing it */
    say(line, cw_run_fault_describe(line, sizeof line));
    if (wants_verdict)
        verdict();
    if (wants_summary)
        summary();
    else
        cw_device_warn();
    cw_run_thread_caller_leave(&me);
}

static _Atomic pid_t ender; /* the thread that ends run mode; 0: none yet */
static _Atomic bool over;

static void meets_another(void *unused)
{
    (void)unused;
    cw_run_thread_becomes_worker(false);
    abandon();
}

/* False: another thread is at it. */
static bool end_once(void)
{
    pid_t nobody = 0;
    int saved = errno;

    if (self != getpid())
        return true; /* a forked child has no workers, and nothing is managed there */
    if (atomic_compare_exchange_strong(&ender, &nobody, gettid())) {
        cw_roomy(end, NULL);
        atomic_store(&over, true);
    }
    errno = saved;
    return atomic_load(&over) || atomic_load(&ender) == gettid();
}

/* Runs at exit and quick_exit, before the vendor's own handlers. The first thread may have left by
 * pthread_exit, which ends run mode, and may still be at that. */
void cw_run_process_end_at_exit(void)
{
    int saved = errno;

    if (!end_once())
        cw_roomy(meets_another, NULL);
    errno = saved;
}

static void main_ends(void)
{
    end_once();
}

static bool calls_over(const void *unused)
{
    const struct cw_run_queue *q = NULL;

    (void)unused;
    while ((q = cw_run_record_next(CW_RUN_QUEUE, q)))
        if (q->synchronous && (q->first || cw_run_repeat_elsewhere(q)))
            return false;
    return true;
}

/* Where the vendor runs kernels inside the enqueue, the program's commands are over when it forks, and
 * the child, which can go on there, finds it done. On other devices a child is as lost as it is bare. */
static void before_fork(void)
{
    cw_run_global_lock_take();
    cw_run_window_close();
    if (!cw_run.off && !pthread_equal(cw_run.retirer, pthread_self()))
        cw_run_help(NULL, 0, calls_over, NULL);
}

static void in_parent(void)
{
    cw_run_global_lock_give();
}

/* There are no threads here but this one: everything is native from now on. */
static void in_child(void)
{
    cw_run.off = true;
    cw_run.forked = true;
    cw_run.holder = 0;
    pthread_mutex_unlock(&cw_run.lock);
    for (size_t i = 0; i < sizeof subsystems / sizeof *subsystems; i++)
        if (subsystems[i].after_fork)
            subsystems[i].after_fork();
}

void cw_run_process_end_start(const struct cw_options *options)
{
    wants_summary = options->summary;
    wants_verdict = !options->quiet && (options->summary || isatty(STDERR_FILENO));
    self = getpid();
    cw_exit_start(cw_run_process_end_at_exit, main_ends);
    pthread_atfork(before_fork, in_parent, in_child);
}
