/* dynamic_loader.c - see dynamic_loader.h. */
#include "dynamic_loader.h"

#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/auxv.h>

#define FRAMES 128

static uintptr_t low, high; /* of the dynamic loader's code; 0: the program is linked without one */
static atomic_uint waiting;

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

void cw_dynamic_loader_start(void)
{
    void *frame;

    find_code();
    backtrace(&frame, 1);
}

/* By the C library alone: libunwind has a pipe of its own, and closes its numbers when the program has closed
 * them, whatever the program has opened there since. */
static int walk(void **frames, int max)
{
    int saved = errno, n = backtrace(frames, max);

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
