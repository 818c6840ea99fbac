/* log_guard.c - see log_guard.h. */
#include "log_guard.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread struct {
    char *begin;
    size_t bytes;
} range __attribute__((tls_model("initial-exec"))); /* read by the handler: no allocation */
static void (*when_cut)(void);
static _Atomic bool is_cut;
static struct sigaction earlier = {.sa_handler = SIG_DFL}; /* that on_sigbus() has replaced */
static pid_t self;

void cw_log_guard_range(void *begin, size_t bytes)
{
    range.bytes = 0; /* the handler may come between any two of these */
    atomic_signal_fence(memory_order_seq_cst);
    range.begin = begin;
    atomic_signal_fence(memory_order_seq_cst);
    range.bytes = begin ? bytes : 0;
}

bool cw_log_guard_is_cut(void)
{
    return atomic_load(&is_cut);
}

static void note_cut(void)
{
    atomic_store(&is_cut, true);
    if (when_cut)
        when_cut();
}

/* A fault is raised again by its instruction. A signal that was sent, or that tells of a page that no
 * instruction has touched, is not. */
static bool comes_again(const siginfo_t *info)
{
    return info->si_code > 0 && info->si_code != BUS_MCEERR_AO;
}

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
    int saved = errno;

    (void)context;
    if (comes_again(info) && (uintptr_t)info->si_addr - (uintptr_t)range.begin < range.bytes &&
        mmap(range.begin, range.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
             0) != MAP_FAILED) {
        note_cut();
    } else {
        sigaction(SIGBUS, &earlier, NULL);
        if (!comes_again(info))
            syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), sig, info);
    }
    errno = saved;
}

void cw_log_guard_start(void (*cut)(void))
{
    when_cut = cut;
    self = getpid();
    atomic_store(&is_cut, false);
    cw_log_guard_range(NULL, 0);
}

/* True for a handler in LLVM, whose file functions install one. It removes LLVM's unfinished files and lets
 * the instruction come again, so it may also run after on_sigbus(). Takes no lock of the dynamic linker: a
 * constructor of the program may record. */
static bool is_llvm(const struct sigaction *a)
{
#if __GLIBC_PREREQ(2, 35)
    void *handler = a->sa_flags & SA_SIGINFO ? (void *)a->sa_sigaction : (void *)a->sa_handler;
    struct dl_find_object found;
    const char *name = _dl_find_object(handler, &found) ? NULL : found.dlfo_link_map->l_name;

    return name && (strstr(name, "/libLLVM") || strstr(name, "/libpocl"));
#else
    (void)a;
    return false;
#endif
}

/* Whether SIGBUS leads to on_sigbus(), which replaces the default and LLVM's handler. */
static bool has_handler(void)
{
    struct sigaction own = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART}, now;

    if (sigaction(SIGBUS, NULL, &now))
        return false;
    if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_sigbus)
        return true;
    if ((now.sa_flags & SA_SIGINFO || now.sa_handler != SIG_DFL) && !is_llvm(&now))
        return false;
    earlier = now;
    return !sigaction(SIGBUS, &own, NULL);
}

static bool can_copy(void)
{
    static _Atomic int known; /* 1: no, 2: yes */
    char from = 1, to = 0;

    if (prctl(PR_GET_SECCOMP))
        return false;
    if (!atomic_load(&known))
        atomic_store(&known, 1 + cw_log_guard_copy(&(struct iovec){&to, 1}, 1, &(struct iovec){&from, 1}, 1));
    return atomic_load(&known) == 2;
}

enum cw_log_guard cw_log_guard_choose(void)
{
    sigset_t blocked;

    if (has_handler() && !pthread_sigmask(SIG_BLOCK, NULL, &blocked) && !sigismember(&blocked, SIGBUS))
        return CW_LOG_GUARD_HANDLER;
    return can_copy() ? CW_LOG_GUARD_KERNEL : CW_LOG_GUARD_NONE;
}

bool cw_log_guard_copy(const struct iovec *to, unsigned to_count, const struct iovec *from,
                       unsigned from_count)
{
    ssize_t bytes = 0;

    for (unsigned i = 0; i < to_count; i++)
        bytes += (ssize_t)to[i].iov_len;
    return process_vm_readv(self, to, to_count, from, from_count, 0) == bytes;
}

bool cw_log_guard_store(void *page, size_t bytes, void *to, const void *from, size_t n)
{
    __typeof__(range) before = range;
    bool stored = true;

    if (cw_log_guard_choose() == CW_LOG_GUARD_KERNEL) {
        stored = cw_log_guard_copy(&(struct iovec){to, n}, 1, &(struct iovec){(void *)(uintptr_t)from, n}, 1);
        if (!stored)
            note_cut();
        return stored;
    }
    cw_log_guard_range(page, bytes);
    atomic_signal_fence(memory_order_seq_cst);
    memcpy(to, from, n);
    atomic_signal_fence(memory_order_seq_cst);
    stored = !cw_log_guard_is_cut();
    cw_log_guard_range(before.begin, before.bytes);
    return stored;
}
