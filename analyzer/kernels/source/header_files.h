/* header_files.h - the headers that a program's #include may name: those given to clCompileProgram and files
 * on the -I paths of its build options. Answers only when there is no doubt which text is meant: all files of
 * a name that the compiler could find (folder of the including header, -I folders, working directory) must
 * have the same contents. */
#ifndef CW_HEADER_FILES_H
#define CW_HEADER_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "../../../sched/status.h"

struct cw_header_text {
    char *name; /* as included, or a path */
    char *text; /* NULL: there is no such file */
    bool given; /* by clCompileProgram */
};
struct cw_header_files {
    char **folder;
    size_t folders, folder_capacity;
    struct cw_header_text *v;
    size_t count, capacity;
};

/* Takes the -I folders of build options (NULL: none), those in quotes with and without them, and the working
 * directory. False: memory is out, or a path has other quotes or blanks. Finish it either way. */
bool cw_header_files_init(struct cw_header_files *h, const char *options);
/* A header of clCompileProgram, copied. False: memory is out. */
bool cw_header_files_add(struct cw_header_files *h, const char *name, const char *text);
/* The text of a header, until finish; NULL: none, several that differ, not a regular file below 4 MiB, or
 * memory is out. Reads files; never blocks on pipes or devices. */
const char *cw_header_files_read(struct cw_header_files *h, const char *name, const char *includer);
void cw_header_files_finish(struct cw_header_files *h);

/* Headers put in place of their #include, as the preprocessor would, but in all branches.
 *
 * A header with #pragma once gets a guard instead. A header that includes itself is only followed when a
 * guard makes the second time empty. */

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

/* An OpenCL C source with its headers in it, as a build with given options reads them. */

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
