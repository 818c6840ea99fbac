/* file_text.h - the bytes of a file: mapped when it is a regular file, read otherwise (a pipe). A byte order
 * mark of UTF-8 at its beginning is no part of the text. */
#ifndef CW_FILE_TEXT_H
#define CW_FILE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "../../sched/status.h"

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

#endif
