/* header_files.h - the headers that a program's #include may name: those given to clCompileProgram and files
 * on the -I paths of its build options. Answers only when there is no doubt which text is meant: all files of
 * a name that the compiler could find (folder of the including header, -I folders, working directory) must
 * have the same contents. */
#ifndef CW_HEADER_FILES_H
#define CW_HEADER_FILES_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
