/* compiler.c - asks clweave-compile (analyzer/compile/compile_client.h), which lies beside this program, and
 * says what it answers.
 *
 * usage: compiler [STEP]... Steps: good, again, images, forever, bad, part, threads, dies, rests */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <CL/cl.h>

#include "../../analyzer/io/quiet_child.h"
#include "../../analyzer/compile/compile_client.h"
#include "../../analyzer/kernels/source/vendor_compiler.h"

static const char source[] =
    "kernel void add(global int *x, int n, local int *l) { x[get_global_id(0)] += n; }\n"
    "kernel void endless(global int *x) { for (;;) x[get_global_id(0)]++; }\n"
    "kernel void look(read_only image2d_t in, read_only image3d_t deep, global uint *out) {\n"
    "    out[get_global_id(0)] = read_imageui(in, (int2)(get_global_id(0), 0)).x\n"
    "        + read_imageui(deep, (int4)(get_global_id(0), 0, 0, 0)).x;\n"
    "}\n"
    "kernel void draw(read_only image1d_buffer_t in, sampler_t s, read_only image2d_t flat, write_only "
    "image2d_t to, global uint4 *more) {\n"
    "    int2 at = (int2)(get_global_id(0), 0);\n"
    "    write_imageui(to, at, read_imageui(in, at.x) + read_imageui(flat, s, at) + more[at.x]);\n"
    "}\n";
static char device[1400];

static struct cw_compile_question question(const char *kernel, const struct cw_compile_arg *arg,
                                           uint32_t args)
{
    return (struct cw_compile_question){.device = device,
                                        .source = source,
                                        .options = "-w",
                                        .kernel = kernel,
                                        .range = {.dims = 1, .has_local = 1, .global = {1024}, .local = {64}},
                                        .args = args,
                                        .arg = arg};
}

static void tell(const char *step, const struct cw_compile_question *q)
{
    static const char *const answers[] = {"good", "bad", "not asked"};
    char module[CW_COMPILE_MODULE];
    enum cw_compile_answer answer;

    errno = EDOM;
    answer = cw_compile_client_ask(q, module);
    printf("%s: %s%s%s\n", step, answers[answer], *module == '/' ? ", in a file" : "",
           errno == EDOM ? "" : ", and errno is another");
}

static const struct cw_compile_arg add_args[] = {
    {CW_COMPILE_MEMORY, sizeof(cl_mem)}, {CW_COMPILE_VALUE, 4}, {CW_COMPILE_LOCAL, 256}};
static const struct cw_compile_arg look_args[] = {{CW_COMPILE_IMAGE, CL_MEM_OBJECT_IMAGE2D},
                                                  {CW_COMPILE_IMAGE, CL_MEM_OBJECT_IMAGE3D},
                                                  {CW_COMPILE_MEMORY, sizeof(cl_mem)}};

static const struct cw_compile_arg draw_args[] = {{CW_COMPILE_IMAGE, CL_MEM_OBJECT_IMAGE1D_BUFFER},
                                                  {CW_COMPILE_SAMPLER, sizeof(cl_sampler)},
                                                  {CW_COMPILE_IMAGE, CL_MEM_OBJECT_IMAGE2D},
                                                  {CW_COMPILE_IMAGE, CL_MEM_OBJECT_IMAGE2D},
                                                  {CW_COMPILE_MEMORY, sizeof(cl_mem)}};

static void good(void)
{
    struct cw_compile_question q = question("add", add_args, 3);

    tell("a launch", &q);
    tell("the same again", &q);
    q.range.global[0] = UINT64_C(64) << 40; /* as nothing runs, it takes no time */
    tell("a wide one", &q);
    q.range.offset[0] = 5;
    tell("with an offset", &q);
    q.range = (struct cw_compile_range){.dims = 2, .global = {96, 100}};
    tell("without a local size", &q);
    q.units = 1;
    tell("for a part of the device", &q);
}

static void images(void)
{
    struct cw_compile_question q = question("look", look_args, 3);

    tell("images", &q);
    q = question("draw", draw_args, 5);
    tell("a sampler, an image in a buffer, one that is written", &q);
}

static void endless(void)
{
    struct cw_compile_question q = question("endless", add_args, 1);

    tell("a kernel without an end", &q);
}

static void bad(void)
{
    struct cw_compile_question q = question("no such kernel", add_args, 3),
                               other = question("add", add_args, 2);

    tell("no such kernel", &q);
    tell("an argument is missing", &other);
    other = question("add", add_args, 3);
    other.source = "kernel void add(";
    tell("no source", &other);
    other = question("add", add_args, 3);
    other.device = "no such device";
    tell("no such device", &other);
    other = question("add", add_args, 3);
    other.range.dims = 4;
    tell("four dimensions", &other);
    other = question("add", add_args, 3);
    other.range.local[0] = 63;
    tell("a local size that does not divide", &other);
}

/* data: how often each answer came. */
static void *ask_often(void *data)
{
    struct cw_compile_question q = question("add", add_args, 3);
    char module[CW_COMPILE_MODULE];

    for (int i = 0; i < 20; i++) {
        q.range.local[0] = UINT64_C(1) << i % 8;
        ((int *)data)[cw_compile_client_ask(&q, module)]++;
    }
    return NULL;
}

static void threads(void)
{
    pthread_t t[4];
    int n[4][3] = {{0}}, all[3] = {0};

    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, ask_often, n[i]);
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], NULL);
        for (int k = 0; k < 3; k++)
            all[k] += n[i][k];
    }
    printf("threads: %d good, %d bad, %d not asked\n", all[CW_COMPILE_GOOD], all[CW_COMPILE_BAD],
           all[CW_COMPILE_UNASKED]);
}

static void *kill_it(void *unused)
{
    (void)unused;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    cw_quiet_child_kill(CW_QUIET_SERVER, false);
    return NULL;
}

/* While it is asked something that it has not compiled before, or before: either way the next one is
 * answered. */
static void dies(void)
{
    struct cw_compile_question q = question("add", add_args, 3);
    char module[CW_COMPILE_MODULE];
    pthread_t thread;

    pthread_create(&thread, NULL, kill_it, NULL);
    q.options = "-w -DANEW";
    cw_compile_client_ask(&q, module);
    pthread_join(thread, NULL);
    tell("after its death", &q);
}

static void rests(void)
{
    sleep(7); /* longer than it waits for questions */
    good();
}

static const struct {
    const char *name;
    void (*run)(void);
} steps[] = {{"good", good},       {"images", images}, {"endless", endless}, {"bad", bad},
             {"threads", threads}, {"dies", dies},     {"rests", rests}};

int main(int argc, char **argv)
{
    static const struct cw_vendor_calls calls = CW_VENDOR_CALLS();
    cl_platform_id platform;
    cl_device_id first;

    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &first, NULL) != CL_SUCCESS ||
        !cw_vendor_is_pocl(&calls, first)) {
        puts("compiler: SKIP no PoCL");
        return 77;
    }
    if (!cw_vendor_describe_driver(&calls, first, device, sizeof device))
        return 1;
    cw_compile_client_init();
    printf("there: %d\n", cw_compile_client_is_there());
    for (int i = 1; i < argc; i++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
            if (!strcmp(argv[i], steps[s].name))
                steps[s].run();
    cw_compile_client_stop(true);
    endless();
    return 0;
}
