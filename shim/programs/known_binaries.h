/* known_binaries.h - from the binary that a program brings to the source and options it was built of.
 *
 * Programs that keep the binaries of their builds, to be quicker the next time (darktable, hashcat,
 * pyopencl), hand in bytes that show nothing of their kernels. When a program fetches a binary, its source
 * and options are stored under all of its bytes and the names and versions of its device and driver: the
 * same driver makes the same code of the same bytes. Two sources with the same binary are the same code
 * there, and one of them stands for both.
 *
 * Stored in `footprints` of the cache folder. Thread-safe and quiet: a failure means not known. */
#ifndef CW_KNOWN_BINARIES_H
#define CW_KNOWN_BINARIES_H

#include <stdbool.h>
#include <stdint.h>

#include "../door/dispatch.h"

struct cw_options;

enum { CW_KNOWN_BINARIES_DEVICES = 64 }; /* of one program, at most */

/* A build of a program for all of its devices. */
struct cw_known_build {
    uint32_t refs;
    bool linked;        /* of several programs: `source` is theirs, if it compiles (linked_source.h) */
    const char *source; /* with its headers in it; NULL: that which the vendor has, if it reads no file */
    char options[];
};
/* Copies both; one reference, the caller's. NULL: memory is out. */
struct cw_known_build *cw_known_build_new(const char *source, const char *options, bool linked);
void cw_known_build_drop(struct cw_known_build *b); /* NULL is ignored */

/* In a program's record: its latest build, NULL: not known. Reads it, with a reference for the caller, or
 * sets it, with the caller's reference: to NULL before a build begins, as the program's callback of that may
 * fetch binaries. */
typedef struct cw_known_build *cw_known_latest;
struct cw_known_build *cw_known_build_read(const cw_known_latest *at);
void cw_known_build_set(cw_known_latest *at, struct cw_known_build *b);
/* The build has been for all devices that the program has. `n`: of the call, 0: all. */
bool cw_known_build_is_whole(cl_program program, cl_uint n);

/* Once per mode, before the others; without it the other functions store and find nothing. Does nothing with
 * --history off, or --set footprints=off. */
void cw_known_binaries_start(const struct cw_options *options);

/* The program has fetched the binaries of `program`, whose latest build is `b` (NULL: not known):
 * clGetProgramInfo has filled `to` of `capacity` bytes. It stores nothing of a source with a date in it. */
void cw_known_binaries_fetched(const struct cw_known_build *b, cl_program program, size_t capacity,
                               const void *to);

/* The same of a program whose record has its latest build `at`, with the call itself, by `ask`. It
 * stores nothing where another build has begun meanwhile. errno is preserved. */
cl_int cw_known_binaries_fetch(const cw_known_latest *at, __typeof__(clGetProgramInfo) *ask,
                               cl_program program, size_t capacity, void *to, size_t *bytes);

/* The build that all these binaries are from, with its source, and a reference for the caller. NULL: not
 * known, or their builds differ. */
struct cw_known_build *cw_known_binaries_find(cl_uint n, const cl_device_id *devices, const size_t *bytes,
                                              const unsigned char *const *binaries);

void cw_known_binaries_after_fork(void);

#endif
