/* source.h - properties of kernels that their program's source shows. */
#ifndef CW_SOURCE_H
#define CW_SOURCE_H

#include "../door/dispatch.h"

/* The strings of clCreateProgramWithSource as one text, the caller's to free; it ends at the first NUL: PoCL
 * reads no further, also where a length counts a NUL, and where other strings follow
 * (test/vendor/source_nul.c). NULL: memory is out. Any thread. */
char *cw_source_join(cl_uint count, const char **strings, const size_t *lengths);

bool cw_source_is_manageable(const char *source, const char *options); /* any thread */
/* Another build of the same text may be another program: it says when it was built. Any thread. */
bool cw_source_is_dated(const char *source, const char *options);
/* Source and options (NULL allowed) say all that a build makes of them: it reads or asks for no file, has no
 * date in it, and no kernel prints. Any thread. */
bool cw_source_says_all(const char *source, const char *options);

/* Options by which a compiler may choose among results, by the code around an operation: another form of a
 * kernel, or its code for another local size, may come to other bits (test/runmode/varies.c). NULL: none. Any
 * thread. */
bool cw_source_results_vary(const char *options);

/* No option lets a compiler fuse operations, leave denormal numbers out, or choose among results. Any
 * thread. */
bool cw_source_rounds_plainly(const char *options);

/* Something in the text may have effects that no argument of a kernel shows, be it in code that is not
 * compiled. `traits`: of a device of the program's context. Any thread. */
struct cw_cl_source;
bool cw_source_may_hide(const struct cw_cl_source *s, const char *options, uint32_t traits);

/* A kernel in the text may wait in a loop for memory that others write while it runs, be it in code that is
 * not compiled. `options`: NULL: none. Any thread. */
bool cw_source_may_poll(const struct cw_cl_source *s, const char *options);
/* Atomic operations, fences or volatile accesses are in the text. Any thread. */
bool cw_source_watches(const struct cw_cl_source *s);

/* An attribute fixes a kernel's local size, or asks for one; a kernel can see its local size or its
 * work-group. True, too, where macros paste names together. Any thread. */
bool cw_source_fixes_size(const struct cw_cl_source *s);
bool cw_source_sees_groups(const struct cw_cl_source *s);

#endif
