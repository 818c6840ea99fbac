/* foresee.h - the programs of a run whose helpers have no binary of them yet, or that helpers do not begin
 * in: the builder makes what a later run with helpers will look for. */
#ifndef CW_RUN_FORESEE_H
#define CW_RUN_FORESEE_H

#include "../core/types.h"

/* A kernel of `p` is launched. Lock held. */
void cw_run_foresee_launch(struct cw_run_program *p);

/* At exit, threads stopped, lock not held: asks the builder, if the run was long enough for helpers to gain
 * something in a run like it. */
void cw_run_foresee_stop(void);

#endif
