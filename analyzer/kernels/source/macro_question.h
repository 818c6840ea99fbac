/* macro_question.h - asks a compiler of OpenCL C for its macros: a program without work whose kernels' names
 * tell.
 *
 * For each name that is defined there is a kernel whose name holds the text of the macro, if that is one
 * word. A question such as __has_builtin(x) is a name, too (tested_names.h), with the number 1 for yes. Of
 * OpenCL C's own constants that are no integers (M_PI) it is only asked whether they are there. */
#ifndef CW_MACRO_QUESTION_H
#define CW_MACRO_QUESTION_H

#include <stdbool.h>
#include <stddef.h>

#include "macro_value.h"

/* The kernel that is there in any case: bytes without its name do not say which others are. */
#define CW_MACRO_LAST "cw_last"

/* The compiler's output for the source: bytes in which the names of its kernels stand, be it among other
 * things (a list of names, an object file). The caller's to free; NULL: it does not build. */
typedef char *cw_macro_kernels(void *data, const char *source, size_t *bytes);

/* Fills values[0..n-1]. False: out of memory, or nothing builds. */
bool cw_macro_question(cw_macro_kernels *kernels_of, void *data, char *const *names, size_t n,
                       struct cw_macro_value *values);

/* Merges the answers of two compilers: values[] becomes CW_MACRO_OTHER where others[] differ. */
void cw_macro_agree(struct cw_macro_value *values, const struct cw_macro_value *others, size_t n);

#endif
