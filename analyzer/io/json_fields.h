/* json_fields.h - reading small JSON files with messages that name place and fault.
 *
 * For graph and platform files, which fit in memory. Traces have a reader of their own.
 * `where` in every function is the path of the object that holds the key, e.g. "devices[2]"; "" is the top.
 */
#ifndef CW_JSON_FIELDS_H
#define CW_JSON_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "../../sched/status.h"

/* Reads `path` (or, when text is not NULL, `text`, with `path` only named in messages), which must hold one
 * JSON object, nothing behind it, whose "format" and "version" are the given ones. *root is the caller's
 * (json_decref). Errors: CW_ERR_IO (cannot be read), CW_ERR_FORMAT (with line and column), CW_ERR_VERSION. */
enum cw_status cw_json_load(const char *path, const char *text, const char *format, int version,
                            json_t **root, struct cw_error *err);

/* Reads `path`, which must hold one JSON object of any kind. Errors: CW_ERR_IO, CW_ERR_FORMAT (line, column).
 */
enum cw_status cw_json_load_any(const char *path, json_t **root, struct cw_error *err);

/* Member `key` of `object` as a number, finite. Absent: *value stays as it is when `optional`, else
 * CW_ERR_FORMAT. */
enum cw_status cw_json_get_number(const json_t *object, const char *where, const char *key, bool optional,
                                  double *value, struct cw_error *err);
/* ... as a whole number from 0 on. */
enum cw_status cw_json_get_count(const json_t *object, const char *where, const char *key, bool optional,
                                 uint64_t *value, struct cw_error *err);
/* ... as a string, which belongs to `object`. */
enum cw_status cw_json_get_string(const json_t *object, const char *where, const char *key, bool optional,
                                  const char **value, struct cw_error *err);
/* ... as true or false. */
enum cw_status cw_json_get_flag(const json_t *object, const char *where, const char *key, bool optional,
                                bool *value, struct cw_error *err);
/* ... as an array; *value borrows. */
enum cw_status cw_json_get_array(const json_t *object, const char *where, const char *key, bool optional,
                                 const json_t **value, struct cw_error *err);

/* CW_ERR_FORMAT when `object` is no object or has a key that is not in the NULL-ended list `keys`. */
enum cw_status cw_json_known_keys(const json_t *object, const char *where, const char *const *keys,
                                  struct cw_error *err);

/* Latency (rank 1) and bandwidth (rank 2) of graph and platform files: a number, or one per device or pair of
 * devices. With rank 2 null is infinite. *values is NULL for a number (then *one is set; it stays as it is
 * when the key is absent), else malloc'd, the caller's. */
enum cw_status cw_json_per_device(const json_t *object, const char *key, int rank, uint32_t devices,
                                  double *one, double **values, struct cw_error *err);

#endif
