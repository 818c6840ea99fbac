/* staging_pages.c - see staging_pages.h. */
#include "staging_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* The page in the middle stands for all of them. */
static bool is_untouched(uintptr_t low, uintptr_t high, size_t page)
{
    unsigned char there = 1;

    return !mincore((void *)((low + high) / 2 & ~(page - 1)), page, &there) && !(there & 1);
}

void cw_run_staging_pages_make(uint8_t *host, const struct cw_run_staging_shape *s,
                               const struct cw_run_staging_piece *p)
{
    const struct cw_run_staging_side *h = &s->host;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), rows = (p->size[1] - 1) * h->row + p->size[0];
    uintptr_t low = (uintptr_t)host + cw_run_staging_pieces_offset(h, p),
              high = low + (p->size[2] - 1) * h->slice + rows;
    bool gaps =
        (p->size[1] > 1 && h->row - p->size[0] >= page) || (p->size[2] > 1 && h->slice - rows >= page);

    low &= ~(page - 1);
    high = (high + page - 1) & ~(page - 1);
    if (!gaps && is_untouched(low, high, page))
        madvise((void *)low, high - low, MADV_POPULATE_WRITE);
}
