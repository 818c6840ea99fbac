/* worker_ops.c - see core/worker_ops.h. */
#include "worker_ops.h"

const struct cw_run_worker_ops *cw_run_worker_ops;
