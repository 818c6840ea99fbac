/* joined_source.h - an OpenCL C source with its headers in it, as a build with given options reads them. */
#ifndef CW_JOINED_SOURCE_H
#define CW_JOINED_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "../../../sched/status.h"

/* Whether a build of `source` with `options` (NULL allowed) may read other files, or ask for them:
 * has_include of cl_source.h. True, too, when memory is out. */
bool cw_joined_source_is_needed(const char *source, const char *options);

/* The word in place of an #include whose file is not known. The text around it compiles nowhere. */
#define CW_UNREAD_HEADER "cw_unread_header"

/* The source with the files in place of their #include (header_files.h: -I folders of `options`, NULL
 * allowed, and the working directory), comments and line numbers gone; it then stands for itself, wherever it
 * is built. The caller's to free. NULL: CW_ERR_UNSUPPORTED when it is not certain which text is meant (a
 * header that is not found or found twice, a macro that names it, __LINE__ and the like, a CPATH in the
 * environment), CW_ERR_NOMEM. Reads files. Any thread. */
char *cw_joined_source(const char *source, const char *options, struct cw_error *err);

/* The same with the headers of a clCompileProgram: name[i], as the source includes it, has text[i]. */
char *cw_joined_source_given(const char *source, const char *options, const char *const *name,
                             const char *const *text, size_t n, struct cw_error *err);

#endif
