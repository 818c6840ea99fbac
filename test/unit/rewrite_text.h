/* rewrite_text.h - for unit tests of the rewriter, behind cmocka.h: what stands in its results. */
#ifndef CW_TEST_REWRITE_TEXT_H
#define CW_TEST_REWRITE_TEXT_H

#include <stdio.h>
#include <string.h>

#include "../../analyzer/kernels/rewrite/rewrite.h"
#include "../../analyzer/kernels/rows/rewrite_rows.h"

#define P "__cw_tile __cw_t __attribute__((__unused__))" /* the hidden parameter */

/* All pieces of `expect`, with '|' between them, must be in `text`; `why` names the case. */
static inline void expect_text(const char *why, const char *text, const char *expect)
{
    char piece[1024];

    for (const char *p = expect; *p;) {
        size_t length = strcspn(p, "|");
        snprintf(piece, sizeof piece, "%.*s", (int)length, p);
        if (!strstr(text, piece))
            fail_msg("%s: '%s' is not in:\n%s", why, piece, text);
        p += length + (p[length] == '|');
    }
}

#endif
