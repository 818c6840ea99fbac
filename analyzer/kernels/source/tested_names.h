/* tested_names.h - the vendor's own macros on which the meaning of an OpenCL C source depends.
 *
 * Two compilers make the same program of a source if they agree on the names that its conditionals test, and
 * on the reserved names (__OPENCL_VERSION__, cl_khr_fp64, CL_VERSION_2_0 ...) that it uses. Names that the
 * source defines itself before it tests them, or that the options define, are the same for both; conditionals
 * that choose between pragmas of OpenCL's or #error only are harmless. A question in a conditional, such as
 * __has_builtin(popcount), counts as a name, beside __has_builtin itself; elsewhere its answer is not known.
 * (C11 6.10.1; OpenCL C 3.0, 6.12) */
#ifndef CW_TESTED_NAMES_H
#define CW_TESTED_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define CW_TESTED_NAMES_MAX 48

struct cw_tested_names {
    char *v[CW_TESTED_NAMES_MAX];    /* sorted, no two the same */
    bool given[CW_TESTED_NAMES_MAX]; /* an option defines it, which holds where the vendor does not */
    size_t n;
    bool dated;      /* __DATE__, __TIME__ or __TIMESTAMP__ is in it */
    bool unknowable; /* more names, an #include, __LINE__ and the like, or text that hides directives */
};

/* Reads `source` and `options` (NULL allowed). False: out of memory. Finish it either way. Any text is
 * accepted. */
bool cw_tested_names_init(struct cw_tested_names *names, const char *source, const char *options);
/* The length of the operator at the beginning of `name`, such as __has_builtin, of which *asked becomes what
 * stands in brackets behind it, NULL: nothing; 0: the name is no such question. */
size_t cw_tested_names_question(const char *name, const char **asked, size_t *length);
void cw_tested_names_finish(struct cw_tested_names *names);

#endif
