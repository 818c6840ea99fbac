/* model_internal.h - shared by model_read.c and model_set.c only. */
#ifndef CW_FOOTPRINT_MODEL_INTERNAL_H
#define CW_FOOTPRINT_MODEL_INTERNAL_H

#include "../../io/json_in.h"
#include "model_file.h"

/* All of these return false after an error, which `in` keeps. */

/* Room for one more element, of at most `max`, in the array that the pointer at `v` points to. */
bool cw_model_read_room(struct cw_json_in *in, void *v, int n, int *capacity, size_t size, int max);
/* A string into *out, malloc'd; the earlier one is freed. */
bool cw_model_read_text(struct cw_json_in *in, char **out);
/* One model into `m`, which is initialised; the caller finishes it in any case. */
bool cw_model_read_one(struct cw_json_in *in, struct cw_model *m);

bool cw_model_same_text(const char *a, size_t n, const char *b);

#endif
