/* addresses.c - kernels that keep where a buffer lies in another buffer, and later ones that have that word
 * alone: they write and read through it, by one hop or two, from a structure, after arithmetic on it, by way
 * of local memory, as a number that the host hands on, behind a copy of the word, in another queue. Between
 * them launches that name the buffer. Once with all kernels in one program, once with those in a program of
 * their own that know no addresses.
 *
 * addresses [kept]: the host reads no address. */
#include "common.h"

#define WORDS  16384
#define ROUNDS 8

static const char plain[] =
    "kernel void add(global int *x, int y) { x[get_global_id(0)] += y; }\n"
    "kernel void into(global int *x, global const int *y) { int i = get_global_id(0); "
    "x[i] = x[i] * 5 + y[i]; }\n";

static const char source[] =
    "struct node { global int *at; ulong words; };\n"
    "kernel void keep(global ulong *t, global int *x) { t[0] = (ulong)x; }\n"
    "kernel void keep_behind(global ulong *t, global int *x, int n) { t[0] = (ulong)(x + n); }\n"
    "kernel void keep_table(global ulong *t, global ulong *of) { t[0] = (ulong)of; }\n"
    "kernel void keep_node(global struct node *t, global int *x, int n) { t->at = x; t->words = n; }\n"
    "kernel void shift(global ulong *t, int bytes) { t[0] += bytes; }\n"
    "kernel void far_add(global const ulong *t, int y) {\n"
    "  global int *x = (global int *)t[0]; int i = get_global_id(0); x[i] = x[i] * 3 + y; }\n"
    "kernel void far_read(global const ulong *t, global int *y) {\n"
    "  int i = get_global_id(0); y[i] = y[i] * 7 + ((global const int *)t[0])[i]; }\n"
    "kernel void far_hops(global const ulong *t, int y) {\n"
    "  global ulong *u = (global ulong *)t[0]; global int *x = (global int *)u[0];\n"
    "  int i = get_global_id(0); x[i] = x[i] * 3 + y; }\n"
    "kernel void far_node(global const struct node *t, int y) {\n"
    "  int i = get_global_id(0); if (i < t->words) t->at[i] = t->at[i] * 3 + y; }\n"
    "kernel void far_local(global const ulong *t, int y) {\n"
    "  local ulong at[1]; ulong mine[2];\n"
    "  if (get_local_id(0) == 0) at[0] = t[0];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); mine[y & 1] = at[0];\n"
    "  global int *x = (global int *)mine[y & 1]; int i = get_global_id(0); x[i] = x[i] * 3 + y; }\n"
    "kernel void far_number(ulong at, int y) {\n"
    "  global int *x = (global int *)at; int i = get_global_id(0); x[i] = x[i] * 3 + y; }\n";

static struct app a;
static cl_program program[2]; /* of the plain kernels; of the others */
static cl_command_queue queue[2];
static cl_mem x, y, table[2];

static cl_program build(const char *first, const char *second)
{
    const char *text[] = {first, second};
    cl_int err;
    cl_program p = clCreateProgramWithSource(a.context, 2, text, NULL, &err);

    APP_CHECK(err);
    APP_CHECK(clBuildProgram(p, 1, &a.device, "", NULL, NULL));
    return p;
}

static cl_kernel kernel(bool knows, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(program[knows], name, &err);

    APP_CHECK(err);
    return k;
}

/* The word goes into the first table. */
static void keep(const char *name, const char *types, cl_mem of, int n)
{
    cl_kernel k = kernel(true, name);

    if (of)
        app_args(k, types, table[0], of, n);
    else
        app_args(k, types, table[0], n);
    app_run(queue[0], k, 1, 1, 0, NULL, NULL);
    APP_CHECK(clReleaseKernel(k));
}

static void fill(void)
{
    static const cl_int one = 1;
    static const cl_ulong zero = 0;

    APP_CHECK(clEnqueueFillBuffer(queue[0], x, &one, sizeof one, 0, WORDS * sizeof one, 0, NULL, NULL));
    APP_CHECK(clEnqueueFillBuffer(queue[0], y, &one, sizeof one, 0, WORDS * sizeof one, 0, NULL, NULL));
    for (int i = 0; i < 2; i++)
        APP_CHECK(clEnqueueFillBuffer(queue[0], table[i], &zero, sizeof zero, 0, 64, 0, NULL, NULL));
}

static void look(const char *what)
{
    static uint32_t host[WORDS];

    for (int i = 0; i < 2; i++) {
        a.hash = 0;
        app_read(&a, i ? y : x, 0, sizeof host, host);
        printf("%s: %016llx\n", what, (unsigned long long)a.hash);
    }
}

/* Rounds of `name`, which gets `t` and a number, and of launches that name x. */
static void rounds(const char *what, const char *name, cl_mem t, size_t n)
{
    cl_kernel far = kernel(true, name), add = kernel(false, "add"), into = kernel(false, "into");

    for (int i = 1; i <= ROUNDS; i++) {
        app_args(far, "mi", t, i);
        app_run(queue[0], far, n, 64, 0, NULL, NULL);
        app_args(add, "mi", x, i);
        app_run(queue[0], add, WORDS, 64, 0, NULL, NULL);
        app_args(into, "mm", y, x);
        app_run(queue[0], into, WORDS, 64, 0, NULL, NULL);
    }
    look(what);
    APP_CHECK(clReleaseKernel(far));
    APP_CHECK(clReleaseKernel(add));
    APP_CHECK(clReleaseKernel(into));
}

static void reads(void)
{
    cl_kernel far = kernel(true, "far_read"), add = kernel(false, "add");

    app_args(far, "mm", table[0], y);
    for (int i = 1; i <= ROUNDS; i++) {
        app_args(add, "mi", x, i);
        app_run(queue[0], add, WORDS, 64, 0, NULL, NULL);
        app_run(queue[0], far, WORDS, 64, 0, NULL, NULL);
    }
    look("read through it");
    APP_CHECK(clReleaseKernel(far));
    APP_CHECK(clReleaseKernel(add));
}

/* The host reads the word and hands it on as a number. */
static void numbers(void)
{
    cl_kernel far = kernel(true, "far_number"), add = kernel(false, "add");
    cl_ulong at;

    APP_CHECK(clEnqueueReadBuffer(queue[0], table[0], CL_TRUE, 0, sizeof at, &at, 0, NULL, NULL));
    APP_CHECK(clSetKernelArg(far, 0, sizeof at, &at));
    for (cl_int i = 1; i <= ROUNDS; i++) {
        APP_CHECK(clSetKernelArg(far, 1, sizeof i, &i));
        app_run(queue[0], far, WORDS, 64, 0, NULL, NULL);
        app_args(add, "mi", x, i);
        app_run(queue[0], add, WORDS, 64, 0, NULL, NULL);
    }
    look("a number");
    APP_CHECK(clReleaseKernel(far));
    APP_CHECK(clReleaseKernel(add));
}

/* Each launch waits for the one before it, in the other queue. */
static void across(void)
{
    cl_kernel far = kernel(true, "far_add"), add = kernel(false, "add");
    cl_event event[2 * ROUNDS];

    APP_CHECK(clFinish(queue[0]));
    for (int i = 0; i < 2 * ROUNDS; i++) {
        app_args(i & 1 ? add : far, "mi", i & 1 ? x : table[0], i);
        app_run(queue[i & 1], i & 1 ? add : far, WORDS, 64, i > 0, i ? &event[i - 1] : NULL, &event[i]);
    }
    APP_CHECK(clFlush(queue[0]));
    APP_CHECK(clFlush(queue[1]));
    APP_CHECK(clWaitForEvents(1, &event[2 * ROUNDS - 1]));
    app_release_events(event, 2 * ROUNDS);
    look("across queues");
    APP_CHECK(clReleaseKernel(far));
    APP_CHECK(clReleaseKernel(add));
}

static void all(bool kept)
{
    fill();
    keep("keep", "mm", x, 0);
    rounds("written through it", "far_add", table[0], WORDS);
    reads();
    rounds("by way of local memory", "far_local", table[0], WORDS);
    if (!kept)
        numbers();
    across();
    keep("keep_behind", "mmi", x, WORDS / 4);
    rounds("behind the beginning", "far_add", table[0], WORDS / 2);
    keep("keep", "mm", x, 0);
    keep("shift", "mi", NULL, 64);
    rounds("after arithmetic", "far_add", table[0], WORDS / 2);
    keep("keep_node", "mmi", x, WORDS / 2);
    rounds("in a structure", "far_node", table[0], WORDS);
    keep("keep", "mm", x, 0);
    APP_CHECK(clEnqueueCopyBuffer(queue[0], table[0], table[1], 0, 8, 8, 0, NULL, NULL));
    APP_CHECK(clEnqueueCopyBuffer(queue[0], table[1], table[1], 8, 0, 8, 0, NULL, NULL));
    rounds("a copy of it", "far_add", table[1], WORDS);
    keep("keep_table", "mm", table[1], 0);
    rounds("two hops", "far_hops", table[0], WORDS);
}

int main(int argc, char **argv)
{
    cl_uint bits = 0;

    (void)argv;
    app_open(&a, "addresses", 0, NULL);
    APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_ADDRESS_BITS, sizeof bits, &bits, NULL));
    if (bits != 64)
        app_skip("addresses", "an address is no ulong here");
    for (int i = 0; i < 2; i++) {
        queue[i] = i ? app_queue(&a, 0) : a.queue;
        table[i] = app_buffer(&a, CL_MEM_READ_WRITE, 64, NULL);
    }
    x = app_buffer(&a, CL_MEM_READ_WRITE, WORDS * sizeof(cl_int), NULL);
    y = app_buffer(&a, CL_MEM_READ_WRITE, WORDS * sizeof(cl_int), NULL);
    program[0] = program[1] = build(plain, source);
    all(argc > 1);
    program[0] = build(plain, "");
    all(argc > 1);
    APP_CHECK(clReleaseProgram(program[0]));
    APP_CHECK(clReleaseProgram(program[1]));
    app_release_mems((cl_mem[]){x, y, table[0], table[1]}, 4);
    APP_CHECK(clReleaseCommandQueue(queue[1]));
    return app_close(&a);
}
