/* pyopencl_cache.h - sources of binaries in pyopencl's cache.
 *
 * From their second run on, programs of pyopencl are made of binaries in the user's cache folder, or in the
 * one that build(cache_dir=...) names, beside which pyopencl keeps the source. It gives each source a name of
 * its own before it builds it, which is in the binary, too. Then it builds the binary with the options that
 * the source was built with. */
#ifndef CW_PYOPENCL_CACHE_H
#define CW_PYOPENCL_CACHE_H

#include <stdbool.h>
#include <stddef.h>

struct cw_pyopencl_cache {
    const unsigned char *binary;
    size_t bytes;
    char *source; /* the result, the caller's to free; NULL: it is not there */
};

/* The binary is one of pyopencl's: its source may be found. */
bool cw_pyopencl_cache_may_have(const unsigned char *binary, size_t bytes);

/* Looks for the source of the binary: in the user's cache folder; then in the working folder, in those of
 * files that the command line names, and in their subfolders, as no call says which cache_dir is. Opens
 * files. Any thread. */
void cw_pyopencl_cache_search(struct cw_pyopencl_cache *s);

#endif
