/* anything.c - random legal programs: every kind of command on several queues, in order and out of order,
 * ordered by events, markers, barriers and user events exactly where their bytes meet; a model in plain C
 * gives the expected bytes.
 *
 * anything [SEED [COMMANDS]] */
#include "anything.h"

#define SOURCE                                                                                               \
    "kernel void turn(global int *x, int lo, int n, int a, int b)\n"                                         \
    "{ int i = get_global_id(0); if (i < n) x[lo + i] = x[lo + i] * a + b + i; }\n"                          \
    "kernel void blend(global const int *a, int al, global const int *b, int bl, global int *c, int cl, "    \
    "int n)\n"                                                                                               \
    "{ int i = get_global_id(0); if (i < n) c[cl + i] = 3 * a[al + i] + b[bl + i]; }\n"                      \
    "kernel void slow(global int *x, int lo, int n, int a, int b)\n"                                         \
    "{ int i = get_global_id(0); if (i >= n) return; int v = x[lo + i];\n"                                   \
    "  for (int k = 0; k < 3000; k++) v = v * a + b; x[lo + i] = v; }\n"
#define LOUD                                                                                                 \
    "kernel void loud(global int *x, int lo, int n, int a, int b)\n"                                         \
    "{ int i = get_global_id(0); if (n < 0) printf(\"never\\n\"); if (i < n) x[lo + i] = x[lo + i] * a - b " \
    "+ i; }\n"

static cl_kernel turn, mix, slow, loud;
static int num_windows;

static int32_t *ints(struct area *t, int cell)
{
    return (int32_t *)(void *)(t->model + cell * CELL);
}

static void set_kernel(cl_kernel k, cl_mem m, int lo, int n, int x, int y)
{
    app_args(k, "miiii", m, lo, n, x, y);
}

static void launch(int q)
{
    struct window *w = &windows[any((uint32_t)num_windows)];
    int first = (int)any((uint32_t)w->count), count = 1 + (int)any((uint32_t)(w->count - first)),
        n = count * CELL / 4;
    int which = (int)any(5), x = (int)any(9) * 2 + 1, y = (int)any(100);
    cl_kernel k = which < 2 ? turn : which < 3 ? slow : which < 4 ? loud : turn;
    size_t offset = 0, global = (size_t)(n + 63) / 64 * 64, local = 64;
    int32_t *v;
    cl_event *e = begin(q);

    touch(w->area, w->first + first, count, true, q);
    maybe_user();
    set_kernel(k, w->mem, first * CELL / 4, n, x, y);
    APP_CHECK(clEnqueueNDRangeKernel(queues[q], k, 1, &offset, &global, any(2) ? &local : NULL, WAITS, e));
    v = ints(w->area, w->first + first);
    for (int i = 0; i < n; i++)
        if (k == slow)
            for (int s = 0; s < 3000; s++)
                v[i] = (int32_t)((uint32_t)v[i] * (uint32_t)x + (uint32_t)y);
        else
            v[i] = (int32_t)((uint32_t)v[i] * (uint32_t)x + (uint32_t)(k == loud ? i - y : y + i));
    end();
}

static void launch_mix(int q)
{
    struct window *s = &windows[any((uint32_t)num_windows)], *t = &windows[any((uint32_t)num_windows)],
                  *u = &windows[any((uint32_t)num_windows)];
    int n = 1 + (int)any(4), sf, tf, uf;
    size_t global = (size_t)n * CELL / 4;
    cl_event *e;

    if (u->area == s->area || u->area == t->area || s->count < n || t->count < n || u->count < n)
        return;
    sf = (int)any((uint32_t)(s->count - n + 1));
    tf = (int)any((uint32_t)(t->count - n + 1));
    uf = (int)any((uint32_t)(u->count - n + 1));
    e = begin(q);
    touch(s->area, s->first + sf, n, false, q);
    touch(t->area, t->first + tf, n, false, q);
    touch(u->area, u->first + uf, n, true, q);
    maybe_user();
    app_args(mix, "mimimii", s->mem, sf * CELL / 4, t->mem, tf * CELL / 4, u->mem, uf * CELL / 4,
             n * CELL / 4);
    APP_CHECK(clEnqueueNDRangeKernel(queues[q], mix, 1, NULL, &global, NULL, WAITS, e));
    for (int i = 0; i < n * CELL / 4; i++)
        ints(u->area, u->first + uf)[i] = (int32_t)(3u * (uint32_t)ints(s->area, s->first + sf)[i] +
                                                    (uint32_t)ints(t->area, t->first + tf)[i]);
    end();
}

/* Between a stage of the host and a buffer; also as rectangles. */
static void transfer(int q)
{
    struct window *w = &windows[any((uint32_t)num_windows)];
    struct area *s = &areas[BUFFERS + any(STAGES)];
    int n = 1 + (int)any(6), wf, sf, rect = (int)any(3);
    bool write = any(2);
    cl_event *e;

    if (w->count < n)
        return;
    wf = (int)any((uint32_t)(w->count - n + 1));
    sf = (int)any((uint32_t)(CELLS - n + 1));
    e = begin(q);
    touch(w->area, w->first + wf, n, write, q);
    touch(s, sf, n, !write, q);
    maybe_user();
    if (rect == 0) { /* the second half of each row only */
        size_t bo[3] = {CELL / 2, (size_t)wf, 0}, ho[3] = {CELL / 2, (size_t)sf, 0},
               r[3] = {CELL / 2, (size_t)n, 1};
        if (write)
            APP_CHECK(clEnqueueWriteBufferRect(queues[q], w->mem, CL_FALSE, bo, ho, r, CELL, 0, CELL, 0,
                                               s->host, WAITS, e));
        else
            APP_CHECK(clEnqueueReadBufferRect(queues[q], w->mem, CL_FALSE, bo, ho, r, CELL, 0, CELL, 0,
                                              s->host, WAITS, e));
    } else if (write) {
        APP_CHECK(clEnqueueWriteBuffer(queues[q], w->mem, CL_FALSE, (size_t)wf * CELL, (size_t)n * CELL,
                                       s->host + sf * CELL, WAITS, e));
    } else {
        APP_CHECK(clEnqueueReadBuffer(queues[q], w->mem, CL_FALSE, (size_t)wf * CELL, (size_t)n * CELL,
                                      s->host + sf * CELL, WAITS, e));
    }
    for (int i = 0; i < n; i++) {
        uint8_t *b = w->area->model + (w->first + wf + i) * CELL, *h = s->model + (sf + i) * CELL;
        int from = rect == 0 ? CELL / 2 : 0;
        memcpy((write ? b : h) + from, (write ? h : b) + from, (size_t)(CELL - from));
    }
    end();
}

static void copy(int q)
{
    struct window *w = &windows[any((uint32_t)num_windows)], *s = &windows[any((uint32_t)num_windows)];
    int n = 1 + (int)any(6), wf, sf, rect = (int)any(3);
    cl_event *e;

    if (w->count < n || s->count < n || s->area == w->area)
        return;
    if (w->count < CELLS || s->count < CELLS)
        rect = 1; /* PoCL 3.1 crashes on rectangles of sub-buffers */
    wf = (int)any((uint32_t)(w->count - n + 1));
    sf = (int)any((uint32_t)(s->count - n + 1));
    e = begin(q);
    touch(s->area, s->first + sf, n, false, q);
    touch(w->area, w->first + wf, n, true, q);
    maybe_user();
    if (rect == 0) {
        size_t so[3] = {0, (size_t)sf, 0}, to[3] = {0, (size_t)wf, 0}, r[3] = {CELL / 4, (size_t)n, 1};
        APP_CHECK(clEnqueueCopyBufferRect(queues[q], s->mem, w->mem, so, to, r, CELL, 0, CELL, 0, WAITS, e));
    } else {
        APP_CHECK(clEnqueueCopyBuffer(queues[q], s->mem, w->mem, (size_t)sf * CELL, (size_t)wf * CELL,
                                      (size_t)n * CELL, WAITS, e));
    }
    for (int i = 0; i < n; i++)
        memcpy(w->area->model + (w->first + wf + i) * CELL, s->area->model + (s->first + sf + i) * CELL,
               rect == 0 ? CELL / 4 : CELL);
    end();
}

static void fill(int q)
{
    struct window *w = &windows[any((uint32_t)num_windows)];
    int n = 1 + (int)any((uint32_t)w->count), f = (int)any((uint32_t)(w->count - n + 1));
    uint32_t pattern[4] = {any(1000), any(1000), any(1000), any(1000)};
    size_t bytes = (size_t)4 << any(3);
    cl_event *e = begin(q);

    touch(w->area, w->first + f, n, true, q);
    maybe_user();
    APP_CHECK(
        clEnqueueFillBuffer(queues[q], w->mem, pattern, bytes, (size_t)f * CELL, (size_t)n * CELL, WAITS, e));
    for (int i = 0; i < n * CELL; i += (int)bytes)
        memcpy(w->area->model + (w->first + f) * CELL + i, pattern, bytes);
    end();
}

/* The host waits for the command that was enqueued last, and so for what it needs. */
static void wait_last(void)
{
    struct op *o = &ops[num_ops - 1];

    set_users();
    if (any(2)) {
        APP_CHECK(clWaitForEvents(1, &o->event));
    } else {
        APP_CHECK(clFlush(queues[o->queue]));
        if (rm_poll(o->event) != CL_COMPLETE)
            app_expect(&a, false, "an event never completes: %d", rm_status(o->event));
    }
}

static void map(int q)
{
    struct window *w = &windows[any((uint32_t)num_windows)];
    int n = 1 + (int)any(4), f;
    cl_map_flags flags = any(2) ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ;
    uint8_t *p, *m;
    cl_event *e, unmapped;
    cl_int err;

    if (w->count < n)
        return;
    f = (int)any((uint32_t)(w->count - n + 1));
    e = begin(q);
    touch(w->area, w->first + f, n, flags & CL_MAP_WRITE, q);
    maybe_user();
    p = clEnqueueMapBuffer(queues[q], w->mem, CL_FALSE, flags, (size_t)f * CELL, (size_t)n * CELL, WAITS, e,
                           &err);
    APP_CHECK(err);
    end();
    wait_last();
    m = w->area->model + (w->first + f) * CELL;
    app_expect(&a, !memcmp(p, m, (size_t)n * CELL), "op %d: mapped bytes differ", num_ops - 1);
    if (flags & CL_MAP_WRITE)
        for (int i = 0; i < n * CELL; i += 3)
            p[i] = m[i] = (uint8_t)(p[i] + 7);
    e = begin(q);
    touch(w->area, w->first + f, n, flags & CL_MAP_WRITE, q);
    APP_CHECK(clEnqueueUnmapMemObject(queues[q], w->mem, p, WAITS, &unmapped));
    *e = unmapped;
    end();
}

/* Everything of queue q up to here, or a list, joined in one event. */
static void join(int q)
{
    cl_event e;
    int kind = (int)any(4), other = (int)any(QUEUES), from = num_ops > 30 ? num_ops - 30 : 1;

    for (int i = from; i < num_ops; i++)
        if (!ops[i].over && (ops[i].queue == other || !any(6)))
            need(i, -1);
    if (kind == 0)
        APP_CHECK(clEnqueueMarkerWithWaitList(queues[q], WAITS, &e));
    else if (kind == 1)
        APP_CHECK(clEnqueueBarrierWithWaitList(queues[q], WAITS, &e));
    else if (kind == 2)
        APP_CHECK(clEnqueueMarkerWithWaitList(queues[q], 0, NULL, &e));
    else
        APP_CHECK(clEnqueueBarrierWithWaitList(queues[q], 0, NULL, &e));
    num_waits = 0;
    if (any(2))
        APP_CHECK(clEnqueueBarrierWithWaitList(queues[any(QUEUES)], 1, &e, NULL));
    clReleaseEvent(e);
}

static void CL_CALLBACK twist(void *args)
{
    int32_t *v = *(int32_t **)args;

    for (int i = 0; i < CELL / 4; i++)
        v[i] = v[i] * 5 + 1;
}

static void native(int q)
{
    struct area *s = &areas[BUFFERS + any(STAGES)];
    int f = (int)any(CELLS);
    int32_t *at = (int32_t *)(void *)(s->host + f * CELL), *m = ints(s, f);
    cl_event *e = begin(q);

    touch(s, f, 1, true, q);
    maybe_user();
    APP_CHECK(clEnqueueNativeKernel(queues[q], twist, &at, sizeof at, 0, NULL, NULL, WAITS, e));
    for (int i = 0; i < CELL / 4; i++)
        m[i] = (int32_t)((uint32_t)m[i] * 5 + 1);
    end();
}

static void check(int q)
{
    struct window *w = &windows[any((uint32_t)num_windows)];
    uint8_t got[BYTES];
    cl_event *e = begin(q);

    touch(w->area, w->first, w->count, false, q);
    set_users();
    APP_CHECK(clEnqueueReadBuffer(queues[q], w->mem, CL_TRUE, 0, (size_t)w->count * CELL, got, WAITS, e));
    if (memcmp(got, w->area->model + w->first * CELL, (size_t)w->count * CELL))
        app_expect(&a, false, "op %d: other bytes in window %d", num_ops, (int)(w - windows));
    end();
}

static void step(void)
{
    int q = (int)any(QUEUES);
    uint32_t what = any(32);

    if (what < 9)
        launch(q);
    else if (what < 13)
        launch_mix(q);
    else if (what < 18)
        transfer(q);
    else if (what < 21)
        copy(q);
    else if (what < 23)
        fill(q);
    else if (what < 25)
        map(q);
    else if (what < 28)
        join(q);
    else if (what < 29)
        native(q);
    else if (what < 30)
        check(q);
    else if (what < 31)
        APP_CHECK(clFlush(queues[q]));
    else if (!any(4))
        finish_all();
    if (num_users && !any(20))
        set_users();
}

static void make(void)
{
    static const cl_mem_flags flags[] = {0,
                                         CL_MEM_ALLOC_HOST_PTR,
                                         CL_MEM_USE_HOST_PTR,
                                         CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_READ_ONLY,
                                         CL_MEM_USE_HOST_PTR};

    for (int i = 0; i < BUFFERS + STAGES; i++) {
        areas[i].host = aligned_alloc(4096, BYTES);
        for (int k = 0; k < BYTES; k++)
            areas[i].model[k] = areas[i].host[k] = (uint8_t)any(256);
    }
    for (int i = 0; i < BUFFERS; i++) {
        struct window *w = &windows[num_windows++];
        cl_mem_flags f = flags[i];
        *w = (struct window){&areas[i], NULL, 0, CELLS};
        w->mem =
            app_buffer(&a, f, BYTES, f & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) ? areas[i].host : NULL);
        if (!(f & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
            APP_CHECK(clEnqueueWriteBuffer(a.queue, w->mem, CL_TRUE, 0, BYTES, areas[i].host, 0, NULL, NULL));
        for (int k = 0; k < 2; k++) {
            int first = (int)any(CELLS / 2), count = 1 + (int)any(CELLS / 2);
            windows[num_windows++] = (struct window){
                &areas[i], app_sub_buffer(w->mem, 0, (size_t)first * CELL, (size_t)count * CELL), first,
                count};
        }
    }
}

static void check_all(void)
{
    uint8_t got[BYTES];

    finish_all();
    for (int i = 0; i < num_windows; i += 3) {
        APP_CHECK(
            clEnqueueReadBuffer(queues[i % QUEUES], windows[i].mem, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
        app_hash(&a, got, BYTES);
        for (int c = 0; c < CELLS; c++)
            app_expect(&a, !memcmp(got + c * CELL, windows[i].area->model + c * CELL, CELL),
                       "buffer %d cell %d differs", i / 3, c);
    }
    for (int i = BUFFERS; i < BUFFERS + STAGES; i++) {
        app_hash(&a, areas[i].host, BYTES);
        for (int c = 0; c < CELLS; c++)
            app_expect(&a, !memcmp(areas[i].host + c * CELL, areas[i].model + c * CELL, CELL),
                       "stage %d cell %d differs", i - BUFFERS, c);
    }
}

int main(int argc, char **argv)
{
    size_t commands = app_size(argc, argv, 2, 300, 1, MAX_OPS / 2);
    cl_program second;
    const char *source = LOUD;
    cl_int err;

    seed = (uint32_t)app_size(argc, argv, 1, 1, 1, 1u << 30);
    app_open(&a, "anything", 0, SOURCE);
    second = clCreateProgramWithSource(a.context, 1, &source, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clBuildProgram(second, 1, &a.device, NULL, NULL, NULL));
    turn = app_kernel(&a, "turn");
    mix = app_kernel(&a, "blend");
    slow = app_kernel(&a, "slow");
    loud = clCreateKernel(second, "loud", &err);
    APP_CHECK(err);
    for (int i = 0; i < QUEUES; i++) {
        in_order[i] = i < 3;
        queues[i] = app_queue(&a, in_order[i] ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    }
    make();
    for (size_t i = 0; i < commands; i++)
        step();
    check_all();
    for (int i = 0; i < QUEUES; i++)
        clReleaseCommandQueue(queues[i]);
    for (int i = num_windows; i--;)
        clReleaseMemObject(windows[i].mem);
    for (int i = 0; i < BUFFERS + STAGES; i++)
        free(areas[i].host);
    clReleaseKernel(turn);
    clReleaseKernel(mix);
    clReleaseKernel(slow);
    clReleaseKernel(loud);
    clReleaseProgram(second);
    return app_close(&a);
}
