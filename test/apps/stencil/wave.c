/* wave.c - the wave equation: the next state from the current one and the one before, three buffers in turn.
 *
 * usage: wave [width [height [steps [sync [verify]]]]] */
#include "stencil.h"

static const char source[] =
    "__kernel void wave(__global const float *before, __global const float *now, __global float *next, int "
    "w, int h) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), i = y * w + x;\n"
    "    if (x >= w || y >= h) return;\n"
    "    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) { next[i] = 0.0f; return; }\n"
    "    float curve = now[i - 1] + now[i + 1] + now[i - w] + now[i + w] - 4.0f * now[i];\n"
    "    next[i] = 0.99f * (2.0f * now[i] - before[i] + 0.2f * curve);\n"
    "}\n";

static void enqueue(struct stencil *s, size_t step)
{
    app_args(s->kernel[0], "mmmii", s->grid[step % 3], s->grid[(step + 1) % 3], s->grid[(step + 2) % 3],
             (cl_int)s->w, (cl_int)s->h);
    stencil_run(s, s->kernel[0], s->w, s->h, 0);
}

static void plainly(struct stencil *s, size_t step)
{
    const float *before = s->want[step % 3], *now = s->want[(step + 1) % 3];

    for (size_t y = 0; y < s->h; y++)
        for (size_t x = 0; x < s->w; x++) {
            size_t i = y * s->w + x;
            float *next = &s->want[(step + 2) % 3][i];
            if (x == 0 || y == 0 || x == s->w - 1 || y == s->h - 1) {
                *next = 0;
                continue;
            }
            float curve = now[i - 1] + now[i + 1] + now[i - s->w] + now[i + s->w] - 4 * now[i];
            *next = 0.99f * (2 * now[i] - before[i] + 0.2f * curve);
        }
}

int main(int argc, char **argv)
{
    const struct stencil_kind kind = {"wave", source, {"wave"}, 2, 3, enqueue, plainly};

    return stencil_main(&kind, argc, argv);
}
