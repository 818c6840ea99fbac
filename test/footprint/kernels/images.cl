/* Images are touched as a whole; constant buffers are read. */
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void images(read_only image2d_t from, write_only image2d_t to, constant float *weight, global float *sum)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 v = read_imagef(from, nearest, at) * weight[at.x & 3];
    write_imagef(to, at, v);
    sum[at.y * get_global_size(0) + at.x] = v.x;
}
