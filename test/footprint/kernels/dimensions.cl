/* Ids beyond the launch's dimensions, constant indices, sizes in indices. */
kernel void dimensions(global int *out)
{
    out[get_global_id(0) + get_global_id(1) + get_global_id(2) + get_local_size(2) - get_num_groups(1)] = get_work_dim();
}

kernel void uniform(global int *out, constant int *in)
{
    out[3] = in[1];
}

kernel void reversed(global int *out)
{
    out[get_global_size(0) - 1 - get_global_id(0)] = 1;
}

kernel void strips(global int *out, int length)
{
    size_t first = (get_group_id(0) * get_local_size(0) + get_local_id(0)) * length;
    for (size_t k = first; k < first + length; k++)
        out[k] = 1;
}

/* vendors do not agree about dimensions beyond the third */
kernel void beyond(global int *out)
{
    out[get_global_id(0) * get_num_groups(3) + get_local_size(7)] = 1;
}

/* Two lower and two upper borders, within a pitch that is shorter than the launch: rows never meet. */
__kernel void inner_rows(__global const float *in, __global float *out)
{
    int i = get_global_id(0), k = get_global_id(1);

    if (i >= 1 && i <= 19 && k >= 2 && k <= 12)
        out[i + 21 * k] = in[i - 1 + 21 * k] + in[i + 21 * (k - 1)];
}
