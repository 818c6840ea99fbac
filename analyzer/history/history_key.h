/* history_key.h - the key by which the history knows a kernel: equal for run mode, which measures, and for
 * later questions about a trace. */
#ifndef CW_HISTORY_KEY_H
#define CW_HISTORY_KEY_H

#include "../io/identity.h"

/* A program of this source, built with these options (NULL: none); never nothing's, unless memory is out. */
struct cw_key cw_history_program(const char *source, const char *options);

/* Its kernel called `name`; likewise. */
struct cw_key cw_history_kernel(struct cw_key program, const char *name);

#endif
