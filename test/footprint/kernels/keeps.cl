/* Stores of which optimised code leaves bytes out, as they hold what was read there, and others of which it does not. */
kernel void one_element(global uchar4 *a)
{
    a[get_global_id(0)].w = 1;
}

kernel void two_elements(global int4 *a, global const int2 *b)
{
    a[get_global_id(0)].xz = b[get_global_id(0)];
}

kernel void bits(global uint *a)
{
    a[get_global_id(0)] |= 0x100;
}

kernel void choice(global int *a, global const int *b)
{
    int i = get_global_id(0), old = a[i];
    a[i] = b[i] ? b[i] : old;
}

kernel void turned(global int2 *a)
{
    a[get_global_id(0)] = a[get_global_id(0)].yx;
}

kernel void sum(global int *a, int n)
{
    a[get_global_id(0)] += n;
}

kernel void others(global int *a, global const int *b)
{
    int i = get_global_id(0);
    a[i] = b[i] | a[i + 1];
}

kernel void last_one(global int *a, global const int *b, int n)
{
    int best = 0;
    for (int k = 0; k < n; k++)
        if (b[k] > best)
            best = b[k];
    a[get_global_id(0)] = best;
}
