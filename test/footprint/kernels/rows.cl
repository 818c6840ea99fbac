/* One id taken apart into row and column by a number that only the launch knows, and put together again. */
kernel void rows(global const float *in, global float *out, int width)
{
    int i = get_global_id(0), y = i / width, x = i % width;
    out[y * width + x] = in[(y + 1) * width + x + 1];
}

kernel void inner(global const float *in, global float *out, uint width, uint height)
{
    uint i = get_global_id(0), y = i / width, x = i % width;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
        out[y * width + x] = in[(y - 1) * width + x] + in[(y + 1) * width + x];
}

kernel void pitch(global float *out, int width, int stride)
{
    int i = get_global_id(0);
    out[i / width * stride + i % width] = 1;
}

kernel void transposed(global const float *in, global float *out, int width, int height)
{
    int i = get_global_id(0);
    out[i % width * height + i / width] = in[i];
}
