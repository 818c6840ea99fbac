/* Reads anywhere, writes in place; and the reverse. */
kernel void gather(global const int *index, global const float *from, global float *to)
{
    int i = get_global_id(0);
    to[i] = from[index[i]];
}

kernel void scatter(global const int *index, global const float *from, global float *to)
{
    int i = get_global_id(0);
    to[index[i]] = from[i];
}

/* A table of 256 entries indexed by a byte is bounded whatever the byte says. */
kernel void look_up(global const uchar *byte, global const int *table, global int *to)
{
    int i = get_global_id(0);
    to[i] = table[byte[i]];
}
