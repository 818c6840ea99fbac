/* nbody.c - a parameter study: several small star clusters, all on one in-order queue, step by step.
 *
 * Each star is pulled by all others of its cluster. A step is one launch per cluster; it reads the positions
 * of one buffer and writes those of another, in turn. Clusters differ in their size in space and do not
 * depend on each other. Verified by what no step may change: momentum, which begins as zero, and, but for
 * the error of the steps, energy.
 *
 * usage: nbody [clusters [stars [steps]]]   default 4 clusters, 64 stars (times 32), 6 steps */
#include "common.h"

#include <math.h>
#include <stdlib.h>

#define MASS   1.0f
#define SOFTEN .05f
#define DT     .0005f

static const char source[] =
    "__kernel void advance(__global const float4 *restrict from, __global float4 *restrict to,\n"
    "                   __global float4 *restrict velocity, uint n, float soften, float dt) {\n"
    "    uint i = get_global_id(0);\n"
    "    float4 me = from[i], pull = (float4)(0.0f);\n"
    "    for (uint j = 0; j < n; j++) {\n"
    "        float4 to_j = from[j] - me;\n"
    "        float r2 = dot(to_j.xyz, to_j.xyz) + soften;\n"
    "        pull.xyz += to_j.xyz * (from[j].w / (r2 * sqrt(r2)));\n"
    "    }\n"
    "    velocity[i] += dt * pull;\n"
    "    to[i] = me + dt * velocity[i];\n"
    "}\n";

struct star {
    float x, y, z, w; /* of a position, w is the mass; of a velocity 0 */
};

struct cluster {
    cl_mem position[2], velocity;
    double energy;
};

/* Of n stars; `momentum` becomes the sum of all of them. */
static double energy_of(const struct star *p, const struct star *v, size_t n, double momentum[3])
{
    double energy = 0;

    momentum[0] = momentum[1] = momentum[2] = 0;
    for (size_t i = 0; i < n; i++) {
        const double u[3] = {(double)v[i].x, (double)v[i].y, (double)v[i].z};

        for (int k = 0; k < 3; k++) {
            momentum[k] += (double)p[i].w * u[k];
            energy += (double)p[i].w * u[k] * u[k] / 2;
        }
        for (size_t j = 0; j < i; j++) {
            double x = (double)(p[i].x - p[j].x), y = (double)(p[i].y - p[j].y),
                   z = (double)(p[i].z - p[j].z);

            energy -= (double)(p[i].w * p[j].w) / sqrt(x * x + y * y + z * z + (double)SOFTEN);
        }
    }
    return energy;
}

/* Stars at rest in a cube of `size`. */
static void make(struct app *a, struct cluster *c, size_t n, float size, uint32_t *seed)
{
    struct star *p = app_alloc(n * sizeof *p), *v = app_alloc(n * sizeof *v);
    double momentum[3];

    for (size_t i = 0; i < n; i++) {
        float at[3];

        for (int k = 0; k < 3; k++)
            at[k] = size * ((float)(app_random(seed) % 10000) / 5000 - 1);
        p[i] = (struct star){at[0], at[1], at[2], MASS / (float)n};
        v[i] = (struct star){0, 0, 0, 0};
    }
    c->energy = energy_of(p, v, n, momentum);
    c->position[0] = app_buffer(a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n * sizeof *p, p);
    c->position[1] = app_buffer(a, CL_MEM_READ_WRITE, n * sizeof *p, NULL);
    c->velocity = app_buffer(a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n * sizeof *v, v);
    free(p), free(v);
}

static void take(struct app *a, struct cluster *c, size_t n, size_t steps)
{
    struct star *p = app_alloc(n * sizeof *p), *v = app_alloc(n * sizeof *v);
    double momentum[3], energy;

    app_read(a, c->position[steps % 2], 0, n * sizeof *p, p);
    app_read(a, c->velocity, 0, n * sizeof *v, v);
    energy = energy_of(p, v, n, momentum);
    app_expect(a, fabs(energy / c->energy - 1) < .02, "energy %g, at first %g", energy, c->energy);
    app_expect(a, fabs(momentum[0]) + fabs(momentum[1]) + fabs(momentum[2]) < 1e-4, "momentum %g %g %g",
               momentum[0], momentum[1], momentum[2]);
    app_release_mems(c->position, 2);
    app_release_mems(&c->velocity, 1);
    free(p), free(v);
}

int main(int argc, char **argv)
{
    size_t clusters = app_size(argc, argv, 1, 4, 1, 1024), n = app_size(argc, argv, 2, 64, 32, 1 << 16),
           steps = app_size(argc, argv, 3, 6, 0, 1000000);
    struct cluster *c = app_alloc(clusters * sizeof *c);
    uint32_t seed = 11;
    cl_kernel advance;
    struct app a;

    app_open(&a, "nbody", 0, source);
    advance = app_kernel(&a, "advance");
    n = n / 32 * 32;
    for (size_t i = 0; i < clusters; i++)
        make(&a, &c[i], n, 1 + (float)i / (float)clusters, &seed);
    for (size_t s = 0; s < steps; s++)
        for (size_t i = 0; i < clusters; i++) {
            app_args(advance, "mmmuff", c[i].position[s % 2], c[i].position[1 - s % 2], c[i].velocity,
                     (cl_uint)n, (double)SOFTEN, (double)DT);
            app_run(a.queue, advance, n, n <= 256 ? n : 32, 0, NULL, NULL);
        }
    APP_CHECK(clFinish(a.queue));
    for (size_t i = 0; i < clusters; i++)
        take(&a, &c[i], n, steps);
    APP_CHECK(clReleaseKernel(advance));
    free(c);
    return app_close(&a);
}
