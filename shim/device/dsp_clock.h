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

struct cw_dsp;
struct cw_hold;

struct cw_dsp_settings {
    unsigned n;
    const char *platform; /* a file, or a built-in one */
    bool virtual_clock;
    bool preload_poststore; /* of every DSP; overrides the file */
    const char *faults;     /* dsp_fault.h; NULL: none */
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

/* ---- dsp_wait.c: holds a thread until an emulated DSP is done, to the microsecond
 *
 * Threads of ordinary priority wake up to 50 us late by the kernel's leave (timer slack), and another 30 to
 * 100 us late where the processor, or the virtual machine, slept meanwhile: 15 % of a command of half a
 * millisecond. So the slack is set to nothing for the wait, and the last of it is spent awake where a
 * processor can be spared. */

/* Returns at `ns` of CLOCK_MONOTONIC, or soon after *stopped, a private futex, became other than 0 and was
 * woken. */
void cw_dsp_wait(_Atomic uint32_t *stopped, uint64_t ns);

/* The same, all of it asleep: other threads' processor time is measured meanwhile. */
void cw_dsp_wait_asleep(uint64_t ns);

#endif
