/* code_places.h - names of addresses in the traced program's code: source file and line where the program has
 * debug information (by libdw, loaded at run time), else function or module.
 *
 * The modules are read as they are on this machine now; nothing is asked for over the network. Thread-safety:
 * an object belongs to one thread. */
#ifndef CW_CODE_PLACES_H
#define CW_CODE_PLACES_H

#include "../record/trace.h"

struct cw_code_places; /* opaque */

/* For the modules of `t`, which must outlive it. NULL: out of memory. Opens no file yet. */
struct cw_code_places *cw_code_places_create(const struct cw_trace *t);
void cw_code_places_destroy(struct cw_code_places *p); /* NULL allowed */

enum { CW_CODE_PLACES_TEXT = 120 };

/* The place of the innermost call of `callsite`, in `text`, which is returned: "main.c:57", "main+0x1b",
 * "app+0x11b"; "" where nothing is known. NULL allowed for `p`. */
const char *cw_code_places_name(struct cw_code_places *p, struct cw_slice callsite,
                                char text[CW_CODE_PLACES_TEXT]);

#endif
