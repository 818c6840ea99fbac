/* Matrix product through local tiles of 8 by 8. */
#define TILE 8
kernel void product(global const float *a, global const float *b, global float *c, int n)
{
    local float ta[TILE][TILE], tb[TILE][TILE];
    int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int t = 0; t < n / TILE; t++) {
        ta[ly][lx] = a[y * n + t * TILE + lx];
        tb[ly][lx] = b[(t * TILE + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += ta[ly][k] * tb[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}
