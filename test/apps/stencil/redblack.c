/* redblack.c - Gauss-Seidel in two colours, in place: each step updates the red cells from the black ones,
 * then the black ones from the red.
 *
 * usage: redblack [width [height [steps [sync [verify]]]]] */
#include "stencil.h"

static const char source[] =
    "__kernel void relax(__global float *v, int w, int h, int colour) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), i = y * w + x;\n"
    "    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1 || ((x + y) & 1) != colour) return;\n"
    "    v[i] = 0.25f * (v[i - 1] + v[i + 1] + v[i - w] + v[i + w]);\n"
    "}\n";

static void enqueue(struct stencil *s, size_t step)
{
    (void)step;
    for (cl_int colour = 0; colour < 2; colour++) {
        app_args(s->kernel[0], "miii", s->grid[0], (cl_int)s->w, (cl_int)s->h, colour);
        stencil_run(s, s->kernel[0], s->w, s->h, 0);
    }
}

static void plainly(struct stencil *s, size_t step)
{
    float *v = s->want[0];

    (void)step;
    for (size_t colour = 0; colour < 2; colour++)
        for (size_t y = 1; y + 1 < s->h; y++)
            for (size_t x = 1; x + 1 < s->w; x++)
                if ((x + y) % 2 == colour) {
                    size_t i = y * s->w + x;
                    v[i] = 0.25f * (v[i - 1] + v[i + 1] + v[i - s->w] + v[i + s->w]);
                }
}

int main(int argc, char **argv)
{
    const struct stencil_kind kind = {"redblack", source, {"relax"}, 2, 1, enqueue, plainly};

    return stencil_main(&kind, argc, argv);
}
