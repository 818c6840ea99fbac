/* dynamic_loader.c - see dynamic_loader.h. */
#include "dynamic_loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lock_order.h"

#define FRAMES 128
#define PASS_S 1 /* that the loader's lock may be taken before work is left; loading a library takes less */

static uintptr_t low, high; /* of the dynamic loader's code; 0: the program is linked without one */
/* The C library's own: libunwind, which has a function of that name, too, writes into a pipe of its own, and
 * closes it, by numbers that may be files of the program by then (findings/libunwind_descriptors.sh). */
static int (*c_backtrace)(void **, int);
static _Atomic uint32_t *sleepers;
static atomic_uint waiting; /* threads inside the loader */

static void find_code(void)
{
    uintptr_t base = getauxval(AT_BASE);
    const ElfW(Ehdr) *head = (const void *)base;
    const ElfW(Phdr) * part;

    if (!base)
        return;
    part = (const void *)(base + head->e_phoff);
    for (int i = 0; i < head->e_phnum; i++)
        if (part[i].p_type == PT_LOAD && part[i].p_flags & PF_X) {
            low = base + part[i].p_vaddr;
            high = low + part[i].p_memsz;
        }
}

void cw_dynamic_loader_start(_Atomic uint32_t *sleep)
{
    void *frame;
    void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    void *f = library ? dlsym(library, "backtrace") : NULL;

    sleepers = sleep;
    if (!f)
        return;
    *(void **)&c_backtrace = f;
    find_code();
    c_backtrace(&frame, 1);
}

static int walk(void **frames, int max)
{
    int saved = errno, n = c_backtrace(frames, max);

    errno = saved;
    return n;
}

bool cw_dynamic_loader_is_here(void)
{
    void *frames[FRAMES];
    int n = high ? walk(frames, FRAMES) : 0;

    for (int i = 0; i < n; i++)
        if ((uintptr_t)frames[i] - low < high - low)
            return true;
    return false;
}

void cw_dynamic_loader_waits(bool begins)
{
    if (begins)
        atomic_fetch_add(&waiting, 1);
    else
        atomic_fetch_sub(&waiting, 1);
}

bool cw_dynamic_loader_is_waited_in(void)
{
    return atomic_load(&waiting) != 0;
}

/* ---- work that needs the loader's lock */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&lock, LOADER)
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned looks;    /* that have found a thread inside the loader */
static atomic_uint works; /* that are awaited */

void cw_dynamic_loader_begin(struct cw_loader_work *w)
{
    pthread_mutex_lock(&lock);
    *w = (struct cw_loader_work){.looks = looks};
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&works, 1);
    atomic_fetch_add(sleepers, 1);
    syscall(SYS_futex, sleepers, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

bool cw_dynamic_loader_pass(struct cw_loader_work *w)
{
    Dl_info info;
    bool left;

    dladdr(&looks, &info); /* takes the lock */
    pthread_mutex_lock(&lock);
    w->passed = true;
    left = w->left;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return !left;
}

bool cw_dynamic_loader_ends(struct cw_loader_work *w)
{
    bool left;

    pthread_mutex_lock(&lock);
    left = w->left;
    w->over = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return !left;
}

bool cw_dynamic_loader_await(struct cw_loader_work *w)
{
    struct timespec until;
    bool over, late = false;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += PASS_S;
    pthread_mutex_lock(&lock);
    while (!w->over && w->looks == looks && (w->passed || !late))
        if (w->passed)
            pthread_cond_wait(&changed, &lock);
        else
            late = pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &until) == ETIMEDOUT;
    over = w->over;
    w->left = !over;
    pthread_mutex_unlock(&lock);
    atomic_fetch_sub(&works, 1);
    return over;
}

void cw_dynamic_loader_look(void)
{
    if (!atomic_load_explicit(&works, memory_order_relaxed) || !cw_dynamic_loader_is_here())
        return;
    pthread_mutex_lock(&lock);
    looks++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}
