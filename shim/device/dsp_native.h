/* dsp_native.h - commands of the program that go to the vendor's queue of a dressed DSP unmanaged, and, under
 * the virtual clock, to any queue: profiling knows one clock.
 *
 * PoCL's `basic` runs a command within the enqueueing call, or within the call that completes the last event
 * that it waits for. In the first case the modelled time passes in that call too; in the second it only shows
 * in profiling. Profiling information of such a command's event is the model's. */
#ifndef CW_DSP_NATIVE_H
#define CW_DSP_NATIVE_H

#include "device.h"

/* Fills cw_native: once, by cw_device_start. */
void cw_dsp_native_start(void);
void cw_dsp_native_after_fork(void);

/* See cw_device_native_seen. */
void cw_dsp_native_seen(cl_event event);

/* ---- between dsp_native.c, dsp_native_calls.c and dsp_native_host.c */

struct cw_native_span {
    cl_command_queue queue;
    struct cw_dsp *dsp; /* NULL: another device, and the clock is virtual */
    uint64_t queued_ns, ready_ns, real_ns;
    bool waits; /* it has a wait list */
};

/* The times that the event of a modelled command reports. */
struct cw_dsp_native_times {
    cl_event event;
    /* an address that the vendor uses again is another event's, of another queue or time */
    cl_command_queue queue;
    uint64_t queued_ns, submit_ns, start_ns, end_ns;
    int64_t offset_ns;   /* to the vendor's clock */
    struct cw_work work; /* of a command that still waits: end_ns is 0 */
    struct cw_dsp *dsp;
    bool pending; /* dsp_native_host.c has a reference to the event, and places the times */
};

/* Copies *what; earlier times of its event go. False: memory is out. */
bool cw_dsp_native_remember(const struct cw_dsp_native_times *what);
/* The same over times that are there, and needs no memory. */
void cw_dsp_native_replace(const struct cw_dsp_native_times *what);
/* The times of the event, as they are at this moment. False: there are none. */
bool cw_dsp_native_copy(cl_event event, struct cw_dsp_native_times *out);

/* Whether commands of `queue` take modelled time; then *s is begun. */
bool cw_dsp_native_open(struct cw_native_span *s, cl_command_queue queue, cl_uint n,
                        const cl_event *wait_list);

/* The vendor has returned `error`; takes the modelled time if that is success. `event`: where the program's
 * event is, or NULL. `blocking`: the program has waited for the command. Returns `error`. */
cl_int cw_dsp_native_close(struct cw_native_span *s, cl_int error, const struct cw_work *work,
                           const cl_event *event, bool blocking);

/* ---- dsp_native_host.c: under the virtual clock, commands on devices that are no DSP, and those on DSPs
 * that wait; else these do nothing */

/* As cw_dsp_native_close, of a command that the vendor has taken. */
void cw_dsp_native_host_add(const struct cw_native_span *s, const struct cw_work *work, const cl_event *event,
                            bool blocking);

/* Gives all commands that have ended their times. Makes vendor calls. */
void cw_dsp_native_host_settle(void);

/* A native command of `queue` ends then. */
void cw_dsp_native_host_ended(cl_command_queue queue, uint64_t end_ns);

/* See cw_device_native_end_ns. */
uint64_t cw_dsp_native_host_end_ns(cl_command_queue queue);

/* See cw_device_shown. */
void cw_dsp_native_host_shown(uint64_t end_ns);

void cw_dsp_native_host_after_fork(void);

/* Puts the enqueueing functions into *table. */
void cw_dsp_native_fill_calls(struct cw_dispatch *table);

#endif
