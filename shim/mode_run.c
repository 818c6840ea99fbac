/* mode_run.c - recording and scheduling. Until the executor exists every call goes straight on, as in mode
 * off. */
#include "dispatch.h"

const struct cw_mode cw_mode_run = {.name = "run"};
