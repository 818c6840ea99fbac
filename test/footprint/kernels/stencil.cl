/* Five-point stencil with macros; interior writes are exact, reads reach one row and column further. */
#define AT(p, x, y) (p)[(y) * width + (x)]
kernel void stencil(global const float *in, global float *out, int width, int height)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    AT(out, x, y) = 0.2f * (AT(in, x, y) + AT(in, x - 1, y) + AT(in, x + 1, y) + AT(in, x, y - 1) + AT(in, x, y + 1));
}

/* Clamped neighbours in three dimensions: every point is written. */
kernel void stencil3(global const float *in, global float *out, int nx, int ny, int nz)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int west = max(x - 1, 0), east = min(x + 1, nx - 1), below = clamp(z - 1, 0, nz - 1);
    out[(z * ny + y) * nx + x] = in[(z * ny + y) * nx + west] + in[(z * ny + y) * nx + east] + in[(below * ny + y) * nx + x];
}
