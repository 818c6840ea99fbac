/* opaque.h - memory objects that run mode does not manage. */
#ifndef CW_RUN_API_OPAQUE_H
#define CW_RUN_API_OPAQUE_H

#include "../core/types.h"

/* The memory object of a creation function that we do not manage; `why`: for launches that get it, and
 * commands on it. Lock not held. */
cl_mem cw_run_opaque(cl_mem memory, enum cw_run_reason why);

#endif
