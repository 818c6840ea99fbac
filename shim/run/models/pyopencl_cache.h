/* pyopencl_cache.h - sources of binaries in pyopencl's cache.
 *
 * From their second run on, programs of pyopencl are made of binaries in the user's cache folder, beside
 * which pyopencl keeps the source. It gives each source a name of its own before it builds it, which is in
 * the binary, too. */
#ifndef CW_PYOPENCL_CACHE_H
#define CW_PYOPENCL_CACHE_H

#include <stddef.h>

/* The source that the binary was built of, with options that are not known, the caller's to free; NULL: it is
 * not there. Any thread, lock not held. */
char *cw_pyopencl_cache_source(const unsigned char *binary, size_t bytes);

#endif
