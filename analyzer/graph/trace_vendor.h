/* trace_vendor.h - facts about the vendors of a trace, by the names and versions that it has of them. Pure;
 * any thread. */
#ifndef CW_TRACE_VENDOR_H
#define CW_TRACE_VENDOR_H

#include "../record/trace.h"

/* The language of a build without -cl-std in the context (source/cl_language.h): the latest of those of its
 * devices. */
int cw_trace_vendor_language(const struct cw_trace *t, uint32_t context);

#endif
