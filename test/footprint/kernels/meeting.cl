/* Values of ways that meet. What stands in the branches keeps them from becoming selects. */

/* Two questions: the values differ from each other though both are 1 or 5. */
kernel void two_questions(global int *out, global const int *in, global int *a, global int *b)
{
    int i = get_global_id(0), x, y;
    if (in[i] > 0) { x = 1; a[i] = 7; } else { x = 5; b[i] = 8; }
    if (in[i + 1024] > 0) { y = 1; a[i] += 3; } else { y = 5; b[i] -= 4; }
    out[i + (x - y + 4) * 16] = x;
}

/* One question: the values are the same. */
kernel void one_question(global int *out, global const int *in, global int *a, global int *b)
{
    int i = get_global_id(0), x, y;
    if (in[i] > 0) { x = a[i]; y = 1; a[i] = 7; } else { x = 4; y = 5; b[i] = 8; }
    out[i + (y > 1 ? y - 5 : y - 1)] = x;
}

/* A step that is another one in each iteration. */
kernel void other_steps(global int *out, global const int *in, global int *a, global int *b, int n)
{
    int x = get_global_id(0) * 8, s;
    for (int k = 0; k < n; k++) {
        if (in[k] & 1) { s = 1; a[get_global_id(0)] = k; } else { s = 5; b[get_global_id(0)] = k; }
        out[x - s * k] = 5;
        x += s;
    }
}

/* Three ways, in two orders. */
kernel void three_ways(global int *out, global const int *in, global int *a, int which)
{
    int i = get_global_id(0), x, y;
    switch (in[i]) {
    case 3: x = 16; y = 32; a[i] = 1; break;
    case 7: x = 32; y = 16; a[i + 64] = 2; break;
    default: x = 16; y = 16; a[i + 128] = 3;
    }
    out[i + x + y] = which;
}

/* One store in all ways, to which several conditions lead; in each iteration of a loop; in two of three ways. */
kernel void every_way(global int *out, global const int *in, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] = in[y * n + x - 1] + in[y * n + x + 1];
    else
        out[y * n + x] = in[y * n + x];
}

kernel void every_turn(global int *out, global const int *in, int n)
{
    int i = get_global_id(0);
    for (int k = 0; k < n; k++)
        if (i > 2 && k > 3 && in[k] > 4)
            out[i * n + k] = in[i] + 1;
        else
            out[i * n + k] = in[k];
}

kernel void not_every_way(global int *out, global const int *in, int n)
{
    int i = get_global_id(0);
    if (i > 2 && i < n && in[i] > 4)
        out[i] = in[i] + 1;
    else if (n > 7)
        out[i] = in[n];
}
