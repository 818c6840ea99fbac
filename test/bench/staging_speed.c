/* staging_speed.c - transfers of pageable memory, for `run --set staging`: staging_speed [PLATFORM [ROUNDS]]
 *
 * PLATFORM: a part of a platform's name, "NVIDIA" if not given. Plain OpenCL. Prints for 1, 4, 32 and 512
 * MiB the GB/s of a write and of a read that block (median of the rounds), how long a write of 512 MiB
 * that does not block holds the caller and takes, the GB/s of an image of as many bytes, those of reads into
 * memory that was never touched, and a hash of all that was read back. STAGING_SPEED_MIB: in
 * place of 512. */
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define MIB ((size_t)1 << 20)
enum { MOST_ROUNDS = 64 };

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void check(cl_int err, const char *call)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: error %d\n", call, err);
    exit(1);
}

static cl_device_id find(const char *name)
{
    cl_platform_id platforms[16];
    cl_device_id device;
    cl_uint n = 0;
    char text[256];

    check(clGetPlatformIDs(16, platforms, &n), "clGetPlatformIDs");
    for (cl_uint i = 0; i < n && i < 16; i++) {
        check(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text, text, NULL),
              "clGetPlatformInfo");
        if (strstr(text, name) &&
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS) {
            clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL);
            printf("device: %s\n", text);
            return device;
        }
    }
    fprintf(stderr, "no platform has \"%s\" in its name\n", name);
    exit(77);
}

/* FNV-1a over words. */
static uint64_t hash(uint64_t h, const uint8_t *bytes, size_t n)
{
    uint64_t word;

    for (size_t i = 0; i + 8 <= n; i += 8) {
        memcpy(&word, bytes + i, 8);
        h = (h ^ word) * UINT64_C(0x100000001b3);
    }
    return h;
}

static void fill(uint8_t *bytes, size_t n, uint64_t seed)
{
    uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;

    for (size_t i = 0; i + 8 <= n; i += 8) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        memcpy(bytes + i, &x, 8);
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *ms, int n)
{
    qsort(ms, (size_t)n, sizeof *ms, by_size);
    return ms[n / 2];
}

static uint64_t measure(cl_command_queue queue, cl_mem buffer, uint8_t *from, uint8_t *to, size_t bytes,
                        int rounds)
{
    double write[MOST_ROUNDS], read[MOST_ROUNDS], t;
    uint64_t h = 0;
    int runs = rounds * (bytes < 32 * MIB ? 4 : 1);

    for (int i = 0; i < runs && i < MOST_ROUNDS; i++) {
        from[i % 4096] ^= (uint8_t)(i + 1);
        t = now_ms();
        check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, from, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
        write[i] = now_ms() - t;
        memset(to, 0, 4096);
        t = now_ms();
        check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL),
              "clEnqueueReadBuffer");
        read[i] = now_ms() - t;
        h = hash(h, to, bytes);
    }
    runs = runs < MOST_ROUNDS ? runs : MOST_ROUNDS;
    printf("%4zu MiB: write %6.2f GB/s, read %6.2f GB/s (first write %.2f ms, first read %.2f ms)\n",
           bytes / MIB, (double)bytes / median(write, runs) / 1e6, (double)bytes / median(read, runs) / 1e6,
           write[0], read[0]);
    fflush(stdout);
    return h;
}

static uint64_t measure_later(cl_command_queue queue, cl_mem buffer, uint8_t *from, uint8_t *to, size_t bytes,
                              int rounds)
{
    double held[MOST_ROUNDS], all[MOST_ROUNDS], t;
    uint64_t h = 0;

    for (int i = 0; i < rounds; i++) {
        cl_event event;
        from[i] ^= 0x55;
        t = now_ms();
        check(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, bytes, from, 0, NULL, &event),
              "clEnqueueWriteBuffer");
        held[i] = now_ms() - t;
        check(clWaitForEvents(1, &event), "clWaitForEvents");
        all[i] = now_ms() - t;
        clReleaseEvent(event);
        check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL),
              "clEnqueueReadBuffer");
        h = hash(h, to, bytes);
    }
    t = median(held, rounds);
    printf("%4zu MiB: a write that does not block returns after %.1f us and takes %.2f ms\n", bytes / MIB,
           t * 1e3, median(all, rounds));
    return h;
}

enum { WIDTH = 4096, PIXEL = 16 };

/* WIDTH pixels of four floats a row. NULL: the device has none of so many rows. */
static cl_mem make_image(cl_context context, size_t rows)
{
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = rows};
    cl_int err;

    return clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
}

static uint64_t measure_image(cl_command_queue queue, cl_mem image, uint8_t *from, uint8_t *to, size_t rows,
                              int rounds)
{
    const size_t origin[3] = {0, 0, 0}, region[3] = {WIDTH, rows, 1}, bytes = rows * WIDTH * PIXEL;
    double write[MOST_ROUNDS], read[MOST_ROUNDS], t;
    uint64_t h = 0;

    for (int i = 0; i < rounds; i++) {
        from[i] ^= 0x33;
        t = now_ms();
        check(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, from, 0, NULL, NULL),
              "clEnqueueWriteImage");
        write[i] = now_ms() - t;
        t = now_ms();
        check(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, to, 0, NULL, NULL),
              "clEnqueueReadImage");
        read[i] = now_ms() - t;
        h = hash(h, to, bytes);
    }
    printf("image of %zu MiB: write %6.2f GB/s, read %6.2f GB/s\n", bytes / MIB,
           (double)bytes / median(write, rounds) / 1e6, (double)bytes / median(read, rounds) / 1e6);
    return h;
}

/* Reads into memory that was never touched: of the image, or of the buffer where `image` is NULL. */
static uint64_t measure_fresh(cl_command_queue queue, cl_mem image, cl_mem buffer, size_t bytes, int rounds)
{
    const size_t origin[3] = {0, 0, 0}, region[3] = {WIDTH, bytes / WIDTH / PIXEL, 1};
    double read[MOST_ROUNDS], t;
    uint64_t h = 0;

    for (int i = 0; i < rounds; i++) {
        uint8_t *to = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (to == MAP_FAILED)
            exit(1);
        t = now_ms();
        if (image)
            check(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, to, 0, NULL, NULL),
                  "clEnqueueReadImage");
        else
            check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL),
                  "clEnqueueReadBuffer");
        read[i] = now_ms() - t;
        h = hash(h, to, bytes);
        munmap(to, bytes);
    }
    printf("fresh memory, %zu MiB of the %s %6.2f GB/s\n", bytes / MIB, image ? "image" : "buffer",
           (double)bytes / median(read, rounds) / 1e6);
    return h;
}

int main(int argc, char **argv)
{
    const char *mib = getenv("STAGING_SPEED_MIB");
    size_t sizes[] = {1 * MIB, 4 * MIB, 32 * MIB, (size_t)(mib ? atoi(mib) : 512) * MIB};
    cl_device_id device = find(argc > 1 ? argv[1] : "NVIDIA");
    int rounds = argc > 2 ? atoi(argv[2]) : 7;
    size_t most = sizes[3];
    uint8_t *from = malloc(most), *to = malloc(most);
    cl_command_queue queue;
    cl_context context;
    uint64_t h = 0;
    cl_mem buffer, image;
    cl_int err;

    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    if (!most || !from || !to)
        return 1;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &err);
    check(err, "clCreateCommandQueue");
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, most, NULL, &err);
    check(err, "clCreateBuffer");
    fill(from, most, 1);
    memset(to, 1, most);
    check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, most, from, 0, NULL, NULL), "clEnqueueWriteBuffer");
    for (int i = 3; i >= 0; i--)
        if (i == 3 || sizes[i] < most)
            h ^= measure(queue, buffer, from, to, sizes[i], rounds);
    h ^= measure_later(queue, buffer, from, to, most, rounds);
    image = make_image(context, most / WIDTH / PIXEL);
    if (image)
        h ^= measure_image(queue, image, from, to, most / WIDTH / PIXEL, rounds);
    h ^= measure_fresh(queue, NULL, buffer, most, rounds);
    if (image)
        h ^= measure_fresh(queue, image, NULL, most, rounds);
    printf("hash %016llx\n", (unsigned long long)h);
    if (image)
        clReleaseMemObject(image);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(from);
    free(to);
    return 0;
}
