/* pinned.h - the local size of launches in tiles where the program has chosen none, and results cannot depend
 * on it. */
#ifndef CW_FOOTPRINT_PINNED_H
#define CW_FOOTPRINT_PINNED_H

#include <stdbool.h>
#include <stddef.h>

/* Chooses local[0 .. dims - 1] for a range of `global`; the others stay. Along the first dimension it may not
 * divide the range: see below. */
void cw_pinned_local(unsigned dims, const size_t *global, size_t local[3]);

/* Now that it is known along which dimension the range is cut. True: the last work-group along it is smaller.
 */
bool cw_pinned_settle(unsigned dim, const size_t *global, size_t local[3]);

#endif
