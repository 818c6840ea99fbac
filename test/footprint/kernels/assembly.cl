/* Nothing can be said. */
kernel void assembly(global int *out)
{
    __asm__ volatile("" ::: "memory");
    out[get_global_id(0)] = 1;
}

/* A pointer that was hidden in an integer. */
kernel void hidden(global int *out, global int *other)
{
    ulong address = (ulong)out;
    ((global int *)address)[get_global_id(0)] = 1;
}
