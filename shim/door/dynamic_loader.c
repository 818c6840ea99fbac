/* dynamic_loader.c - see dynamic_loader.h. */
#include "dynamic_loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

#define FRAMES 128

static uintptr_t low, high; /* of the dynamic loader's code; 0: the program is linked without one */
static atomic_uint waiting;
/* The C library's own: libunwind, which has a function of that name, too, writes into a pipe of its own, and
 * closes it, by numbers that may be files of the program by then (findings/libunwind_descriptors.sh). */
static int (*c_backtrace)(void **, int);

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
    void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    void *f = library ? dlsym(library, "backtrace") : NULL;

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
