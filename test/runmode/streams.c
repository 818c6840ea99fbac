/* streams.c - a queue in order, whatever runs side by side: bytes that meet between commands of several
 * kinds, and what events, waits, callbacks, times and other queues see of long and short commands. */
#include "common.h"

#define N     64
#define LONG  200000
#define PAIRS 4

static struct app a;
static cl_kernel add, slow, sum;
static cl_command_queue other;

static void launch(cl_command_queue q, cl_kernel k, cl_mem x, int y, cl_event *event)
{
    app_args(k, "mi", x, y);
    app_run(q, k, N, 0, 0, NULL, event);
}

static cl_mem zeros(void)
{
    static int none[N];

    return app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof none, none);
}

static void say(const char *what, bool right)
{
    printf("%s: %s\n", what, right ? "right" : "wrong");
}

/* Commands behind one that waits for the program: none is over, nor has begun on bytes of those before it,
 * when a later command of another queue is over. */
static void held(void)
{
    cl_command_queue beside = app_queue(&a, 0);
    cl_mem m[2 * PAIRS], far = zeros();
    cl_event user = clCreateUserEvent(a.context, NULL), first, last = NULL, passes;
    int five = 5, got[2 * PAIRS] = {0};
    bool waits;

    for (int i = 0; i < 2 * PAIRS; i++)
        m[i] = zeros();
    for (int i = 0; i < 2 * PAIRS; i++) {
        APP_CHECK(clEnqueueFillBuffer(a.queue, m[i], &five, sizeof five, 0, N * sizeof five, !i,
                                      i ? NULL : &user, i ? NULL : &first));
        launch(a.queue, add, m[i], 7, NULL);
        APP_CHECK(clEnqueueReadBuffer(a.queue, m[i], CL_FALSE, 0, sizeof *got, &got[i], 0, NULL,
                                      i < 2 * PAIRS - 1 ? NULL : &last));
    }
    APP_CHECK(clFlush(a.queue));
    launch(beside, add, far, 1, &passes);
    APP_CHECK(clWaitForEvents(1, &passes));
    waits = rm_status(last) > CL_COMPLETE && rm_status(first) > CL_COMPLETE;
    APP_CHECK(clSetUserEventStatus(user, CL_COMPLETE));
    APP_CHECK(clFinish(a.queue));
    for (int i = 0; i < 2 * PAIRS; i++)
        waits &= got[i] == 12;
    say("held", waits);
    app_hash(&a, got, sizeof got);
    app_release_events((cl_event[]){user, first, last, passes}, 4);
    app_release_mems(m, 2 * PAIRS);
    app_release_mems(&far, 1);
    APP_CHECK(clReleaseCommandQueue(beside));
}

/* A long command, and a short one that is independent of it. */
static void pair(cl_mem m[2], cl_event e[2])
{
    m[0] = zeros();
    m[1] = zeros();
    launch(a.queue, slow, m[0], LONG, &e[0]);
    launch(a.queue, add, m[1], 7, &e[1]);
}

static void drop(cl_mem m[2], cl_event e[2])
{
    app_read(&a, m[0], 0, N * sizeof(int), (int[N]){0});
    app_read(&a, m[1], 0, N * sizeof(int), (int[N]){0});
    app_release_events(e, 2);
    app_release_mems(m, 2);
}

static void polled(void)
{
    cl_mem m[2];
    cl_event e[2];

    pair(m, e);
    APP_CHECK(clFlush(a.queue));
    rm_poll(e[1]);
    say("polled", rm_status(e[0]) == CL_COMPLETE);
    drop(m, e);
}

static void waited(void)
{
    cl_mem m[2];
    cl_event e[2];

    pair(m, e);
    APP_CHECK(clWaitForEvents(1, &e[1]));
    say("waited", rm_status(e[0]) == CL_COMPLETE);
    drop(m, e);
}

static void read_blocking(void)
{
    cl_mem m[2];
    cl_event e[2];
    int word = 0;

    pair(m, e);
    APP_CHECK(clEnqueueReadBuffer(a.queue, m[1], CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL));
    say("read", word == 7 && rm_status(e[0]) == CL_COMPLETE && rm_status(e[1]) == CL_COMPLETE);
    drop(m, e);
}

static _Atomic int calls;
static _Atomic bool too_early;
static cl_event long_one;

static void CL_CALLBACK called(cl_event event, cl_int status, void *data)
{
    (void)status;
    if (rm_status(event) != CL_COMPLETE || rm_status(long_one) != CL_COMPLETE)
        too_early = true;
    calls = calls * 10 + *(int *)data;
}

static void called_back(void)
{
    static int one = 1, two = 2;
    cl_mem m[2];
    cl_event e[2];
    bool over;

    pair(m, e);
    long_one = e[0];
    APP_CHECK(clSetEventCallback(e[1], CL_COMPLETE, called, &two));
    APP_CHECK(clSetEventCallback(e[0], CL_COMPLETE, called, &one));
    over = rm_status(e[1]) == CL_COMPLETE; /* callbacks come as they were set, or before and behind that */
    APP_CHECK(clFinish(a.queue));
    RM_WAIT(calls >= 10); /* some vendors call behind it */
    printf("called %d, %s\n", over && calls == 21 ? 12 : calls, too_early ? "too early" : "in time");
    drop(m, e);
}

/* What waits for the short one sees the bytes of the long one. */
static void across(void)
{
    cl_mem m[2], to = zeros();
    cl_event e[2], copied;

    pair(m, e);
    APP_CHECK(clFlush(a.queue));
    APP_CHECK(clEnqueueCopyBuffer(other, m[0], to, 0, 0, N * sizeof(int), 1, &e[1], &copied));
    APP_CHECK(clWaitForEvents(1, &copied));
    app_read(&a, to, 0, N * sizeof(int), (int[N]){0});
    clReleaseEvent(copied);
    APP_CHECK(clReleaseMemObject(to));
    drop(m, e);
}

/* When a blocking call is over the program may do as it likes with the memory that writes before it read. */
static void freed(void)
{
    enum { WORDS = 1 << 20 };
    cl_mem x = app_buffer(&a, 0, WORDS * sizeof(int), NULL), y = zeros();
    int *from = malloc(WORDS * sizeof *from), word;

    for (int i = 0; i < WORDS; i++)
        from[i] = i;
    app_args(slow, "mi", x, LONG);
    app_run(a.queue, slow, N, 0, 0, NULL, NULL);
    APP_CHECK(clEnqueueWriteBuffer(a.queue, x, CL_FALSE, 0, WORDS * sizeof *from, from, 0, NULL, NULL));
    APP_CHECK(clEnqueueReadBuffer(a.queue, y, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL));
    memset(from, 0, WORDS * sizeof *from);
    app_read(&a, x, 0, WORDS * sizeof *from, from);
    free(from);
    app_release_mems((cl_mem[]){x, y}, 2);
}

/* A vendor may return from a write that blocks as soon as it has copied the program's bytes. */
static void written_early(void)
{
    static int five[N];
    cl_mem x[3] = {zeros(), zeros(), zeros()};

    for (int i = 0; i < N; i++)
        five[i] = 5;
    launch(a.queue, slow, x[0], LONG, NULL);
    launch(a.queue, slow, x[1], LONG, NULL);
    APP_CHECK(clEnqueueWriteBuffer(a.queue, x[1], CL_TRUE, 0, sizeof five, five, 0, NULL, NULL));
    launch(a.queue, slow, x[2], LONG, NULL);
    launch(a.queue, add, x[1], 7, NULL);
    app_read(&a, x[1], 0, sizeof five, five);
    say("written early", five[0] == 12 && five[N - 1] == 12);
    app_release_mems(x, 3);
}

/* A blocking call is over, so all before it is: another queue may work on that. */
static void after_blocking(void)
{
    cl_mem x = zeros(), y = zeros();
    int word;

    launch(a.queue, slow, x, LONG, NULL);
    APP_CHECK(clEnqueueReadBuffer(a.queue, y, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL));
    launch(other, add, x, 7, NULL);
    APP_CHECK(clFinish(other));
    app_read(&a, x, 0, N * sizeof(int), (int[N]){0});
    app_release_mems((cl_mem[]){x, y}, 2);
}

/* The same for a queue that is made behind the blocking call. */
static void made_later(void)
{
    cl_mem x = zeros(), y = zeros();
    int word;

    launch(a.queue, slow, x, LONG, NULL);
    APP_CHECK(clEnqueueReadBuffer(a.queue, y, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL));
    other = app_queue(&a, 0);
    launch(other, add, x, 7, NULL);
    APP_CHECK(clFinish(other));
    app_read(&a, x, 0, N * sizeof(int), (int[N]){0});
    app_release_mems((cl_mem[]){x, y}, 2);
}

/* Buffers of a context that only its queue holds. */
static void let_go(void)
{
    static int none[N], word;
    struct app b;
    cl_kernel one, two;
    cl_mem x, y;

    app_open(&b, "let go", 0, RM_SOURCE);
    one = app_kernel(&b, "slow");
    two = app_kernel(&b, "add");
    APP_CHECK(clReleaseContext(b.context));
    x = app_buffer(&b, CL_MEM_COPY_HOST_PTR, sizeof none, none);
    y = app_buffer(&b, CL_MEM_COPY_HOST_PTR, sizeof none, none);
    APP_CHECK(clEnqueueReadBuffer(b.queue, y, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL));
    launch(b.queue, one, x, LONG, NULL);
    launch(b.queue, two, x, 7, NULL);
    app_read(&b, x, 0, N * sizeof(int), (int[N]){0});
    app_release_mems((cl_mem[]){x, y}, 2);
    APP_CHECK(clReleaseKernel(one));
    APP_CHECK(clReleaseKernel(two));
    APP_CHECK(clRetainContext(b.context));
    app_close(&b);
}

/* A kernel writes what the program has called read-only: bare, that works. */
static void written_anyway(void)
{
    static int none[N];
    cl_mem x = app_buffer(&a, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof none, none);

    launch(a.queue, slow, x, LONG, NULL);
    launch(a.queue, add, x, 7, NULL);
    APP_CHECK(clFinish(a.queue));
    app_read(&a, x, 0, N * sizeof(int), (int[N]){0});
    app_release_mems(&x, 1);
}

/* Times of commands of a queue, in their order: those of each, and those of neighbours. */
static void check_times(const char *what, cl_event *e, int n)
{
    static const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                              CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
                                              CL_PROFILING_COMMAND_COMPLETE};
    cl_ulong at[5], again, last[5] = {0};
    bool rise = true, follow = true, same = true;

    for (int i = 0; i < n; i++) {
        for (int k = 4; k >= 0; k--)
            APP_CHECK(clGetEventProfilingInfo(e[i], names[k], sizeof at[k], &at[k], NULL));
        APP_CHECK(clGetEventProfilingInfo(e[i], names[2], sizeof again, &again, NULL));
        rise &= at[0] <= at[1] && at[1] <= at[2] && at[2] <= at[3] && at[3] <= at[4];
        follow &= last[0] <= at[0] && last[3] <= at[2] && last[3] <= at[3];
        same &= again == at[2];
        memcpy(last, at, sizeof at);
    }
    printf("%s: times %s, the queue's %s, asked twice %s\n", what, rise ? "rise" : "fall",
           follow ? "follow" : "overlap", same ? "the same" : "others");
}

static void timed(void)
{
    cl_mem m[PAIRS][2];
    cl_event e[PAIRS][2];

    for (int i = 0; i < PAIRS; i++)
        pair(m[i], e[i]);
    APP_CHECK(clFinish(a.queue));
    check_times("timed", e[0], 2 * PAIRS);
    for (int i = 0; i < PAIRS; i++)
        drop(m[i], e[i]);
}

/* The last one is asked first; then one in the middle is gone. */
static void timed_backwards(void)
{
    cl_mem m[PAIRS][2];
    cl_event e[PAIRS][2], kept[2 * PAIRS];
    cl_ulong end;

    for (int i = 0; i < PAIRS; i++)
        pair(m[i], e[i]);
    APP_CHECK(clWaitForEvents(1, &e[PAIRS - 1][1]));
    for (int i = PAIRS - 1; i >= 0; i--)
        APP_CHECK(clGetEventProfilingInfo(e[i][1], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    memcpy(kept, e, sizeof kept);
    for (int i = 0; i < 2 * PAIRS; i++)
        APP_CHECK(clRetainEvent(kept[i]));
    APP_CHECK(clReleaseEvent(kept[2]));
    memmove(&kept[2], &kept[3], (2 * PAIRS - 3) * sizeof *kept);
    check_times("backwards", kept, 2 * PAIRS - 1);
    app_release_events(kept, 2 * PAIRS - 1);
    for (int i = 0; i < PAIRS; i++)
        drop(m[i], e[i]);
}

/* Commands of each kind but maps (mapped.c), behind and before long kernels. */
static void timed_kinds(void)
{
    enum { ROUNDS = 3, KINDS = 8 };
    static int host[ROUNDS][2 * N], none;
    cl_event e[ROUNDS * KINDS], *to = e;
    size_t zero[3] = {0}, region[3] = {16, 4, 1};
    cl_mem x = zeros(), y = zeros(), z = zeros();

    for (int r = 0; r < ROUNDS; r++) {
        launch(a.queue, slow, x, LONG, to++);
        launch(a.queue, add, y, 1, to++);
        APP_CHECK(clEnqueueReadBuffer(a.queue, y, CL_FALSE, 0, N * sizeof(int), host[r], 0, NULL, to++));
        APP_CHECK(clEnqueueWriteBuffer(a.queue, z, CL_FALSE, 0, sizeof none, &none, 0, NULL, to++));
        APP_CHECK(clEnqueueFillBuffer(a.queue, z, &none, sizeof none, 16, 64, 0, NULL, to++));
        APP_CHECK(clEnqueueCopyBuffer(a.queue, z, y, 0, 0, 64, 0, NULL, to++));
        APP_CHECK(clEnqueueReadBufferRect(a.queue, z, r == 1, zero, zero, region, 0, 0, 0, 0, host[r] + N, 0,
                                          NULL, to++));
        if (r % 2)
            APP_CHECK(clEnqueueMarkerWithWaitList(a.queue, 0, NULL, to++));
        else
            launch(a.queue, add, z, 1, to++);
    }
    APP_CHECK(clFinish(a.queue));
    check_times("of each kind", e, ROUNDS * KINDS);
    app_release_events(e, ROUNDS * KINDS);
    app_read(&a, x, 0, N * sizeof(int), host);
    app_read(&a, y, 0, N * sizeof(int), host);
    app_read(&a, z, 0, N * sizeof(int), host);
    app_release_mems((cl_mem[]){x, y, z}, 3);
}

/* Bytes meet in the host's memory, in parts of buffers, and in memory that two buffers share. */
static void meet(void)
{
    static int host[N], shared[N], none[2048];
    cl_mem x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof none, none), y = zeros(),
           part = app_sub_buffer(x, 0, 4096, 4096);
    cl_mem over = app_buffer(&a, CL_MEM_USE_HOST_PTR, sizeof shared, shared);

    for (int r = 0; r < 6; r++) {
        launch(a.queue, slow, part, LONG / 4, NULL);
        launch(a.queue, add, y, r, NULL);
        APP_CHECK(clEnqueueReadBuffer(a.queue, x, CL_FALSE, 4096, sizeof host, host, 0, NULL, NULL));
        APP_CHECK(clEnqueueWriteBuffer(a.queue, over, CL_FALSE, 0, sizeof host, host, 0, NULL, NULL));
        app_args(sum, "mmm", over, part, y);
        app_run(a.queue, sum, N, 0, 0, NULL, NULL);
        APP_CHECK(clEnqueueCopyBuffer(a.queue, y, x, 0, 4096 + 64, 128, 0, NULL, NULL));
        APP_CHECK(clEnqueueReadBuffer(a.queue, over, CL_FALSE, 0, sizeof host, host, 0, NULL, NULL));
        APP_CHECK(clEnqueueWriteBuffer(a.queue, y, CL_FALSE, 0, sizeof host / 2, host, 0, NULL, NULL));
        if (r % 3 == 2)
            APP_CHECK(clEnqueueBarrierWithWaitList(a.queue, 0, NULL, NULL));
    }
    app_read(&a, x, 4096, sizeof host, host);
    app_read(&a, y, 0, sizeof host, host);
    app_read(&a, over, 0, sizeof host, host);
    app_release_mems((cl_mem[]){part, x, y, over}, 4);
}

/* The context's count of references once it stays, and it is `wanted` or time is up. */
static cl_uint references(cl_uint wanted)
{
    cl_uint count = 0, now = 0;

    for (int same = 0, tries = 0; same < 20 && tries < 2000; same++, tries++) {
        APP_CHECK(clGetContextInfo(a.context, CL_CONTEXT_REFERENCE_COUNT, sizeof now, &now, NULL));
        same = now == count && (now == wanted || tries > 200) ? same : 0;
        count = now;
        rm_sleep_ms(1);
    }
    return count;
}

static void CL_CALLBACK told(cl_event event, cl_int status, void *data)
{
    (void)event;
    *(_Atomic int *)data = status == CL_COMPLETE;
}

/* The program lets a queue go while commands of it are under way, then asks to be called when one is over:
 * the context has the references of before when all is gone. */
static void let_go_early(void)
{
    cl_uint before = references(0);
    cl_command_queue q = app_queue(&a, 0);
    static _Atomic int done;
    cl_event e[PAIRS];
    cl_mem m[PAIRS];

    for (int i = 0; i < PAIRS; i++) {
        m[i] = zeros();
        launch(q, slow, m[i], LONG, &e[i]);
    }
    APP_CHECK(clReleaseCommandQueue(q));
    APP_CHECK(clSetEventCallback(e[PAIRS - 1], CL_COMPLETE, told, (void *)&done));
    APP_CHECK(clWaitForEvents(PAIRS, e));
    RM_WAIT(done);
    app_release_events(e, PAIRS);
    app_release_mems(m, PAIRS);
    say("references", references(before) == before);
}

int main(void)
{
    app_open(&a, "streams", CL_QUEUE_PROFILING_ENABLE, RM_SOURCE);
    add = app_kernel(&a, "add");
    slow = app_kernel(&a, "slow");
    sum = app_kernel(&a, "sum");
    written_early(); /* before a user event, a callback or a second queue: then run mode waits for more */
    held();
    polled();
    waited();
    read_blocking();
    called_back();
    freed();
    made_later();
    across();
    after_blocking();
    timed();
    timed_backwards();
    timed_kinds();
    meet();
    let_go();
    let_go_early();
    written_anyway();
    APP_CHECK(clReleaseCommandQueue(other));
    APP_CHECK(clReleaseKernel(add));
    APP_CHECK(clReleaseKernel(slow));
    APP_CHECK(clReleaseKernel(sum));
    return app_close(&a);
}
