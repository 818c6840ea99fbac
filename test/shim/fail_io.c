/* fail_io.c - preloaded behind libclweave.so: makes the N-th call about files that comes from libclweave.so
 * fail.
 *
 * FAIL_IO=N (0: none); FAIL_IO_FROM=N: that one and all after it. FAIL_IO_HOW=EIO, ENOSPC, or short: the N-th
 * of the reads and writes of several bytes does half of what it is asked to do, which is no error.
 * FAIL_IO_COUNT=FILE: the number of calls is written there at exit (by processes that make any);
 * FAIL_IO_SHOW=1 names the call on stderr. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static uintptr_t start, end; /* text of libclweave.so */
static _Atomic long seen;
static long fail_at, fail_from;
static int error, is_short;

__attribute__((constructor)) static void begin(void)
{
    char line[512], path[400], rights[8];
    const char *at = getenv("FAIL_IO"), *from = getenv("FAIL_IO_FROM"), *how = getenv("FAIL_IO_HOW");
    unsigned long first, last;
    FILE *f = fopen("/proc/self/maps", "r");

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %399s", &first, &last, rights, path) == 4 &&
            rights[2] == 'x' && strstr(path, "libclweave.so"))
            start = first, end = last;
    if (f)
        fclose(f);
    is_short = how && !strcmp(how, "short");
    error = how && !strcmp(how, "ENOSPC") ? ENOSPC : EIO;
    fail_at = at ? atol(at) : 0;
    fail_from = from ? atol(from) : 0;
}

__attribute__((destructor)) static void done(void)
{
    const char *path = getenv("FAIL_IO_COUNT");
    int fd = path && seen ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

    if (fd < 0)
        return;
    dprintf(fd, "%ld\n", seen);
    syscall(SYS_close, fd);
}

static int chosen(void *caller, const char *name)
{
    long n;

    if ((uintptr_t)caller < start || (uintptr_t)caller >= end)
        return 0;
    n = ++seen;
    if (n != fail_at && !(fail_from && n >= fail_from))
        return 0;
    if (getenv("FAIL_IO_SHOW"))
        dprintf(STDERR_FILENO, "[%s]", name);
    return 1;
}

#define CALLER      __builtin_return_address(0)
#define FAILS(f)    (!is_short && chosen(CALLER, f) && (errno = error))
#define SHORT(f, n) (is_short && (n) > 1 && chosen(CALLER, f) ? (n) / 2 : (n))
#define NEXT(f)     ((__typeof__(&f))dlsym(RTLD_NEXT, #f))

static int open_at(int at, const char *path, int flags, va_list args)
{
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;

    return (int)syscall(SYS_openat, at, path, flags, mode);
}

#define OPEN(name, parameters, at, ...)                                                                      \
    int name parameters                                                                                      \
    {                                                                                                        \
        va_list args;                                                                                        \
        int fd;                                                                                              \
        if (FAILS(#name))                                                                                    \
            return -1;                                                                                       \
        va_start(args, flags);                                                                               \
        fd = open_at(at, path, flags, args);                                                                 \
        va_end(args);                                                                                        \
        return fd;                                                                                           \
    }
OPEN(open, (const char *path, int flags, ...), AT_FDCWD)
OPEN(open64, (const char *path, int flags, ...), AT_FDCWD)
OPEN(openat, (int at, const char *path, int flags, ...), at)

#define MOVE(name, number, data)                                                                             \
    ssize_t name(int fd, data bytes, size_t n)                                                               \
    {                                                                                                        \
        return FAILS(#name) ? -1 : syscall(number, fd, bytes, SHORT(#name, n));                              \
    }
#define MOVE_AT(name, number, data)                                                                          \
    ssize_t name(int fd, data bytes, size_t n, off_t at)                                                     \
    {                                                                                                        \
        return FAILS(#name) ? -1 : syscall(number, fd, bytes, SHORT(#name, n), at);                          \
    }
MOVE(read, SYS_read, void *)
MOVE(write, SYS_write, const void *)
MOVE_AT(pread, SYS_pread64, void *)
MOVE_AT(pread64, SYS_pread64, void *)
MOVE_AT(pwrite, SYS_pwrite64, const void *)
MOVE_AT(pwrite64, SYS_pwrite64, const void *)

int posix_fallocate(int fd, off_t at, off_t n)
{
    if (FAILS("posix_fallocate"))
        return error;
    return syscall(SYS_fallocate, fd, 0, at, n) ? errno : 0;
}

void *mmap(void *address, size_t n, int protection, int flags, int fd, off_t at)
{
    if (fd >= 0 && FAILS("mmap"))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, n, protection, flags, fd, at);
}

/* It is closed all the same: so does Linux. */
int close(int fd)
{
    int fails = FAILS("close");
    long code = syscall(SYS_close, fd);

    if (fails)
        errno = error;
    return fails ? -1 : (int)code;
}

#define CALL(name, parameters, ...)                                                                          \
    int name parameters                                                                                      \
    {                                                                                                        \
        return FAILS(#name) ? -1 : (int)syscall(__VA_ARGS__);                                                \
    }
CALL(ftruncate64, (int fd, off_t n), SYS_ftruncate, fd, n)
CALL(fstat, (int fd, struct stat *to), SYS_fstat, fd, to)
CALL(fstat64, (int fd, struct stat64 *to), SYS_fstat, fd, to)
CALL(stat, (const char *path, struct stat *to), SYS_newfstatat, AT_FDCWD, path, to, 0)
CALL(stat64, (const char *path, struct stat64 *to), SYS_newfstatat, AT_FDCWD, path, to, 0)
CALL(lstat, (const char *path, struct stat *to), SYS_newfstatat, AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW)
CALL(lstat64, (const char *path, struct stat64 *to), SYS_newfstatat, AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW)
CALL(rename, (const char *from, const char *to), SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0)
CALL(renameat, (int a, const char *from, int b, const char *to), SYS_renameat2, a, from, b, to, 0)
CALL(mkdir, (const char *path, mode_t mode), SYS_mkdirat, AT_FDCWD, path, mode)
CALL(mkdirat, (int at, const char *path, mode_t mode), SYS_mkdirat, at, path, mode)
CALL(unlink, (const char *path), SYS_unlinkat, AT_FDCWD, path, 0)
CALL(unlinkat, (int at, const char *path, int flags), SYS_unlinkat, at, path, flags)
CALL(fdatasync, (int fd), SYS_fdatasync, fd)
CALL(flock, (int fd, int how), SYS_flock, fd, how)
CALL(fchmod, (int fd, mode_t mode), SYS_fchmod, fd, mode)

#define STREAM(result, name, parameters, failed, ...)                                                        \
    result name parameters                                                                                   \
    {                                                                                                        \
        return FAILS(#name) ? failed : NEXT(name)(__VA_ARGS__);                                              \
    }
STREAM(FILE *, fopen, (const char *path, const char *mode), NULL, path, mode)
STREAM(FILE *, fdopen, (int fd, const char *mode), NULL, fd, mode)
STREAM(int, fflush, (FILE * f), EOF, f)
STREAM(DIR *, opendir, (const char *path), NULL, path)
STREAM(DIR *, fdopendir, (int fd), NULL, fd)

int fclose(FILE *f)
{
    int fails = FAILS("fclose"), code = NEXT(fclose)(f);

    if (fails)
        errno = error;
    return fails ? EOF : code;
}
