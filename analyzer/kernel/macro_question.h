/* macro_question.h - asks a compiler of OpenCL C for its macros: a program without work whose kernels' names tell.
 *
 * For each name that is defined there is a kernel whose name ends in what the name stands for, if that is one word. */
#ifndef CW_MACRO_QUESTION_H
#define CW_MACRO_QUESTION_H

#include <stddef.h>

#include "program_models.h"

#define CW_MACRO_KERNELS_BYTES 8192

/* The names of the kernels of the program with this source, separated by semicolons, into kernels[CW_MACRO_KERNELS_BYTES];
 * false: it does not build. */
typedef bool cw_macro_kernels(void *data, const char *source, char *kernels);

/* Fills values[0..n-1]. False: out of memory, or nothing builds. */
bool cw_macro_question(cw_macro_kernels *kernels_of, void *data, char *const *names, size_t n, struct cw_macro_value *values);

/* What two compilers say as one: values[] becomes CW_MACRO_OTHER where others[] differ. */
void cw_macro_agree(struct cw_macro_value *values, const struct cw_macro_value *others, size_t n);

#endif
