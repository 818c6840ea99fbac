/* options: -cl-std=CL2.0 */
/* What ties a launch to one device: a variable of program scope, a pipe, a queue of its own. */
global int total;
kernel void program_scope(global const int *in)
{
    atomic_add(&total, in[get_global_id(0)]);
}

/* Their addresses, which another kernel may load, are those of one device's program. */
kernel void address(global ulong *out)
{
    out[get_global_id(0)] = (ulong)&total;
}

global int *constant table[] = {0, &total};
kernel void address_in_table(global ulong *out, int i)
{
    out[get_global_id(0)] = (ulong)table[i];
}

kernel void piped(read_only pipe int from, global int *out)
{
    int v;
    if (read_pipe(from, &v) == 0)
        out[get_global_id(0)] = v;
}

kernel void enqueues(global int *out)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[0] = 1; });
}
