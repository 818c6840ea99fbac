/* context.h - contexts. */
#ifndef CW_RUN_API_CONTEXT_H
#define CW_RUN_API_CONTEXT_H

#include "../core/types.h"

/* A context has been made, any way. `given`: its devices; NULL: it is asked for them. Lock not held. */
void cw_run_context_made(cl_context context, const cl_device_id *given, cl_uint count);

#endif
