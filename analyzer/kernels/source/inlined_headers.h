/* inlined_headers.h - headers put in place of their #include, as the preprocessor would, but in all branches.
 *
 * A header with #pragma once gets a guard instead. A header that includes itself is only followed when a
 * guard makes the second time empty. */
#ifndef CW_INLINED_HEADERS_H
#define CW_INLINED_HEADERS_H

#include <stdbool.h>
#include <stddef.h>

enum { CW_INLINED_REASON = 256, CW_INLINED_MAX_BYTES = 16 << 20 };

/* Questions and results of one inlining. The caller fills the first three members and zeroes the rest. */
struct cw_inlined {
    /* Returns the text of `#include "name"` or <name> in unit `unit`; `includer` is the header that includes
     * it, NULL for the source itself. The text stays valid until cw_inlined_headers returns. NULL: the header
     * is not known for certain, and the source is refused. A NULL function refuses every #include. */
    const char *(*read_header)(void *context, size_t unit, const char *name, const char *includer);
    void *context;
    size_t unit;
    char *reason; /* CW_INLINED_REASON bytes, "": why the source is refused; a reason that is there stays */
    bool nomem;   /* memory is out */
    bool inlined; /* headers stand in the result: lines have other numbers */
};

/* The source with its headers in it; the caller frees it. NULL: refused, with in->reason, or in->nomem.
 * Linear time. Thread-safe for different `in`. */
char *cw_inlined_headers(struct cw_inlined *in, const char *source);

#endif
