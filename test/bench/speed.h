/* speed.h - kernels and the clock of programs that print what a span of commands takes. */
#ifndef TEST_SPEED_H
#define TEST_SPEED_H

#include <stdint.h>
#include <time.h>

/* clang-format off */
/* One step of `n` bodies. */
#define SPEED_BODIES \
    "__kernel void bodies(__global const float4 *old, __global float4 *next, uint n) {\n" \
    "    uint i = get_global_id(0);\n" \
    "    float4 p = old[i], f = (float4)(0);\n" \
    "    for (uint k = 0; k < n; k++) {\n" \
    "        float4 d = old[k] - p;\n" \
    "        float r = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f;\n" \
    "        f += d * (1 / (r * sqrt(r)));\n" \
    "    }\n" \
    "    next[i] = p + f * 0.0001f;\n" \
    "}\n"

/* Much arithmetic for each of few bytes. */
#define SPEED_OPTIONS \
    "__kernel void options(__global const float *price, __global float *worth, uint steps) {\n" \
    "    uint i = get_global_id(0);\n" \
    "    float p = price[i], sum = 0;\n" \
    "    for (uint k = 1; k <= steps; k++)\n" \
    "        sum += exp(-p * k / steps) * log(1 + p * k);\n" \
    "    worth[i] = sum;\n" \
    "}\n"
/* clang-format on */

static inline uint64_t speed_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

#endif
