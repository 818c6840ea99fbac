/* fail_alloc.c - preloaded behind libclweave.so: makes the N-th memory request that comes from libclweave.so
 * fail. With FAIL_THREADS=N all threads that it wants fail from the N-th on. FAIL_ALLOC_SHOW=1 says where the
 * request came from. FAIL_ALLOC=N (0: none; workers: all that do not come from the program's first thread);
 * with FAIL_ALLOC_COUNT=FILE the number of requests is written there at exit. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static uintptr_t start, end; /* text of libclweave.so */
static _Atomic long seen;
static long fail_at = -1;
static int fail_workers;

__attribute__((constructor)) static void begin(void)
{
    char line[512], path[400], rights[8];
    unsigned long from, to;
    const char *text = getenv("FAIL_ALLOC");
    FILE *f = fopen("/proc/self/maps", "r");

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %399s", &from, &to, rights, path) == 4 &&
            rights[2] == 'x' && strstr(path, "libclweave.so"))
            start = from, end = to;
    if (f)
        fclose(f);
    fail_at = text ? atol(text) : 0;
    fail_workers = text && !strcmp(text, "workers");
}

__attribute__((destructor)) static void done(void)
{
    const char *path = getenv("FAIL_ALLOC_COUNT");
    FILE *f = path ? fopen(path, "w") : NULL;

    if (!f)
        return;
    fprintf(f, "%ld\n", seen);
    fclose(f);
}

static int is_ours(void *caller)
{
    return (uintptr_t)caller >= start && (uintptr_t)caller < end;
}

static int refuse(void *caller)
{
    if (fail_at < 0 || !is_ours(caller))
        return 0;
    if (++seen != fail_at && !(fail_workers && gettid() != getpid()))
        return 0;
    if (getenv("FAIL_ALLOC_SHOW")) {
        void *frames[8];
        backtrace_symbols_fd(frames, backtrace(frames, 8), STDERR_FILENO);
    }
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t n)
{
    return refuse(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return refuse(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return refuse(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}

char *strdup(const char *s)
{
    char *p = refuse(__builtin_return_address(0)) ? NULL : __libc_malloc(strlen(s) + 1);

    return p ? strcpy(p, s) : NULL;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *data)
{
    static _Atomic long threads;
    const char *text = getenv("FAIL_THREADS");
    __typeof__(&pthread_create) next = (__typeof__(&pthread_create))dlsym(RTLD_NEXT, "pthread_create");

    if (text && is_ours(__builtin_return_address(0)) && ++threads >= atol(text))
        return EAGAIN;
    return next(thread, attributes, body, data);
}

void *mmap(void *address, size_t n, int protection, int flags, int fd, off_t offset)
{
    if (refuse(__builtin_return_address(0)))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, n, protection, flags, fd, offset);
}
