/* define_memory.h - the log's description of a memory object. Used by define.c; see cw_define there. */
#ifndef CW_DEFINE_MEMORY_H
#define CW_DEFINE_MEMORY_H

#include "recorder.h"

/* Fills `r` with what the vendor answers about `memory` (entry `o`) and commits it. */
void cw_describe_memory(struct cw_rec *r, struct cw_object *o, cl_mem memory);

#endif
