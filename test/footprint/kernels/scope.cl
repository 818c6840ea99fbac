/* options: -cl-std=CL2.0 */
/* A variable of program scope outlives the launch and belongs to a device. */
global int total;
kernel void program_scope(global const int *in)
{
    atomic_add(&total, in[get_global_id(0)]);
}
