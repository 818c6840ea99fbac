/* What may be cut and what may not: see ../cut.expect for the verdicts. */

/* A float sum by compare-exchange: the order of additions shows. */
kernel void float_atomics(global const float *in, volatile global uint *sum)
{
    union {
        uint bits;
        float value;
    } was, now;
    do {
        was.bits = *sum;
        now.value = was.value + in[get_global_id(0)];
    } while (atomic_cmpxchg(sum, was.bits, now.bits) != was.bits);
}

/* Every kind of integer atomic that commutes. */
kernel void extremes(global const int *in, global int *out, global uint *bits)
{
    int v = in[get_global_id(0)];
    atomic_min(&out[0], v);
    atomic_xor(bits, v);
}

kernel void highest(global const uint *in, global uint *out)
{
    atomic_max(&out[get_local_id(0)], in[get_global_id(0)]);
}

/* Additions and a mask on the same element do not commute. */
kernel void unlike_atomics(global int *out)
{
    atomic_add(out, 3);
    atomic_and(out, 0xfff);
}

/* What is counted is also read. */
kernel void count_and_read(global int *count, global int *out)
{
    atomic_inc(count);
    out[get_global_id(0)] = *count;
}

/* A counter per work-group: nobody else learns from it. */
kernel void own_counter(global int *count, global int *out)
{
    out[get_global_id(0)] = atomic_inc(&count[get_group_id(0)]) >= 0;
}

/* Everybody raises the same flag ... */
kernel void flag(global const int *in, global int *found)
{
    if (in[get_global_id(0)] == 7)
        *found = 1;
}

/* ... or leaves its number there. */
kernel void last_one(global const int *in, global int *found)
{
    if (in[get_global_id(0)] == 7)
        *found = get_global_id(0);
}

/* Waits for another work-group. */
kernel void waits(volatile global int *ready, global int *out)
{
    if (get_group_id(0) == 0)
        ready[0] = 1;
    else
        while (ready[0] == 0)
            ;
    out[get_global_id(0)] = 5;
}

/* Work-groups of even and odd elements. */
kernel void red(global int *a, int n)
{
    int i = 2 * get_global_id(0);
    if (i > 0 && i + 1 < n)
        a[i] = a[i - 1] + a[i + 1];
}

/* A column per work-item: disjoint, but interleaved. */
kernel void columns(global float *a, int rows, int width)
{
    for (int row = 1; row < rows; row++)
        a[row * width + get_global_id(0)] += a[(row - 1) * width + get_global_id(0)];
}

/* The same, and how many sums are large: merging that does not bring a tile's columns together. */
kernel void counted_columns(global int *a, global int *large, int rows, int width)
{
    int sum = 0;
    for (int row = 0; row < rows; row++) {
        sum += a[row * width + get_global_id(0)];
        a[row * width + get_global_id(0)] = sum;
        if (sum > 30)
            atomic_inc(large);
    }
}

/* A row per work-item, from left to right: cut along dimension 0 it stays together. */
kernel void rows(global float *a, int width)
{
    for (int x = 1; x < width; x++)
        a[get_global_id(0) * width + x] += a[get_global_id(0) * width + x - 1];
}

/* One step of elimination: the pivot row is read, the rows below it are written. */
kernel void eliminate(global float *a, int n, int k)
{
    int i = get_global_id(1) + k + 1, j = get_global_id(0) + k + 1;
    if (i < n && j < n)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

/* The lower triangle, column by column: k + row stays below n. */
kernel void triangle_columns(global float *a, int n)
{
    int row = get_global_id(0);
    for (int k = 0; k + row < n; k++)
        a[(row + k) * n + row] = k;
}

/* Two arguments, one to read and one to write: the launch says whether they are one buffer. */
kernel void shifted(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i + 1];
}

/* Each work-group works in place on its own part, through local memory. */
kernel void scan_groups(global int *a, local int *scratch)
{
    size_t l = get_local_id(0), g = get_global_id(0);
    scratch[l] = a[g];
    for (size_t d = 1; d < get_local_size(0); d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = l >= d ? scratch[l - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        scratch[l] += v;
    }
    a[g] = scratch[l];
}

/* In place within the work-group's tile, staged by asynchronous copies. */
kernel void staged(global int *a, local int *scratch)
{
    size_t n = get_local_size(0), from = get_group_id(0) * n;
    event_t e = async_work_group_copy(scratch, a + from, n, 0);
    wait_group_events(1, &e);
    scratch[get_local_id(0)] += 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(a + from, scratch, n, 0);
    wait_group_events(1, &e);
}

/* Vectors of four, stored two elements apart: neighbours overlap. */
kernel void overlapping(global float *out)
{
    vstore4((float4)(get_global_id(0)), 0, out + 2 * get_global_id(0));
}

kernel void prints(global int *out)
{
    out[get_global_id(0)] = 1;
    printf("%d\n", (int)get_global_id(0));
}

/* The index comes in as a linear one and is taken apart. */
kernel void taken_apart(global const int *in, global int *out, int width)
{
    int i = get_global_id(0), x = i % width, y = i / width;
    out[i] = in[y * width + (x + 1) % width];
}

#ifdef VENDOR_HAS_WIDE_GROUPS
#define OWN(i) (i)
#else
#define OWN(i) ((i) / 16)
#endif
/* A vendor's macro decides whether work-items share an element. */
kernel void vendor_macro(global int *out)
{
    out[OWN(get_global_id(0))] = get_global_id(0);
}

/* An index of 32 bits that wraps, or does not, as the launch has it. */
kernel void wraps(global int *out, uint factor)
{
    uint i = get_global_id(0);
    out[i * factor % 256] = i;
}

/* Gauss-Seidel in two colours, in place: neighbours are of the other colour. */
kernel void two_colours(global float *v, int w, int h, int colour)
{
    int x = get_global_id(0), y = get_global_id(1), i = y * w + x;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1 || ((x + y) & 1) != colour)
        return;
    v[i] = 0.25f * (v[i - 1] + v[i + 1] + v[i - w] + v[i + w]);
}

/* The same with a diagonal neighbour, which is of the same colour. */
kernel void two_colours_diagonal(global float *v, int w, int h, int colour)
{
    int x = get_global_id(0), y = get_global_id(1), i = y * w + x;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1 || (x + y) % 2 != colour)
        return;
    v[i] = 0.5f * (v[i - 1] + v[i - w - 1]);
}

/* Three colours: what lies one row up and two to the side, or two rows up and one, is of the same one. */
kernel void three_colours(global float *v, uint w, uint h, uint colour, int back)
{
    uint x = get_global_id(0), y = get_global_id(1), i = y * w + x;
    if (x >= 2 && y >= 2 && x < w - 2 && y < h && (x + y) % 3 == colour)
        v[i] += v[i - back];
}

/* Work-items of a group share what they are given by value in PoCL, where they change it. */
struct pair {
    int a, b;
};
kernel void changes_what_it_is_given(global int *out, struct pair p)
{
    uint i = get_global_id(0);
    if (i > 1)
        p.a += 1;
    out[i] = p.a;
}

/* Every work-group stores the same number: a constant that is not 0, an argument, a sum of arguments. */
kernel void same_real(global float *out, float x)
{
    out[get_local_id(0)] = 1.5f;
    out[get_local_size(0) + get_local_id(0)] = x;
}

kernel void same_sum(global int *out, int n, int m)
{
    out[get_local_id(0)] = n * 3 + (m & 7);
}

/* Two arguments, which may be the same number. */
kernel void one_of_two(global int *out, int n, int m)
{
    if (get_group_id(0) & 1)
        out[0] = n + 1;
    else
        out[0] = m + 1;
}

/* Every work-group has a number of its own. */
kernel void last_number(global int *out, int n)
{
    out[get_local_id(0)] = n + get_group_id(0);
}

/* Both stores are never made together. */
kernel void packs(global const float *in, global float *out, int pairs)
{
    size_t g = get_global_id(0);
    if (pairs)
        out[2 * g] = in[g];
    else
        out[g] = in[g];
}

/* Here they are, by every other work-item. */
kernel void packs_some(global const float *in, global float *out, int pairs)
{
    size_t g = get_global_id(0);
    if (pairs)
        out[2 * g] = in[g];
    if (g & 1)
        out[2 * get_local_id(0) + get_group_id(0) * 2 * get_local_size(0)] += in[g] + 1;
    else
        out[g + get_group_id(0) * get_local_size(0)] = in[g];
}
