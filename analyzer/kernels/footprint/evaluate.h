/* evaluate.h - launch files: all their launches and tiles, evaluated and reported. */
#ifndef CW_FOOTPRINT_EVALUATE_H
#define CW_FOOTPRINT_EVALUATE_H

#include "../../../sched/status.h"
#include "model.h"

#include <jansson.h>

/* Finds or makes the model of a kernel: *m is the finder's. CW_ERR_NOTFOUND when there is no such kernel. */
typedef enum cw_status cw_evaluate_find(void *context, const char *kernel, const struct cw_model **m,
                                        struct cw_error *err);

/* Evaluates the launch file at `path` (README.md beside this file) and appends one object per launch to
 * `results`. `time`: adds how long a tile takes. Errors: CW_ERR_FORMAT, with the file's name; CW_ERR_NOMEM;
 * those of `find`. */
enum cw_status cw_evaluate_file(const char *path, cw_evaluate_find *find, void *context, bool time,
                                json_t *results, struct cw_error *err);

#endif
