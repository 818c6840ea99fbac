/* failing_alloc.h - replaces malloc and its family so that a chosen allocation fails and leaks are counted.
 * Include it in one file of a test program. Under the sanitizers, whose allocators stay in place, REPLACED is
 * 0. */
#ifndef CW_TEST_FAILING_ALLOC_H
#define CW_TEST_FAILING_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REPLACED 0 /* the sanitizer's own allocator is in place */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define REPLACED 0
#endif
#endif
#ifndef REPLACED
#define REPLACED 1
#endif

static long countdown = -1; /* the allocation that fails; -1 = none */
static long live;           /* allocated and not freed, while counting */
static bool counting;

#if REPLACED
void *__libc_malloc(size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_calloc(size_t n, size_t size);
void __libc_free(void *p);

#define SEEN __attribute__((visibility("default"))) /* by libc's own callers, strdup for one */

static bool fails(void)
{
    return counting && countdown >= 0 && countdown-- == 0;
}

SEEN void *malloc(size_t size)
{
    void *p = fails() ? NULL : __libc_malloc(size);

    live += counting && p;
    return p;
}

SEEN void *calloc(size_t n, size_t size)
{
    void *p = fails() ? NULL : __libc_calloc(n, size);

    live += counting && p;
    return p;
}

SEEN void *realloc(void *old, size_t size)
{
    void *p = fails() ? NULL : __libc_realloc(old, size);

    live += counting && p && !old;
    return p;
}

SEEN void free(void *p)
{
    live -= counting && p;
    __libc_free(p);
}
#endif

#endif
