/* event.h - events of managed commands, and user events. */
#ifndef CW_RUN_API_EVENT_H
#define CW_RUN_API_EVENT_H

#include "../core/types.h"

/* Answers a clGet...Info call with `value`. */
cl_int cw_run_event_answer(const void *value, size_t bytes, size_t capacity, void *to, size_t *bytes_ret);

/* Waits for the managed commands among the events; lock not held. */
void cw_run_event_wait_list(cl_uint n, const cl_event *list);

#endif
