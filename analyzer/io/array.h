/* array.h - arrays that grow: a pointer, a count and a capacity, wherever their owner keeps them. */
#ifndef CW_ARRAY_H
#define CW_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `more` elements of `size` bytes behind the first `count`, and zeroes it. `v_pointer` is the
 * address of the T * (malloc'ed, or NULL), *capacity in elements; both are updated. Grows by half, so that n
 * appends take O(n). False when memory is out or the size overflows; then nothing has changed. When true, the
 * pointer is not NULL, even for no elements. */
bool cw_array_reserve(void *v_pointer, size_t *capacity, size_t count, size_t more, size_t size);

/* ---- arrays that grow (array.h) and, when they get large, lie in a file instead of the heap.
 *
 * The file has no name, is the user's alone, lies in $TMPDIR, else /var/tmp, and ends with the process. Its
 * pages are mapped: the kernel writes them out and reads them again as memory allows. A handler of SIGPROF
 * hands mapped pages back whenever more of them are resident than was asked for, so that a process that walks
 * through gigabytes of records needs a few hundred megabytes of memory. Nothing spills before cw_spill_begin,
 * in a folder without room, or in a file system that cannot reserve room: arrays then stay in the heap.
 *
 * A child of fork shares the pages: neither may change an array while the other reads it.
 *
 * Thread-safety: distinct arrays may be used by distinct threads; only the work of the first one that spills
 * is watched. */

/* From now on arrays of `above` bytes or more spill, and about `resident` bytes of files stay in memory. */
void cw_spill_begin(size_t above, size_t resident);

/* As cw_array_reserve, for arrays that cw_spill_free frees. */
bool cw_spill_reserve(void *v_pointer, size_t *capacity, size_t count, size_t more, size_t size);

/* Frees an array of cw_spill_reserve, or of cw_array_reserve. NULL allowed. */
void cw_spill_free(void *v);

#endif
