/* What a division by zero gives is open (OpenCL C, 6.3.a): no hull may rest on the divisor being something else. */
kernel void by_zero(global int *quotient, global int *rest)
{
    size_t lid = get_local_id(0);
    quotient[get_group_id(0) * 8 / lid] = 1;
    rest[(get_global_id(0) + 64) % lid] = 1;
}
