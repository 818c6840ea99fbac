/* trace_fields.h - the trace file's objects as tables: one row per member says its name, place and kind. The
 * writer and the reader are both driven by them, so they cannot disagree; FORMAT.md says the same in words.
 */
#ifndef CW_TRACE_FIELDS_H
#define CW_TRACE_FIELDS_H

#include "trace.h"
#include "../io/json_in.h"

enum cw_field_kind {
    CW_F_U8,
    CW_F_U32,
    CW_F_U64,
    CW_F_I32,
    CW_F_HEX, /* uint64_t as "0x…": addresses, hashes */
    CW_F_BOOL,
    CW_F_STRING,      /* const char *, null when NULL */
    CW_F_REF,         /* uint32_t id in section `section`, null = CW_NONE */
    CW_F_ENUM,        /* one of `names` */
    CW_F_ENUM8,       /* the same in a uint8_t */
    CW_F_TYPE,        /* uint32_t, cw_trace_command_type_name */
    CW_F_TRIPLE,      /* uint64_t[3] */
    CW_F_RANGE,       /* uint64_t[3] of which work_dim count (struct cw_command only) */
    CW_F_LOCAL_RANGE, /* the same, null when local_null */
    CW_F_BLOB,        /* struct cw_blob as [offset, size] */
    CW_F_REF_LIST, /* struct cw_slice of uint32_t ids in section `section`; `array` says of which shared array
                    */
    CW_F_HEX_LIST, /* struct cw_slice of addresses */
    CW_F_ARGS,     /* struct cw_slice of args */
    CW_F_READS,    /* struct cw_slice of accesses: those that read */
    CW_F_WRITES,   /* those that write */
    CW_F_TRANSFER, /* uint32_t index into transfers */
    CW_F_PATTERN   /* struct cw_t_transfer's pattern as hexadecimal digits */
};

/* The arrays of a trace that ids refer to; also the keys of the top level. */
enum cw_section {
    CW_S_PROCESS,
    CW_S_PLATFORMS,
    CW_S_DEVICES,
    CW_S_CONTEXTS,
    CW_S_QUEUES,
    CW_S_MEMORY,
    CW_S_PROGRAMS,
    CW_S_KERNELS,
    CW_S_SAMPLERS,
    CW_S_MODULES,
    CW_S_COMMANDS,
    CW_S_EDGES,
    CW_S_PARTS, /* this and the next: written where there are some */
    CW_S_PLANS,
    CW_S_MOVES,
    CW_S_CALLS,
    CW_S_STALE,
    CW_S_COUNT
};

struct cw_field {
    const char *name;
    const char *key; /* ,"name": */
    uint8_t name_length;
    uint16_t offset;
    uint8_t kind;      /* enum cw_field_kind */
    uint8_t section;   /* of references */
    bool required;     /* the reader insists; the writer always writes it. Others are left out when they are
                          default */
    int default_value; /* of numbers, usually 0 */
    const char *const *names;
};

struct cw_section_def {
    const char *name;
    const struct cw_field *fields; /* ends with a NULL name; at most 64 */
    size_t array; /* offset in struct cw_trace of the {v, count, capacity}; unused for the process */
    size_t size;  /* of an element */
    bool has_id;  /* elements begin with "id": their index */
};

extern const struct cw_section_def cw_sections[CW_S_COUNT];
extern const struct cw_field cw_transfer_fields[];

/* The number of elements of a section. */
size_t cw_trace_section_count(const struct cw_trace *t, enum cw_section section);

/* Element i of a section, NULL when there is none. The process is element 0. */
void *cw_trace_section_element(const struct cw_trace *t, enum cw_section section, size_t i);

/* Sets an element to its fields' defaults. */
void cw_trace_fields_default(const struct cw_field *fields, void *element, size_t size);

/* Reads one object of a trace file by its field table. */

/* Reads the object at the reader's position into `element` (of table `fields`, size bytes; it is set to its
 * defaults first). Lists go to t's shared arrays. When has_id, "id" must be `index`. Unknown members are
 * skipped, members that come twice or are missing are errors. False after an error (in->err). */
bool cw_field_read_object(struct cw_json_in *in, struct cw_trace *t, const struct cw_field *fields,
                          void *element, size_t size, bool has_id, size_t index);

/* Reads the value of "version". False after an error; CW_ERR_VERSION: this clweave does not read it. */
bool cw_field_read_version(struct cw_json_in *in);

/* Parts of field_read.c: the lists of a command, and the common part of all readers of
 * members.
 */

#endif
