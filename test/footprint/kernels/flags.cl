/* Conditions that become numbers before they decide: the ways of "||", "&&" and "?:" meet in them. */

/* The taps of a patch that lie outside of a frame weigh nothing. What needs the accesses' weight stands between. */
kernel void outside(global const uint *sums, global float *weight, int w, int h, int p)
{
    int x = get_global_id(0), y = get_global_id(1);
    int q = (x - p) < 0 || (y - p) < 0 || (y + p) >= h || (x + p) >= w;
    float r = sin(weight[y * w + x]);
    uint t = 0;
    if (!q)
        t = sums[(y + p) * w + x + p];
    weight[y * w + x] = r + t;
}

kernel void inside(global int *out, global const int *in, int n)
{
    int i = get_global_id(0);
    int q = i > 2 && i < n && in[n] > 3 && i != 7;
    out[i] = q;
    if (q)
        out[i + 64] = in[i];
    if (i > 2 && i < n && in[0] > 4)
        out[i + 128] = 1;
    else
        out[i + 128] = 2;
}

kernel void mixed(global int *out, global const int *in, int n)
{
    int i = get_global_id(0);
    int q = (i < 2 || in[i] > 7) ? (i > 0 && in[i] < 40) : (i < n || in[0] == 3);
    if (!q)
        out[i] = q;
}

/* The flag chooses the index. */
kernel void chosen(global int *out, global int *in, int n)
{
    int i = get_global_id(0), at;
    if (i < n) {
        in[i]++;
        at = i;
    } else {
        in[i]--;
        at = n;
    }
    out[at] = i;
}

/* The condition of another iteration. */
kernel void last(global int *out, global const int *in, int n)
{
    int i = get_global_id(0), found = 0;
    for (int k = 0; k < n; k++) {
        int q = in[k] > 3 || k == i;
        if (q)
            found = k;
        if (in[k] == 9)
            break;
    }
    if (found || n > 7)
        out[found] = 1;
}

/* Two ways into a block, each behind a condition; a way past it. */
kernel void two_ways(global int *out, global int *in, int n)
{
    int i = get_global_id(0);
    if (i > 3) {
        in[i]++;
        if (i < n)
            goto both;
    } else if (i < 2) {
        in[i]--;
        goto both;
    }
    return;
both:
    out[i] = 1;
}
