/* program_files.h - the texts of the program's programs as files that people read, change and give back.
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
#ifndef CW_PROGRAM_FILES_H
#define CW_PROGRAM_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Remembers the folders; NULL or "": none. Makes `dump`. Returns true when there is one. Called once,
 * before any other thread is. */
bool cw_program_files_start(const char *dump, const char *inject);

uint64_t cw_program_files_hash(const void *bytes, size_t n);

/* Writes a file of the dump; does nothing without --set dump_programs. `build`: 0 for a file of the program
 * alone. `again`: also when it is there. The first failure is told, and nothing is written from then on. */
void cw_program_files_dump(uint64_t hash, uint64_t build, const char *ending, const void *bytes, size_t n,
                           bool again);
bool cw_program_files_dumps(void);

/* The bytes of a file to inject, with a NUL behind them; *n: how many. NULL when there is none, when it is no
 * regular file, cannot be read (which is told) or is longer than 64 MiB. Free the result. */
char *cw_program_files_injected(uint64_t hash, uint64_t build, const char *ending, size_t *n);

#endif
