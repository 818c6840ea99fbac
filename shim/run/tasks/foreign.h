/* foreign.h - events of the vendor that managed commands wait for. Lock held. */
#ifndef CW_RUN_FOREIGN_H
#define CW_RUN_FOREIGN_H

#include "../core/global_lock.h"

/* Something has failed. PoCL 3.1 calls no callback of an event that fails, so all events that are waited for
 * are looked at. Lock held. */
void cw_run_foreign_look_at_failures(void);
/* `f` is one of those events from now on. The caller, or a thread that it waits for, ends with
 * cw_run_foreign_give. Lock held. */
void cw_run_foreign_follow(struct cw_run_foreign *f);

/* Those that the vendor does not know yet, linked by `next`. */
extern struct cw_run_foreign *cw_run_foreign_unknown;
static inline bool cw_run_foreign_is_due(void)
{
    return CW_UNLIKELY(cw_run_foreign_unknown != NULL) && !cw_run_global_lock_is_in_end();
}
/* cw_run_global_lock_give, and then has the vendor call back for these. */
void cw_run_foreign_give(void);
/* The same, and takes the lock again, if there is something that waits for a free lock; else false. */
bool cw_run_foreign_give_and_take(void);

#endif
