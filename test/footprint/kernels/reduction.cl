/* One partial sum per work-group: exact four bytes per group. */
kernel void reduction(global const float *in, global float *partial, local float *scratch)
{
    uint l = get_local_id(0);
    scratch[l] = in[get_global_id(0)];
    for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            scratch[l] += scratch[l + s];
    }
    if (l == 0)
        partial[get_group_id(0)] = scratch[0];
}
