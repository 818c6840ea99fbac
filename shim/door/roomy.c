/* roomy.c - see thread.h. */
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "dispatch.h"

#define ENOUGH (128u << 10) /* twice the stack of the deepest call */
#define BYTES  (1u << 20)   /* of an own stack: only pages that are used become memory */
#define GUARD  (64u << 10)  /* at its lower end */
#define SPARES 4            /* stacks that wait for the next one; others are given back */

extern void *__libc_stack_end; /* glibc's: where the first thread's stack begins */

struct job {
    void (*work)(void *);
    void *data;
    ucontext_t caller, own;
};

/* The stack that this thread is on; high 0: not looked for yet. */
static __thread uintptr_t low __attribute__((tls_model("initial-exec")));
static __thread uintptr_t high __attribute__((tls_model("initial-exec")));
static _Thread_local struct job *job; /* the function that begins on an own stack */
static _Atomic(void *) spare[SPARES]; /* no lock: the child of a fork could find it held */

/* The first thread's stack grows, and asking for it would open a file. */
static void find_stack(void)
{
    pthread_attr_t attr;
    struct rlimit limit;
    void *address;
    size_t bytes;

    high = 1; /* there is none that we know */
    if (gettid() == getpid()) {
        if (getrlimit(RLIMIT_STACK, &limit))
            return;
        high = (uintptr_t)__libc_stack_end;
        low = limit.rlim_cur < high ? high - limit.rlim_cur : 0;
    } else if (!pthread_getattr_np(pthread_self(), &attr)) {
        if (!pthread_attr_getstack(&attr, &address, &bytes)) {
            low = (uintptr_t)address;
            high = low + bytes;
        }
        pthread_attr_destroy(&attr);
    }
}

size_t cw_roomy_stack_left(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    if (CW_UNLIKELY(!high))
        find_stack();
    return here > low && here < high ? here - low : 0;
}

static void *take(void)
{
    void *stack = NULL;

    for (int i = 0; i < SPARES && !stack; i++)
        stack = atomic_exchange(&spare[i], NULL);
    if (stack)
        return stack;
    stack = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
                 -1, 0);
    if (stack == MAP_FAILED)
        return NULL;
    mprotect(stack, GUARD, PROT_NONE);
    return stack;
}

static void give_back(void *stack)
{
    void *none = NULL;

    for (int i = 0; i < SPARES; i++, none = NULL)
        if (atomic_compare_exchange_strong(&spare[i], &none, stack))
            return;
    munmap(stack, BYTES);
}

static void begin(void)
{
    job->work(job->data);
}

/* The job lies at the upper end of the new stack: two contexts are 2 KB, and the caller's may have no more.
 */
static void elsewhere(void (*work)(void *), void *data, void *stack)
{
    struct job *j = (struct job *)((char *)stack + BYTES) - 1;
    uintptr_t own_low = low, own_high = high;

    j->work = work;
    j->data = data;
    getcontext(&j->own);
    j->own.uc_stack =
        (stack_t){.ss_sp = (char *)stack + GUARD, .ss_size = (uintptr_t)j - (uintptr_t)stack - GUARD};
    j->own.uc_link = &j->caller;
    makecontext(&j->own, begin, 0);
    job = j;
    low = (uintptr_t)stack + GUARD;
    high = (uintptr_t)j;
    swapcontext(&j->caller, &j->own);
    low = own_low;
    high = own_high;
}

void cw_roomy(void (*work)(void *), void *data)
{
    int saved = errno;
    void *stack = cw_roomy_stack_left() < ENOUGH ? take() : NULL;

    errno = saved;
    if (CW_LIKELY(!stack)) {
        work(data);
        return;
    }
    elsewhere(work, data, stack);
    saved = errno;
    give_back(stack);
    errno = saved;
}
