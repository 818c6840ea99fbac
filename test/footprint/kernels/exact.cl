/* Whose results are the same bits on every device, and why not. */
kernel void integers(global uint *a, int n)
{
    uint x = a[get_global_id(0)];

    for (int i = 0; i < n; i++)
        x = rotate(x * 1664525u + 1013904223u, 7u) ^ x >> i;
    a[get_global_id(0)] = x % 1000u + x / (uint)get_local_size(0);
}

kernel void divides(global int *a, int n)
{
    a[get_global_id(0)] /= n;
}

kernel void minus_one(global int *a)
{
    a[get_global_id(0)] %= -1;
}

kernel void counts(global uint *bins, global const uchar *in)
{
    atomic_inc(&bins[in[get_global_id(0)]]);
}

kernel void appends(global int *out, global int *n)
{
    out[atomic_inc(n)] = get_global_id(0);
}

kernel void moves(global float4 *a, global const float4 *b)
{
    size_t i = get_global_id(0);

    a[i] = select(b[i], a[i].wzyx, as_int4(b[i]) > as_int4(a[i]));
}

kernel void sums(global float *a, global const float *b)
{
    size_t i = get_global_id(0);

    a[i] = a[i] + b[i] > 1.5f ? fabs(b[i]) : floor(a[i]) - (float)i;
}

float twice(float x)
{
    return 2 * x;
}

kernel void fused(global float *a, float b)
{
    a[get_global_id(0)] = twice(a[get_global_id(0)]) + b;
}

kernel void fma_alone(global double *a, double b)
{
    a[get_global_id(0)] = sqrt(fma(a[get_global_id(0)], b, b)) / b;
}

kernel void divides_single(global float *a, float b)
{
    a[get_global_id(0)] /= b;
}

kernel void roots(global float *a)
{
    a[get_global_id(0)] = sqrt(a[get_global_id(0)]);
}

kernel void truncates(global int *a, global const float *b)
{
    a[get_global_id(0)] = b[get_global_id(0)];
}

kernel void bits(global int *a, global const float *b)
{
    a[get_global_id(0)] = as_int(b[get_global_id(0)] - 1);
}

kernel void lockstep(global int *a, local volatile int *l)
{
    size_t i = get_local_id(0);

    l[i] = a[i];
    l[i] += l[i ^ 1];
    a[i] = l[i];
}

kernel void addresses(global ulong *a)
{
    a[get_global_id(0)] = (ulong)a;
}

kernel void rounds_up(global float *a, global const double *b)
{
    a[get_global_id(0)] = convert_float_rtp(b[get_global_id(0)]);
}

kernel void small(global int *a)
{
    a[get_global_id(0)] = mul24(a[get_global_id(0)], 3);
}

kernel void fourth(global uint *a)
{
    a[get_global_id(0)] = get_global_size(3);
}

kernel void any_dimension(global uint *a, uint n)
{
    a[get_global_id(0)] = get_local_size(n);
}

kernel void absolute(global uint *a, global const int *b)
{
    a[get_global_id(0)] = abs(b[get_global_id(0)]) == 2147483648u;
}

struct padded
{
    char c;
    int n;
};

struct full
{
    int a, b, c;
};

kernel void threes(global int3 *a, int n)
{
    a[get_global_id(0)] = (int3)(n, 1, 2);
}

kernel void own_threes(global int *a, int n)
{
    int3 v = (int3)(n, 1, 2);

    a[get_global_id(0)] = v.x + v.z;
    vstore3(v, get_global_id(0), a);
}

kernel void structures(global struct padded *a, int n)
{
    struct padded p;

    p.c = 1;
    p.n = n;
    a[get_global_id(0)] = p;
}

kernel void full_structures(global struct full *a, int n)
{
    struct full f = {n, 1, 2};

    a[get_global_id(0)] = f;
}

kernel void copies_threes(global int3 *a, local int3 *l)
{
    event_t e;

    l[get_local_id(0)] = (int3)(1);
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(a + get_group_id(0) * 4, l, 4, 0);
    wait_group_events(1, &e);
}
