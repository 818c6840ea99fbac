/* integers.c - integers alone, so that every device makes the same bits of them: a sort, a histogram, and a
 * search for hashes, on one in-order queue.
 *
 *   sort       bitonic, each step from one buffer to another: a work-item writes one word
 *   histogram  of the low bytes of the sorted words: atomic additions to 256 counters
 *   search     of numbers whose hash is one of some: the least of each by an atomic minimum, and a mark
 *
 * usage: integers [bits [turns]]   2^bits words, default 12; turns of the hash, default 64 */
#include "common.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 256, TARGETS = 32 };

static const char source[] =
    "__kernel void exchange(__global const uint *from, __global uint *to, uint j, uint k) {\n"
    "    uint i = get_global_id(0), p = i ^ j, a = from[i], b = from[p];\n"
    "    bool least = ((i & k) == 0) == (i < p);\n"
    "    to[i] = least ? min(a, b) : max(a, b);\n"
    "}\n"
    "__kernel void count(__global const uint *in, __global uint *bins) {\n"
    "    atomic_inc(&bins[in[get_global_id(0)] & 255]);\n"
    "}\n"
    "__kernel void search(__global const uint *target, __global uint *least, __global uchar *found,\n"
    "                     uint targets, uint turns) {\n"
    "    uint i = get_global_id(0), h = i;\n"
    "    for (uint k = 0; k < turns; k++) {\n"
    "        h ^= h >> 16; h *= 0x7feb352du; h ^= rotate(h, 15u) >> 7; h += k;\n"
    "    }\n"
    "    for (uint t = 0; t < targets; t++)\n"
    "        if (h == target[t]) {\n"
    "            atomic_min(&least[t], i);\n"
    "            found[t] = 1;\n"
    "        }\n"
    "}\n";

static uint32_t hash_of(uint32_t h, uint32_t turns)
{
    for (uint32_t k = 0; k < turns; k++) {
        h ^= h >> 16, h *= 0x7feb352du;
        h ^= (h << 15 | h >> 17) >> 7, h += k;
    }
    return h;
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Returns the buffer with the result. */
static cl_mem sort(struct app *a, cl_mem buffer[2], size_t n)
{
    cl_kernel step = app_kernel(a, "exchange");
    int at = 0;

    for (size_t k = 2; k <= n; k *= 2)
        for (size_t j = k / 2; j; j /= 2, at ^= 1) {
            app_args(step, "mmuu", buffer[at], buffer[at ^ 1], (cl_uint)j, (cl_uint)k);
            app_run(a->queue, step, n, 64, 0, NULL, NULL);
        }
    APP_CHECK(clReleaseKernel(step));
    return buffer[at];
}

static void histogram(struct app *a, cl_mem words, const uint32_t *want, size_t n)
{
    cl_kernel count = app_kernel(a, "count");
    uint32_t bins[BINS] = {0}, right[BINS] = {0};
    cl_mem buffer;

    for (size_t i = 0; i < n; i++)
        right[want[i] & 255]++;
    for (int i = 0; i < BINS; i++)
        right[i] += bins[i] = (uint32_t)i; /* they begin with something */
    buffer = app_buffer(a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof bins, bins);
    app_args(count, "mm", words, buffer);
    app_run(a->queue, count, n, 64, 0, NULL, NULL);
    app_read(a, buffer, 0, sizeof bins, bins);
    app_expect_words(a, "histogram", bins, right, BINS);
    APP_CHECK(clReleaseKernel(count));
    app_release_mems(&buffer, 1);
}

static void search(struct app *a, size_t n, uint32_t turns)
{
    cl_kernel kernel = app_kernel(a, "search");
    uint32_t target[TARGETS], least[TARGETS], right[TARGETS];
    uint8_t found[TARGETS] = {0};
    cl_mem buffer[3];

    for (size_t t = 0; t < TARGETS; t++) { /* each third one is not there */
        target[t] = hash_of((uint32_t)(t % 3 ? n / TARGETS * t : n + t), turns);
        right[t] = least[t] = UINT32_MAX;
    }
    for (size_t t = 0; t < TARGETS; t++)
        for (size_t i = n; i-- > 0 && t % 3;)
            right[t] = hash_of((uint32_t)i, turns) == target[t] ? (uint32_t)i : right[t];
    buffer[0] = app_buffer(a, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof target, target);
    buffer[1] = app_buffer(a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof least, least);
    buffer[2] = app_buffer(a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof found, found);
    app_args(kernel, "mmmuu", buffer[0], buffer[1], buffer[2], (cl_uint)TARGETS, (cl_uint)turns);
    app_run(a->queue, kernel, n, 64, 0, NULL, NULL);
    app_read(a, buffer[1], 0, sizeof least, least);
    app_read(a, buffer[2], 0, sizeof found, found);
    app_expect_words(a, "search", least, right, TARGETS);
    for (int t = 0; t < TARGETS; t++)
        app_expect(a, found[t] == (right[t] != UINT32_MAX), "target %d: mark %d", t, found[t]);
    APP_CHECK(clReleaseKernel(kernel));
    app_release_mems(buffer, 3);
}

int main(int argc, char **argv)
{
    size_t n = (size_t)1 << app_size(argc, argv, 1, 12, 6, 26),
           turns = app_size(argc, argv, 2, 64, 1, 1 << 20);
    uint32_t *words = app_alloc(n * sizeof *words), *got = app_alloc(n * sizeof *got), seed = 7;
    cl_mem buffer[2], sorted;
    struct app a;

    app_open(&a, "integers", 0, source);
    for (size_t i = 0; i < n; i++)
        words[i] = app_random(&seed);
    buffer[0] = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n * sizeof *words, words);
    buffer[1] = app_buffer(&a, CL_MEM_READ_WRITE, n * sizeof *words, NULL);
    sorted = sort(&a, buffer, n);
    qsort(words, n, sizeof *words, compare);
    histogram(&a, sorted, words, n);
    app_read(&a, sorted, 0, n * sizeof *got, got);
    app_expect_words(&a, "sort", got, words, n);
    search(&a, n, (uint32_t)turns);
    app_release_mems(buffer, 2);
    free(words), free(got);
    return app_close(&a);
}
