/* solid.c - stencils in three dimensions between two buffers: seven points, and all 27 (clamped at the
 * border, in loops; and `cube`, written out, with a border that stays).
 *
 * usage: solid [seven|all|cube] [width [height [depth [steps [sync [verify]]]]]] */
#include "stencil.h"

static const char source[] =
    "__kernel void seven(__global const float *in, __global float *out, int w, int h, int d) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), i = (z * h + y) * w + x, p = "
    "w * h;\n"
    "    if (x >= w || y >= h || z >= d) return;\n"
    "    if (x == 0 || y == 0 || z == 0 || x == w - 1 || y == h - 1 || z == d - 1) { out[i] = in[i]; return; "
    "}\n"
    "    out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w] + in[i - p] + in[i + "
    "p]);\n"
    "}\n"
    "__kernel void cube(__global const float *in, __global float *out, int w, int h, int d) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), i = (z * h + y) * w + x, p = "
    "w * h;\n"
    "    if (x >= w || y >= h || z >= d) return;\n"
    "    if (x == 0 || y == 0 || z == 0 || x == w - 1 || y == h - 1 || z == d - 1) { out[i] = in[i]; return; "
    "}\n"
    "    out[i] = 0.1f * in[i] + 0.06f * (in[i - p] + in[i - w] + in[i - 1] + in[i + 1] + in[i + w] + in[i + "
    "p])\n"
    "           + 0.03f * (in[i - p - w] + in[i - p - 1] + in[i - p + 1] + in[i - p + w] + in[i - w - 1] + "
    "in[i - w + 1]\n"
    "                    + in[i + w - 1] + in[i + w + 1] + in[i + p - w] + in[i + p - 1] + in[i + p + 1] + "
    "in[i + p + w])\n"
    "           + 0.0225f * (in[i - p - w - 1] + in[i - p - w + 1] + in[i - p + w - 1] + in[i - p + w + 1]\n"
    "                      + in[i + p - w - 1] + in[i + p - w + 1] + in[i + p + w - 1] + in[i + p + w + "
    "1]);\n"
    "}\n"
    "__kernel void all27(__global const float *in, __global float *out, int w, int h, int d) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "    if (x >= w || y >= h || z >= d) return;\n"
    "    float sum = 0.0f;\n"
    "    for (int dz = -1; dz <= 1; dz++)\n"
    "        for (int dy = -1; dy <= 1; dy++)\n"
    "            for (int dx = -1; dx <= 1; dx++) {\n"
    "                int cz = clamp(z + dz, 0, d - 1), cy = clamp(y + dy, 0, h - 1), cx = clamp(x + dx, 0, w "
    "- 1);\n"
    "                sum += in[(cz * h + cy) * w + cx];\n"
    "            }\n"
    "    out[(z * h + y) * w + x] = sum / 27.0f;\n"
    "}\n";

static void enqueue(struct stencil *s, size_t step)
{
    app_args(s->kernel[0], "mmiii", s->grid[step % 2], s->grid[(step + 1) % 2], (cl_int)s->w, (cl_int)s->h,
             (cl_int)s->d);
    stencil_run(s, s->kernel[0], s->w, s->h, s->d);
}

static float seven_at(const struct stencil *s, const float *in, size_t x, size_t y, size_t z)
{
    size_t i = stencil_at(s, x, y, z), p = s->w * s->h;

    if (x == 0 || y == 0 || z == 0 || x == s->w - 1 || y == s->h - 1 || z == s->d - 1)
        return in[i];
    return 0.4f * in[i] +
           0.1f * (in[i - 1] + in[i + 1] + in[i - s->w] + in[i + s->w] + in[i - p] + in[i + p]);
}

static size_t clamped(size_t at, size_t plus, size_t end)
{
    return at + plus == 0 ? 0 : at + plus > end ? end - 1 : at + plus - 1;
}

static float all_at(const struct stencil *s, const float *in, size_t x, size_t y, size_t z)
{
    float sum = 0;

    for (size_t k = 0; k < 27; k++)
        sum +=
            in[stencil_at(s, clamped(x, k % 3, s->w), clamped(y, k / 3 % 3, s->h), clamped(z, k / 9, s->d))];
    return sum / 27;
}

static void everywhere(struct stencil *s, size_t step,
                       float (*at)(const struct stencil *, const float *, size_t, size_t, size_t))
{
    for (size_t z = 0; z < s->d; z++)
        for (size_t y = 0; y < s->h; y++)
            for (size_t x = 0; x < s->w; x++)
                s->want[(step + 1) % 2][stencil_at(s, x, y, z)] = at(s, s->want[step % 2], x, y, z);
}

/* By how many of its coordinates each neighbour differs. */
static float cube_at(const struct stencil *s, const float *in, size_t x, size_t y, size_t z)
{
    float sum[4] = {0};

    if (x == 0 || y == 0 || z == 0 || x == s->w - 1 || y == s->h - 1 || z == s->d - 1)
        return in[stencil_at(s, x, y, z)];
    for (size_t k = 0; k < 27; k++)
        sum[(k % 3 != 1) + (k / 3 % 3 != 1) + (k / 9 != 1)] +=
            in[stencil_at(s, x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1)];
    return 0.1f * sum[0] + 0.06f * sum[1] + 0.03f * sum[2] + 0.0225f * sum[3];
}

static void seven(struct stencil *s, size_t step)
{
    everywhere(s, step, seven_at);
}

static void all(struct stencil *s, size_t step)
{
    everywhere(s, step, all_at);
}

static void cube(struct stencil *s, size_t step)
{
    everywhere(s, step, cube_at);
}

static const struct stencil_kind kinds[] = {
    {"seven", source, {"seven"}, 3, 2, enqueue, seven},
    {"cube", source, {"cube"}, 3, 2, enqueue, cube},
    {"all", source, {"all27"}, 3, 2, enqueue, all},
    {.name = NULL},
};

int main(int argc, char **argv)
{
    const struct stencil_kind *kind = stencil_choose(kinds, &argc, &argv);

    return stencil_main(kind, argc, argv);
}
