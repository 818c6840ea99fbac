/* switch, goto, nested loops, a loop that returns. */
kernel void cases(global int *out, int n)
{
    int i = get_global_id(0);
    switch (n) {
    case 0:
        out[i] = 1;
        break;
    case 1:
    case 2:
        out[i + 64] = 2;
        break;
    default:
        out[2 * i] = 3;
    }
}

kernel void jumps(global int *out, int n)
{
    int i = get_global_id(0), k = 0;
    if (n > 5)
        goto middle;
again:
    out[i] = k;
middle:
    k++;
    out[i + 64] = k;
    if (k < n)
        goto again;
}

kernel void nested(global int *out, int rows, int columns)
{
    int i = get_global_id(0);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            out[(i * rows + r) * columns + c] = c;
}

kernel void returns(global const int *in, global int *out, int n)
{
    int i = get_global_id(0);
    for (int k = 0; k < n; k++) {
        out[i * n + k] = k;
        if (in[i] == k)
            return;
    }
    out[i * n] = 9;
}
