/* native_use.h - native commands that may still use a buffer: the vendor runs them on the host's bytes, in an
 * order that only events show, so no copy of the buffer may be made, and none may take its place, before they
 * are over. Lock held. */
#ifndef CW_RUN_NATIVE_USE_H
#define CW_RUN_NATIVE_USE_H

#include "../core/types.h"

/* A native command of `q` with this event of the vendor's may use the bytes. False: memory is out. */
bool cw_run_native_use_add(struct cw_run_native_uses *u, const struct cw_run_queue *q, cl_event event);

/* All of them are over. */
bool cw_run_native_use_is_over(struct cw_run_native_uses *u);

void cw_run_native_use_free(struct cw_run_native_uses *u);

#endif
