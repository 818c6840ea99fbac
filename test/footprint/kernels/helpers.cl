/* Work in helper functions, pointers that walk, pointers that are chosen. */
static void put(global int *to, int at, int value)
{
    to[at] = value;
}
inline int twice(int x)
{
    return 2 * x;
}
kernel void helpers(global int *out)
{
    int i = get_global_id(0);
    put(out, twice(i), i);
    put(out + 1, twice(i), i);
}

kernel void walking(global const int *in, global int *out, int length)
{
    global const int *p = in + get_global_id(0) * length;
    global int *q = out + get_global_id(0) * length;
    for (int k = 0; k < length; k++)
        *q++ = *p++;
}

kernel void chosen(global int *a, global int *b, int n)
{
    int i = get_global_id(0);
    global int *p = i < n ? a : b;
    p[i] = 1;
}

kernel void swapping(global int *a, global int *b, int n)
{
    global int *p = a, *q = b;
    for (int k = 0; k < n; k++) {
        p[get_global_id(0)] = k;
        global int *t = p;
        p = q;
        q = t;
    }
}
