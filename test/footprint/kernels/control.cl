/* Conditions that are no comparison of ids with numbers, and loops that end early. */
kernel void data_guard(global const int *flag, global int *out)
{
    int i = get_global_id(0);
    if (flag[i] > 3)
        out[i] = 1;
}

kernel void either(global int *out, int n)
{
    int i = get_global_id(0);
    if (i < 2 || i >= n)
        out[i] = 1;
}

kernel void stops(global const int *in, global int *out, int n)
{
    int i = get_global_id(0), k;
    for (k = 0; k < n; k++) {
        if (in[i * n + k] > 12)
            break;
        out[i * n + k] = k;
    }
}

kernel void skips(global int *out, int n)
{
    int i = get_global_id(0);
    for (int k = 0; k < n; k++) {
        if (k == 2)
            continue;
        out[i * n + k] = k;
    }
}

kernel void down(global int *out, int n)
{
    int i = get_global_id(0);
    for (int k = n - 1; k >= 0; k--)
        out[i * n + k] = k;
    int j = n;
    do {
        out[i * n + --j] += 1;
    } while (j > 0);
}

kernel void every_other(global int *out, int n)
{
    int i = get_global_id(0);
    if (i % 2 == 0)
        out[i] = n;
}

kernel void divided(global int *out, uint w)
{
    uint i = get_global_id(0);
    out[(i / w) * w + i % w] = 1;
}

/* Whatever the data says, one of these writes. */
kernel void one_or_other(global const int *in, global int *out, int n)
{
    int i = get_global_id(0);
    if (in[i] > 3 && i > 2)
        out[i] = 1;
    else if (in[i] > n)
        out[i] = 2;
    else
        out[i] = 3;
}

kernel void one_or_other_of_two(global const int *in, global int *a, global int *b, int n)
{
    int i = get_global_id(0);
    global int *p = i < n ? a : b;
    if (in[i] > 3)
        p[i] = 1;
    else
        p[i] = 2;
}
