/* sweep.c - steps of unlike kinds: a sweep along each row in place (every cell from the new value on its
 * left), smoothing across rows into another buffer, a copy back with a source, and every fourth step the sum
 * of all cells by one work-group, on which the next steps depend.
 *
 * usage: sweep [width [height [steps [sync [verify]]]]] */
#include "stencil.h"

static const char source[] =
    "__kernel void along(__global float *v, int w, int h) {\n"
    "    int y = get_global_id(0);\n"
    "    if (y >= h) return;\n"
    "    for (int x = 1; x < w; x++) v[y * w + x] = 0.75f * v[y * w + x] + 0.25f * v[y * w + x - 1];\n"
    "}\n"
    "__kernel void across(__global const float *in, __global float *out, int w, int h) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), i = y * w + x;\n"
    "    if (x >= w || y >= h) return;\n"
    "    out[i] = y == 0 || y == h - 1 ? in[i] : 0.25f * in[i - w] + 0.5f * in[i] + 0.25f * in[i + w];\n"
    "}\n"
    "__kernel void back(__global const float *in, __global float *out, __global const float *mean, int w, "
    "int h) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), i = y * w + x;\n"
    "    if (x < w && y < h) out[i] = in[i] + 0.01f * mean[0];\n"
    "}\n"
    "__kernel void mean_of(__global const float *in, __global float *mean, int n) {\n"
    "    __local float part[16];\n"
    "    int l = get_local_id(0);\n"
    "    float sum = 0.0f;\n"
    "    for (int i = l; i < n; i += 16) sum += in[i];\n"
    "    part[l] = sum;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (l == 0) {\n"
    "        for (int i = 1; i < 16; i++) sum += part[i];\n"
    "        mean[0] = sum / n;\n"
    "    }\n"
    "}\n";

enum { CELLS, OTHER, MEAN };

static void enqueue(struct stencil *s, size_t step)
{
    cl_int w = (cl_int)s->w, h = (cl_int)s->h;

    app_args(s->kernel[0], "mii", s->grid[CELLS], w, h);
    stencil_run(s, s->kernel[0], s->h, 0, 0);
    app_args(s->kernel[1], "mmii", s->grid[CELLS], s->grid[OTHER], w, h);
    stencil_run(s, s->kernel[1], s->w, s->h, 0);
    app_args(s->kernel[2], "mmmii", s->grid[OTHER], s->grid[CELLS], s->grid[MEAN], w, h);
    stencil_run(s, s->kernel[2], s->w, s->h, 0);
    if (step % 4 == 3) {
        app_args(s->kernel[3], "mmi", s->grid[CELLS], s->grid[MEAN], w * h);
        stencil_run(s, s->kernel[3], 16, 0, 0);
    }
}

static void mean_of(const float *in, float *mean, size_t n)
{
    float part[16] = {0}, sum;

    for (size_t l = 0; l < 16; l++)
        for (size_t i = l; i < n; i += 16)
            part[l] += in[i];
    sum = part[0];
    for (size_t l = 1; l < 16; l++)
        sum += part[l];
    *mean = sum / (float)n;
}

static void plainly(struct stencil *s, size_t step)
{
    float *in = s->want[CELLS], *out = s->want[OTHER];
    size_t w = s->w, h = s->h;

    for (size_t y = 0; y < h; y++)
        for (size_t x = 1; x < w; x++)
            in[y * w + x] = 0.75f * in[y * w + x] + 0.25f * in[y * w + x - 1];
    for (size_t y = 0; y < h; y++)
        for (size_t i = y * w; i < (y + 1) * w; i++)
            out[i] = y == 0 || y == h - 1 ? in[i] : 0.25f * in[i - w] + 0.5f * in[i] + 0.25f * in[i + w];
    for (size_t i = 0; i < w * h; i++)
        in[i] = out[i] + 0.01f * s->want[MEAN][0];
    if (step % 4 == 3)
        mean_of(in, s->want[MEAN], w * h);
}

int main(int argc, char **argv)
{
    const struct stencil_kind kind = {"sweep", source, {"along", "across", "back", "mean_of"}, 2, 3,
                                      enqueue, plainly};

    return stencil_main(&kind, argc, argv);
}
