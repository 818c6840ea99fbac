/* fork_before.c - forks before the first OpenCL call; parent and child then both use OpenCL.
 *
 * The child's hash travels to the parent through a pipe, so that there is one line of output.
 *
 * usage: fork_before [items]   default 512 */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char source[] = "__kernel void scramble(__global uint *restrict x, uint who) {\n"
                             "    x[get_global_id(0)] = (get_global_id(0) + who) * 2654435761u;\n"
                             "}\n";

static void compute(struct app *a, size_t n, uint32_t who)
{
    uint32_t *got = app_alloc(n * sizeof *got), *want = app_alloc(n * sizeof *want);
    cl_kernel scramble = app_kernel(a, "scramble");
    cl_mem x = app_buffer(a, CL_MEM_WRITE_ONLY, n * sizeof *got, NULL);
    app_args(scramble, "mu", x, who);
    app_run(a->queue, scramble, n, 0, 0, NULL, NULL);
    app_read(a, x, 0, n * sizeof *got, got);
    for (size_t i = 0; i < n; i++)
        want[i] = ((uint32_t)i + who) * 2654435761u;
    app_expect_words(a, who ? "child" : "parent", got, want, n);
    app_release_mems(&x, 1);
    APP_CHECK(clReleaseKernel(scramble));
    free(got), free(want);
}

int main(int argc, char **argv)
{
    size_t n = app_size(argc, argv, 1, 512, 1, 1 << 24);
    int ends[2], status = -1;
    uint64_t child_hash = 0;
    struct app a;
    if (pipe(ends))
        return 1;
    pid_t child = fork();
    if (child < 0)
        return 1;
    app_open(&a, "fork_before", 0, source);
    compute(&a, n, child == 0);
    if (child == 0) {
        bool sent = write(ends[1], &a.hash, sizeof a.hash) == sizeof a.hash;
        if (!freopen("/dev/null", "w", stdout))
            return 1;
        return app_close(&a) || !sent;
    }
    close(ends[1]);
    app_expect(&a, read(ends[0], &child_hash, sizeof child_hash) == sizeof child_hash,
               "the child sent no hash");
    app_expect(&a, waitpid(child, &status, 0) == child && status == 0, "the child ended with status %#x",
               (unsigned)status);
    app_hash(&a, &child_hash, sizeof child_hash);
    close(ends[0]);
    return app_close(&a);
}
