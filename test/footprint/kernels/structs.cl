/* Fields of structs in a buffer; a struct by value. */
struct particle {
    float4 position;
    float mass;
    char flags[3];
};
struct limits {
    int first, count;
    float scale;
};
kernel void structs(global struct particle *p, global const float *mass)
{
    int i = get_global_id(0);
    p[i].mass = mass[i];
    p[i].flags[2] = 1;
}

kernel void by_value(global float *out, struct limits l)
{
    int i = get_global_id(0);
    if (i < l.count)
        out[l.first + i] = l.scale;
}
