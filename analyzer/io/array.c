/* array.c - arrays that grow. */
#include "array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool cw_array_reserve(void *v_pointer, size_t *capacity, size_t count, size_t more, size_t size)
{
    void *v;
    size_t wanted;

    memcpy(&v, v_pointer, sizeof v); /* v_pointer is the address of some T *, read without punning */
    if (more > SIZE_MAX / size - count)
        return false;
    if (!v || count + more > *capacity) { /* never NULL behind this: NULL + 0 is undefined, too */
        wanted = *capacity + *capacity / 2 + 16;
        if (wanted < count + more)
            wanted = count + more;
        if (wanted > SIZE_MAX / size)
            return false;
        v = realloc(v, wanted * size);
        if (!v)
            return false;
        memcpy(v_pointer, &v, sizeof v);
        *capacity = wanted;
    }
    if (more)
        memset((char *)v + count * size, 0, more * size);
    return true;
}
