/* linked_source.h - programs that were compiled apart and linked, as one OpenCL C source that means the same.
 *
 * The sources one behind the other are that, if none sees another one's own definitions. Their common
 * beginning (common headers) stands there once. Uncertain cases are refused: a macro of one whose name occurs
 * in another, a function of one whose name a later one mentions without declaring it (it means a built-in
 * function, beside which clang lets one of other parameters stand), pasted names, pragmas that last,
 * overloaded functions. Names that two of them declare for themselves (static functions, types) clash when
 * that is compiled: its user must see it compiled once. (C11 5.1.1.2, 6.2.2, 6.9) */
#ifndef CW_LINKED_SOURCE_H
#define CW_LINKED_SOURCE_H

#include <stddef.h>

#include "../../../sched/status.h"

/* `unit`: n >= 1 sources with their headers in them (header_files.h), all compiled with the same `options`
 * (NULL: none). The caller's to free; one alone is a copy. NULL: CW_ERR_UNSUPPORTED, with the reason, or
 * CW_ERR_NOMEM. Any text is accepted; O(bytes) but for macros, O(macros * bytes). Thread-safe. */
char *cw_linked_source(const char *const *unit, size_t n, const char *options, struct cw_error *err);

#endif
