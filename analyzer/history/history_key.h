/* history_key.h - by which number the history knows a kernel: equal for run mode, which measures, and for whoever asks
 * later, of a trace. */
#ifndef CW_HISTORY_KEY_H
#define CW_HISTORY_KEY_H

#include <stdint.h>

/* A program of this source, built with these options (NULL: none); never 0. */
uint64_t cw_history_program(const char *source, const char *options);

/* Its kernel called `name`; never 0. */
uint64_t cw_history_kernel(uint64_t program, const char *name);

#endif
