/* spread_read.h - reads of the program straight from the memories that have the bytes: each piece goes from
 * the device that has it to the program's memory, and not by way of the program's own device. Where bytes are
 * valid (memory/spread.h) stays as it is. */
#ifndef CW_RUN_SPREAD_READ_H
#define CW_RUN_SPREAD_READ_H

#include "../core/types.h"

/* Such a read: a CW_RUN_COPY of one row from a buffer to memory of the program, which is `apart`. It needs no
 * device: a thread that waits for it runs it also while its worker runs another command. */
static inline bool cw_run_spread_read_is(const struct cw_run_task *t)
{
    return t->work == CW_RUN_COPY && t->apart;
}

/* Does it, and returns its status; lock not held. */
cl_int cw_run_spread_read(struct cw_run_task *t);

/* Bytes [low, high) of the buffer may be in other devices' memories when the commands so far are over, and
 * are so many that such a read gains. Lock held. */
bool cw_run_spread_read_pays(const struct cw_run_region *r, uint64_t low, uint64_t high);

#endif
