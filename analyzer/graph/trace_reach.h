/* trace_reach.h - which bytes the launches of a trace reach, by the models of their kernels. */
#ifndef CW_TRACE_REACH_H
#define CW_TRACE_REACH_H

#include "../kernels/footprint/reach.h"
#include "../kernels/models/program_models.h"
#include "../record/trace.h"

/* How to ask the devices of a context of the trace; see struct cw_models_vendor. NULL: they are not asked. */
typedef bool cw_trace_ask(const struct cw_trace *t, uint32_t context, const char *options, char *const *names,
                          size_t n, struct cw_macro_value *values);

struct cw_trace_reach {
    struct cw_program_reach **program; /* by program; NULL: no models */
    struct cw_reacher **kernel;        /* by kernel; NULL: touches its buffers whole */
    size_t programs, kernels;
    size_t analysed;         /* programs with models */
    struct cw_error missing; /* why programs have none; the first reason of all */
    struct cw_reach_arg *args;
    struct cw_image_shape *shapes; /* of the images among them */
    uint32_t max_args;
};

/* The layout in which the graph takes an image: its pixels in their order, row by row, with the pitches of
 * the buffer that it is made from. False: it has none, as some of its sizes are not known, or it has levels,
 * samples, another image below it, or memory of the program's. */
bool cw_trace_image_shape(const struct cw_trace *t, uint32_t memory, struct cw_image_shape *shape);

/* Gets the models of all programs whose source is recorded and that were built once from that alone. A
 * program without models is no error. CW_ERR_NOMEM. Finish it either way. Blocks all signals of the calling
 * thread meanwhile. */
enum cw_status cw_trace_reach_init(struct cw_trace_reach *r, const struct cw_trace *t,
                                   struct cw_models_source *source, cw_trace_ask *ask, struct cw_error *err);
void cw_trace_reach_finish(struct cw_trace_reach *r);

/* The bytes that the launch `k` of the trace reaches, and the pixels of images with a shape (others have no
 * pieces); NULL: all of its buffers and images. Valid until the next call. */
const struct cw_reach *cw_trace_reach_launch(struct cw_trace_reach *r, const struct cw_trace *t,
                                             const struct cw_command *k);

/* `k` as reach.h wants it; its arguments are valid until the next call. False: nothing can be said of it, or
 * no memory. */
bool cw_trace_reach_describe(struct cw_trace_reach *r, const struct cw_trace *t, const struct cw_command *k,
                             struct cw_reach_launch *l);

/* The model of a kernel of the trace, NULL: there is none. Lives as long as `r`. */
const struct cw_model *cw_trace_reach_model(const struct cw_trace_reach *r, const struct cw_trace *t,
                                            uint32_t kernel);

/* As cw_program_reach_says, for a kernel of the trace. */
bool cw_trace_reach_says(const struct cw_trace_reach *r, const struct cw_trace *t, uint32_t kernel,
                         bool *elsewhere, bool *addresses);

/* Facts about the vendors of a trace, by the names and versions that it has of them. Pure;
 * any thread. */

/* The language of a build without -cl-std in the context (source/cl_language.h): the latest of those of its
 * devices. */
int cw_trace_vendor_language(const struct cw_trace *t, uint32_t context);

#endif
