/* flat.c - stencils in two dimensions between two buffers: five points, nine points (clamped at the border,
 * in loops; and `box`, written out, with a border that stays), and a star of radius two; `inner`, five points
 * that leave each buffer's own border as it is; `torus`, five points without a border; and `slow`, which
 * computes for long with one point.
 *
 * usage: flat [five|nine|box|star|inner|torus|slow] [width [height [steps [sync [verify]]]]] */
#include "stencil.h"

static const char source[] =
    "__kernel void five(__global const float *in, __global float *out, int w, int h) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), i = y * w + x;\n"
    "    if (x >= w || y >= h) return;\n"
    "    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) out[i] = in[i];\n"
    "    else out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);\n"
    "}\n"
    "__kernel void nine(__global const float *in, __global float *out, int w, int h) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    if (x >= w || y >= h) return;\n"
    "    float sum = 0.0f;\n"
    "    for (int dy = -1; dy <= 1; dy++)\n"
    "        for (int dx = -1; dx <= 1; dx++)\n"
    "            sum += in[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)];\n"
    "    out[y * w + x] = sum / 9.0f;\n"
    "}\n"
    "__kernel void box(__global const float *in, __global float *out, int w, int h) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), i = y * w + x;\n"
    "    if (x >= w || y >= h) return;\n"
    "    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) out[i] = in[i];\n"
    "    else out[i] = 0.2f * in[i] + 0.12f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w])\n"
    "                + 0.08f * (in[i - w - 1] + in[i - w + 1] + in[i + w - 1] + in[i + w + 1]);\n"
    "}\n"
    "__kernel void star(__global const float *in, __global float *out, int w, int h) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), i = y * w + x;\n"
    "    if (x >= w || y >= h) return;\n"
    "    if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2) { out[i] = in[i]; return; }\n"
    "    out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w])\n"
    "           + 0.05f * (in[i - 2] + in[i + 2] + in[i - 2 * w] + in[i + 2 * w]);\n"
    "}\n"
    "__kernel void inner(__global const float *in, __global float *out, int w, int h) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), i = y * w + x;\n"
    "    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)\n"
    "        out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);\n"
    "}\n"
    "__kernel void torus(__global const float *in, __global float *out, int w, int h) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), up = (y + h - 1) % h, down = (y + 1) % h;\n"
    "    if (x >= w || y >= h) return;\n"
    "    out[y * w + x] = 0.2f * (in[y * w + x] + in[y * w + (x + w - 1) % w] + in[y * w + (x + 1) % w]\n"
    "                             + in[up * w + x] + in[down * w + x]);\n"
    "}\n"
    "__kernel void slow(__global const float *in, __global float *out, int w, int h) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), i = y * w + x;\n"
    "    if (x >= w || y >= h) return;\n"
    "    float sum = in[i];\n"
    "    for (int k = 0; k < h; k++) sum = sum * 0.5f + in[i];\n"
    "    out[i] = sum * 0.5f;\n"
    "}\n";

static void enqueue(struct stencil *s, size_t step)
{
    app_args(s->kernel[0], "mmii", s->grid[step % 2], s->grid[(step + 1) % 2], (cl_int)s->w, (cl_int)s->h);
    stencil_run(s, s->kernel[0], s->w, s->h, 0);
}

static void star_of(struct stencil *s, size_t step, size_t radius, const float *weight)
{
    const float *in = s->want[step % 2];

    for (size_t y = 0; y < s->h; y++)
        for (size_t x = 0; x < s->w; x++) {
            size_t i = y * s->w + x;
            float sum = weight[0] * in[i];
            bool border = x < radius || y < radius || x + radius >= s->w || y + radius >= s->h;
            for (size_t r = 1; r <= radius && !border; r++)
                sum += weight[r] * (in[i - r] + in[i + r] + in[i - r * s->w] + in[i + r * s->w]);
            s->want[(step + 1) % 2][i] = border ? in[i] : sum;
        }
}

static void five(struct stencil *s, size_t step)
{
    star_of(s, step, 1, (const float[]){0.2f, 0.2f});
}

static void star(struct stencil *s, size_t step)
{
    star_of(s, step, 2, (const float[]){0.4f, 0.1f, 0.05f});
}

static size_t clamped(size_t at, size_t plus, size_t end)
{
    return at + plus == 0 ? 0 : at + plus > end ? end - 1 : at + plus - 1;
}

static void nine(struct stencil *s, size_t step)
{
    const float *in = s->want[step % 2];

    for (size_t y = 0; y < s->h; y++)
        for (size_t x = 0; x < s->w; x++) {
            float sum = 0;
            for (size_t dy = 0; dy < 3; dy++)
                for (size_t dx = 0; dx < 3; dx++)
                    sum += in[clamped(y, dy, s->h) * s->w + clamped(x, dx, s->w)];
            s->want[(step + 1) % 2][y * s->w + x] = sum / 9;
        }
}

static void box(struct stencil *s, size_t step)
{
    const float *in = s->want[step % 2];
    size_t w = s->w;

    for (size_t y = 0; y < s->h; y++)
        for (size_t x = 0; x < w; x++) {
            size_t i = y * w + x;
            float *out = &s->want[(step + 1) % 2][i];
            if (x == 0 || y == 0 || x == w - 1 || y == s->h - 1)
                *out = in[i];
            else
                *out = 0.2f * in[i] + 0.12f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]) +
                       0.08f * (in[i - w - 1] + in[i - w + 1] + in[i + w - 1] + in[i + w + 1]);
        }
}

static void inner(struct stencil *s, size_t step)
{
    const float *in = s->want[step % 2];

    for (size_t y = 1; y + 1 < s->h; y++)
        for (size_t x = 1; x + 1 < s->w; x++) {
            size_t i = y * s->w + x;

            s->want[(step + 1) % 2][i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - s->w] + in[i + s->w]);
        }
}

static void torus(struct stencil *s, size_t step)
{
    const float *in = s->want[step % 2];
    size_t w = s->w, h = s->h;

    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            s->want[(step + 1) % 2][y * w + x] =
                0.2f * (in[y * w + x] + in[y * w + (x + w - 1) % w] + in[y * w + (x + 1) % w] +
                        in[(y + h - 1) % h * w + x] + in[(y + 1) % h * w + x]);
}

static void slow(struct stencil *s, size_t step)
{
    for (size_t i = 0; i < s->w * s->h; i++) {
        const float in = s->want[step % 2][i];
        float sum = in;
        for (size_t k = 0; k < s->h; k++)
            sum = sum * 0.5f + in;
        s->want[(step + 1) % 2][i] = sum * 0.5f;
    }
}

static const struct stencil_kind kinds[] = {
    {"five", source, {"five"}, 2, 2, enqueue, five},    {"nine", source, {"nine"}, 2, 2, enqueue, nine},
    {"box", source, {"box"}, 2, 2, enqueue, box},       {"star", source, {"star"}, 2, 2, enqueue, star},
    {"inner", source, {"inner"}, 2, 2, enqueue, inner}, {"torus", source, {"torus"}, 2, 2, enqueue, torus},
    {"slow", source, {"slow"}, 2, 2, enqueue, slow},    {.name = NULL},
};

int main(int argc, char **argv)
{
    const struct stencil_kind *kind = stencil_choose(kinds, &argc, &argv);

    return stencil_main(kind, argc, argv);
}
