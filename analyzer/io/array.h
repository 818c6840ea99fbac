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

#endif
