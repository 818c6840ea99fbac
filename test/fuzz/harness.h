/* harness.h - what the fuzz harnesses share. Each fuzz_NAME.c gives one kind of input from outside to the
 * code that reads it, and to what uses the result; README.md says how to run them and how to add one.
 *
 * A harness returns 0 for every input. A promise that is broken, or a sanitizer's finding, ends the process.
 */
#ifndef FUZZ_HARNESS_H
#define FUZZ_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* libFuzzer's entry point, and replay.c's. `data` may be NULL where `size` is 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise of the code under test. */
#define FUZZ_PROMISE(holds, ...)                                                                             \
    do {                                                                                                     \
        if (!(holds)) {                                                                                      \
            fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                                  \
            fprintf(stderr, __VA_ARGS__);                                                                    \
            fputc('\n', stderr);                                                                             \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* The path of a file in memory that holds just these bytes, until the next call. */
static inline const char *fuzz_file(const void *data, size_t size)
{
    static char path[40];
    static int fd = -1;

    if (fd < 0) {
        fd = memfd_create("fuzz", MFD_CLOEXEC);
        FUZZ_PROMISE(fd >= 0, "no file in memory");
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (ftruncate(fd, 0) != 0 || ftruncate(fd, (off_t)size) != 0 ||
        (size && pwrite(fd, data, size, 0) != (ssize_t)size))
        FUZZ_PROMISE(false, "a file in memory cannot be written");
    return path;
}

/* A copy with a NUL behind it, of just that size, so that a sanitizer sees reads behind the end. The caller
 * frees it. */
static inline char *fuzz_text(const void *data, size_t size)
{
    char *text = malloc(size + 1);

    FUZZ_PROMISE(text, "out of memory");
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* Where output goes that is looked at by sanitizers only. */
static inline FILE *fuzz_nowhere(void)
{
    static FILE *nowhere;

    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    FUZZ_PROMISE(nowhere, "cannot open /dev/null");
    return nowhere;
}

#endif
