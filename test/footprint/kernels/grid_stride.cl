/* A loop over the whole array in steps of the launch. */
kernel void grid_stride(global const int *in, global int *out, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        out[i] = 2 * in[i];
}
