/* Transposition: reads rows, writes columns. */
kernel void transpose(global const int *in, global int *out, int w, int h)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        out[x * h + y] = in[y * w + x];
}

/* The same through a local tile, so that both sides are contiguous. */
kernel void transpose_tile(global const int *in, global int *out, int n)
{
    local int tile[8][9];
    int lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0), gy = get_group_id(1);
    tile[ly][lx] = in[(gy * 8 + ly) * n + gx * 8 + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(gx * 8 + ly) * n + gy * 8 + lx] = tile[lx][ly];
}
