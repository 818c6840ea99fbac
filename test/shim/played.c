/* played.c - libplayed.so: preloaded, the monotonic clock is one that stands still, but for what the null
 * driver says that its calls take (nullcl.h). So what a program, and a library around it, measures there is
 * the same in each run. */

#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT _Atomic uint64_t played_ns = 1000000;

EXPORT int clock_gettime(clockid_t clock, struct timespec *t)
{
    uint64_t ns;

    if (clock != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, clock, t);
    ns = atomic_load(&played_ns);
    *t = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    return 0;
}
