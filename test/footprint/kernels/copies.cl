/* Asynchronous copies between a buffer and local memory. */
kernel void copies(global const float *in, global float *out, local float *room)
{
    size_t n = get_local_size(0);
    event_t e = async_work_group_copy(room, in + get_group_id(0) * n, n, 0);
    wait_group_events(1, &e);
    room[get_local_id(0)] += 1.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + get_group_id(0) * n, room, n, 0);
    wait_group_events(1, &e);
}

kernel void strided(global const float *in, global float *out, local float *room, int stride)
{
    size_t n = get_local_size(0);
    event_t e = async_work_group_strided_copy(room, in + get_group_id(0) * n * stride, n, stride, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = room[get_local_id(0)];
}

kernel void part(global const float *in, global float *out, local float *room, int n)
{
    event_t e = async_work_group_copy(room, in, n, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy(out + get_group_id(0) * n, room, n, 0);
    wait_group_events(1, &e);
}
