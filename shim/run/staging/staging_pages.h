/* staging_pages.h - pages of the program's memory that were never touched. Any thread; changes errno. */
#ifndef CW_RUN_STAGING_PAGES_H
#define CW_RUN_STAGING_PAGES_H

#include "staging_pieces.h"

/* Has the kernel make the pages that a read's piece will be copied to, all at once: that takes less time than
 * a fault for each. No byte changes, and no page without a byte of the piece is made. Nothing happens where
 * the pages are there, where a page or more lies between the rows, where the kernel is older than Linux 5.14,
 * or where it refuses: the copy then makes each page by a fault. `host`: the program's pointer. */
void cw_run_staging_pages_make(uint8_t *host, const struct cw_run_staging_shape *s,
                               const struct cw_run_staging_piece *p);

#endif
