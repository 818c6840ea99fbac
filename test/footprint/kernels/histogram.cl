/* Integer atomics whose results nobody uses, and a counter whose result is an index. */
kernel void histogram(global const uchar *in, global uint *bins)
{
    atomic_inc(&bins[in[get_global_id(0)]]);
}

kernel void append(global const int *in, global int *out, global int *count)
{
    int i = get_global_id(0);
    if (in[i] > 0)
        out[atomic_inc(count)] = i;
}
