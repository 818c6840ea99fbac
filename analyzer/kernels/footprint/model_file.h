/* model_file.h - models as JSON, so that a kernel which LLVM has read once is evaluated where there is no
 * LLVM.
 *
 * `clweave-footprint --models` prints such a file:
 *
 *   {"format":"clweave-footprint","version":1,"model_version":N,"models":[MODEL, ...]}
 *
 *   MODEL:
 *    {"kernel": name, "barriers","groups","prints","polls","anywhere","addresses": bool,
 *     "why_anywhere": reason or null, "rows": key or 0, "inexact": reason or null,
 *     "floats": enum cw_model_floats, or-ed,
 *     "args": [{"name","type": string, "kind": "global", ..., "bytes": n, "changed": bool,
 *               "placed","placed_reads": bool, "unknown_read","unknown_write": reason or null}],
 *     "nodes": [[operation, members as expr.h lists them], ...], operands before their users
 *     "guards": [[node, 0 or 1], ...],
 *     "loops": [[parent or -1, exits], ...], outer before inner
 *     "exits": [[loop, first guard, guards], ...],
 *     "accesses": [[arg, kind bits, offset node, bytes at most, bytes certain, count node, stride node,
 *                   first guard, guards, loop, result used, enum cw_merge, value node, doubt or null,
 *                   atomic operation], ...],
 *     "work": [[first guard, guards, loop, doubt 0 or 1, a count for each of enum cw_op], ...]}
 *
 * Every key is required and none other is allowed. A new member of struct cw_model goes into model_write.c
 * and model_read.c, and counts CW_MODEL_VERSION up: other versions are refused, so that a cache is simply
 * made anew. */
#ifndef CW_FOOTPRINT_MODEL_FILE_H
#define CW_FOOTPRINT_MODEL_FILE_H

#include "../../../sched/status.h"
#include "model.h"
#include "../../io/json_in.h"

#include <stdio.h>

/* Part of the key of any cache of models. */
#define CW_MODEL_VERSION 10

enum { CW_MODEL_MAX_KERNELS = 4096 }; /* in one file */

/* All kernels of a program. Once read nothing changes it, so any number of threads may use it at once. */
struct cw_model_set {
    struct cw_model *model;
    int n;
};

/* Writes the n models of `model` as one file, one line. CW_ERR_NOMEM; CW_ERR_CYCLE (a defect of the reader of
 * kernels: an expression that contains itself). Whether the stream took it tells its error flag. */
enum cw_status cw_model_write(const struct cw_model *model, int n, FILE *out, struct cw_error *err);

/* Reads the output of cw_model_write or clweave-footprint, n bytes at `text`; `name` is for messages. *set is
 * overwritten and, when CW_OK, the caller's to finish. Nothing in the text can do worse than be refused or
 * describe another kernel: indices, widths, order and counts are checked. Errors: CW_ERR_FORMAT with
 * position; CW_ERR_VERSION; CW_ERR_NOMEM; CW_ERR_UNSUPPORTED: the text is the error object of
 * clweave-footprint, whose message comes along. */
enum cw_status cw_model_set_read(struct cw_model_set *set, const char *name, const char *text, size_t n,
                                 struct cw_error *err);
void cw_model_set_finish(struct cw_model_set *set);

/* The model of a kernel, borrowed; NULL when there is none. */
const struct cw_model *cw_model_set_find(const struct cw_model_set *set, const char *kernel);

/* Shared by model_read.c and model_read.c only. */

/* All of these return false after an error, which `in` keeps. */

#endif
