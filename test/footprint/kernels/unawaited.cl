/* Asynchronous copies that nobody waits for: whether they write is open (undefined by OpenCL C), so no write is certain. */
kernel void none_waited(global float *out, local float *room)
{
    size_t n = get_local_size(0);
    room[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + get_group_id(0) * n, room, n, 0);
    wait_group_events(-1, &e);
}

/* There is one event, not 255. */
kernel void too_many(global float *out, local float *room)
{
    size_t n = get_local_size(0);
    room[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + get_group_id(0) * n, room, n, 0);
    wait_group_events(255, &e);
}

kernel void never(global float *out, local float *room)
{
    size_t n = get_local_size(0);
    room[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    async_work_group_strided_copy(out + get_group_id(0) * n * 2, room, n, 2, 0);
}

/* Only the second is waited for. */
kernel void lost(global float *out, local float *room)
{
    size_t n = get_local_size(0);
    room[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + get_group_id(0) * n, room, n, 0);
    e = async_work_group_copy(out + get_global_size(0) + get_group_id(0) * n, room, n, 0);
    wait_group_events(1, &e);
}

kernel void sometimes(global float *out, local float *room, int wait)
{
    size_t n = get_local_size(0);
    room[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + get_group_id(0) * n, room, n, 0);
    if (wait)
        wait_group_events(1, &e);
}

/* Two copies share an event: both are waited for. */
kernel void shared_event(global float *out, local float *room)
{
    size_t n = get_local_size(0);
    room[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + get_group_id(0) * n, room, n, 0);
    e = async_work_group_copy(out + get_global_size(0) + get_group_id(0) * n, room, n, e);
    wait_group_events(1, &e);
}
