/* stream_need.h - the bytes of a buffer that a command may write, and those that must be there before it. The
 * order of the command's queue guards all of it. */
#ifndef CW_STREAM_NEED_H
#define CW_STREAM_NEED_H

#include "stream_enqueue.h"

/* Appends both to p->span, by the model of a launch where there is one; all of the buffer where they do not
 * fit. */
void cw_stream_need_find(struct cw_stream_picks *p, const struct cw_stream_use *t,
                         const struct cw_stream_memory *m);
/* p->span from `first` on: the command writes, and needs nothing of what is there. */
bool cw_stream_need_none(const struct cw_stream_picks *p, uint32_t first);

#endif
