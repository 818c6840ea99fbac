/* compiler_heap.c - see builds/compiler_heap.h. */
#include "compiler_heap.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; elsewhere refused, and the pages are touched one by one */
#endif

static void use(char *from, size_t bytes, size_t page)
{
    if (madvise(from, bytes, MADV_POPULATE_WRITE) == 0)
        return;
    for (volatile char *p = from; p < from + bytes; p += page)
        *p = 0;
}

void cw_compiler_heap_warm(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = CW_RUN_HEAP_BYTES;
    char *volatile block; /* volatile: or the compiler removes malloc and free */
    int saved = errno;

    if (atomic_flag_test_and_set(&done))
        return;
    /* glibc maps a large block on its own; once that was freed it takes blocks as large from the heap, and
     * gives back only more than twice as much: as after any compiler */
    block = malloc(bytes + page);
    free(block);
    block = malloc(bytes);
    if (block) {
        uintptr_t first = ((uintptr_t)block + page - 1) / page * page,
                  end = ((uintptr_t)block + bytes) / page * page;
        use((char *)first, end - first, page);
    }
    free(block);
    errno = saved;
}
