/* handles.c - numbers that equal the handles of objects: as a number, a vector, a type of the program's, a
 * struct, through a macro. A kernel gets the number that the program gave, from source and from a binary, and
 * the object where it takes one. */
#include "common.h"

enum { N = 256 };

static const char source[] =
    "typedef ulong number; typedef struct { uint low, high; } pair;\n"
    "#define NUMBER ulong\n"
    "kernel void numbers(ulong a, number b, NUMBER c, pair d, uint2 e, uint low, uint high,\n"
    "                    global ulong *out) {\n"
    "    ulong at = get_global_id(0), is = low | (ulong)high << 32, bad = 0;\n"
    "    bad |= a != is; bad |= (b != is) << 1; bad |= (c != is) << 2;\n"
    "    bad |= (d.low != low || d.high != high) << 3; bad |= (e.x != low || e.y != high) << 4;\n"
    "    out[at] = out[at] * 3 + at + (bad << 32);\n"
    "}\n"
    "kernel void plain(ulong a, uint low, uint high, global ulong *out) {\n"
    "    ulong at = get_global_id(0);\n"
    "    out[at] = out[at] * 3 + at + ((ulong)(a != (low | (ulong)high << 32)) << 32);\n"
    "}\n"
    "kernel void objects(sampler_t s, read_only image2d_t in, global ulong *out) {\n"
    "    int at = get_global_id(0);\n"
    "    out[at] = out[at] * 3 + read_imageui(in, s, (int2)(at % 8 - 1, at / 32)).x;\n"
    "}\n";

static struct app a;
static cl_sampler sampler;
static cl_mem image, buffer, out;

static cl_kernel kernel(cl_program p, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(p, name, &err);

    APP_CHECK(err);
    return k;
}

/* The arguments from `first` on: the number in two halves and the output. */
static void set_rest(cl_kernel k, cl_uint first, uint64_t number)
{
    const cl_uint half[2] = {(cl_uint)number, (cl_uint)(number >> 32)};

    for (cl_uint i = 0; i < 2; i++)
        APP_CHECK(clSetKernelArg(k, first + i, sizeof half[i], &half[i]));
    APP_CHECK(clSetKernelArg(k, first + 2, sizeof(cl_mem), &out));
    app_run(a.queue, k, N, 16, 0, NULL, NULL);
}

static void use(cl_program p, const char *what)
{
    const uint64_t handles[] = {(uintptr_t)sampler, (uintptr_t)image,   (uintptr_t)buffer,
                                (uintptr_t)out,     (uintptr_t)a.queue, 12345};
    cl_kernel numbers = kernel(p, "numbers"), plain = kernel(p, "plain"), objects = kernel(p, "objects");
    uint64_t got[N];

    a.hash = 0;
    APP_CHECK(clEnqueueFillBuffer(a.queue, out, &a.hash, sizeof a.hash, 0, sizeof got, 0, NULL, NULL));
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
        for (cl_uint arg = 0; arg < 5; arg++)
            APP_CHECK(clSetKernelArg(numbers, arg, sizeof handles[i], &handles[i]));
        APP_CHECK(clSetKernelArg(plain, 0, sizeof handles[i], &handles[i]));
        set_rest(numbers, 5, handles[i]);
        set_rest(plain, 1, handles[i]);
        app_args(objects, "smm", sampler, image, out);
        app_run(a.queue, objects, N, 16, 0, NULL, NULL);
        app_read(&a, out, 0, sizeof got, got);
        for (size_t x = 0; x < N; x += 37)
            printf("%s %zu: %llx\n", what, i, (unsigned long long)got[x]);
    }
    APP_CHECK(clReleaseKernel(numbers));
    APP_CHECK(clReleaseKernel(plain));
    APP_CHECK(clReleaseKernel(objects));
}

/* The program once more, of its own binary. */
static cl_program again(void)
{
    unsigned char *bytes;
    cl_program p;
    size_t size;
    cl_int err;

    APP_CHECK(clGetProgramInfo(a.program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    bytes = malloc(size);
    APP_CHECK(clGetProgramInfo(a.program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    p = clCreateProgramWithBinary(a.context, 1, &a.device, &size, (const unsigned char **)&bytes, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clBuildProgram(p, 1, &a.device, NULL, NULL, NULL));
    free(bytes);
    return p;
}

int main(void)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    cl_uint pixels[64];
    cl_program p;
    cl_int err;

    app_open(&a, "handles", 0, source);
    for (cl_uint i = 0; i < 64; i++)
        pixels[i] = i * i;
    sampler = clCreateSamplerWithProperties(
        a.context, (const cl_sampler_properties[]){CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, 0}, &err);
    APP_CHECK(err);
    image = clCreateImage(a.context, CL_MEM_COPY_HOST_PTR, &format, &desc, pixels, &err);
    APP_CHECK(err);
    buffer = app_buffer(&a, CL_MEM_READ_WRITE, 64, NULL);
    out = app_buffer(&a, CL_MEM_READ_WRITE, N * sizeof(uint64_t), NULL);
    use(a.program, "source");
    p = again();
    use(p, "binary");
    APP_CHECK(clReleaseProgram(p));
    APP_CHECK(clReleaseSampler(sampler));
    app_release_mems((cl_mem[]){image, buffer, out}, 3);
    return app_close(&a);
}
