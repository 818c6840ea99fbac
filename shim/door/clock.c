#include "clock.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t kernel_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#if defined __x86_64__
#define CALIBRATION_NS 20000000u
#define MILLISECOND_NS 1000000u

__thread struct cw_clock_anchor cw_clock_anchor __attribute__((tls_model("initial-exec")));
uint64_t cw_clock_scale;

static uint64_t start_ticks, start_ns; /* 0: the counter is not to be used */

void cw_clock_start(void)
{
    char source[16] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (read(fd, source, sizeof source - 1) > 0 && !strncmp(source, "tsc\n", 4)) {
        start_ns = kernel_ns();
        start_ticks = __builtin_ia32_rdtsc();
    }
    close(fd);
}

uint64_t cw_clock_slow(void)
{
    uint64_t ns = kernel_ns(), ticks = __builtin_ia32_rdtsc(),
             scale = __atomic_load_n(&cw_clock_scale, __ATOMIC_RELAXED);

    if (!start_ticks || ns - start_ns < CALIBRATION_NS)
        return ns;
    if (!scale) {
        if (ticks - start_ticks < 1000000) /* it stopped, or went back: no clock */
            return ns;
        scale = (uint64_t)(((unsigned __int128)(ns - start_ns) << 32) / (ticks - start_ticks));
        __atomic_store_n(&cw_clock_scale, scale, __ATOMIC_RELAXED);
    }
    cw_clock_anchor.ticks = ticks;
    cw_clock_anchor.ns = ns;
    cw_clock_anchor.limit = ((uint64_t)MILLISECOND_NS << 32) / scale;
    return ns;
}
#else
void cw_clock_start(void)
{
}

uint64_t cw_clock_slow(void)
{
    return kernel_ns();
}
#endif
