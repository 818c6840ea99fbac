/* printable.h - text of others on a terminal: names and messages from traces, graphs, kernel sources and
 * drivers may hold control characters, which a terminal obeys.
 *
 * Printable are all characters of UTF-8 but the controls (U+0000 to U+001F without tab and newline, U+007F
 * to U+009F). A byte that belongs to no character is not printable either: some terminals read it as
 * Latin-1, whose controls are single bytes. */
#ifndef CW_PRINTABLE_H
#define CW_PRINTABLE_H

#include <stddef.h>
#include <stdio.h>

/* Bytes of the printable character at s[0 .. n - 1], n > 0; 0: there is none. */
size_t cw_printable_length(const char *s, size_t n);

/* Replaces unprintable characters by '?', in place. */
void cw_printable_clean(char *text, size_t n);

/* A stream that writes to descriptor `fd`, and replaces unprintable characters by JSON's escapes: \u001b for
 * the character U+001B; \x9b for the byte 0x9B alone. Line-buffered on a terminal. Closing it leaves `fd`
 * open. NULL: out of memory. */
FILE *cw_printable_stream(int fd);

#endif
