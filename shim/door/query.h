/* query.h - questions about objects that several folders ask the vendor, and the form of an answer. Any
 * thread. */
#ifndef CW_QUERY_H
#define CW_QUERY_H

#include "dispatch.h"

/* The state of an event: CL_COMPLETE or less when it is over. Its error, which is negative, when it cannot be
 * asked. */
cl_int cw_query_status(cl_event event);
/* References that the vendor counts, 0 when it cannot be asked. */
cl_uint cw_query_context_references(cl_context context);
/* Answers a query of the program's, as clGet*Info does. */
cl_int cw_query_answer(const void *value, size_t bytes, size_t capacity, void *to, size_t *bytes_ret);

#endif
