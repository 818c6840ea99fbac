/* dsp_native.h - commands of the program that go to the vendor's queue of a dressed DSP unmanaged.
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

/* ---- between dsp_native.c and dsp_native_calls.c */

struct cw_native_span {
    cl_command_queue queue;
    struct cw_dsp *dsp;
    uint64_t queued_ns, ready_ns, real_ns;
};

/* Whether `queue` belongs to a DSP; then *s is begun. */
bool cw_dsp_native_open(struct cw_native_span *s, cl_command_queue queue, cl_uint n,
                        const cl_event *wait_list);

/* The vendor has returned `error`; takes the modelled time if that is success. `event`: where the program's
 * event is, or NULL. `blocking`: the program has waited for the command. Returns `error`. */
cl_int cw_dsp_native_close(struct cw_native_span *s, cl_int error, const struct cw_work *work,
                           const cl_event *event, bool blocking);

/* Puts the enqueueing functions into *table. */
void cw_dsp_native_fill_calls(struct cw_dispatch *table);

#endif
