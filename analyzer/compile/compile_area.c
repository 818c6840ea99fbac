/* compile_area.c - see compile_area.h. */
#include "compile_area.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

uint32_t cw_compile_area_wait(struct cw_compile_area *a, uint32_t state, unsigned ms)
{
    uint64_t now = now_ms(), until = now + ms;

    for (; atomic_load(&a->state) == state && now < until; now = now_ms()) {
        const struct timespec left = {(time_t)((until - now) / 1000), (long)((until - now) % 1000 * 1000000)};

        syscall(SYS_futex, &a->state, FUTEX_WAIT, state, &left, NULL, 0);
    }
    return atomic_load(&a->state);
}

bool cw_compile_area_change(struct cw_compile_area *a, uint32_t from, uint32_t to)
{
    if (!atomic_compare_exchange_strong(&a->state, &from, to))
        return false;
    syscall(SYS_futex, &a->state, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
    return true;
}
