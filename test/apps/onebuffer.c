/* onebuffer.c - launches that share one buffer, and meet in it or not.
 *
 *   halves   two chains of launches, each in a half of its own
 *   bands    a three-point stencil from one half to the other and back, each step in bands that are launches
 *            of their own, told apart by a scalar argument: a band needs three bands of the step before
 *   windows  launches that work in place on windows which overlap by half: a line
 *   gather   reads through indices from memory, of which nobody can say where they lead
 *
 * One in-order queue, everything enqueued before anything is waited for. Who takes the buffer for the unit
 * sees a line; who loses a byte of what a launch touches gives a wrong result in some order.
 *
 * usage: onebuffer [steps]   default 40 */
#include "common.h"

#include <stdlib.h>
#include <string.h>

#define HALF  4096u
#define BANDS 8u
#define BAND  (HALF / BANDS)

static const char source[] =
    "kernel void stir(global uint *x, uint first, uint salt) {\n"
    "    uint i = first + get_global_id(0);\n"
    "    x[i] = (x[i] ^ salt) * 2654435761u + (x[i] >> 7);\n"
    "}\n"
    "kernel void stencil(global uint *x, uint from, uint to, uint first, uint n) {\n"
    "    uint i = first + get_global_id(0);\n"
    "    uint left = i > 0 ? x[from + i - 1] : 17, right = i + 1 < n ? x[from + i + 1] : 23;\n"
    "    x[to + i] = 3 * left + x[from + i] * 5 + (right ^ 0x9e3779b9u);\n"
    "}\n"
    "kernel void window(global uint *x, uint first, uint n) {\n"
    "    uint i = first + get_global_id(0);\n"
    "    x[i] = x[i] * 31 + (x[i + n] ^ i);\n"
    "}\n"
    "kernel void gather(global uint *x, uint to, uint n) {\n"
    "    uint i = get_global_id(0);\n"
    "    x[to + i] += x[x[to + i] % n];\n"
    "}\n";

struct sample {
    struct app a;
    cl_kernel stir, stencil, window, gather;
    cl_mem x;
    uint32_t want[2 * HALF], got[2 * HALF];
    uint32_t steps;
};

static void halves(struct sample *s)
{
    for (uint32_t step = 0; step < s->steps; step++)
        for (uint32_t half = 0; half < 2; half++) {
            app_args(s->stir, "muu", s->x, half * HALF, step + half);
            app_run(s->a.queue, s->stir, HALF, 64, 0, NULL, NULL);
            for (uint32_t i = half * HALF; i < (half + 1) * HALF; i++)
                s->want[i] = (s->want[i] ^ (step + half)) * 2654435761u + (s->want[i] >> 7);
        }
}

static void bands(struct sample *s)
{
    uint32_t *x = s->want;
    for (uint32_t step = 0; step < s->steps; step++) {
        uint32_t from = step % 2 * HALF, to = HALF - from;
        for (uint32_t band = 0; band < BANDS; band++) {
            app_args(s->stencil, "muuuu", s->x, from, to, band * BAND, HALF);
            app_run(s->a.queue, s->stencil, BAND, 64, 0, NULL, NULL);
        }
        for (uint32_t i = 0; i < HALF; i++) {
            uint32_t left = i > 0 ? x[from + i - 1] : 17, right = i + 1 < HALF ? x[from + i + 1] : 23;
            x[to + i] = 3 * left + x[from + i] * 5 + (right ^ 0x9e3779b9u);
        }
    }
}

static void windows(struct sample *s)
{
    for (uint32_t step = 0; step < s->steps; step++) {
        uint32_t first = step % (2 * BANDS - 2) * BAND;
        app_args(s->window, "muu", s->x, first, BAND);
        app_run(s->a.queue, s->window, BAND, 64, 0, NULL, NULL);
        for (uint32_t i = first; i < first + BAND; i++)
            s->want[i] = s->want[i] * 31 + (s->want[i + BAND] ^ i);
    }
}

/* From one half to the other, so that no launch reads what it writes. */
static void gather(struct sample *s)
{
    for (uint32_t step = 0; step < s->steps; step++) {
        uint32_t to = HALF + step % BANDS * BAND;
        app_args(s->gather, "muu", s->x, to, HALF);
        app_run(s->a.queue, s->gather, BAND, 64, 0, NULL, NULL);
        app_args(s->stir, "muu", s->x, step % BANDS * BAND, step);
        app_run(s->a.queue, s->stir, BAND, 64, 0, NULL, NULL);
        for (uint32_t i = to; i < to + BAND; i++)
            s->want[i] += s->want[s->want[i] % HALF];
        for (uint32_t i = step % BANDS * BAND; i < (step % BANDS + 1) * BAND; i++)
            s->want[i] = (s->want[i] ^ step) * 2654435761u + (s->want[i] >> 7);
    }
}

static void check(struct sample *s, const char *what)
{
    app_read(&s->a, s->x, 0, sizeof s->got, s->got);
    app_expect_words(&s->a, what, s->got, s->want, 2 * HALF);
}

int main(int argc, char **argv)
{
    struct sample *s = app_alloc(sizeof *s);
    uint32_t seed = 4711;
    memset(s, 0, sizeof *s);
    s->steps = (uint32_t)app_size(argc, argv, 1, 40, 1, 100000);
    app_open(&s->a, "onebuffer", 0, source);
    s->stir = app_kernel(&s->a, "stir");
    s->stencil = app_kernel(&s->a, "stencil");
    s->window = app_kernel(&s->a, "window");
    s->gather = app_kernel(&s->a, "gather");
    for (uint32_t i = 0; i < 2 * HALF; i++)
        s->want[i] = app_random(&seed);
    s->x = app_buffer(&s->a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof s->want, s->want);
    halves(s);
    check(s, "halves");
    bands(s);
    check(s, "bands");
    windows(s);
    check(s, "windows");
    gather(s);
    check(s, "gather");
    app_release_mems(&s->x, 1);
    APP_CHECK(clReleaseKernel(s->stir));
    APP_CHECK(clReleaseKernel(s->stencil));
    APP_CHECK(clReleaseKernel(s->window));
    APP_CHECK(clReleaseKernel(s->gather));
    int status = app_close(&s->a);
    free(s);
    return status;
}
