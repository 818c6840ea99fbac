/* text.h - text of files and of others: read, printed, and its places. */
#ifndef CW_TEXT_H
#define CW_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdarg.h>
#include <stdio.h>

#include "../../sched/status.h"

/* The bytes of a file: mapped when it is a regular file, read otherwise (a pipe). A byte order
 * mark of UTF-8 at its beginning is no part of the text. */

struct cw_file_text {
    const char *text; /* not NUL-terminated; "" for an empty file */
    size_t length;
    bool mapped;
    char *begin;  /* of the memory that holds the text; NULL: none */
    size_t bytes; /* of it, when mapped */
};

/* How many bytes a byte order mark takes at the beginning of a text; 0: there is none. */
size_t cw_file_text_mark(const char *text, size_t length);

/* CW_ERR_IO when the file cannot be read (missing, no permission, a folder), CW_ERR_NOMEM. */
enum cw_status cw_file_text_open(struct cw_file_text *f, const char *path, struct cw_error *err);

/* Tells the system that bytes before `done` will not be needed soon, so that reading a large file once does
 * not hold all of it in memory. They can still be read. */
void cw_file_text_release(const struct cw_file_text *f, size_t done);

void cw_file_text_close(struct cw_file_text *f);

/* The place of an error in a text, for messages: "<file>:<line>:<column>: <fault>". */

/* Sets `err` to CW_ERR_FORMAT, "<name>:<line>:<column>: " and the message; returns CW_ERR_FORMAT. */
enum cw_status cw_text_wrong(const char *name, const char *text, const char *at, struct cw_error *err,
                             const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Text of others on a terminal: names and messages from traces, graphs, kernel sources and
 * drivers may hold control characters, which a terminal obeys.
 *
 * Printable are all characters of UTF-8 but the controls (U+0000 to U+001F without tab and newline, U+007F
 * to U+009F). A byte that belongs to no character is not printable either: some terminals read it as
 * Latin-1, whose controls are single bytes. */

/* Bytes of the printable character at s[0 .. n - 1], n > 0; 0: there is none. */
size_t cw_printable_length(const char *s, size_t n);

/* Replaces unprintable characters by '?', in place. */
void cw_printable_clean(char *text, size_t n);

/* A stream that writes to descriptor `fd`, and replaces unprintable characters by JSON's escapes: \u001b for
 * the character U+001B; \x9b for the byte 0x9B alone. Line-buffered on a terminal. Closing it leaves `fd`
 * open. NULL: out of memory. */
FILE *cw_printable_stream(int fd);

#endif
