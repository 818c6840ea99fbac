/* anything.h - of anything.c and pixels.c: the program's state, and what each of its commands has to wait
 * for: by the rules of queues where that is enough, else by its wait list. */
#ifndef ANYTHING_H
#define ANYTHING_H

#include "common.h"

enum { QUEUES = 5, BUFFERS = 6, CELLS = 32, CELL = 256, BYTES = CELLS * CELL, STAGES = 8, MAX_OPS = 4000 };

struct op {
    int queue; /* -1: the host; over when it was made */
    cl_event event;
    bool over;
};

/* Bytes that commands touch, and their model. Buffers may share. */
struct area {
    uint8_t model[BYTES];
    uint8_t *host; /* stages and USE_HOST_PTR buffers */
    int writer[CELLS], readers[CELLS][64], num_readers[CELLS];
};

struct window { /* a buffer: cells of an area */
    struct area *area;
    cl_mem mem;
    int first, count;
};

static struct app a;
static cl_command_queue queues[QUEUES];
static bool in_order[QUEUES];
static struct area areas[BUFFERS + STAGES];
static struct window windows[BUFFERS * 3];
static struct op ops[MAX_OPS];
static int num_ops = 1; /* 0: nothing */
static cl_event users[64];
static int num_users;
static uint32_t seed;

static cl_event waits[1024];
static cl_uint num_waits;

static uint32_t any(uint32_t n)
{
    return app_random(&seed) % n;
}

static void need(int op, int queue)
{
    struct op *o = &ops[op];

    if (!op || o->over)
        return;
    if (o->queue == queue && in_order[queue])
        return;
    for (cl_uint i = 0; i < num_waits; i++)
        if (waits[i] == o->event)
            return;
    waits[num_waits++] = o->event;
}

static void touch(struct area *t, int first, int count, bool write, int queue)
{
    for (int c = first; c < first + count; c++) {
        need(t->writer[c], queue);
        for (int i = 0; write && i < t->num_readers[c]; i++)
            need(t->readers[c][i], queue);
        if (!write && t->num_readers[c] == 64) { /* too many to remember */
            for (int i = 0; i < 64; i++)
                need(t->readers[c][i], queue);
            t->num_readers[c] = 0;
        }
        if (write) {
            t->writer[c] = num_ops;
            t->num_readers[c] = 0;
        } else {
            t->readers[c][t->num_readers[c]++] = num_ops;
        }
    }
}

static void set_users(void)
{
    for (int i = 0; i < num_users; i++) {
        APP_CHECK(clSetUserEventStatus(users[i], CL_COMPLETE));
        APP_CHECK(clReleaseEvent(users[i]));
    }
    num_users = 0;
}

static void finish_all(void)
{
    set_users();
    for (int i = 0; i < QUEUES; i++)
        APP_CHECK(clFinish(queues[i]));
    for (int i = 1; i < num_ops; i++) {
        if (!ops[i].over)
            clReleaseEvent(ops[i].event);
        ops[i].over = true;
    }
}

/* An event of the program's that comes true later, in a wait list. */
static void maybe_user(void)
{
    cl_int err;

    if (any(12) || num_users == 64)
        return;
    users[num_users] = clCreateUserEvent(a.context, &err);
    APP_CHECK(err);
    waits[num_waits++] = users[num_users++];
}

static cl_event *begin(int queue)
{
    ops[num_ops] = (struct op){.queue = queue};
    return &ops[num_ops].event;
}

static void end(void)
{
    num_ops++;
    num_waits = 0;
}

#define WAITS num_waits, num_waits ? waits : NULL

#endif
