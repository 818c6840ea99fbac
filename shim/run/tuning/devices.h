/* devices.h - on which devices a command may run now: where that is legal, and its program is built for it.
 */
#ifndef CW_RUN_DEVICES_H
#define CW_RUN_DEVICES_H

#include "../core/types.h"

/* Bit l: the command may run on worker l. Asks the workers for programs that are not there, and for
 * builds once the program is worth that. Lock held. */
uint64_t cw_run_devices_allowed(const struct cw_run_task *t);

#endif
