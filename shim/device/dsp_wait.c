/* dsp_wait.c - see dsp_clock.h. */
#include "dsp_clock.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define AWAKE_NS 120000 /* before the end; as much as a late wake-up costs */

static _Atomic unsigned awake; /* threads that spend the last of their wait so */

static void sleep_until(_Atomic uint32_t *stopped, uint64_t ns)
{
    struct timespec at = {.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
    int slack = prctl(PR_GET_TIMERSLACK);

    prctl(PR_SET_TIMERSLACK, 1);
    while (!atomic_load(stopped) && cw_dsp_read_clock(CLOCK_MONOTONIC) < ns)
        syscall(SYS_futex, stopped, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, &at, NULL,
                FUTEX_BITSET_MATCH_ANY);
    if (slack > 0)
        prctl(PR_SET_TIMERSLACK, slack);
}

void cw_dsp_wait_asleep(uint64_t ns)
{
    _Atomic uint32_t never = 0;
    int saved = errno;

    sleep_until(&never, ns);
    errno = saved;
}

/* One processor of two, two of four ...: the others run the DSPs' kernels. */
static bool may_stay_awake(void)
{
    cpu_set_t set;
    unsigned processors = sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);

    if (atomic_fetch_add(&awake, 1) < processors / 2)
        return true;
    atomic_fetch_sub(&awake, 1);
    return false;
}

void cw_dsp_wait(_Atomic uint32_t *stopped, uint64_t ns)
{
    int saved = errno;

    if (cw_dsp_read_clock(CLOCK_MONOTONIC) + AWAKE_NS < ns)
        sleep_until(stopped, ns - AWAKE_NS);
    if (may_stay_awake()) {
        while (!atomic_load(stopped) && cw_dsp_read_clock(CLOCK_MONOTONIC) < ns)
            ;
        atomic_fetch_sub(&awake, 1);
    } else {
        sleep_until(stopped, ns);
    }
    errno = saved;
}
