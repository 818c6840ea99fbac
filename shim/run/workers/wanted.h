/* wanted.h - what is wanted of a helper for launches to come: its context, and programs. */
#ifndef CW_RUN_WANTED_H
#define CW_RUN_WANTED_H

#include "../core/types.h"

/* Seeks or builds the last of `l->wanted`, of which there is one. Lock held; given up meanwhile. */
void cw_run_wanted_prepare(struct cw_run_worker *l);

/* Asks its worker for its context, which takes an NVIDIA GPU some .2 s. Lock held. */
void cw_run_wanted_context(struct cw_run_worker *l);

/* Makes it, as it was asked for. Lock held; given up meanwhile. */
void cw_run_wanted_open(struct cw_run_worker *l);

/* No thread does it any more: it gets neither. Lock held. */
void cw_run_wanted_nothing(struct cw_run_worker *l);

#endif
