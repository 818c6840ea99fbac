/* vloadN, vstoreN, vector types and vectors of three. */
kernel void vectors(global const float *in, global float *out, global float4 *four)
{
    size_t i = get_global_id(0);
    float4 v = vload4(i, in);
    vstore4(v * 2.0f, i, out + 8);
    four[i] = v;
}

kernel void threes(global const float *in, global float *packed, global float3 *padded)
{
    size_t i = get_global_id(0);
    float3 v = vload3(i, in);
    vstore3(v, i, packed);
    padded[i] = v;
}

kernel void halves(global const half *in, global half *out)
{
    size_t i = get_global_id(0);
    vstore_half2(vload_half2(i, in), i, out);
}

/* Vectors that a vendor's compiler hands over as one number of their size, or in memory. */
kernel void handed_over(global const uint *in, global uint2 *pairs, global uchar *bytes, global float *many)
{
    size_t i = get_global_id(0);
    uint2 v = vload2(i, in);
    vstore2(v + 1, i, (global uint *)pairs);
    vstore4(convert_uchar4(v.xyxy), i, bytes);
    vstore16(vload16(0, many + 16 * i) * 2.0f, i, many);
}

/* A vector of three that is aligned as one of four: vendors may store the fourth. */
kernel void aligned(global const half *in, global half *out, global half *rounded)
{
    size_t i = get_global_id(0);
    vstorea_half3(vloada_half3(i, in), i, out);
    vstorea_half3_rtz(vloada_half3(i, in), i, rounded);
}

/* Coordinates kept in a vector. */
kernel void coordinates(global int *out, int2 size)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1)) * 2;
    if (at.x < size.x && at.y < size.y)
        out[at.y * size.x + at.x] = 7;
}
