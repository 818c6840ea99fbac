/* Triangular loops: rows of different lengths. */
kernel void triangle(global const float *in, global float *out, int n)
{
    int row = get_global_id(0);
    for (int k = row; k < n; k++)
        out[row * n + k] = in[row * n + k] + 1.0f;
}

/* Packed lower triangle: the index is quadratic. */
kernel void packed(global float *out)
{
    int row = get_global_id(0);
    for (int k = 0; k <= row; k++)
        out[row * (row + 1) / 2 + k] = k;
}

/* The body runs before the test: no condition guards it. */
kernel void at_least_once(global int *out, int n)
{
    int row = get_global_id(0), k = 0;
    do {
        out[row * n + k] = k;
        k++;
    } while (k < row);
}

/* The counter is used behind its loop. */
kernel void behind(global int *out, int n)
{
    int row = get_global_id(0), k = 0;
    while (k < n)
        k += 3;
    out[row * 16 + k] = 1;
    for (k = 0; k < row; k++)
        ;
    out[row * 16 + k] = 2;
}
