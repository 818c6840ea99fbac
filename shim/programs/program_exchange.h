/* program_exchange.h - hooks above those of a mode that dump programs, and replace them.
 * The mode sees what is injected as the program's own: its models, its caches and its trace are of that
 * text. */
#ifndef CW_PROGRAM_EXCHANGE_H
#define CW_PROGRAM_EXCHANGE_H

#include "../door/dispatch.h"

#include <stdint.h>
#include <stdbool.h>
#include <stddef.h>

/* Puts them into the filled table `hooks` of a mode that starts; does nothing without one of the options. */
void cw_program_exchange_install(struct cw_dispatch *hooks, const struct cw_options *options);

/* While a program with an injected text is made: the hash of its own text, else 0. Of the calling thread. */
uint64_t cw_program_exchange_replaced(void);

/* The texts of the program's programs as files that people read, change and give back.
 *
 * `--set dump_programs=DIR` writes them, `--set inject=DIR` takes them in place of the program's own. HASH is
 * the FNV-1a hash of what the program gave, as 16 digits: traces have it as source_hash. BUILD is the same
 * of the options of a build.
 *
 *   HASH.cl, HASH.spv, HASH.bin   source, IL, binary of the first device
 *   HASH-BUILD.options            the options of a build
 *   HASH.options                  of --set inject alone: options of every build that has no file of its own
 *   HASH-BUILD.log                of a dump alone: what the compiler said, a device after the other
 *
 * Files are written whole or not at all, for their owner alone. A file of this name that is there stays,
 * as a hash says its text; logs are written anew. Nothing here changes errno or raises a signal.
 * Thread-safe. */

/* Sources of binaries in pyopencl's cache.
 *
 * From their second run on, programs of pyopencl are made of binaries in the user's cache folder, or in the
 * one that build(cache_dir=...) names, beside which pyopencl keeps the source. It gives each source a name of
 * its own before it builds it, which is in the binary, too. Then it builds the binary with the options that
 * the source was built with. */

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
