/* limited.c - chains of kernels on four buffers of one queue. limited DEPTH: so many operators are nested in
 * the kernel. The most address space that the process has had, in KiB, goes to the file that PEAK names. */
#include "common.h"

#define ITEMS  1024
#define CHAINS 4
#define ROUNDS 20

static struct app a;
static char *source;

static void nest(int depth)
{
    static const char begin[] = "kernel void turn(global int *x) {\n"
                                "    size_t i = get_global_id(0); int v = x[i];\n"
                                "    x[i] = 1 + ";
    char *to = source = app_alloc(sizeof begin + 16 + (size_t)depth * 2);

    to += sprintf(to, "%s", begin);
    for (int i = 0; i < depth; i++)
        to += sprintf(to, "- ");
    sprintf(to, "v; }\n");
}

static void note_peak(void)
{
    const char *name = getenv("PEAK");
    FILE *from = fopen("/proc/self/status", "r"), *to = name ? fopen(name, "w") : NULL;
    unsigned long kib = 0;
    char line[256];

    while (from && fgets(line, sizeof line, from))
        if (sscanf(line, "VmPeak: %lu", &kib) == 1 && to)
            fprintf(to, "%lu\n", kib);
    if (from)
        fclose(from);
    if (to)
        fclose(to);
}

int main(int argc, char **argv)
{
    cl_mem x[CHAINS];
    int got[ITEMS];
    cl_kernel turn;

    nest(argc > 1 ? atoi(argv[1]) : 2);
    app_open(&a, "limited", 0, source);
    for (int i = 0; i < ITEMS; i++)
        got[i] = i;
    for (int c = 0; c < CHAINS; c++)
        x[c] = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof got, got);
    turn = app_kernel(&a, "turn");
    for (int r = 0; r < ROUNDS; r++)
        for (int c = 0; c < CHAINS; c++) {
            app_args(turn, "m", x[c]);
            app_run(a.queue, turn, ITEMS, 0, 0, NULL, NULL);
        }
    APP_CHECK(clFinish(a.queue));
    for (int c = 0; c < CHAINS; c++)
        app_read(&a, x[c], 0, sizeof got, got);
    note_peak();
    app_release_mems(x, CHAINS);
    clReleaseKernel(turn);
    free(source);
    return app_close(&a);
}
