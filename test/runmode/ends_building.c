/* ends_building.c - returns from main while run mode's workers still compile the program for helpers: kernels
 * that take a compiler a while, launched often enough that a helper is wanted, then exit. */
#include "../apps/common.h"

#include <stdio.h>

#define ROUNDS 40

/* Distinct bodies, unrolled. Helpers compile all six. */
static const char source[] =
    "#define STEP(k, r) v = v * (k + 3u) + (v >> (r + 1)) ^ sincos_of(v, r);\n"
    "float wave(float x) { return sin(x) * exp(-x) + pow(fabs(x), 1.5f); }\n"
    "uint sincos_of(uint v, uint r) { return (uint)(wave((float)(v & 1023u) * 0.01f + r) * 100.0f); }\n"
    "#define BODY(k) uint i = get_global_id(0), v = x[i]; STEP(k, 1) STEP(k, 2) STEP(k, 3) STEP(k, 4) "
    "STEP(k, 5) "
    "STEP(k, 6) x[i] = v;\n"
    "kernel void k0(global uint *x) { BODY(0) }\n"
    "kernel void k1(global uint *x) { BODY(1) }\n"
    "kernel void k2(global uint *x) { BODY(2) }\n"
    "kernel void k3(global uint *x) { BODY(3) }\n"
    "kernel void k4(global uint *x) { BODY(4) }\n"
    "kernel void k5(global uint *x) { BODY(5) }\n";

int main(void)
{
    struct app a;
    static uint32_t words[4096];
    app_open(&a, "ends_building", 0, source);
    cl_mem x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof words, words);
    cl_kernel kernel = app_kernel(&a, "k0");
    app_args(kernel, "m", x);
    for (int r = 0; r < ROUNDS; r++) {
        app_run(a.queue, kernel, 4096, 64, 0, NULL, NULL);
        APP_CHECK(clFinish(a.queue));
    }
    app_read(&a, x, 0, sizeof words, words);
    printf("ends_building: %016llx\n", (unsigned long long)a.hash);
    return 0; /* nothing is released */
}
