/* paced.c - a five-point stencil whose kernel is told the number of its step and looks up there how much it
 * keeps: each launch has another argument, as time loops in the wild have.
 *
 * usage: paced [width [height [steps [sync [verify]]]]] */
#include "stencil.h"

static const char source[] =
    "__kernel void paced(__global const float *in, __global float *out, __global const float *pace, int t, "
    "int w, int h) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), i = y * w + x;\n"
    "    if (x >= w || y >= h) return;\n"
    "    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) { out[i] = in[i]; return; }\n"
    "    out[i] = (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]) * pace[t];\n"
    "}\n";

enum { PACE = 2 };

static void enqueue(struct stencil *s, size_t step)
{
    app_args(s->kernel[0], "mmmiii", s->grid[step % 2], s->grid[(step + 1) % 2], s->grid[PACE],
             (cl_int)(step % s->cells), (cl_int)s->w, (cl_int)s->h);
    stencil_run(s, s->kernel[0], s->w, s->h, 0);
}

static void plainly(struct stencil *s, size_t step)
{
    const float *in = s->want[step % 2], pace = s->want[PACE][step % s->cells];
    float *out = s->want[(step + 1) % 2];

    for (size_t y = 0; y < s->h; y++)
        for (size_t x = 0; x < s->w; x++) {
            size_t i = y * s->w + x;
            bool border = x == 0 || y == 0 || x == s->w - 1 || y == s->h - 1;
            out[i] = border ? in[i] : (in[i - 1] + in[i + 1] + in[i - s->w] + in[i + s->w]) * pace;
        }
}

int main(int argc, char **argv)
{
    const struct stencil_kind kind = {"paced", source, {"paced"}, 2, 3, enqueue, plainly};

    return stencil_main(&kind, argc, argv);
}
