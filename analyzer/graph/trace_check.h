/* trace_check.h - whether a trace that came from a file makes sense. */
#ifndef CW_TRACE_CHECK_H
#define CW_TRACE_CHECK_H

#include "../record/trace.h"
#include "../record/trace_fields.h"

/* Where a check failed. */
struct cw_trace_place {
    enum cw_section section;
    size_t index; /* SIZE_MAX: no single element is to blame */
};

/* Checks that every id refers to something, sub-buffers lie in their parents and parents come before their
 * children, accesses lie in their objects, and edges form no cycle. On failure `place` names the element and
 * `err` the fault (CW_ERR_FORMAT, CW_ERR_CYCLE, CW_ERR_NOMEM). */
enum cw_status cw_trace_check(const struct cw_trace *t, struct cw_trace_place *place, struct cw_error *err);

#endif
