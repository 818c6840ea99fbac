/* foreign.h - events of the vendor that managed commands wait for. Lock held. */
#ifndef CW_RUN_FOREIGN_H
#define CW_RUN_FOREIGN_H

#include "../core/types.h"

/* Something has failed. PoCL 3.1 calls no callback of an event that fails, so all events that are waited for
 * are looked at. Lock held. */
void cw_run_foreign_look_at_failures(void);
/* `f` is one of those events from now on. Lock held. */
void cw_run_foreign_follow(struct cw_run_foreign *f);

#endif
