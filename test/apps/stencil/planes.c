/* planes.c - a stencil of nine points in three dimensions between two buffers, one launch for each plane,
 * which is told its number: launches of one step do not depend on each other, and no order of them saves
 * memory traffic.
 *
 * usage: planes [width [height [depth [steps [sync [verify]]]]]] */
#include "stencil.h"

static const char source[] =
    "__kernel void plane(__global const float *in, __global float *out, int w, int h, int d, int z) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), i = (z * h + y) * w + x, p = w * h;\n"
    "    if ((x > 0) && (y > 0) && (z > 0) && (x < w - 1) && (y < h - 1) && (z < d - 1))\n"
    "        out[i] = 0.5f * in[i] + 0.0625f * (in[i - p - 1] + in[i - p + w] + in[i - p + 1] + in[i - p - "
    "w]\n"
    "                                         + in[i + p - 1] + in[i + p + w] + in[i + p + 1] + in[i + p - "
    "w]);\n"
    "    else if (x < w && y < h) out[i] = 0.0f;\n"
    "}\n";

static void enqueue(struct stencil *s, size_t step)
{
    for (size_t z = 0; z < s->d; z++) {
        app_args(s->kernel[0], "mmiiii", s->grid[step % 2], s->grid[(step + 1) % 2], (cl_int)s->w,
                 (cl_int)s->h, (cl_int)s->d, (cl_int)z);
        stencil_run(s, s->kernel[0], s->w, s->h, 0);
    }
}

static float at(const struct stencil *s, const float *in, size_t x, size_t y, size_t z)
{
    size_t i = stencil_at(s, x, y, z), w = s->w, p = s->w * s->h;

    if (x == 0 || y == 0 || z == 0 || x + 1 >= s->w || y + 1 >= s->h || z + 1 >= s->d)
        return 0.0f;
    return 0.5f * in[i] + 0.0625f * (in[i - p - 1] + in[i - p + w] + in[i - p + 1] + in[i - p - w] +
                                     in[i + p - 1] + in[i + p + w] + in[i + p + 1] + in[i + p - w]);
}

static void plainly(struct stencil *s, size_t step)
{
    for (size_t z = 0; z < s->d; z++)
        for (size_t y = 0; y < s->h; y++)
            for (size_t x = 0; x < s->w; x++)
                s->want[(step + 1) % 2][stencil_at(s, x, y, z)] = at(s, s->want[step % 2], x, y, z);
}

int main(int argc, char **argv)
{
    const struct stencil_kind kind = {"planes", source, {"plane"}, 3, 2, enqueue, plainly};

    return stencil_main(&kind, argc, argv);
}
