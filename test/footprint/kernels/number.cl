/* A vendor's M_PI as models see it (kernels/models/program_models.c): some number, of which no index may take a digit. */
extern constant double cw_number_0;
#undef M_PI
#define M_PI cw_number_0

kernel void turns(global float *out, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = (float)(2 * M_PI * i);
}

kernel void digits(global int *out)
{
    out[(int)(M_PI * 1e8)] = get_global_id(0);
}
