/* fresh.c - buffers that are not written yet. Their bytes are undefined, but vendors give zeros as long as
 * they get them from the system, and programs have come to rely on it unknowingly: under run mode they are
 * always zero, also where buffers full of other bytes were released before. Bare this may fail; so the test
 * is run mode's alone. */
#include "common.h"

static struct app a;

/* Fills and releases buffers of `bytes`, then looks at new ones. */
static void look(size_t bytes)
{
    uint8_t *got = app_alloc(bytes);
    size_t dirty = 0;
    cl_mem used[8];

    memset(got, 0xa5, bytes);
    for (int i = 0; i < 8; i++) {
        used[i] = app_buffer(&a, i % 2 ? CL_MEM_COPY_HOST_PTR : 0, bytes, i % 2 ? got : NULL);
        APP_CHECK(clEnqueueWriteBuffer(a.queue, used[i], CL_TRUE, 0, bytes, got, 0, NULL, NULL));
    }
    app_release_mems(used, 8);
    APP_CHECK(clFinish(a.queue));
    for (int i = 0; i < 8; i++) {
        used[i] = app_buffer(&a, i % 2 ? CL_MEM_ALLOC_HOST_PTR : CL_MEM_READ_WRITE, bytes, NULL);
        app_read(&a, used[i], 0, bytes, got);
        for (size_t b = 0; b < bytes; b++)
            dirty += got[b] != 0;
    }
    app_release_mems(used, 8);
    app_expect(&a, dirty == 0, "%zu of 8 x %zu bytes are not zero", dirty, bytes);
    free(got);
}

int main(int argc, char **argv)
{
    if (app_size(argc, argv, 1, 0, 0, 1) == 0)
        app_skip("fresh", "what bare gives is undefined");
    app_open(&a, "fresh", 0, NULL);
    for (size_t bytes = 1; bytes <= 4 << 20; bytes = bytes * 3 + 1)
        look(bytes);
    return app_close(&a);
}
