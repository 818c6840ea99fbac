/* mode_trace.c - recording. */
#include "dispatch.h"

const struct cw_mode cw_mode_trace = {.name = "trace"};
