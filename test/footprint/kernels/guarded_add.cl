/* The usual guard for launches that are rounded up, and the same as an early return: exact. */
kernel void guarded_add(global const float *a, global float *c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + 1.0f;
}

kernel void early_return(global const float *a, global float *c, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    c[i] = a[i] + 1.0f;
}
