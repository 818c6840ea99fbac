/* Every work-item reads and writes its pixel. */
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void images(read_only image2d_t from, write_only image2d_t to, constant float *weight, global float *sum)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 v = read_imagef(from, nearest, at) * weight[at.x & 3];
    write_imagef(to, at, v);
    sum[at.y * get_global_size(0) + at.x] = v.x;
}

/* What may be cut and what may not: see ../cut.expect. Every work-item has a pixel of its own. */
kernel void own_pixel(write_only image2d_t to, global const uint *v)
{
    int x = get_global_id(0), y = get_global_id(1);
    write_imageui(to, (int2)(x, y), (uint4)(v[(x + y) & 63]));
}

kernel void turned(write_only image2d_t to, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width)
        write_imageui(to, (int2)(y, x), (uint4)(x, y, 1, 2));
}

/* A row of the image for each work-item, from the right. */
kernel void rows(write_only image2d_t to, int width)
{
    for (int x = 0; x < width; x++)
        write_imageui(to, (int2)(width - 1 - x, get_global_id(0)), (uint4)(x));
}

/* Two pixels side by side; as far apart as the second argument says. */
kernel void two_pixels(write_only image2d_t to, int apart)
{
    int x = 2 * get_global_id(0), y = get_global_id(1);
    write_imageui(to, (int2)(x, y), (uint4)(x));
    write_imageui(to, (int2)(x + apart, y), (uint4)(y));
}

/* Neighbours share pixels. */
kernel void half_pixel(write_only image2d_t to)
{
    write_imageui(to, (int2)(get_global_id(0) / 2, get_global_id(1)), (uint4)(get_global_id(0)));
}

/* All work-groups write the first row. */
kernel void one_row(write_only image2d_t to)
{
    write_imageui(to, (int2)(get_global_id(0), get_local_id(1)), (uint4)(get_group_id(1)));
}

kernel void pixel_of_data(write_only image2d_t to, global const int *at)
{
    write_imageui(to, (int2)(at[get_global_id(0)], get_global_id(1)), (uint4)(get_global_id(0)));
}

/* A row from data, but each work-item has its column. */
kernel void column_of_data(write_only image2d_t to, global const int *at)
{
    write_imageui(to, (int2)(get_global_id(0), at[get_global_id(0)] & 7), (uint4)(get_global_id(0)));
}

/* The order of two writes of a work-item shows. */
kernel void twice(write_only image2d_t to, int again)
{
    int x = get_global_id(0), y = get_global_id(1);
    write_imageui(to, (int2)(x, y), (uint4)(x));
    write_imageui(to, (int2)(x * again, y), (uint4)(y));
}

/* A layer that does not exist may be another one. */
kernel void layers(write_only image2d_array_t to)
{
    write_imageui(to, (int4)(get_local_id(0), 0, get_group_id(0), 0), (uint4)(get_group_id(0)));
}

/* Reads outside of the image touch its edge, so clamps say nothing. */
constant sampler_t smooth = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
kernel void blur(read_only image2d_t from, write_only image2d_t to)
{
    int x = get_global_id(0), y = get_global_id(1);
    uint4 sum = 0;
    if (x >= get_image_width(to) || y >= get_image_dim(to).y)
        return;
    for (int d = -2; d <= 2; d++)
        sum += read_imageui(from, nearest, (int2)(x + d, y));
    write_imageui(to, (int2)(x, y), sum);
}

/* The pixel that the coordinates lie in and its neighbours. */
kernel void sampled(read_only image2d_t from, write_only image1d_array_t to)
{
    float2 at = convert_float2((int2)(get_global_id(0), get_global_id(1)));
    float4 sum = read_imagef(from, smooth, at + 0.5f) + read_imagef(from, smooth, at - (float2)(0.0f, 1.5f));
    if (get_global_id(1) < get_image_array_size(to))
        write_imagef(to, (int2)(get_global_id(0), get_global_id(1)), sum);
}

/* Nothing is known of the pixels that are read: coordinates are between 0 and 1, computed, or the sampler's matter. */
constant sampler_t whole = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
kernel void anywhere(read_only image2d_t a, read_only image2d_t b, read_only image2d_t c, sampler_t given, global float4 *out)
{
    float2 at = (float2)(get_global_id(0), get_global_id(1));
    out[get_global_id(0)] = read_imagef(a, whole, at / 64.0f) + read_imagef(b, nearest, at * 1.5f) + read_imagef(c, given, at);
}

/* Both branches write the pixel: it is written. */
kernel void either(write_only image2d_t to, global const int *which)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (which[at.x])
        write_imageui(to, at, (uint4)(1));
    else
        write_imageui(to, at, (uint4)(which[at.y]));
}

kernel void deep(read_only image3d_t from, write_only image2d_t to)
{
    int x = get_global_id(0), y = get_global_id(1);
    write_imageui(to, (int2)(x, 3), read_imageui(from, (int4)(x, 1, y, 0)));
}
