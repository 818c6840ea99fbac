/* compile_area.c - see compile_area.h. */
#include "compile_area.h"

#include <linux/futex.h>
#include <string.h>
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

/* Takes `bytes` from the room; 0: they do not fit. */
static uint32_t put(struct cw_compile_area *a, size_t *used, const void *data, size_t bytes)
{
    size_t at = (*used + 7) & ~(size_t)7;

    if (at > CW_COMPILE_BYTES || bytes > CW_COMPILE_BYTES - at)
        return 0;
    if (bytes)
        memcpy((char *)a + at, data, bytes);
    *used = at + bytes;
    return (uint32_t)at;
}

bool cw_compile_area_fill(struct cw_compile_area *a, const struct cw_compile_question *q)
{
    size_t used = sizeof *a;

    a->units = q->units;
    a->only_build = q->only_build;
    a->range = q->range;
    a->args = q->args;
    a->module[0] = '\0';
    return (a->device_at = put(a, &used, q->device, strlen(q->device) + 1)) &&
           (a->source_at = put(a, &used, q->source, strlen(q->source) + 1)) &&
           (a->options_at = put(a, &used, q->options, strlen(q->options) + 1)) &&
           (a->kernel_at = put(a, &used, q->kernel, strlen(q->kernel) + 1)) &&
           (a->arg_at = put(a, &used, q->arg, q->args * sizeof *q->arg)); /* none is some place, too */
}
