/* options: -cl-std=CL2.0 */
/* Work-groups at the end may be smaller. */
kernel void ragged(global int *out, global int *sizes, global int *groups)
{
    out[get_global_id(0)] = get_local_id(0);
    sizes[get_group_id(0)] = get_local_size(0);
    groups[get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0)] = 1;
}
