/* userevents_maps.c - commands that a user event holds back, and every way of touching a buffer from the
 * host.
 *
 * Blocking and non-blocking maps, maps of a part, sub-buffers, memory of the program's own (USE_HOST_PTR),
 * fills with several pattern sizes, rectangular reads, writes and copies.
 *
 * usage: userevents_maps [side]   default 64, a multiple of 64 */
#include "common.h"

#include <stdlib.h>
#include <string.h>

static const char source[] = "__kernel void bump(__global uint *restrict x, uint by) { x[get_global_id(0)] "
                             "+= by + get_global_id(0); }\n";

struct state {
    struct app a;
    cl_kernel bump;
    size_t side, n, bytes; /* side x side words */
    uint32_t *want, *got;
};

static void bump_plainly(uint32_t *x, size_t n, uint32_t by)
{
    for (size_t i = 0; i < n; i++)
        x[i] += by + (uint32_t)i;
}

static void *map(struct state *s, cl_mem m, cl_bool blocking, cl_map_flags flags, size_t offset, size_t bytes,
                 cl_event *event)
{
    cl_int err;
    void *p = clEnqueueMapBuffer(s->a.queue, m, blocking, flags, offset, bytes, 0, NULL, event, &err);
    APP_CHECK(err);
    return p;
}

static void unmap(struct state *s, cl_mem m, void *p)
{
    APP_CHECK(clEnqueueUnmapMemObject(s->a.queue, m, p, 0, NULL, NULL));
}

/* A write, a kernel and a read wait for a user event; the program changes what is written before it sets the
 * event. */
static void gated_by_user_event(struct state *s)
{
    cl_int err;
    cl_event gate = clCreateUserEvent(s->a.context, &err), written, done;
    APP_CHECK(err);
    cl_mem m = app_buffer(&s->a, CL_MEM_READ_WRITE, s->bytes, NULL);
    uint32_t *data = app_alloc(s->bytes);
    memset(data, 0xff, s->bytes);
    APP_CHECK(clEnqueueWriteBuffer(s->a.queue, m, CL_FALSE, 0, s->bytes, data, 1, &gate, &written));
    app_args(s->bump, "mu", m, 9);
    app_run(s->a.queue, s->bump, s->n, 0, 1, &written, NULL);
    APP_CHECK(clEnqueueReadBuffer(s->a.queue, m, CL_FALSE, 0, s->bytes, s->got, 0, NULL, &done));
    APP_CHECK(clFlush(s->a.queue));
    for (size_t i = 0; i < s->n; i++)
        data[i] = s->want[i] = (uint32_t)(i * i);
    APP_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    APP_CHECK(clWaitForEvents(1, &done));
    bump_plainly(s->want, s->n, 9);
    app_hash(&s->a, s->got, s->bytes);
    app_expect_words(&s->a, "gated", s->got, s->want, s->n);
    app_release_events((cl_event[]){gate, written, done}, 3);
    app_release_mems(&m, 1);
    free(data);
}

/* Written through a blocking map, bumped, half of it changed through a non-blocking map, read through
 * another. */
static void through_maps(struct state *s)
{
    cl_mem m = app_buffer(&s->a, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, s->bytes, NULL);
    uint32_t *p = map(s, m, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, s->bytes, NULL);
    for (size_t i = 0; i < s->n; i++)
        p[i] = s->want[i] = (uint32_t)(i * 3);
    unmap(s, m, p);
    app_args(s->bump, "mu", m, 1);
    app_run(s->a.queue, s->bump, s->n, 0, 0, NULL, NULL);
    bump_plainly(s->want, s->n, 1);

    cl_event mapped;
    p = map(s, m, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, s->bytes / 2, s->bytes / 2, &mapped);
    APP_CHECK(clWaitForEvents(1, &mapped));
    for (size_t i = 0; i < s->n / 2; i++) {
        p[i] = p[i] * 2 + 1;
        s->want[s->n / 2 + i] = s->want[s->n / 2 + i] * 2 + 1;
    }
    unmap(s, m, p);
    app_run(s->a.queue, s->bump, s->n, 0, 0, NULL, NULL);
    bump_plainly(s->want, s->n, 1);

    p = map(s, m, CL_TRUE, CL_MAP_READ, 0, s->bytes, NULL);
    app_hash(&s->a, p, s->bytes);
    app_expect_words(&s->a, "mapped", p, s->want, s->n);
    unmap(s, m, p);
    APP_CHECK(clFinish(s->a.queue));
    APP_CHECK(clReleaseEvent(mapped));
    app_release_mems(&m, 1);
}

/* The program's own memory as the buffer, bumped as a whole and through two sub-buffers. */
static void own_memory(struct state *s)
{
    size_t half = s->bytes / 2;
    uint32_t *own = aligned_alloc(4096, (s->bytes + 4095) / 4096 * 4096);
    if (!own)
        exit(1);
    for (size_t i = 0; i < s->n; i++)
        own[i] = s->want[i] = (uint32_t)(i ^ 0x5555);
    cl_mem m = app_buffer(&s->a, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, s->bytes, own);
    cl_mem halves[2] = {app_sub_buffer(m, CL_MEM_READ_WRITE, 0, half),
                        app_sub_buffer(m, CL_MEM_READ_WRITE, half, half)};
    for (int h = 0; h < 2; h++) {
        app_args(s->bump, "mu", halves[h], 100 + h);
        app_run(s->a.queue, s->bump, s->n / 2, 0, 0, NULL, NULL);
        bump_plainly(s->want + (size_t)h * s->n / 2, s->n / 2, 100 + (uint32_t)h);
    }
    APP_CHECK(clFinish(s->a.queue));
    app_args(s->bump, "mu", m, 7);
    app_run(s->a.queue, s->bump, s->n, 0, 0, NULL, NULL);
    bump_plainly(s->want, s->n, 7);
    uint32_t *p = map(s, m, CL_TRUE, CL_MAP_READ, 0, s->bytes, NULL);
    app_expect(&s->a, p == own, "a map of the program's own memory is elsewhere");
    app_hash(&s->a, own, s->bytes);
    app_expect_words(&s->a, "own memory", own, s->want, s->n);
    unmap(s, m, p);
    APP_CHECK(clFinish(s->a.queue));
    app_release_mems((cl_mem[]){halves[0], halves[1], m}, 3);
    free(own);
}

/* Fills with patterns of 1, 4 and 16 bytes over parts of one buffer. */
static void fills(struct state *s)
{
    const cl_uchar byte = 0xab;
    const cl_uint word = 0x12345678, four[4] = {1, 2, 3, 4};
    size_t quarter = s->bytes / 4;
    cl_mem m = app_buffer(&s->a, CL_MEM_READ_WRITE, s->bytes, NULL);
    APP_CHECK(clEnqueueFillBuffer(s->a.queue, m, &word, sizeof word, 0, s->bytes, 0, NULL, NULL));
    APP_CHECK(clEnqueueFillBuffer(s->a.queue, m, &byte, sizeof byte, quarter, quarter, 0, NULL, NULL));
    APP_CHECK(clEnqueueFillBuffer(s->a.queue, m, four, sizeof four, 2 * quarter, quarter, 0, NULL, NULL));
    for (size_t i = 0; i < s->n; i++)
        s->want[i] = i / (s->n / 4) == 1 ? 0xababababu : i / (s->n / 4) == 2 ? four[i % 4] : word;
    app_read(&s->a, m, 0, s->bytes, s->got);
    app_expect_words(&s->a, "fill", s->got, s->want, s->n);
    app_release_mems(&m, 1);
}

/* A rectangle travels host -> buffer -> other place of another buffer -> host. */
static void rectangles(struct state *s)
{
    size_t pitch = s->side * sizeof *s->got, quarter = s->side / 4;
    const size_t region[3] = {quarter * sizeof *s->got, quarter, 1}, origin[3] = {0, 0, 0};
    const size_t there[3] = {quarter * sizeof *s->got, 2 * quarter, 0};
    const cl_uint zero = 0;
    cl_mem m[2] = {app_buffer(&s->a, CL_MEM_READ_WRITE, s->bytes, NULL),
                   app_buffer(&s->a, CL_MEM_READ_WRITE, s->bytes, NULL)};
    for (int i = 0; i < 2; i++)
        APP_CHECK(clEnqueueFillBuffer(s->a.queue, m[i], &zero, sizeof zero, 0, s->bytes, 0, NULL, NULL));
    uint32_t *data = app_alloc(s->bytes);
    memset(s->want, 0, s->bytes);
    for (size_t i = 0; i < s->n; i++)
        data[i] = (uint32_t)(i * 77 + 1);
    for (size_t y = 0; y < quarter; y++)
        memcpy(&s->want[(2 * quarter + y) * s->side + quarter], &data[y * s->side], region[0]);
    APP_CHECK(clEnqueueWriteBufferRect(s->a.queue, m[0], CL_FALSE, origin, origin, region, pitch, 0, pitch, 0,
                                       data, 0, NULL, NULL));
    APP_CHECK(clEnqueueCopyBufferRect(s->a.queue, m[0], m[1], origin, there, region, pitch, 0, pitch, 0, 0,
                                      NULL, NULL));
    app_read(&s->a, m[1], 0, s->bytes, s->got);
    app_expect_words(&s->a, "rectangle", s->got, s->want, s->n);
    memset(s->got, 0, s->bytes);
    APP_CHECK(clEnqueueReadBufferRect(s->a.queue, m[1], CL_TRUE, there, there, region, pitch, 0, pitch, 0,
                                      s->got, 0, NULL, NULL));
    app_hash(&s->a, s->got, s->bytes);
    app_expect_words(&s->a, "read rectangle", s->got, s->want, s->n);
    app_release_mems(m, 2);
    free(data);
}

int main(int argc, char **argv)
{
    struct state s = {.side = app_size(argc, argv, 1, 64, 64, 4096) / 64 * 64};
    s.n = s.side * s.side;
    s.bytes = s.n * sizeof *s.got;
    s.want = app_alloc(s.bytes);
    s.got = app_alloc(s.bytes);
    app_open(&s.a, "userevents_maps", 0, source);
    s.bump = app_kernel(&s.a, "bump");
    gated_by_user_event(&s);
    through_maps(&s);
    own_memory(&s);
    fills(&s);
    rectangles(&s);
    APP_CHECK(clReleaseKernel(s.bump));
    free(s.want), free(s.got);
    return app_close(&s.a);
}
