/* Reads the neighbour that another work-item writes. */
kernel void in_place(global float *a, int n)
{
    int i = get_global_id(0);
    if (i + 1 < n)
        a[i] = 0.5f * (a[i] + a[i + 1]);
}
