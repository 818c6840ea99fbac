/* stand_in.h - what is kept of a build that a program makes in every run (shim/run/code/build_cache.h): how
 * often the vendor has made it, in what time, and the binary of a stand-in that answers in its place. */
#ifndef CW_STAND_IN_H
#define CW_STAND_IN_H

#include "../io/file_store.h"

#define CW_STAND_IN_NEVER UINT64_MAX /* builds, where no stand-in gives the program's answers */

struct cw_stand_in {
    uint64_t took_ns; /* the quickest of its builds by the vendor */
    uint64_t builds;
    uint64_t bytes; /* of the binary that follows; 0: none */
};

/* The one stored for `id`, malloc'ed for the caller; NULL: none. */
struct cw_stand_in *cw_stand_in_read(const struct cw_file_store *s, const struct cw_identity *id);

/* Its binary, or NULL. */
const unsigned char *cw_stand_in_binary(const struct cw_stand_in *a);

/* Stores `head` with head->bytes of `binary`. */
void cw_stand_in_write(struct cw_file_store *s, const struct cw_identity *id, const struct cw_stand_in *head,
                       const void *binary);

#endif
