/* expanded_macros.h - uses of plain macros in function bodies, replaced by their text.
 *
 * The result is the same program to a preprocessor, and the steps that read tokens (rows/rewrite_rows.h)
 * see what subscripts and conditions say. A macro is plain when it has one definition, by #define or by a
 * build option, that is in no conditional but those that guard a header, is never undefined, has neither #
 * nor ## nor "...", and stands for plain macros at most, itself not
 * among them. Definitions that nothing uses any more go. All other macros, and what
 * stands in their parentheses, stay. */
#ifndef CW_EXPANDED_MACROS_H
#define CW_EXPANDED_MACROS_H

/* `source`: headers stand in it (inlined_headers.h). `options`: those of the build, NULL: none. The
 * caller's to free; NULL: memory is out. Lines keep their numbers. Linear time but for the length of the
 * result, which is the source itself where it would be longer than CW_EXPANDED_MOST bytes. Thread-safe. */
char *cw_expanded_macros(const char *source, const char *options);

enum { CW_EXPANDED_MOST = 4 << 20 };

#endif
