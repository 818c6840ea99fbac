/* kernel_text.h - prints the answers of clweave-footprint about kernels. */
#ifndef CW_KERNEL_TEXT_H
#define CW_KERNEL_TEXT_H

#include <jansson.h>
#include <stdio.h>

/* A kernel of a description: arguments, accesses with formulas, loops, how it may be cut, operations. */
void cw_kernel_print(FILE *out, const json_t *kernel);

/* Prints one launch of `kernel`: how it may be cut, the bytes that the work-group in its middle touches,
 * operations. `launch` is the description that was asked, `result` the answer to it. */
void cw_kernel_print_launch(FILE *out, const json_t *kernel, const json_t *launch, const json_t *result);

#endif
