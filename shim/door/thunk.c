/* thunk.c - see door/thunk.h. */
#include "thunk.h"
#include "lock_order.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "door.h"

#ifdef __x86_64__

#define ENTRIES     64
#define ENTRY_BYTES 16 /* as the code below aligns them */

static struct thunk {
    void *vendor;
    void (*before)(const char *name);
    char name[64];
    atomic_bool over; /* `before` has returned */
    pthread_mutex_t lock;
} thunks[ENTRIES];
static unsigned used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&lock, THUNKS)

/* Entry i puts i into a register that no function gets its parameters in. The common part keeps those that
 * may hold some. */
extern const char cw_thunk_entries[] __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden cw_thunk_entries\n"
        ".globl cw_thunk_entries\n"
        "cw_thunk_entries:\n"
        ".set cw_thunk_i, 0\n"
        ".rept 64\n"
        ".p2align 4\n"
        "endbr64\n"
        "movl $cw_thunk_i, %r11d\n"
        "jmp cw_thunk_common\n"
        ".set cw_thunk_i, cw_thunk_i + 1\n"
        ".endr\n"
        ".type cw_thunk_common, @function\n"
        "cw_thunk_common:\n"
        ".cfi_startproc\n"
        "pushq %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset 6, -16\n"
        "movq %rsp, %rbp\n"
        ".cfi_def_cfa_register 6\n"
        "pushq %rdi\n"
        "pushq %rsi\n"
        "pushq %rdx\n"
        "pushq %rcx\n"
        "pushq %r8\n"
        "pushq %r9\n"
        "pushq %rax\n"
        "subq $136, %rsp\n"
        "movups %xmm0, (%rsp)\n"
        "movups %xmm1, 16(%rsp)\n"
        "movups %xmm2, 32(%rsp)\n"
        "movups %xmm3, 48(%rsp)\n"
        "movups %xmm4, 64(%rsp)\n"
        "movups %xmm5, 80(%rsp)\n"
        "movups %xmm6, 96(%rsp)\n"
        "movups %xmm7, 112(%rsp)\n"
        "movl %r11d, %edi\n"
        "call cw_thunk_target\n"
        "movq %rax, %r11\n"
        "movups (%rsp), %xmm0\n"
        "movups 16(%rsp), %xmm1\n"
        "movups 32(%rsp), %xmm2\n"
        "movups 48(%rsp), %xmm3\n"
        "movups 64(%rsp), %xmm4\n"
        "movups 80(%rsp), %xmm5\n"
        "movups 96(%rsp), %xmm6\n"
        "movups 112(%rsp), %xmm7\n"
        "addq $136, %rsp\n"
        "popq %rax\n"
        "popq %r9\n"
        "popq %r8\n"
        "popq %rcx\n"
        "popq %rdx\n"
        "popq %rsi\n"
        "popq %rdi\n"
        "popq %rbp\n"
        ".cfi_def_cfa 7, 8\n"
        "jmp *%r11\n"
        ".cfi_endproc\n"
        ".size cw_thunk_common, . - cw_thunk_common\n");

/* Called by the code above. */
__attribute__((used, visibility("hidden"))) void *cw_thunk_target(unsigned entry);

void *cw_thunk_target(unsigned entry)
{
    struct thunk *t = &thunks[entry];

    if (atomic_load_explicit(&t->over, memory_order_acquire))
        return t->vendor;
    CW_DOOR_ENTER;
    pthread_mutex_lock(&t->lock);
    if (!atomic_load_explicit(&t->over, memory_order_relaxed))
        t->before(t->name);
    atomic_store_explicit(&t->over, true, memory_order_release);
    pthread_mutex_unlock(&t->lock);
    return t->vendor;
}

void *cw_thunk_create(void *vendor, const char *name, void (*before)(const char *name))
{
    unsigned i = 0;

    pthread_mutex_lock(&lock);
    while (i < used && thunks[i].vendor != vendor)
        i++;
    if (i == used && used < ENTRIES) {
        thunks[i].vendor = vendor;
        thunks[i].before = before;
        snprintf(thunks[i].name, sizeof thunks[i].name, "%s", name);
        pthread_mutex_init(&thunks[i].lock, NULL);
        cw_lock_order_add(&thunks[i].lock, CW_LOCK_THUNK);
        used++;
    }
    pthread_mutex_unlock(&lock);
    return i < ENTRIES ? (void *)(uintptr_t)(cw_thunk_entries + (size_t)i * ENTRY_BYTES) : NULL;
}

#else

void *cw_thunk_create(void *vendor, const char *name, void (*before)(const char *name))
{
    (void)vendor, (void)name, (void)before;
    return NULL;
}

#endif
