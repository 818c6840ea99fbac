/* execute_state.h - the state that the parts of replay --execute share. Internal to execute*.c.
 *
 * One struct cw_exec lives for one cw_execute_run. Devices, contexts, queues, programs, kernels and samplers
 * are made once (execute_vendor.c); memory objects are made for every order, just before their first command,
 * and compared and released after their last (execute_memory.c), so that an order needs no more memory than
 * the program did. All functions return CW_OK or set `err`; cw_execute_vendor_finish and its like free their
 * objects. */
#ifndef CW_EXECUTE_STATE_H
#define CW_EXECUTE_STATE_H

#include <CL/cl.h>

#include "execute.h"

enum { CW_EXEC_DEVICES = 64 }; /* most devices of one machine */

struct cw_execute_context {
    cl_context handle;
    cl_uint device_count;
    cl_device_id *devices;    /* distinct vendor devices, device_count of them */
    cl_command_queue *queues; /* in-order, one per device */
};

struct cw_execute_memory {
    cl_mem handle;       /* NULL: not made yet, or released */
    void *host;          /* the tool's allocation behind a USE_HOST_PTR object */
    uint32_t uses;       /* roots: mentions by commands that run */
    uint32_t uses_left;  /* of them in the order that runs */
    bool named;          /* roots: a command that runs names it, or a part of it */
    bool addresses;      /* roots: commands may leave addresses there (execute_memory.c) */
    uint32_t next_child; /* roots and children: list of the objects made from the root, CW_NONE ends it */
};

/* The reference for one memory object or one read-back. Captured bytes lie in the data file; where the
 * results of trace order over undefined contents 0x00 differ from them, `first` holds those results. */
struct cw_execute_expect {
    uint8_t *first; /* NULL: as captured */
};

enum cw_execute_phase {
    CW_EXEC_FIRST, /* trace order, undefined contents are 0x00: keep the bytes that differ from the capture */
    CW_EXEC_SECOND, /* trace order, undefined contents are 0xa5: bytes that differ now are undefined, the rest
                       must be as captured */
    CW_EXEC_COMPARE /* any order, undefined contents are 0x00: must be as after CW_EXEC_FIRST */
};

struct cw_exec {
    const struct cw_trace *t;
    const struct cw_execute_options *o;
    struct cw_execute_report *r;
    uint8_t *data; /* the captured bytes, mapped read-only */
    uint64_t data_size;
    bool *runs;      /* per command: executed (else it never ran, or there is nothing to do) */
    uint32_t *rival; /* per command: of a launch a command that may write while it runs; else CW_NONE */
    bool stuck;      /* a launch does not end: its objects stay, and nothing waits for it any more */
    bool undefined;  /* some object has contents that the program did not define at creation */

    cl_device_id *devices;               /* per traced device */
    struct cw_execute_context *contexts; /* per traced context */
    cl_program *programs;                /* per traced program, NULL where not needed */
    cl_kernel *kernels;                  /* likewise */
    cl_sampler *samplers;                /* likewise */
    struct cw_execute_memory *memory;    /* per traced memory object */
    struct cw_execute_expect *memory_expect, *transfer_expect;

    enum cw_execute_phase phase;
    const uint32_t *order;    /* the running order, all commands */
    uint32_t position;        /* index in it of the command that runs */
    cl_command_queue current; /* the queue that may have unfinished commands */
    uint32_t pending;         /* how many, about */
    uint8_t *scratch;
    size_t scratch_size;
};

/* How a command type is run again. */
struct cw_execute_operation {
    uint32_t type;
    bool sends;   /* needs captured bytes */
    bool returns; /* gave bytes to the program: compared where they were captured */
    bool waives;  /* captured bytes may be missing (maps) */
    enum cw_status (*run)(struct cw_exec *x, uint32_t id, struct cw_error *err); /* NULL: nothing to do */
};

/* A part of a memory object, and its bytes without padding. */
struct cw_execute_part {
    uint32_t memory;
    enum { CW_EXEC_LINEAR, CW_EXEC_RECT, CW_EXEC_IMAGE } shape;
    uint64_t offset;               /* LINEAR */
    size_t origin[3], region[3];   /* RECT, IMAGE */
    size_t row_pitch, slice_pitch; /* RECT: of the buffer */
    uint64_t bytes;                /* in all, packed */
};

/* execute.c: what comes before the devices are used, and after; the data file is open in between. */
enum cw_status cw_execute_begin(struct cw_exec *x, struct cw_error *err);
void cw_execute_end(struct cw_exec *x);
/* Kernels print to standard output, which belongs to the report. Returns the descriptor that restores it,
 * -1 if that failed. */
int cw_execute_stdout_redirect(void);
void cw_execute_stdout_restore(int saved);

/* execute_check.c: fills x->runs, refuses commands that cannot be run again, and checks every blob against
 * the data file. */
enum cw_status cw_execute_check(struct cw_exec *x, struct cw_error *err);

/* execute_memory.c: finds the memory that may hold addresses of buffers. CW_ERR_UNSUPPORTED when the program
 * may have got such from a command, before one that follows them. Needs x->runs and x->memory. */
enum cw_status cw_execute_address_init(struct cw_exec *x, struct cw_error *err);
/* Of a part of a trace in which kernels follow such addresses. */
#define CW_EXECUTE_NO_PART                                                                                   \
    "a part of a trace whose kernels use addresses of buffers from memory cannot be run again"
/* The contents of the object may be addresses, which differ in each run. */
bool cw_execute_address_is_held(const struct cw_exec *x, uint32_t memory);

/* execute_vendor.c */
enum cw_status cw_execute_vendor_init(struct cw_exec *x, struct cw_error *err);
void cw_execute_vendor_finish(struct cw_exec *x);
/* "command 7 (CL_COMMAND_NDRANGE_KERNEL vadd)" in `text`, which is returned. */
const char *cw_execute_command_text(const struct cw_trace *t, uint32_t id, char *text, size_t size);
/* CW_OK for CL_SUCCESS, else CW_ERR_VENDOR with "command …: <call> failed with <code>". `id` CW_NONE: no
 * command. */
enum cw_status cw_execute_vendor_status(const struct cw_exec *x, uint32_t id, const char *call, cl_int code,
                                        struct cw_error *err);
/* Makes `queue` the one that takes the next command: waits for the one before, and once in a while for this
 * one. */
enum cw_status cw_execute_queue_use(struct cw_exec *x, cl_command_queue queue, struct cw_error *err);
/* The queue that stands for a command's; for host writes the first one of the memory object's context. */
cl_command_queue cw_execute_queue_of(const struct cw_exec *x, uint32_t id);

/* execute.c: x->rival, and the wait for a launch that has one. CW_ERR_LIMIT: it has not ended in many
 * times the time of the traced program; sets x->stuck. Takes over `event`, of the queue x->current. */
enum cw_status cw_execute_wait(struct cw_exec *x, uint32_t id, cl_event event, struct cw_error *err);

/* execute_command.c: the operation for a command type, NULL if it cannot be run again. */
const struct cw_execute_operation *cw_execute_operation_find(uint32_t type);
/* The part that a transfer, map, unmap or host write touches on the side that its operation sends to or
 * returns from. */
struct cw_execute_part cw_execute_part_of(const struct cw_trace *t, uint32_t id);
/* All of a memory object. */
struct cw_execute_part cw_execute_part_whole(const struct cw_trace *t, uint32_t memory);
/* Copies packed bytes between `host` and the part, and waits. */
enum cw_status cw_execute_part_read(struct cw_exec *x, cl_command_queue q, const struct cw_execute_part *p,
                                    void *host, uint32_t id, struct cw_error *err);

/* execute_memory.c */
enum cw_status cw_execute_memory_init(struct cw_exec *x, struct cw_error *err);
void cw_execute_memory_finish(struct cw_exec *x);
/* Calls `visit` for every mention of a memory object by a command (arguments, source, destination). */
void cw_execute_memory_mentions(const struct cw_trace *t, uint32_t id,
                                void (*visit)(void *data, uint32_t memory), void *data);
/* Before and after one order. Reset drops the remains of an aborted order. */
void cw_execute_memory_reset(struct cw_exec *x);
/* The vendor's object for `memory`, made now if need be. */
enum cw_status cw_execute_memory_use(struct cw_exec *x, uint32_t memory, cl_mem *handle,
                                     struct cw_error *err);
/* Command `id` is done with its objects: objects that no later command mentions are compared and released. */
enum cw_status cw_execute_memory_done(struct cw_exec *x, uint32_t id, struct cw_error *err);
/* At least `bytes` of scratch memory, NULL when memory is out. Valid until the next call. */
uint8_t *cw_execute_scratch(struct cw_exec *x, size_t bytes);

/* execute_compare.c: compares `bytes` at `got` with the reference as the phase demands; differences go to the
 * report. */
enum cw_status cw_execute_compare_memory(struct cw_exec *x, uint32_t memory, const uint8_t *got,
                                         uint64_t bytes, struct cw_error *err);
enum cw_status cw_execute_compare_readback(struct cw_exec *x, uint32_t id, const uint8_t *got, uint64_t bytes,
                                           struct cw_error *err);
/* "memory 3: 64 bytes differ, the first at offset 128 …" for a difference. */
const char *cw_execute_difference_text(const struct cw_trace *t, const struct cw_execute_difference *d,
                                       char *text, size_t size);

#endif
