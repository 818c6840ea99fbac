/* kernel.h - parts of clweave kernel. */
#ifndef CW_KERNEL_H
#define CW_KERNEL_H

#include <jansson.h>
#include <stdio.h>

#include "../../sched/status.h"

/* Asks clweave-footprint about a kernel file. */

/* Runs clweave-footprint (found as the library finds it: program_models.h) with the NULL-ended `words` and
 * waits; it ends by itself at its deadline. *answer gets a new reference to its answer. CW_ERR_NOTFOUND: it
 * is not there; CW_ERR_IO: it cannot be started; CW_ERR_FORMAT: the file is no good, with its words, or it
 * said nothing. */
enum cw_status cw_kernel_ask(const char *const *words, json_t **answer, struct cw_error *err);

/* Prints the answers of clweave-footprint about kernels. */

/* A kernel of a description: arguments, accesses with formulas, loops, how it may be cut, operations. */
void cw_kernel_print(FILE *out, const json_t *kernel);

/* Prints one launch of `kernel`: how it may be cut, the bytes that the work-group in its middle touches,
 * operations. `launch` is the description that was asked, `result` the answer to it. */
void cw_kernel_print_launch(FILE *out, const json_t *kernel, const json_t *launch, const json_t *result);

/* The source that a file becomes when its kernels are to run as tiles of a launch. */

/* Prints the file as kernels/rewrite/rewrite.h rewrites it, built with `options` (not NULL), with the forms
 * for rows that clweave-footprint bears out, when it is there. Returns CW_OK; CW_ERR_UNSUPPORTED when it is
 * refused, with the reason; CW_ERR_IO; CW_ERR_NOMEM. */
enum cw_status cw_kernel_print_rewritten(const char *path, const char *options, FILE *out,
                                         struct cw_error *err);

#endif
