/* fields.c - electric and magnetic fields in two dimensions (FDTD): a source at the first row, then one
 * kernel for each field, then the sides are damped by kernels over columns and rows only. Five launches of
 * four kernels a step.
 *
 * usage: fields [width [height [steps [sync [verify]]]]] */
#include "stencil.h"

static const char source[] =
    "__kernel void electric_y(__global float *ey, __global const float *hz, int w, int h, float source) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), i = y * w + x;\n"
    "    if (x >= w || y >= h) return;\n"
    "    if (y == 0) ey[i] = source;\n"
    "    else ey[i] = ey[i] - 0.5f * (hz[i] - hz[i - w]);\n"
    "}\n"
    "__kernel void electric_x(__global float *ex, __global const float *hz, int w, int h) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), i = y * w + x;\n"
    "    if (x >= w || y >= h || x == 0) return;\n"
    "    ex[i] = ex[i] - 0.5f * (hz[i] - hz[i - 1]);\n"
    "}\n"
    "__kernel void magnetic(__global const float *ex, __global const float *ey, __global float *hz, int w, "
    "int h) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), i = y * w + x;\n"
    "    if (x >= w - 1 || y >= h - 1) return;\n"
    "    hz[i] = hz[i] - 0.7f * (ex[i + 1] - ex[i] + ey[i + w] - ey[i]);\n"
    "}\n"
    "__kernel void damp(__global float *v, int first, int stride, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) v[first + i * stride] *= 0.5f;\n"
    "}\n";

enum { EX, EY, HZ };

static float source_at(size_t step)
{
    return (float)(step % 17) / 17.0f;
}

static void enqueue(struct stencil *s, size_t step)
{
    cl_int w = (cl_int)s->w, h = (cl_int)s->h;

    app_args(s->kernel[0], "mmiif", s->grid[EY], s->grid[HZ], w, h, (double)source_at(step));
    stencil_run(s, s->kernel[0], s->w, s->h, 0);
    app_args(s->kernel[1], "mmii", s->grid[EX], s->grid[HZ], w, h);
    stencil_run(s, s->kernel[1], s->w, s->h, 0);
    app_args(s->kernel[2], "mmmii", s->grid[EX], s->grid[EY], s->grid[HZ], w, h);
    stencil_run(s, s->kernel[2], s->w, s->h, 0);
    app_args(s->kernel[3], "miii", s->grid[HZ], w - 1, w, h); /* the last column */
    stencil_run(s, s->kernel[3], s->h, 0, 0);
    app_args(s->kernel[3], "miii", s->grid[HZ], (h - 1) * w, 1, w); /* the last row */
    stencil_run(s, s->kernel[3], s->w, 0, 0);
}

static void plainly(struct stencil *s, size_t step)
{
    float *ex = s->want[EX], *ey = s->want[EY], *hz = s->want[HZ];
    size_t w = s->w, h = s->h;

    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++) {
            size_t i = y * w + x;
            ey[i] = y == 0 ? source_at(step) : ey[i] - 0.5f * (hz[i] - hz[i - w]);
            ex[i] = x == 0 ? ex[i] : ex[i] - 0.5f * (hz[i] - hz[i - 1]);
        }
    for (size_t y = 0; y + 1 < h; y++)
        for (size_t x = 0; x + 1 < w; x++) {
            size_t i = y * w + x;
            hz[i] -= 0.7f * (ex[i + 1] - ex[i] + ey[i + w] - ey[i]);
        }
    for (size_t y = 0; y < h; y++)
        hz[y * w + w - 1] *= 0.5f;
    for (size_t x = 0; x < w; x++)
        hz[(h - 1) * w + x] *= 0.5f;
}

int main(int argc, char **argv)
{
    const struct stencil_kind kind = {
        "fields", source, {"electric_y", "electric_x", "magnetic", "damp"}, 2, 3, enqueue, plainly};

    return stencil_main(&kind, argc, argv);
}
