/* field_read_lists.h - parts of field_read.c: the lists of a command, and the common part of all readers of
 * members.
 */
#ifndef CW_FIELD_READ_LISTS_H
#define CW_FIELD_READ_LISTS_H

#include "../io/json_in.h"
#include "trace_fields.h"

/* Record that memory is out / that a list would not fit into a slice (2^32 - 1 elements, all of its kind
 * together). False after an error, like everything here. */
bool cw_field_no_memory(struct cw_json_in *in);
bool cw_field_fits(struct cw_json_in *in, size_t count);

bool cw_field_key_is(const char *key, size_t length, const char *word);
bool cw_field_read_u32(struct cw_json_in *in, uint32_t max, uint32_t *value);
/* A number or null (CW_NONE). */
bool cw_field_read_ref(struct cw_json_in *in, uint32_t *id);
/* "0a1b…" appended to t->bytes: at [*first, *first + *count). */
bool cw_field_read_digits(struct cw_json_in *in, struct cw_trace *t, size_t max, uint32_t *first,
                          size_t *count);

/* "args" of a command. */
bool cw_field_read_args(struct cw_json_in *in, struct cw_trace *t, struct cw_slice *s);
/* "reads" or "writes" of a command, mode says which; they share the slice. */
bool cw_field_read_accesses(struct cw_json_in *in, struct cw_trace *t, uint32_t mode, struct cw_slice *s);

#endif
