/* 32-bit arithmetic that may wrap: what is written depends on how large the arguments are. */
kernel void wrap(global int *out, uint factor, uint mask)
{
    uint i = get_global_id(0);
    out[(i * factor) & mask] = 1;
}

kernel void wrap_offset(global int *out, uint start)
{
    uint i = get_global_id(0);
    out[i + start] = 1;
}

/* 2^32 - 1 + i: legal, and means i - 1. */
kernel void wrap_back(global int *out)
{
    uint i = get_global_id(0) + 1;
    out[i + 4294967295u] = i;
}
