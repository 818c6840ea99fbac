/* kernel_helper.h - asks clweave-footprint about a kernel file. */
#ifndef CW_KERNEL_HELPER_H
#define CW_KERNEL_HELPER_H

#include <jansson.h>

#include "../../sched/status.h"

/* Runs clweave-footprint (found as the library finds it: program_models.h) with the NULL-ended `words` and
 * waits; it ends by itself at its deadline. *answer gets a new reference to its answer. CW_ERR_NOTFOUND: it
 * is not there; CW_ERR_IO: it cannot be started; CW_ERR_FORMAT: the file is no good, with its words, or it
 * said nothing. */
enum cw_status cw_kernel_ask(const char *const *words, json_t **answer, struct cw_error *err);

#endif
