/* user_event_hangs.c - what PoCL 3.1 does with user events and with wait lists across devices. Design,
 * section 6: vendor queues are handed ready commands only.
 *
 * On `basic`, clSetUserEventStatus never returns when a kernel waits for the event; a kernel on `basic` that
 * waits for one on `pthread` that waits for one on `basic` never ends; `pthread` alone manages both; a
 * negative user event gives the waiting command the status -1. Each case is a child process; one that is
 * still there after the limit hangs (when the behaviour is mended it ends at once, so a slow machine cannot
 * make this test fail). */
#include "common.h"

#include <stdio.h>
#include <time.h>

static const char source[] = "__kernel void add(__global uint *restrict x) { x[get_global_id(0)] += 1; }\n";

struct work {
    struct vendor v;
    cl_kernel add;
    cl_command_queue queues[2]; /* of the first and of the last device */
};

static void open_work(struct work *w, const char *devices)
{
    vendor_open(&w->v, devices, source, "");
    w->add = vendor_kernel(&w->v, "add");
    w->queues[0] = vendor_queue(&w->v, 0);
    w->queues[1] = vendor_queue(&w->v, w->v.count - 1);
    app_args(w->add, "m", vendor_buffer(&w->v, 256, NULL));
}

/* 0 when the command becomes complete, 3 when its status becomes -1, 1 for another error. */
static int outcome(cl_event e)
{
    cl_int status;
    while ((status = vendor_event_status(e)) > CL_COMPLETE)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return status == CL_COMPLETE ? 0 : status == -1 ? 3 : 1;
}

static int gated(const char *devices, cl_int status)
{
    struct work w;
    cl_event done;
    cl_int err;
    open_work(&w, devices);
    cl_event gate = clCreateUserEvent(w.v.context, &err);
    APP_CHECK(err);
    app_run(w.queues[0], w.add, 64, 0, 1, &gate, &done);
    APP_CHECK(clFlush(w.queues[0]));
    APP_CHECK(clSetUserEventStatus(gate, status));
    return outcome(done);
}

static int set_gate(void *devices)
{
    return gated(devices, CL_COMPLETE);
}

static int break_gate(void *devices)
{
    return gated(devices, -5);
}

/* Many kernels, each waiting for the one before, in turn on the first and on the last device: the deadlock
 * needs an unlucky moment, which 2 of 12 runs of 16 kernels had, and all runs of 200. */
static int zigzag(void *devices)
{
    struct work w;
    cl_event before = NULL, next;
    open_work(&w, devices);
    for (int i = 0; i < 2000; i++, before = next) {
        app_run(w.queues[i % 2], w.add, 64, 0, before ? 1 : 0, before ? &before : NULL, &next);
        if (before)
            APP_CHECK(clReleaseEvent(before));
    }
    for (int i = 0; i < 2; i++)
        APP_CHECK(clFlush(w.queues[i]));
    return outcome(before);
}

int main(void)
{
    const unsigned limit_s = 3;
    int on_pthread = vendor_in_child(set_gate, "pthread", 300),
        on_basic = vendor_in_child(set_gate, "basic", limit_s);
    int broken = vendor_in_child(break_gate, "pthread", 300);
    int alike = vendor_in_child(zigzag, "basic basic", 300),
        unlike = vendor_in_child(zigzag, "pthread basic", limit_s);
    vendor_expect(on_pthread == 0, "a kernel on pthread behind a user event: status %d", on_pthread);
    vendor_expect(on_basic == VENDOR_HUNG, "a kernel on basic behind a user event: status %d (1000: hangs)",
                  on_basic);
    vendor_expect(broken == 3, "a kernel behind a user event set to -5: status %d (3: its event says -1)",
                  broken);
    vendor_expect(alike == 0, "wait lists between two basic devices: status %d", alike);
    vendor_expect(unlike == VENDOR_HUNG, "wait lists between pthread and basic: status %d (1000: hangs)",
                  unlike);
    return vendor_status();
}
