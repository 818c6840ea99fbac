/* stream_model.h - what the models of a streamed program's kernels say: which bytes a launch reads,
 * writes, and writes surely. */
#ifndef CW_STREAM_MODEL_H
#define CW_STREAM_MODEL_H

#include "../../../analyzer/kernels/footprint/reach.h"
#include "stream_object.h"

struct cw_stream_launch {
    cl_uint dims;
    const size_t *offset, *global, *local; /* offset, local: may be NULL */
};

/* Has the models made beside the program, once for each build. `wait`: returns when they are there, or will
 * never be. Run mode's lock not held; without `wait` any of streams' locks may be. */
void cw_stream_model_want(struct cw_stream_program *p, bool wait);
/* It is gone. */
void cw_stream_model_forget(struct cw_stream_program *p);
/* It is built anew. `wait`: its models are wanted at once. Run mode's lock not held. */
void cw_stream_model_renew(struct cw_stream_program *p, bool wait);

/* What the launch may read and write; NULL: any byte of its arguments. Valid until the next call for `k`. One
 * thread at a time for a kernel. */
const struct cw_reach *cw_stream_model_reach(struct cw_stream_kernel *k, const struct cw_stream_launch *l);
/* A launch may wait for bytes that the host, or another queue, writes; by the text where there is no model.
 * One thread at a time for a kernel. */
bool cw_stream_model_may_poll(struct cw_stream_kernel *k);
void cw_stream_model_free_kernel(struct cw_stream_kernel *k);

#endif
