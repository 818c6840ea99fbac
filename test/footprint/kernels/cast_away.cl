/* const and restrict promise nothing: this writes its input. */
kernel void cast_away(global const float *restrict in, global float *out)
{
    int i = get_global_id(0);
    ((global float *)in)[i] = 0;
    out[i] = 1;
}
