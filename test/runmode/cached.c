/* cached.c - a program with a cache of its own: the binaries of what it builds lie in the folder CW_FOLDER,
 * one file per program and device, and are made of sources where they are missing. CW_BARE_OPTIONS=1: a
 * program of binaries is built without options. Prints what its kernels compute, which depends on the options
 * and the header that the sources were built with. */
#include "common.h"

#include <sys/stat.h>

#define N       256u
#define DEVICES 4u

static const char source[] = "kernel void move(global uint *x, global const uint *y) {\n"
                             "    size_t i = get_global_id(0);\n"
                             "    x[i + 64 * FAR] = y[i] * 2654435761u + FAR;\n"
                             "}\n"
                             "kernel void turn(global uint *x, global const uint *y) {\n"
                             "    size_t i = get_global_id(0);\n"
                             "    x[i] = x[i + 64 * FAR] ^ y[get_global_size(0) - 1 - i];\n"
                             "}\n";
static const char with_header[] = "#include \"far.h\"\n"
                                  "kernel void move(global uint *x, global const uint *y) {\n"
                                  "    size_t i = get_global_id(0);\n"
                                  "    x[i + 64 * FAR] = away(y[i]);\n"
                                  "}\n"
                                  "kernel void turn(global uint *x, global const uint *y) {\n"
                                  "    size_t i = get_global_id(0);\n"
                                  "    x[i] = x[i + 64 * FAR] ^ away(y[get_global_size(0) - 1 - i]);\n"
                                  "}\n";
static const char header[] = "#define FAR 2\n"
                             "uint away(uint v) { return v * 2654435761u + FAR; }\n";
static const char helper[] = "uint away(uint v) { return v * 2654435761u + FAR; }\n";
static const char of_helper[] = "uint away(uint v);\n"
                                "kernel void move(global uint *x, global const uint *y) {\n"
                                "    size_t i = get_global_id(0);\n"
                                "    x[i + 64 * FAR] = away(y[i]);\n"
                                "}\n"
                                "kernel void turn(global uint *x, global const uint *y) {\n"
                                "    size_t i = get_global_id(0);\n"
                                "    x[i] = x[i + 64 * FAR] ^ away(y[get_global_size(0) - 1 - i]);\n"
                                "}\n";

static const char *folder;
static cl_device_id devices[DEVICES];
static cl_uint num_devices;
static cl_context context;

static cl_program with_source(const char *text)
{
    cl_int err;
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &err);

    APP_CHECK(err);
    return p;
}

static cl_program built(const char *text, const char *options)
{
    cl_program p = with_source(text);

    APP_CHECK(clBuildProgram(p, num_devices, devices, options, NULL, NULL));
    return p;
}

/* ---- files */

static FILE *open_file(const char *name, cl_uint device, const char *mode)
{
    char path[1000];

    snprintf(path, sizeof path, "%s/%s.%u", folder, name, device);
    return fopen(path, mode);
}

static void write_binaries(cl_program p, const char *name)
{
    size_t bytes[DEVICES];
    unsigned char *binary[DEVICES];
    FILE *f;

    APP_CHECK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof bytes, bytes, NULL));
    for (cl_uint i = 0; i < num_devices; i++)
        binary[i] = malloc(bytes[i]);
    APP_CHECK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, num_devices * sizeof *binary, binary, NULL));
    for (cl_uint i = 0; i < num_devices; i++) {
        f = open_file(name, i, "wb");
        if (!f || fwrite(binary[i], 1, bytes[i], f) != bytes[i] || fclose(f))
            app_skip("cached", "cannot write a file");
        free(binary[i]);
    }
}

/* The program of the binaries of the first `n` devices; NULL: they are not there. */
static cl_program read_binaries(const char *name, cl_uint n)
{
    size_t bytes[DEVICES];
    unsigned char *binary[DEVICES];
    const char *options = getenv("CW_BARE_OPTIONS") ? NULL : "-DFAR=1";
    cl_program p;
    cl_int err;

    for (cl_uint i = 0; i < n; i++) {
        FILE *f = open_file(name, i, "rb");

        if (!f)
            return NULL;
        fseek(f, 0, SEEK_END);
        bytes[i] = (size_t)ftell(f);
        rewind(f);
        binary[i] = malloc(bytes[i]);
        if (fread(binary[i], 1, bytes[i], f) != bytes[i])
            app_skip("cached", "cannot read a file");
        fclose(f);
    }
    p = clCreateProgramWithBinary(context, n, devices, bytes, (const unsigned char **)binary, NULL, &err);
    for (cl_uint i = 0; i < n; i++)
        free(binary[i]);
    if (p)
        err = clBuildProgram(p, 0, NULL, options, NULL, NULL);
    if (err == CL_SUCCESS)
        return p;
    printf("%s: not taken\n", name); /* cut short, or of another driver */
    if (p)
        clReleaseProgram(p);
    return NULL;
}

/* ---- ways to make a program */

static cl_program plain(void)
{
    return built(source, "-DFAR=1");
}

static cl_program included(void)
{
    char path[1000], options[1000];
    FILE *f;

    snprintf(path, sizeof path, "%s/include", folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/include/far.h", folder);
    f = fopen(path, "w");
    if (!f || fputs(header, f) == EOF || fclose(f))
        app_skip("cached", "cannot write a file");
    snprintf(options, sizeof options, "-I%s/include", folder);
    return built(with_header, options);
}

static cl_program linked(cl_uint n, const char *const *texts)
{
    cl_program part[2], p;
    cl_int err;

    for (cl_uint i = 0; i < n; i++) {
        part[i] = with_source(texts[i]);
        APP_CHECK(clCompileProgram(part[i], num_devices, devices, "-DFAR=1", 0, NULL, NULL, NULL, NULL));
    }
    p = clLinkProgram(context, num_devices, devices, NULL, n, part, NULL, NULL, &err);
    APP_CHECK(err);
    for (cl_uint i = 0; i < n; i++)
        clReleaseProgram(part[i]);
    return p;
}

static cl_program linked_of_one(void)
{
    return linked(1, (const char *const[]){source});
}

static cl_program linked_of_two(void)
{
    return linked(2, (const char *const[]){helper, of_helper});
}

static cl_program built_twice(void)
{
    cl_program p = built(source, "-DFAR=1");

    APP_CHECK(clBuildProgram(p, num_devices, devices, "-DFAR=3", NULL, NULL));
    return p;
}

/* Its binaries are fetched in the callback of a second build. */
static _Atomic int called;

static void CL_CALLBACK fetch(cl_program p, void *name)
{
    write_binaries(p, name);
    called = 1;
}

static cl_program called_back(void)
{
    static char name[] = "called back";
    cl_program p = built(source, "-DFAR=1");

    called = 0;
    APP_CHECK(clBuildProgram(p, num_devices, devices, "-DFAR=3", fetch, name));
    RM_WAIT(called);
    return p;
}

/* Another source of the same kernels: its binary may be the same, or not. */
static cl_program alike(void)
{
    char text[sizeof source + 100];

    snprintf(text, sizeof text, "/* alike */ %s", source);
    return built(text, "-DFAR=1");
}

static const struct way {
    const char *name;
    cl_program (*make)(void);
} ways[] = {
    {"plain", plain},
    {"included", included},
    {"linked of one", linked_of_one},
    {"linked of two", linked_of_two},
    {"built twice", built_twice},
    {"called back", called_back},
    {"alike", alike},
};

/* ---- use */

static void show(const char *name, cl_uint device, const uint32_t *x)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < 2 * N; i++)
        hash = (hash ^ x[i]) * 16777619u;
    printf("%s, device %u: %08x\n", name, device, hash);
}

/* Launches whose order only their bytes show: each touches a part of x. */
static void use(cl_program p, const char *name, cl_uint device)
{
    static uint32_t start[2 * N];
    cl_int err;
    struct app a = {.context = context, .device = devices[device]};
    cl_kernel move = clCreateKernel(p, "move", &err), turn = clCreateKernel(p, "turn", &err);
    cl_mem x, y;

    APP_CHECK(err);
    a.queue = clCreateCommandQueueWithProperties(context, a.device, NULL, &err);
    APP_CHECK(err);
    for (uint32_t i = 0; i < 2 * N; i++)
        start[i] = i * 40503u;
    x = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof start, start);
    y = app_buffer(&a, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof start, start);
    for (int i = 0; i < 4; i++) {
        app_args(move, "mm", x, y);
        app_run(a.queue, move, 64, 16, 0, NULL, NULL);
        app_args(turn, "mm", x, y);
        app_run(a.queue, turn, 64, 16, 0, NULL, NULL);
    }
    app_read(&a, x, 0, sizeof start, start);
    show(name, device, start);
    clReleaseMemObject(x);
    clReleaseMemObject(y);
    clReleaseKernel(move);
    clReleaseKernel(turn);
    clReleaseCommandQueue(a.queue);
}

int main(void)
{
    const char *of_first = getenv("CW_FIRST"); /* binaries of the first device alone are loaded */
    cl_platform_id platform;
    cl_int err;

    folder = getenv("CW_FOLDER");
    if (!folder)
        app_skip("cached", "CW_FOLDER is not set");
    APP_CHECK(clGetPlatformIDs(1, &platform, NULL));
    APP_CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES, devices, &num_devices));
    context = clCreateContext(NULL, num_devices, devices, NULL, NULL, &err);
    APP_CHECK(err);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        cl_uint n = of_first ? 1 : num_devices;
        cl_program p = read_binaries(ways[w].name, n);

        if (!p) {
            p = ways[w].make();
            if (ways[w].make != called_back)
                write_binaries(p, ways[w].name);
        }
        for (cl_uint i = 0; i < n; i++)
            use(p, ways[w].name, i);
        clReleaseProgram(p);
    }
    clReleaseContext(context);
    return 0;
}
