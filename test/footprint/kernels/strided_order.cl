/* Work-items that touch a place twice, by offsets that compilers may take for different ones, two to eight elements from one
 * work-item to the next: their order may be lost, so that they are never cut. (PoCL 3.1 loses it in the first two.) And
 * others like them, in which it is safe. */

kernel void store_load(global int *out, global const int *in)
{
    int g = get_global_id(0);
    out[2 * g + 1] = in[0] + g;
    int s = out[2 * g + (in[g] & 1)];
    out[2 * g] += s;
}

kernel void store_store(global int *out, global const int *in)
{
    int g = get_global_id(0);
    out[2 * g + 1] = in[0] + g;
    out[2 * g + (in[g] & 1)] = -1;
    out[2 * g] = in[g];
}

kernel void counter(global int *out, global const int *in, int n)
{
    int g = get_global_id(0);
    for (int k = 0; k < n; k++)
        out[4 * g + (k & 3)] += in[g] * out[4 * g];
}

/* An index that wraps: three times something may be one more. */
kernel void wraps(global int *out, global const int *in)
{
    size_t g = get_group_id(0) * 4096 + 3 * get_local_id(0);
    uchar h = (uchar)(3 * in[get_global_id(0)]);
    out[g + 1] = 7;
    int s = out[g + h];
    out[g + 2] = s;
}

/* What a counter is behind its loop says nothing of it inside. */
kernel void behind(global int *out, global const int *in, global int *last, int n)
{
    size_t g = get_group_id(0) * 4096 + 2 * get_local_id(0);
    int s = 0, k;
    for (k = 0; k < n; k++) {
        out[g + min(k, 5)] = in[k];
        s += out[g + 4];
    }
    last[get_global_id(0) * 8 + min(k, 5)] = s;
}

/* Unrolled, the same place comes twice. */
kernel void unrolled(global int *out, global int *t)
{
    int g = get_global_id(0);
    for (int k = 0; k < 4; k++) {
        int i = (k + 1) / 2, v = out[3 * g + i];
        out[3 * g + i] = v * 2 + 1;
        t[4 * g + k] = v;
    }
}

/* From here on: safe. The row of an item is longer than what compilers join; or nobody knows how long. */
kernel void wide(global int *out, global const int *in)
{
    int g = get_global_id(0);
    out[9 * g + 1] = in[0] + g;
    int s = out[9 * g + (in[g] & 1)];
    out[9 * g] += s;
}

kernel void unknown_length(global int *out, global const int *in, int n)
{
    int g = get_global_id(0);
    out[n * g + 1] = in[0] + g;
    int s = out[n * g];
    out[n * g] += s;
}

kernel void complex_square(global float *out)
{
    int g = get_global_id(0);
    float re = out[2 * g], im = out[2 * g + 1];
    out[2 * g] = re * re - im * im;
    out[2 * g + 1] = 2 * re * im;
}

kernel void butterfly(global float *d, int h)
{
    int i = get_global_id(0);
    float a = d[2 * i], b = d[2 * i + 1], c = d[2 * (i + h)], e = d[2 * (i + h) + 1];
    d[2 * i] = a + c;
    d[2 * i + 1] = b + e;
    d[2 * (i + h)] = a - c;
    d[2 * (i + h) + 1] = b - e;
}

kernel void counted(global float *d)
{
    int i = get_global_id(0);
    for (int k = 0; k < 4; k++) {
        d[8 * i + 2 * k] += k;
        d[8 * i + 2 * k + 1] *= d[8 * i + 2 * k];
    }
}

/* Not one array, if the launch says so. */
kernel void two_arrays(global int *a, global int *b)
{
    int g = get_global_id(0);
    a[2 * g + 1] = g;
    int s = b[2 * g];
    a[2 * g] = s;
}
