/* observer.c - the table that observer.h describes; api/mode_run.c sets it at the start. */
#include "observer.h"

const struct cw_run_observer *cw_run_observer;
