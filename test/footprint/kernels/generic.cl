/* options: -cl-std=CL2.0 */
/* OpenCL C 2.0: generic pointers, atomics, linear ids. */
static int load(int *p)
{
    return *p;
}
kernel void generic_pointer(global int *in, global int *out)
{
    out[get_global_linear_id()] = load(in + get_global_id(0));
}

kernel void atomics(global atomic_int *counter, global int *out)
{
    atomic_fetch_add_explicit(counter + get_group_id(0), 1, memory_order_relaxed, memory_scope_device);
    out[get_global_id(0)] = 1;
}
