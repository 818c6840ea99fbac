/* exit_time.c - libexittime.so, preloaded by first_runs.py: when a program's own last instruction is over.
 *
 * Appends "PID NANOSECONDS\n" (CLOCK_MONOTONIC) to the file that EXIT_TIME names, at the call of exit() or at
 * the return of main, before any handler of the process's end. Processes that end otherwise write nothing. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                           void *);

#define EXPORT __attribute__((visibility("default")))

static main_function *program;

static void note(void)
{
    const char *file = getenv("EXIT_TIME");
    int fd = file ? open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    struct timespec t;

    if (fd < 0)
        return;
    clock_gettime(CLOCK_MONOTONIC, &t);
    dprintf(fd, "%ld %lld\n", (long)getpid(), t.tv_sec * 1000000000ll + t.tv_nsec);
    close(fd);
}

static int main_and_note(int argc, char **argv, char **environment)
{
    int status = program(argc, argv, environment);

    note();
    return status;
}

EXPORT int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                             void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    start_function *start = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");

    program = main;
    return start(main_and_note, argc, argv, init, fini, loader_fini, stack_end);
}

EXPORT void exit(int status)
{
    void (*leave)(int) = (void (*)(int))dlsym(RTLD_NEXT, "exit");

    note();
    leave(status);
    __builtin_unreachable();
}
