/* dsp_clock.h - how long commands take on the emulated board.
 *
 * Costs come from a platform file: a kernel takes set-up (launch_ns) plus cycles per item (ns_per_item); a
 * transfer is piecewise linear through the file's table. Where the DSP itself has no rule for transfers, the
 * host drives them and the rule of the file's first device that has one holds. A file that gives speeds
 * instead of times makes a DSP take the functional time divided by the speed.
 *
 * A DSP does one command at a time. Transfers, and the kernels' loads and stores, go through one DDR. A
 * command admitted later uses the bandwidth that earlier ones leave free from its start on
 * (analyzer/plan/ddr.h), so several transfers at once finish no sooner than one after another, and kernels
 * slow each other by as much as they need the memory.
 *
 * Real clock: the caller is held until the modelled end. If the functional execution ends later than that, it
 * overran: the end reported is the true one, and the count and the worst ratio are kept. Virtual clock:
 * nothing is held, and nothing can overrun. Thread-safe. */
#ifndef CW_DSP_CLOCK_H
#define CW_DSP_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "../../analyzer/plan/platform_file.h"
#include "../../sched/status.h"
#include "../door/dispatch.h"

struct cw_dsp;
struct cw_hold;

struct cw_dsp_settings {
    unsigned n;
    const char *platform; /* a file, or a built-in one */
    bool virtual_clock;
    bool preload_poststore; /* of every DSP; overrides the file */
    const char *faults;     /* dsp_clock.h; NULL: none */
};

/* Makes the DSPs, once. False when that is impossible, with *err set. */
bool cw_dsp_board_start(const struct cw_dsp_settings *settings, struct cw_error *err);

/* Whether a DSP's time depends on the operations of kernels, so that cw_work.ops is worth finding out. */
bool cw_dsp_by_operations(void);

/* The k-th DSP's model, NULL when there is none. */
struct cw_dsp *cw_dsp_at(unsigned k);

/* See cw_device_cost_ns, cw_device_begin, cw_device_end. cw_dsp_begin with h->failed set: do not end it. */
double cw_dsp_cost_ns(const struct cw_dsp *d, const struct cw_work *work);
void cw_dsp_begin(struct cw_dsp *d, const struct cw_work *work, uint64_t ready_ns, struct cw_hold *h);
void cw_dsp_end(struct cw_dsp *d, struct cw_hold *h);

/* See cw_device_stop. */
bool cw_dsp_stop(struct cw_dsp *d);

/* Whether the next launch would fail, so that it must not run: then cw_dsp_begin says so too. */
bool cw_dsp_refuses(const struct cw_dsp *d);

/* On the virtual clock, the time of the host's CPU, where the platform's first device of class "cpu" has one
 * for such work; else NAN: it is measured. */
double cw_dsp_host_cost_ns(const struct cw_work *work);

/* When the DSP's last command ends, on the clock of cw_device_now_ns. */
uint64_t cw_dsp_busy_until_ns(const struct cw_dsp *d);

/* See cw_device_shown. cw_dsp_shown_ns: the latest of them. */
void cw_dsp_shown(struct cw_dsp *d, uint64_t end_ns);
uint64_t cw_dsp_shown_ns(const struct cw_dsp *d);

/* The same as cw_dsp_busy_until_ns of all DSPs, the latest. */
uint64_t cw_dsp_latest_end_ns(void);

/* A program was built for the DSP: counted, with the time that the model says, not held. */
void cw_dsp_built(struct cw_dsp *d);

/* A clock of the system, ns. */
static inline uint64_t cw_dsp_read_clock(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* *latest becomes `ns` where that is later. */
void cw_dsp_raise(_Atomic uint64_t *latest, uint64_t ns);

uint64_t cw_dsp_now_ns(void);
void cw_dsp_reached(uint64_t ns);
bool cw_dsp_clock_is_virtual(void);
int64_t cw_dsp_profiling_offset_ns(void);

/* Whether any command overran. */
bool cw_dsp_overran(void);

/* See cw_device_describe. */
bool cw_dsp_describe(char *text, size_t size);

void cw_dsp_after_fork(void);

/* ---- dsp_clock.c: holds a thread until an emulated DSP is done, to the microsecond
 *
 * Threads of ordinary priority wake up to 50 us late by the kernel's leave (timer slack), and another 30 to
 * 100 us late where the processor, or the virtual machine, slept meanwhile: 15 % of a command of half a
 * millisecond. So the slack is set to nothing for the wait, and the last of it is spent awake where a
 * processor can be spared. */

/* The same, all of it asleep: other threads' processor time is measured meanwhile. */
void cw_dsp_wait_asleep(uint64_t ns);

/* Faults of emulated DSPs, for tests of the code that handles them.
 *
 *   K:die@N     DSP K (from 0 on) refuses its N-th launch (from 1 on) and all that follow: the command fails
 *               before it has written anything, as on a chip whose results are still in its local memory
 *   K:hang@N    its N-th launch does not end; a watchdog gives it up after three times its modelled time,
 *               1 ms at least, and the DSP counts as dead
 *   K:slow@T*F  from T us after the program's start on commands take F times as long
 *
 * with commas between; at most one of each kind per DSP, the last one holds. */

struct cw_dsp_faults {
    uint64_t dies_at, hangs_at; /* 0: never */
    uint64_t slow_from_ns;
    double slow_by; /* 0 or 1: not at all */
};

/* Reads `text` into faults[0 .. n - 1], which are zeroed first. Errors: CW_ERR_INVALID, with words. */
enum cw_status cw_dsp_faults_read(const char *text, unsigned n, struct cw_dsp_faults *faults,
                                  struct cw_error *err);

/* When a command ends that runs from `start` to `end` by the model; times since the program's start. */
uint64_t cw_dsp_faults_end(const struct cw_dsp_faults *f, uint64_t start, uint64_t end);

/* How long the watchdog waits for a launch of this cost. */
uint64_t cw_dsp_watchdog_ns(double cost_ns);

/* A dressed DSP's answers to clGetDeviceInfo.
 *
 * One HXDSP1042 chip as the paper describes it (Gu, Ning, Zheng 2022): two eC104 cores = compute units at 500
 * MHz, SIMD over four macros of 32-bit units, 1536 K words of 4 bytes of local data memory per core, no
 * cache, and the board's DDR, which is the host's memory. Values that the model lacks (limits, extensions,
 * versions) are PoCL's own answers, as PoCL runs the kernels. */

#define CW_DSP_NAME "HXDSP1042 (emulated)"

#endif
