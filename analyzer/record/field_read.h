/* field_read.h - reads one object of a trace file by its field table. */
#ifndef CW_FIELD_READ_H
#define CW_FIELD_READ_H

#include "../io/json_in.h"
#include "trace_fields.h"

/* Reads the object at the reader's position into `element` (of table `fields`, size bytes; it is set to its
 * defaults first). Lists go to t's shared arrays. When has_id, "id" must be `index`. Unknown members are
 * skipped, members that come twice or are missing are errors. False after an error (in->err). */
bool cw_field_read_object(struct cw_json_in *in, struct cw_trace *t, const struct cw_field *fields,
                          void *element, size_t size, bool has_id, size_t index);

/* Reads the value of "version". False after an error; CW_ERR_VERSION: this clweave does not read it. */
bool cw_field_read_version(struct cw_json_in *in);

#endif
