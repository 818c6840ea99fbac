/* pointers.c - random commands on shared virtual memory: kernels that get pointers into the midst of
 * allocations, reach before them, meet others there, or follow pointers that lie in memory; fills, copies,
 * maps, migrations, frees with callbacks; allocations that come again at an address; fine-grained ones that
 * the host writes without a call, and atomic ones that it watches meanwhile.
 *
 * usage: pointers [rounds] [seed]   default 24 1 */
#include "common.h"

enum {
    COMMANDS = 60,
    ARENAS = 5,
    BYTES = 16384,
    WORDS = BYTES / 4,
    CELL = 1024,
    CELLS = WORDS / CELL,
    LIMIT = 1000000
};

static const char source[] =
    "kernel void add(global int *x, int y) { x[get_global_id(0)] += y; }\n"
    "kernel void slow(global int *x, int n) { int v = x[get_global_id(0)];\n"
    "  for (int i = 0; i < n; i++) v = v * 1664525 + 1013904223; x[get_global_id(0)] = v; }\n"
    "kernel void sum(global const int *a, global const int *b, global int *c)\n"
    "{ int i = get_global_id(0); c[i] = 3 * a[i] + b[i]; }\n"
    "kernel void back(global int *x, int y) { x[-(int)get_global_id(0)] += y; }\n"
    "kernel void pick(global const int *a, global int *c, int n)\n"
    "{ int i = get_global_id(0); c[i] += a[a[i] & (n - 1)]; }\n"
    "kernel void follow(global const ulong *table, int n)\n"
    "{ ((global int *)table[0])[get_global_id(0)] += n; ((global int *)table[1])[get_global_id(0)] ^= n; }\n"
    "kernel void count(volatile global int *x) { atomic_inc(x); }\n";

static struct app a;
static cl_kernel add, slow, sum, back, pick, follow, count;
static cl_int *arena[ARENAS];
static cl_ulong *table;
static cl_event last[ARENAS + 1]; /* of an out-of-order round: the last command that used it; the table's */
static cl_int host[COMMANDS][CELL];
static cl_command_queue queues[2];
static bool in_order, fine;
static cl_device_svm_capabilities able;
static uint32_t seed;

static uint32_t lot(uint32_t n)
{
    return app_random(&seed) % n;
}

static void *allocate(size_t bytes)
{
    cl_svm_mem_flags flags = CL_MEM_READ_WRITE | (fine ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0);
    void *p = clSVMAlloc(a.context, flags, bytes, 0);

    if (!p) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return p;
}

/* The host has the bytes until give_back(). */
static void take(void *p, size_t bytes)
{
    if (!fine)
        APP_CHECK(clEnqueueSVMMap(a.queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, p, bytes, 0, NULL, NULL));
}

static void give_back(void *p)
{
    if (!fine)
        APP_CHECK(clEnqueueSVMUnmap(a.queue, p, 0, NULL, NULL));
}

/* A command that uses some arenas: what it waits for, and its event. In order: nothing. */
struct use {
    cl_command_queue queue;
    bool of[ARENAS + 1];
    cl_event list[ARENAS + 1], event, *to;
    cl_uint n;
};

static void add_use(struct use *u, uint32_t i)
{
    if (u->of[i] || in_order)
        return;
    u->of[i] = true;
    if (last[i])
        u->list[u->n++] = last[i];
}

static void begin(struct use *u)
{
    memset(u, 0, sizeof *u);
    u->queue = in_order ? a.queue : queues[lot(2)];
    u->to = in_order && lot(3) ? NULL : &u->event;
}

static void check_type(cl_event e, cl_command_type want)
{
    cl_command_type type = 0;

    APP_CHECK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    app_expect(&a, type == want, "an event of type %#x in place of %#x", type, want);
}

static void end(struct use *u, cl_command_type type)
{
    if (u->event)
        check_type(u->event, type);
    for (int i = 0; i <= ARENAS; i++)
        if (u->of[i]) {
            if (last[i])
                APP_CHECK(clReleaseEvent(last[i]));
            APP_CHECK(clRetainEvent(u->event));
            last[i] = u->event;
        }
    if (u->event)
        APP_CHECK(clReleaseEvent(u->event));
}

#define BEHIND(u) (u).n, (u).n ? (u).list : NULL, (u).to

static cl_int *cell(struct use *u, uint32_t arena_, uint32_t cell_)
{
    add_use(u, arena_);
    return arena[arena_] + cell_ * CELL;
}

static void launch(struct use *u, cl_kernel k)
{
    size_t n = (size_t)64 << lot(5), local = 64;

    APP_CHECK(clEnqueueNDRangeKernel(u->queue, k, 1, NULL, &n, lot(2) ? &local : NULL, BEHIND(*u)));
    end(u, CL_COMMAND_NDRANGE_KERNEL);
}

static void number(cl_kernel k, cl_uint i, cl_int n)
{
    APP_CHECK(clSetKernelArg(k, i, sizeof n, &n));
}

static void one_pointer(uint32_t kind)
{
    cl_kernel k = kind == 0 ? add : kind == 1 ? slow : back;
    struct use u;
    uint32_t c = lot(CELLS);

    begin(&u);
    /* back: the end of the cell, and of the last one that of the allocation */
    APP_CHECK(clSetKernelArgSVMPointer(k, 0, cell(&u, lot(ARENAS), c) + (kind == 2 ? CELL - 1 : 0)));
    number(k, 1, (cl_int)lot(100));
    launch(&u, k);
}

/* Cells of one arena or of several. */
static void three_pointers(void)
{
    uint32_t first = lot(ARENAS), step = lot(3), c = lot(CELLS), between = 1 + lot(CELLS - 1);
    struct use u;

    begin(&u);
    APP_CHECK(clSetKernelArgSVMPointer(sum, 0, cell(&u, first, c)));
    APP_CHECK(clSetKernelArgSVMPointer(
        sum, 1, cell(&u, (first + step) % ARENAS, lot(2) ? c : (c + between) % CELLS)));
    APP_CHECK(clSetKernelArgSVMPointer(sum, 2, cell(&u, (first + 2 * step) % ARENAS, step ? lot(CELLS) : c)));
    launch(&u, sum);
}

static void by_data(void)
{
    uint32_t first = lot(ARENAS);
    struct use u;

    begin(&u);
    APP_CHECK(clSetKernelArgSVMPointer(pick, 0, cell(&u, first, 0)));
    APP_CHECK(clSetKernelArgSVMPointer(pick, 1, cell(&u, (first + 1) % ARENAS, lot(CELLS))));
    number(pick, 2, WORDS);
    launch(&u, pick);
}

/* Through addresses that a copy puts into the table. */
static void by_table(void)
{
    uint32_t i = lot(ARENAS), j = lot(ARENAS), c = lot(CELLS);
    cl_ulong to[2];
    struct use u;

    begin(&u);
    u.queue = a.queue;
    to[0] = (uintptr_t)cell(&u, i, c);
    to[1] = (uintptr_t)cell(&u, j, (c + 1 + lot(CELLS - 1)) % CELLS);
    add_use(&u, ARENAS);
    APP_CHECK(clEnqueueSVMMemcpy(u.queue, CL_TRUE, table, to, sizeof to, BEHIND(u)));
    end(&u, CL_COMMAND_SVM_MEMCPY);
    begin(&u);
    add_use(&u, i), add_use(&u, j), add_use(&u, ARENAS);
    APP_CHECK(clSetKernelArgSVMPointer(follow, 0, table));
    number(follow, 1, (cl_int)lot(100));
    launch(&u, follow);
}

static void transfer(uint32_t kind, cl_int *bytes)
{
    uint32_t from = lot(ARENAS), to = lot(ARENAS), c = lot(CELLS), d = lot(CELLS);
    cl_int word[2] = {(cl_int)lot(1000), (cl_int)lot(1000)}, *p, *q = bytes;
    struct use u;

    begin(&u);
    p = cell(&u, to, c);
    if (kind == 0) {
        APP_CHECK(clEnqueueSVMMemFill(u.queue, p, word, sizeof word, (64u << lot(5)) * 4, BEHIND(u)));
        end(&u, CL_COMMAND_SVM_MEMFILL);
        return;
    }
    if (kind == 1)
        q = cell(&u, from, from == to && c == d ? (d + 1) % CELLS : d);
    for (int i = 0; kind == 2 && i < CELL; i++)
        bytes[i] = (cl_int)lot(1 << 20);
    APP_CHECK(
        clEnqueueSVMMemcpy(u.queue, kind == 4, kind < 3 ? p : q, kind < 3 ? q : p, CELL * 4, BEHIND(u)));
    end(&u, CL_COMMAND_SVM_MEMCPY);
    if (kind == 4)
        app_hash(&a, bytes, CELL * 4);
}

/* What the host reads and writes between a map and its end; fine grain: between two waits. */
static void host_looks(void)
{
    uint32_t i = lot(ARENAS), c = lot(CELLS);
    cl_map_flags flags = lot(2) ? CL_MAP_READ : CL_MAP_READ | CL_MAP_WRITE;
    struct use u;
    cl_int *p;

    begin(&u);
    p = cell(&u, i, c);
    if (fine) {
        APP_CHECK(clFinish(a.queue)), APP_CHECK(clFinish(queues[0])), APP_CHECK(clFinish(queues[1]));
    } else {
        APP_CHECK(clEnqueueSVMMap(u.queue, CL_TRUE, flags, p, CELL * 4, BEHIND(u)));
        end(&u, CL_COMMAND_SVM_MAP);
    }
    app_hash(&a, p, CELL * 4);
    for (int k = 0; flags & CL_MAP_WRITE && k < CELL; k += 3)
        p[k] += (cl_int)lot(50);
    if (fine)
        return;
    begin(&u);
    add_use(&u, i);
    APP_CHECK(clEnqueueSVMUnmap(u.queue, p, BEHIND(u)));
    end(&u, CL_COMMAND_SVM_UNMAP);
}

static int freed;

static void CL_CALLBACK when_freed(cl_command_queue queue, cl_uint n, void *pointers[], void *data)
{
    for (cl_uint i = 0; i < n; i++)
        clSVMFree(a.context, pointers[i]);
    (void)queue;
    __atomic_fetch_add((int *)data, 1, __ATOMIC_RELEASE);
}

/* The arena goes when its commands are over, and another one takes its place. */
static void renew(void)
{
    uint32_t i = lot(ARENAS);
    int before = freed;
    bool calls = lot(2);
    struct use u;
    void *old[1] = {arena[i]};

    begin(&u);
    add_use(&u, i);
    APP_CHECK(clEnqueueSVMFree(u.queue, 1, old, calls ? when_freed : NULL, calls ? &freed : NULL, BEHIND(u)));
    end(&u, CL_COMMAND_SVM_FREE);
    APP_CHECK(clFinish(u.queue));
    if (calls)
        RM_WAIT(__atomic_load_n(&freed, __ATOMIC_ACQUIRE) > before);
    arena[i] = allocate(BYTES);
    begin(&u);
    add_use(&u, i);
    APP_CHECK(clEnqueueSVMMemFill(u.queue, arena[i], &seed, sizeof seed, BYTES, BEHIND(u)));
    end(&u, CL_COMMAND_SVM_MEMFILL);
}

static void migrate(void)
{
    const void *p = arena[lot(ARENAS)];
    struct use u;

    if (!in_order)
        return;
    begin(&u);
    APP_CHECK(clEnqueueSVMMigrateMem(u.queue, 1, &p, NULL, 0, BEHIND(u)));
    end(&u, CL_COMMAND_SVM_MIGRATE_MEM);
}

static void command(cl_int *bytes)
{
    uint32_t kind = lot(18);

    if (kind < 5)
        transfer(kind, bytes);
    else if (kind < 9)
        one_pointer(kind % 3);
    else if (kind < 13)
        three_pointers();
    else if (kind == 13)
        by_data();
    else if (kind == 14)
        by_table();
    else if (kind == 15)
        host_looks();
    else if (kind == 16)
        migrate();
    else if (!lot(3))
        renew();
}

static void finish(void)
{
    APP_CHECK(clFinish(a.queue));
    APP_CHECK(clFinish(queues[0]));
    APP_CHECK(clFinish(queues[1]));
    for (int i = 0; i <= ARENAS; i++)
        if (last[i]) {
            APP_CHECK(clReleaseEvent(last[i]));
            last[i] = NULL;
        }
}

static void play(bool ordered, bool fine_)
{
    void *reach[ARENAS];

    in_order = ordered;
    fine = fine_;
    table = allocate(2 * sizeof *table);
    for (int i = 0; i < ARENAS; i++) {
        reach[i] = arena[i] = allocate(BYTES);
        take(arena[i], BYTES);
        for (int k = 0; k < WORDS; k++)
            arena[i][k] = i * 1000 + k;
        give_back(arena[i]);
    }
    APP_CHECK(clFinish(a.queue));
    APP_CHECK(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reach, reach));
    APP_CHECK(
        clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reach, reach)); /* it follows none */
    for (int i = 0; i < COMMANDS; i++) {
        command(host[i]);
        if (!lot(20))
            APP_CHECK(clFlush(a.queue));
    }
    finish();
    for (int i = 0; i < COMMANDS; i++)
        app_hash(&a, host[i], sizeof host[i]);
    for (int i = 0; i < ARENAS; i++) {
        take(arena[i], BYTES);
        app_hash(&a, arena[i], BYTES);
        give_back(arena[i]);
        APP_CHECK(clFinish(a.queue));
        clSVMFree(a.context, arena[i]);
    }
    clSVMFree(a.context, table);
}

/* The host sees each count as it comes, with no call of its own, and so what is behind it. */
static void watch(void)
{
    const int one = 1;
    int *x, *y;

    if (!(able & CL_DEVICE_SVM_ATOMICS))
        return;
    x = clSVMAlloc(a.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
                   sizeof *x, 0);
    y = clSVMAlloc(a.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof *y, 0);
    if (!x || !y)
        return;
    *x = *y = 0;
    APP_CHECK(clSetKernelArgSVMPointer(count, 0, x));
    for (int i = 0; i < 20; i++) {
        app_run(a.queue, count, 64, 64, 0, NULL, NULL);
        APP_CHECK(clFlush(a.queue));
        RM_WAIT(__atomic_load_n(x, __ATOMIC_ACQUIRE) == 64 * (i + 1));
        APP_CHECK(clEnqueueSVMMemFill(a.queue, y, &one, sizeof one, sizeof one, 0, NULL, NULL));
    }
    APP_CHECK(clFinish(a.queue));
    printf("watched %d %d\n", *x, *y);
    clSVMFree(a.context, x), clSVMFree(a.context, y);
}

/* PoCL 6.0 itself crashes in one of the ends of maps. */
/* A free that waits for the host leaves the allocation to commands of other queues, which come before it. */
static void free_late(void)
{
    cl_command_queue other = app_queue(&a, 0);
    void *x = allocate(BYTES), *y = allocate(BYTES);
    cl_int zero = 0, err;
    cl_event gate = clCreateUserEvent(a.context, &err);

    APP_CHECK(err);
    APP_CHECK(clEnqueueSVMMemFill(a.queue, x, &zero, sizeof zero, BYTES, 0, NULL, NULL));
    APP_CHECK(clFinish(a.queue));
    APP_CHECK(clSetKernelArgSVMPointer(slow, 0, x));
    number(slow, 1, 5000);
    app_run(a.queue, slow, WORDS, 64, 0, NULL, NULL);
    APP_CHECK(clEnqueueSVMFree(other, 1, &x, NULL, NULL, 1, &gate, NULL));
    APP_CHECK(clEnqueueSVMMemcpy(a.queue, CL_FALSE, y, x, BYTES, 0, NULL, NULL));
    APP_CHECK(clEnqueueSVMMemcpy(a.queue, CL_TRUE, host, y, BYTES, 0, NULL, NULL));
    app_hash(&a, host, BYTES);
    APP_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    APP_CHECK(clFinish(other));
    clReleaseEvent(gate);
    APP_CHECK(clReleaseCommandQueue(other));
    clSVMFree(a.context, y);
}

/* The vendor says what it thinks of no bytes; none is touched. */
static void no_bytes(void)
{
    cl_int *x = allocate(BYTES), fill = 77;

    take(x, BYTES);
    x[0] = 5;
    give_back(x);
    printf("fill %d, copy %d\n", clEnqueueSVMMemFill(a.queue, x, &fill, sizeof fill, 0, 0, NULL, NULL),
           clEnqueueSVMMemcpy(a.queue, CL_TRUE, x, x + CELL, 0, 0, NULL, NULL));
    APP_CHECK(clFinish(a.queue));
    take(x, BYTES);
    printf("first word %d\n", x[0]);
    give_back(x);
    APP_CHECK(clFinish(a.queue));
    clSVMFree(a.context, x);
}

static bool crashes(void)
{
    char version[64] = "";

    clGetDeviceInfo(a.device, CL_DRIVER_VERSION, sizeof version - 1, version, NULL);
    return !strncmp(version, "6.", 2);
}

int main(int argc, char **argv)
{
    size_t rounds = app_size(argc, argv, 1, 24, 1, LIMIT);

    seed = (uint32_t)app_size(argc, argv, 2, 1, 1, LIMIT);
    app_open(&a, "pointers", 0, source);
    clGetDeviceInfo(a.device, CL_DEVICE_SVM_CAPABILITIES, sizeof able, &able, NULL);
    if (!(able & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER))
        app_skip("pointers", "the device has no shared virtual memory");
    if (crashes())
        app_skip("pointers", "the vendor crashes");
    add = app_kernel(&a, "add"), slow = app_kernel(&a, "slow"), sum = app_kernel(&a, "sum");
    back = app_kernel(&a, "back"), pick = app_kernel(&a, "pick"), follow = app_kernel(&a, "follow");
    count = app_kernel(&a, "count");
    for (int i = 0; i < 2; i++)
        queues[i] = app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (size_t i = 0; i < rounds; i++)
        play(i % 3 != 1, i % 4 == 2 && able & CL_DEVICE_SVM_FINE_GRAIN_BUFFER);
    watch();
    for (int i = 0; i < 6; i++)
        free_late();
    no_bytes();
    APP_CHECK(clReleaseCommandQueue(queues[0])), APP_CHECK(clReleaseCommandQueue(queues[1]));
    clReleaseKernel(add), clReleaseKernel(slow), clReleaseKernel(sum), clReleaseKernel(back);
    clReleaseKernel(pick), clReleaseKernel(follow), clReleaseKernel(count);
    return app_close(&a);
}
