/* work_ops.c - see core/work_ops.h. */
#include "work_ops.h"

const struct cw_run_work_ops cw_run_work_nothing = {0};
