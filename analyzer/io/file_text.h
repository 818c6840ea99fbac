/* file_text.h - the bytes of a file: mapped when it is a regular file, read otherwise (a pipe). */
#ifndef CW_FILE_TEXT_H
#define CW_FILE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "../../sched/status.h"

struct cw_file_text {
    const char *text; /* not NUL-terminated; "" for an empty file */
    size_t length;
    bool mapped;
    char *owned; /* the text, when not mapped */
};

/* CW_ERR_IO when the file cannot be read (missing, no permission, a folder), CW_ERR_NOMEM. */
enum cw_status cw_file_text_open(struct cw_file_text *f, const char *path, struct cw_error *err);

/* Tells the system that bytes before `done` will not be needed soon, so that reading a large file once does
 * not hold all of it in memory. They can still be read. */
void cw_file_text_release(const struct cw_file_text *f, size_t done);

void cw_file_text_close(struct cw_file_text *f);

#endif
