/* runner.c - launches one kernel as a job file says and prints which bytes of its buffers changed.
 *
 *   source FILE            kernel NAME            options TEXT...
 *   range DIMS gx gy gz lx ly lz ox oy oz
 *   arg buffer BYTES KIND LO HI                   KIND: out float int uchar zero iota
 *   arg local BYTES  |  arg value HEXBYTES
 *   arg image BYTES WIDTH HEIGHT [DEPTH TYPE]      RGBA, CL_UNSIGNED_INT8, filled as `out`; TYPE: 1d 2d 3d,
 *                                                 of arrays 1da 2da: the last size is the layers
 *   run                                            the whole range
 *   tile fx fy fz cx cy cz                         the kernel has six more ulong parameters, which get these
 *
 *   start                                          fills the buffers
 *   part fx fy fz cx cy cz                         runs these work-groups on what the buffers hold now
 *   alone fx fy fz cx cy cz                        the same on a memory of its own: buffers as `start` filled
 * them, merged with the other parts afterwards merge ARGUMENT HOW BYTES                       HOW: add and or
 * xor smin smax umin umax; others by difference end                                            prints "end"
 * and "bytes ARGUMENT HASH" lines; also "clash ARGUMENT BYTE" where two memories differ from the start in
 * different ways arg same K                                     the buffer of argument K once more
 *
 * Every run happens twice; `out` buffers start with all bytes random the first time and inverted the second
 * time, so that a byte that was written differs from its start in at least one of the two. Prints "run" and
 * then lines "changed ARGUMENT BEGIN END". All buffers are made before the program, in the order of the
 * arguments. */
#include <CL/cl.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 64, LINE = 4096 };

struct arg {
    char what[16], kind[16];
    size_t bytes;
    double lo, hi;
    unsigned char value[256];
    cl_mem buffer;
    size_t region[3]; /* of an image, pixels */
    unsigned char *start, *end, *changed;
    unsigned char *merged;
    char how[8];
    size_t element;
};

static struct arg arg[MAX_ARGS];
static unsigned args;
static char source[LINE], kernel_name[LINE], options[LINE];
static cl_uint dims;
static size_t global[3], local[3], offset[3];
static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;
static cl_device_id device;

static void check(cl_int e, const char *what)
{
    if (e == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, e);
    exit(3);
}

static void *mapped(size_t bytes)
{
    void *p = calloc(bytes + 8, 1);
    if (!p)
        exit(3);
    return p;
}

static unsigned long long state;
static unsigned long long random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void fill(struct arg *a, unsigned index, int second)
{
    state = 0x9E3779B97F4A7C15ull * (index + 1);
    for (size_t i = 0; i < a->bytes; i++) {
        if (!strcmp(a->kind, "out"))
            a->start[i] = (unsigned char)(random_bits() >> 32) ^ (second ? 0xff : 0);
        else if (!strcmp(a->kind, "uchar"))
            a->start[i] =
                (unsigned char)(a->lo + (double)(random_bits() >> 40) / (1 << 24) * (a->hi - a->lo + 1));
        else if (i % 4)
            continue;
        else if (!strcmp(a->kind, "float"))
            *(float *)(void *)(a->start + i) =
                (float)(a->lo + (a->hi - a->lo) * (double)(random_bits() >> 40) / (1 << 24));
        else if (!strcmp(a->kind, "int"))
            *(int *)(void *)(a->start + i) =
                (int)(a->lo + (double)(random_bits() >> 40) / (1 << 24) * (a->hi - a->lo + 1));
        else if (!strcmp(a->kind, "iota"))
            *(int *)(void *)(a->start + i) = (int)(a->lo + (double)(i / 4));
    }
}

static void read_arg(const char *line)
{
    struct arg *a = &arg[args++];
    char hex[LINE] = "";
    if (args == MAX_ARGS || sscanf(line, "arg %15s", a->what) != 1)
        exit(4);
    if (!strcmp(a->what, "buffer"))
        sscanf(line, "arg buffer %zu %15s %lf %lf", &a->bytes, a->kind, &a->lo, &a->hi);
    else if (!strcmp(a->what, "image"))
        sscanf(line, "arg image %zu %zu %zu %zu %7s", &a->bytes, &a->region[0], &a->region[1], &a->region[2],
               a->how);
    else if (!strcmp(a->what, "local"))
        sscanf(line, "arg local %zu", &a->bytes);
    else if (!strcmp(a->what, "same"))
        sscanf(line, "arg same %zu", &a->bytes);
    else if (sscanf(line, "arg value %511s", hex) == 1)
        for (; sscanf(hex + 2 * a->bytes, "%2hhx", &a->value[a->bytes]) == 1; a->bytes++)
            ;
}

static cl_mem make_image(struct arg *a, cl_int *e)
{
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    bool layers = strchr(a->how, 'a'), deep = a->how[0] == '3';
    cl_image_desc desc = {.image_type = a->how[0] == '1'
                                            ? (layers ? CL_MEM_OBJECT_IMAGE1D_ARRAY : CL_MEM_OBJECT_IMAGE1D)
                                        : deep   ? CL_MEM_OBJECT_IMAGE3D
                                        : layers ? CL_MEM_OBJECT_IMAGE2D_ARRAY
                                                 : CL_MEM_OBJECT_IMAGE2D,
                          .image_width = a->region[0],
                          .image_height = a->how[0] == '1' ? 0 : a->region[1],
                          .image_depth = deep ? a->region[2] : 0,
                          .image_array_size = layers ? a->region[a->how[0] == '1' ? 1 : 2] : 0};
    a->region[2] = a->region[2] ? a->region[2] : 1;
    strcpy(a->kind, "out");
    a->how[0] = 0;
    return clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, e);
}

static void prepare(void)
{
    cl_int e;
    cl_platform_id platform;
    char *text = mapped(1 << 22);
    FILE *f = fopen(source, "r");
    size_t n = f ? fread(text, 1, 1 << 22, f) : 0;
    if (f)
        fclose(f);
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    check(e, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &e);
    check(e, "clCreateCommandQueueWithProperties");
    for (unsigned i = 0; i < args; i++) {
        struct arg *a = &arg[i];
        if (strcmp(a->what, "buffer") && strcmp(a->what, "image"))
            continue;
        a->buffer =
            a->region[0] ? make_image(a, &e) : clCreateBuffer(context, CL_MEM_READ_WRITE, a->bytes, NULL, &e);
        check(e, "clCreateBuffer");
        a->start = mapped(a->bytes);
        a->end = mapped(a->bytes);
        a->changed = mapped(a->bytes);
        a->merged = mapped(a->bytes);
    }
    cl_program p = clCreateProgramWithSource(context, 1, (const char **)&text, &n, &e);
    check(e, "clCreateProgramWithSource");
    e = clBuildProgram(p, 1, &device, options, NULL, NULL);
    if (e) {
        clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, 1 << 22, text, NULL);
        fprintf(stderr, "%s\n", text);
    }
    check(e, "clBuildProgram");
    kernel = clCreateKernel(p, kernel_name, &e);
    check(e, "clCreateKernel");
    free(text);
}

static const size_t origin[3];

static void write_buffers(void)
{
    for (unsigned i = 0; i < args; i++)
        if (arg[i].region[0])
            check(clEnqueueWriteImage(queue, arg[i].buffer, CL_TRUE, origin, arg[i].region, 0, 0,
                                      arg[i].start, 0, NULL, NULL),
                  "write");
        else if (arg[i].buffer)
            check(clEnqueueWriteBuffer(queue, arg[i].buffer, CL_TRUE, 0, arg[i].bytes, arg[i].start, 0, NULL,
                                       NULL),
                  "write");
}

static void launch(void)
{
    for (unsigned i = 0; i < args; i++) {
        struct arg *a = &arg[i];
        cl_mem *m = !strcmp(a->what, "same") ? &arg[a->bytes].buffer : &a->buffer;
        if (*m)
            check(clSetKernelArg(kernel, i, sizeof *m, m), "clSetKernelArg");
        else
            check(clSetKernelArg(kernel, i, a->bytes, !strcmp(a->what, "local") ? NULL : a->value),
                  "clSetKernelArg");
    }
    check(clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
}

static void read_buffers(void)
{
    for (unsigned i = 0; i < args; i++)
        if (arg[i].region[0])
            check(clEnqueueReadImage(queue, arg[i].buffer, CL_TRUE, origin, arg[i].region, 0, 0, arg[i].end,
                                     0, NULL, NULL),
                  "read");
        else if (arg[i].buffer)
            check(clEnqueueReadBuffer(queue, arg[i].buffer, CL_TRUE, 0, arg[i].bytes, arg[i].end, 0, NULL,
                                      NULL),
                  "read");
}

static void run_once(int second)
{
    for (unsigned i = 0; i < args; i++)
        if (arg[i].buffer)
            fill(&arg[i], i, second);
    write_buffers();
    launch();
    read_buffers();
    for (unsigned i = 0; i < args; i++)
        for (size_t b = 0; arg[i].buffer && b < arg[i].bytes; b++)
            arg[i].changed[b] |= arg[i].start[b] != arg[i].end[b];
}

static void hide(const unsigned long long *hidden)
{
    for (unsigned i = 0; i < 6; i++)
        check(clSetKernelArg(kernel, args + i, sizeof(cl_ulong), &(cl_ulong){hidden[i]}), "clSetKernelArg");
}

/* ---- parts: the same launch, cut */

static bool alone; /* the last parts ran on memories of their own */

static unsigned long long combine(const char *how, size_t bytes, unsigned long long was,
                                  unsigned long long sum, unsigned long long now)
{
    int up = 64 - 8 * (int)bytes;
    long long x = (long long)(sum << up), y = (long long)(now << up);
    return !strcmp(how, "add")    ? sum + now - was
           : !strcmp(how, "and")  ? (sum & now)
           : !strcmp(how, "or")   ? (sum | now)
           : !strcmp(how, "xor")  ? sum ^ now ^ was
           : !strcmp(how, "smin") ? (x < y ? sum : now)
           : !strcmp(how, "smax") ? (x > y ? sum : now)
           : !strcmp(how, "umin") ? (sum < now ? sum : now)
                                  : (sum > now ? sum : now);
}

static void merge(struct arg *a, unsigned index)
{
    for (size_t b = 0; b < a->bytes && !a->how[0]; b++) {
        if (a->end[b] == a->start[b])
            continue;
        if (a->merged[b] != a->start[b] && a->merged[b] != a->end[b])
            printf("clash %u %zu\n", index, b);
        a->merged[b] = a->end[b];
    }
    for (size_t b = 0; a->how[0] && b + a->element <= a->bytes; b += a->element) {
        unsigned long long was = 0, sum = 0, now = 0;
        memcpy(&was, a->start + b, a->element);
        memcpy(&sum, a->merged + b, a->element);
        memcpy(&now, a->end + b, a->element);
        sum = combine(a->how, a->element, was, sum, now);
        memcpy(a->merged + b, &sum, a->element);
    }
}

static void start(void)
{
    alone = false;
    for (unsigned i = 0; i < args; i++)
        if (arg[i].buffer) {
            fill(&arg[i], i, 0);
            memcpy(arg[i].merged, arg[i].start, arg[i].bytes);
        }
    write_buffers();
}

static void part(const unsigned long long *hidden, bool on_its_own)
{
    alone = on_its_own;
    hide(hidden);
    if (alone)
        write_buffers();
    launch();
    if (alone)
        read_buffers();
    for (unsigned i = 0; i < args && alone; i++)
        if (arg[i].buffer)
            merge(&arg[i], i);
}

static void end(void)
{
    if (!alone)
        read_buffers();
    puts("end");
    for (unsigned i = 0; i < args; i++) {
        unsigned long long h = 0xcbf29ce484222325ull; /* FNV-1a */
        for (size_t b = 0; arg[i].buffer && b < arg[i].bytes; b++)
            h = (h ^ (alone ? arg[i].merged[b] : arg[i].end[b])) * 0x100000001b3ull;
        if (arg[i].buffer)
            printf("bytes %u %llx\n", i, h);
    }
    fflush(stdout);
}

static void run(const unsigned long long *hidden)
{
    if (hidden)
        hide(hidden);
    for (unsigned i = 0; i < args; i++)
        if (arg[i].buffer)
            memset(arg[i].changed, 0, arg[i].bytes);
    run_once(0);
    if (!getenv("RUN_ONCE"))
        run_once(1);
    puts("run");
    for (unsigned i = 0; i < args; i++)
        for (size_t b = 0; arg[i].buffer && b < arg[i].bytes; b++) {
            size_t begin = b;
            while (b < arg[i].bytes && arg[i].changed[b])
                b++;
            if (b > begin)
                printf("changed %u %zu %zu\n", i, begin, b);
        }
    fflush(stdout);
}

static bool words(const char *line, const char *word, unsigned long long *t)
{
    size_t n = strlen(word);
    return !strncmp(line, word, n) &&
           sscanf(line + n, "%llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3], &t[4], &t[5]) == 6;
}

static void obey(const char *line)
{
    unsigned long long t[6];
    unsigned i;
    char how[8];
    size_t bytes;
    if (!kernel)
        prepare();
    if (!strcmp(line, "run"))
        run(NULL);
    else if (!strcmp(line, "start"))
        start();
    else if (!strcmp(line, "end"))
        end();
    else if (words(line, "tile ", t))
        run(t);
    else if (words(line, "part ", t) || words(line, "alone ", t))
        part(t, line[0] == 'a');
    else if (sscanf(line, "merge %u %7s %zu", &i, how, &bytes) == 3 && i < args) {
        strcpy(arg[i].how, how);
        arg[i].element = bytes;
    }
}

int main(int argc, char **argv)
{
    char line[LINE];
    FILE *job = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!job) {
        fprintf(stderr, "usage: runner JOB\n");
        return 2;
    }
    while (fgets(line, sizeof line, job)) {
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "source %s", source) == 1 || sscanf(line, "kernel %s", kernel_name) == 1)
            continue;
        if (!strncmp(line, "options ", 8))
            strcpy(options, line + 8);
        else if (!strncmp(line, "range ", 6))
            sscanf(line, "range %u %zu %zu %zu %zu %zu %zu %zu %zu %zu", &dims, &global[0], &global[1],
                   &global[2], &local[0], &local[1], &local[2], &offset[0], &offset[1], &offset[2]);
        else if (!strncmp(line, "arg ", 4))
            read_arg(line);
        else
            obey(line);
    }
    fclose(job);
    return 0;
}
