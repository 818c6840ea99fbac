/* Pointers that take detours: arrays of pointers, structs of pointers, a by-value struct that is changed. */
struct pair {
    global int *a, *b;
};
struct limits {
    int first, count;
};
kernel void in_struct(global int *a, global int *b)
{
    struct pair p = {a, b};
    p.b[get_global_id(0)] = p.a[get_global_id(0)];
}

kernel void in_array(global int *a, global int *b, int n)
{
    global int *p[2] = {a, b};
    p[n & 1][get_global_id(0)] = 1;
}

kernel void changed_struct(global int *out, struct limits l, int n)
{
    for (int k = 0; k < n; k++)
        l.first += k;
    out[l.first] = 1;
}

kernel void differences(global const int *in, global int *out)
{
    global const int *end = in + get_global_size(0), *p = end - 1 - get_global_id(0);
    *(out + (p - in)) = *p;
}

/* The pointer starts in one buffer and goes on in another. */
kernel void moves_on(global int *a, global int *b, int n)
{
    global int *p = a + get_global_id(0);
    for (int k = 0; k < 2; k++) {
        *p = k;
        p = b + get_global_id(0);
    }
}

/* A private pointer first, a buffer later. */
kernel void private_first(global int *a, int n)
{
    local int scratch[64];
    int mine = 0;
    for (int k = 0; k < n; k++)
        mine ^= k * n;
    scratch[get_local_id(0)] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[scratch[get_local_id(0)] & 63] = 2;
}

/* The inner pointer seems to stay in `a` until the outer one is understood. */
kernel void nested_move(global int *a, global int *b, int n)
{
    global int *p = a + get_global_id(0);
    for (int i = 0; i < 2; i++) {
        int first = *p;
        global int *q = p;
        for (int k = 0; k < n; k++) {
            *q = first + k + 1;
            q += 32;
        }
        p = i == 0 ? b + get_global_id(0) : q;
    }
}

/* A list of lists: the pointer moves on by what it reads, and stays in its buffer. */
kernel void walks(global const int *list, global int *out, int n)
{
    global const int *p = list;
    int sum = 0;
    for (int k = 0; k < n; k++) {
        if (*p & 1) {
            sum += p[1];
            p += 2;
            continue;
        }
        for (int m = *p++ & 3; m > 0; m--)
            sum ^= *p++ + m;
    }
    out[get_global_id(0)] = sum;
}

/* The same where it also writes. */
kernel void walks_and_writes(global int *list, global const int *at, int n)
{
    global int *p = list;
    for (int k = 0; k < n; k++) {
        if (at[k] & 1) {
            *p = 2;
            p += 2;
            continue;
        }
        for (int m = at[k] & 3; m > 0; m--)
            *p++ = m;
    }
}

/* One of two buffers, from the start on. */
kernel void walks_either(global const int *a, global const int *b, global int *out, int n)
{
    global const int *p = get_local_id(0) & 1 ? a : b;
    int sum = 0;
    for (int k = 0; k < n; k++) {
        if (*p & 1) {
            sum += p[1];
            p += 2;
        } else {
            p += out[get_global_id(0)] & 1 ? 1 : 3;
        }
    }
    out[get_global_id(0)] = sum;
}
