/* trace.h - the in-memory model of one recorded process: its objects, its commands, and their dependences.
 *
 * A struct cw_trace is filled by the log reader (log_read.h) or the JSON reader (trace_read.h), completed by
 * the graph builder (graph_build.h), and read by every exporter and by replay. It is compact on purpose: a
 * trace of 10^6 commands fits in a few hundred megabytes. Variable-length parts of a command (arguments,
 * accesses, waits, call sites) are slices {first, count} of one array each, so that nothing is allocated per
 * command.
 *
 * Ids are indices into the arrays of this struct, count from 0, and never change; CW_NONE means "no such
 * thing". Strings are owned by the trace's arena (cw_trace_strdup). Times are nanoseconds of CLOCK_MONOTONIC
 * for host times and of the device's own profiling clock for device times; 0 means "not recorded".
 *
 * Thread-safety: none; one thread owns a trace, many may read it once it is complete. */
#ifndef CW_TRACE_H
#define CW_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../sched/status.h"
#include "../io/array.h"
#include "../kernels/source/access_mode.h"

#define CW_TRACE_FORMAT  "clweave-trace"
#define CW_TRACE_VERSION 1
#define CW_NONE          UINT32_MAX

/* A part [first, first+count) of one of the trace's shared arrays. */
struct cw_slice {
    uint32_t first, count;
};

/* A captured block of bytes in the trace's data file. size == 0: nothing was captured. */
struct cw_blob {
    uint64_t offset, size;
};

struct cw_t_process {
    const char *program; /* path of the executable */
    const char *command; /* full command line, arguments separated by one blank */
    const char *cwd;
    const char *host; /* node name */
    uint64_t pid, ppid;
    uint64_t start_realtime_ns; /* CLOCK_REALTIME when recording began */
    uint64_t start_ns, end_ns;  /* CLOCK_MONOTONIC when recording began / last record */
    uint64_t cpu_ns;         /* user and system time of its threads, until it ended by itself; 0: not known */
    bool complete;           /* the process ended normally and closed its log */
    bool run_mode;           /* run mode decided where and when commands ran (clweave run -o) */
    const char *stopped_why; /* recording stopped early: reason in words; else NULL */
    uint64_t recorder_ns;    /* time spent in recording, estimated; 0 unknown */
    uint64_t calls;          /* API calls seen, enqueues or not */
    uint64_t dropped_commands; /* older ones that --limit has dropped, waits included */
    uint64_t impossible_times; /* commands whose times of the vendor cannot be (command_facts.h) */
    bool all_calls;            /* the trace's calls are all that were made (--calls) */
    uint64_t times_every; /* one command in so many has device times, drawn by lot; 0: all were asked for */
    /* user events that the program made, and kept; events that nothing has used; events of commands that it
     * kept. 0 also where the program did not end by itself: then it is not known */
    uint64_t user_events, user_events_unreleased, unused_events, events_unreleased;
    /* of a part of a trace (graph/selection.h): the options that chose it, NULL for a whole trace; the
     * commands of the whole one; the time of the part, of CLOCK_MONOTONIC */
    const char *selection;
    uint64_t whole_commands, selected_from_ns, selected_to_ns;
    bool sliced; /* captured contents are those of the part's beginning and end (execute/execute.h) */
};

struct cw_t_platform {
    const char *name, *vendor, *version;
};
struct cw_t_device {
    uint32_t platform, parent; /* parent: CW_NONE or the device it was partitioned from */
    uint64_t type;             /* cl_device_type bits */
    const char *name, *version, *driver_version;
    uint32_t compute_units, max_clock_mhz;
    uint64_t global_mem_bytes, local_mem_bytes, max_work_group_size;
    bool host_unified;
};
/* `kept` of an object: the program had not released it when it ended by itself. */
struct cw_t_context {
    struct cw_slice devices; /* into device_ids */
    bool unreleased;
};
struct cw_t_queue {
    uint32_t context, device;
    uint64_t properties; /* cl_command_queue_properties bits */
    bool out_of_order, profiling, unreleased;
};
enum cw_mem_kind { CW_MEM_BUFFER, CW_MEM_SUBBUFFER, CW_MEM_IMAGE, CW_MEM_PIPE, CW_MEM_SVM };
struct cw_t_memory {
    enum cw_mem_kind kind;
    uint32_t context;
    uint32_t parent;     /* of a sub-buffer (or of an image made from a buffer), else CW_NONE */
    uint64_t offset;     /* of a sub-buffer in its parent, bytes */
    uint64_t size;       /* bytes; for images the bytes of all pixels without padding (0 unknown) */
    uint64_t flags;      /* cl_mem_flags as answered by the vendor */
    uint64_t host_ptr;   /* USE_HOST_PTR / SVM address, else 0 */
    uint32_t made;       /* with host_ptr: so many commands were recorded before it was made */
    uint32_t released;   /* likewise before the program's last release; 0: it lived to the end */
    uint32_t image_type; /* cl_mem_object_type, 0 for buffers */
    uint32_t channel_order, channel_type, element_bytes;
    uint64_t width, height, depth, array_size, row_pitch, slice_pitch;
    uint32_t mip_levels, samples;
    struct cw_blob initial; /* captured COPY_HOST_PTR / USE_HOST_PTR contents at creation */
    struct cw_blob final;   /* captured contents at the object's end (release or exit) */
    bool unreleased;
};
enum cw_program_kind {
    CW_PROGRAM_SOURCE,
    CW_PROGRAM_BINARY,
    CW_PROGRAM_IL,
    CW_PROGRAM_BUILTIN,
    CW_PROGRAM_LINKED
};
struct cw_t_program {
    enum cw_program_kind kind;
    uint32_t context;
    const char *source;    /* NULL unless kind is SOURCE and sources are recorded */
    const char *options;   /* of the last build; NULL if never built */
    const char *build_log; /* of the last build that failed; NULL if none did */
    const char *warnings;  /* the same of the last build that succeeded; NULL: the compiler said nothing */
    uint64_t source_hash;  /* FNV-1a 64 of the source or binary; recorded even with --set no_sources=1 */
    uint64_t
        injected_for; /* the same of the program's own text, which --set inject has replaced; 0: it has not */
    bool unreleased;
    bool rebuilt;          /* built with other options before: kernels may be of either build */
    struct cw_blob binary; /* that it was made of, captured (--capture-data) */
    struct cw_blob
        joined; /* its source with the headers of its last build in it, captured; none: not needed */
    struct cw_slice inputs; /* program ids linked or used as headers, into program_ids */
};
struct cw_t_kernel {
    uint32_t program;
    const char *name;
    uint32_t num_args;
    bool unreleased;
    /* as its vendor has compiled it for the first device of its program, 0 = not known; private: of a
     * work-item */
    uint32_t preferred_multiple;
    uint64_t max_work_group_size, local_bytes, private_bytes;
};

enum cw_arg_kind {
    CW_ARG_UNSET,
    CW_ARG_VALUE,
    CW_ARG_MEMORY,
    CW_ARG_LOCAL,
    CW_ARG_SVM,
    CW_ARG_SAMPLER,
    CW_ARG_QUEUE
};
struct cw_t_arg {
    uint32_t command_index; /* argument index in the kernel */
    enum cw_arg_kind kind;
    uint32_t memory; /* kind MEMORY: memory id, CW_NONE for a NULL buffer; kind SAMPLER: sampler id */
    uint32_t size;   /* bytes given to clSetKernelArg */
    uint64_t
        value;     /* kind VALUE, size <= 8: the bytes, little-endian, zero-extended; kind SVM: the address */
    uint32_t blob; /* kind VALUE, size > 8: offset of the bytes in `bytes`, else CW_NONE */
};
struct cw_t_sampler {
    uint32_t normalized, addressing, filter;
    bool unreleased;
};

/* Bytes [offset, offset+bytes) of memory object `memory`, as the command sees that object. */
struct cw_t_access {
    uint32_t memory;
    uint8_t mode;     /* enum cw_access_mode: the accesses that the command cannot be proven not to make */
    uint8_t declared; /* the same if every `const` and every CL_MEM_ flag were true; never more than mode */
    uint8_t
        commutes; /* class of atomic operations that may change places (reach.h, cw_reach_commute); 0: none */
    bool sure;    /* of a write: the command surely stores to all of these bytes */
    uint64_t offset, bytes;
};

/* A command's type is the specification's cl_command_type. Host actions that order commands are
 * pseudo-commands: they have no queue (or the finished one) and these types. */
enum cw_host_type {
    CW_HOST_FINISH = 0x10001, /* "clFinish": queue = the finished queue */
    CW_HOST_WAIT,             /* "clWaitForEvents": wait_list = the awaited commands */
    CW_HOST_USER_EVENT,       /* "clSetUserEventStatus": commands that wait on the user event wait on this */
    CW_HOST_FLUSH,            /* "clFlush": kept for timelines, orders nothing */
    CW_HOST_POLL, /* a clGetEventInfo that saw CL_COMMAND_EXECUTION_STATUS complete: orders like a wait */
    CW_HOST_WRITE /* "host write": with --capture-data, the program changed a USE_HOST_PTR object itself;
                   * a transfer says which bytes (dst, dst_offset, bytes, data); accesses as a write */
};

/* Parameters of transfers, only where the type has them. */
struct cw_t_transfer {
    uint32_t src, dst; /* memory ids, CW_NONE = host */
    uint64_t src_offset, dst_offset, bytes;
    uint64_t src_origin[3], dst_origin[3], region[3]; /* RECT and image commands */
    uint64_t src_row_pitch, src_slice_pitch, dst_row_pitch, dst_slice_pitch;
    uint64_t map_flags;    /* cl_map_flags of a map; of the matching map for an unmap */
    uint32_t map_command;  /* unmap: command id of the map it ends, else CW_NONE */
    uint64_t host_ptr;     /* host address given or (map) returned */
    uint64_t staged_bytes; /* that run mode sent through pinned memory: all of them; 0: the vendor did it */
    uint8_t pattern_bytes; /* fills: 1..128, else 0 */
    uint32_t pattern;      /* fills: offset of the pattern in `bytes` */
    /* captured: bytes written to the device, or bytes that a read returned to the program */
    struct cw_blob data;
};

struct cw_command {
    uint32_t type;   /* cl_command_type or enum cw_host_type */
    uint32_t queue;  /* CW_NONE for host pseudo-commands without one */
    uint32_t thread; /* small number, 0 = first thread seen */
    int32_t status;  /* the result of the enqueue; commands with an error touch nothing and order nothing */
    /* final execution status if seen (0 = CL_COMPLETE, negative = error), 1 = not seen */
    int32_t exec_status;
    bool blocking;         /* a blocking transfer or map: a host wait as well */
    bool has_event;        /* the program asked for the event */
    bool local_null;       /* kernels: local_work_size was NULL */
    bool event_unreleased; /* ... and had not released it when it ended by itself */
    bool unknown_access; /* touches memory that the recorder could not name (SVM pointers, native kernels) */
    bool elsewhere; /* kernels: may touch buffers of its context that are no argument; by the graph builder */
    bool addresses; /* kernels: may hand on where its buffers lie; likewise */
    uint8_t work_dim;
    uint32_t kernel;                                          /* CW_NONE unless a kernel */
    uint64_t global_size[3], local_size[3], global_offset[3]; /* unused dimensions are 1, 1, 0 */
    struct cw_slice args;                                     /* into args: every argument, in index order */
    struct cw_slice accesses;                                 /* into accesses: filled by the graph builder */
    /* into waits: command ids; an unset user event is its pseudo-command or CW_NONE */
    struct cw_slice wait_list;
    struct cw_slice callsite; /* into addresses: return addresses, innermost first */
    uint32_t transfer;        /* into transfers, CW_NONE if the type has none */
    uint32_t origin; /* its number in the trace that this is a part of; 0: its id (cw_trace_command_number) */
    uint64_t sequence;                               /* global order in which calls began */
    uint64_t call_begin_ns, call_end_ns;             /* host clock */
    uint64_t queued_ns, submit_ns, start_ns, end_ns; /* device clock, 0 = none */
    uint32_t device;   /* that run mode had it run on; CW_NONE: not known, usually its queue's */
    uint32_t stream;   /* of its queue, from 1 on, that run mode gave it to; 0: the queue had no streams */
    const char *whole; /* why run mode did not cut the launch over devices; NULL: it did, or never looked */
};

/* Work-groups [first_group, first_group + groups) along dimension `dim` of a launch that run mode has cut,
 * and where they ran. */
struct cw_t_part {
    uint32_t command, device; /* device: CW_NONE when it is not known */
    uint32_t dim;
    uint64_t first_group, groups; /* of a plan: 0 groups are all of them */
    uint64_t start_ns, end_ns;    /* device clock */
    uint32_t priority_group; /* that it ran in (sched/groups.h), from 1 on; 0: it was no tile of a group */
};

/* A copy between memories that run mode made: of a buffer's bytes, from where they were valid to where a
 * command was to find them. CW_NONE as a device is the host's memory. */
enum cw_move_why {
    CW_MOVE_NEEDED, /* a command that run mode ran was to touch them there */
    CW_MOVE_NATIVE, /* a command that went to the vendor was to find them at home */
    CW_MOVE_SPACE,  /* the device's memory was to hold another buffer */
    CW_MOVE_READ,   /* the program read them, from the device that had them */
    CW_MOVE_KINDS
};
struct cw_t_move {
    uint32_t command;  /* that it was made for; CW_NONE: of no recorded one */
    uint32_t memory;   /* the buffer; CW_NONE: the program had released it */
    uint32_t from, to; /* devices */
    uint8_t why;       /* enum cw_move_why */
    uint64_t offset, bytes;
    uint64_t start_ns, end_ns; /* device clock */
};

/* A call of OpenCL that no command stands for. Without all_calls of the process those of functions that may
 * take long and are called rarely, and those that failed. */
struct cw_t_call {
    const char *name; /* "clBuildProgram" */
    uint32_t thread;  /* as of commands */
    int32_t status;   /* 0, or its error */
    /* the object that it made, or, of builds and failed calls, that it was for; the others are CW_NONE */
    uint32_t context, queue, memory, sampler, program, kernel;
    int32_t argument;          /* index in the kernel, of failed clSetKernelArg; else -1 */
    uint64_t begin_ns, end_ns; /* host clock; equal: its time was not taken */
    struct cw_slice callsite;  /* as of commands; of calls that failed or make something */
};

/* The program used an object behind its last release of it: one of these, the others are CW_NONE. */
struct cw_t_stale {
    uint32_t context, queue, memory, sampler, program, kernel;
    uint32_t event;           /* of that command */
    uint32_t command;         /* that used it; CW_NONE: it was another call, or one that did not return */
    const char *call;         /* the function, where there is no command; NULL: not known */
    uint32_t thread;          /* as of commands */
    uint64_t at_ns;           /* host clock; 0: see the command */
    struct cw_slice callsite; /* as of commands: of the call, where there is no command */
    struct cw_slice released; /* likewise: of the last release */
};

enum cw_edge_kind {
    CW_EDGE_QUEUE,
    CW_EDGE_EVENT,
    CW_EDGE_BARRIER,
    CW_EDGE_HOST,
    CW_EDGE_DATA,
    CW_EDGE_PATH, /* of a part of a trace: a path through commands that were left out (graph/selection.h) */
    CW_EDGE_KINDS
};
enum cw_hazard { CW_HAZARD_NONE, CW_HAZARD_RAW, CW_HAZARD_WAR, CW_HAZARD_WAW };
struct cw_edge {
    uint32_t from, to; /* command ids; from < to, except for commands that a user event set later held back */
    uint8_t kind;      /* enum cw_edge_kind */
    uint8_t hazard;    /* enum cw_hazard, data edges only */
    bool unproven;   /* it would not be there if every declaration were true (graph_build.h); it binds all the
                        same */
    uint32_t memory; /* data edges: the root memory object, CW_NONE for host memory of transfers and for
                      * memory that could not be named; other edges: CW_NONE */
    uint64_t bytes;  /* data edges: bytes in common */
};

/* Mapped code, so that call sites can be symbolised offline. */
struct cw_t_module {
    uint64_t start, end, file_offset;
    const char *path;
};

/* A growable array; element type by convention of the field's comment. Grown with cw_trace_push. */
#define CW_ARRAY(T)                                                                                          \
    struct {                                                                                                 \
        T *v;                                                                                                \
        size_t count, capacity;                                                                              \
    }

struct cw_trace {
    struct cw_t_process process;
    CW_ARRAY(struct cw_t_platform) platforms;
    CW_ARRAY(struct cw_t_device) devices;
    CW_ARRAY(struct cw_t_context) contexts;
    CW_ARRAY(struct cw_t_queue) queues;
    CW_ARRAY(struct cw_t_memory) memory;
    CW_ARRAY(struct cw_t_program) programs;
    CW_ARRAY(struct cw_t_kernel) kernels;
    CW_ARRAY(struct cw_t_sampler) samplers;
    CW_ARRAY(struct cw_command) commands; /* in order of `sequence` */
    CW_ARRAY(struct cw_edge) edges;       /* sorted by (to, from, kind, hazard, memory) once built */
    CW_ARRAY(struct cw_t_module) modules;
    CW_ARRAY(struct cw_t_part) parts; /* of cut launches, in any order */
    CW_ARRAY(struct cw_t_part)
    plans;                             /* a policy's plan of commands, and of parts of them, in any order */
    CW_ARRAY(struct cw_t_move) moves;  /* copies between memories, in any order */
    CW_ARRAY(struct cw_t_stale) stale; /* uses of released objects, in any order */
    CW_ARRAY(struct cw_t_call) calls;  /* in order of their beginnings */
    /* shared arrays that slices point into */
    CW_ARRAY(uint32_t) device_ids;
    CW_ARRAY(uint32_t) program_ids;
    CW_ARRAY(struct cw_t_arg) args;
    CW_ARRAY(struct cw_t_access) accesses;
    CW_ARRAY(uint32_t) waits;
    CW_ARRAY(uint64_t) addresses;
    CW_ARRAY(struct cw_t_transfer) transfers;
    CW_ARRAY(uint8_t) bytes;
    char *data_path; /* file that blobs point into, NULL if nothing was captured; owned */
    struct cw_arena_block *arena;
};

/* Makes `t` an empty trace. Never fails; nothing is allocated until something is pushed. */
void cw_trace_init(struct cw_trace *t);

/* Frees everything that `t` owns and leaves it empty. NULL allowed. */
void cw_trace_finish(struct cw_trace *t);

/* Copies `len` bytes of `s` plus a NUL into the arena. Returns NULL when memory is out (or s is NULL). */
const char *cw_trace_strndup(struct cw_trace *t, const char *s, size_t len);
const char *cw_trace_strdup(struct cw_trace *t, const char *s);

/* Appends `n` zeroed elements to array `a` and returns a pointer to the first, NULL when memory is out. */
#define cw_trace_push(a, n)                                                                                  \
    (cw_array_reserve(&(a)->v, &(a)->capacity, (a)->count, (n), sizeof *(a)->v)                              \
         ? ((a)->count += (n), &(a)->v[(a)->count - (n)])                                                    \
         : NULL)

/* The same for arrays of which a long trace has gigabytes (io/array.h). */
#define cw_trace_push_spilled(a, n)                                                                          \
    (cw_spill_reserve(&(a)->v, &(a)->capacity, (a)->count, (n), sizeof *(a)->v)                              \
         ? ((a)->count += (n), &(a)->v[(a)->count - (n)])                                                    \
         : NULL)

/* The specification's name of a cl_command_type, or of a host pseudo-command ("clFinish"); "CL_COMMAND_<hex>"
 * in a static thread-local buffer for an unknown one. The inverse returns 0 for an unknown name. */
const char *cw_trace_command_type_name(uint32_t type);
uint32_t cw_trace_command_type_from_name(const char *name);

/* The function that makes commands of this type ("clEnqueueMarker" and "clEnqueueBarrier" also for their
 * forms with other names), or that is the host action; NULL for actions that are no calls of their own
 * (polls, host writes). Unknown types: as cw_trace_command_type_name. */
const char *cw_trace_command_function_name(uint32_t type);

/* True for an enqueued command, false for a host pseudo-command. */
bool cw_trace_command_is_enqueue(const struct cw_command *c);

/* The number by which users know command `id` (below t->commands.count): in a part of a trace that of the
 * whole one. */
uint32_t cw_trace_command_number(const struct cw_trace *t, uint32_t id);

/* Where `c` ran: the device that run mode chose, else its queue's; CW_NONE for host pseudo-commands and ids
 * that are not there. */
uint32_t cw_trace_command_device(const struct cw_trace *t, const struct cw_command *c);

/* The buffer that a memory object is part of, and where: sub-buffers resolve to their root and offset. */
uint32_t cw_trace_memory_root(const struct cw_trace *t, uint32_t memory, uint64_t *offset);

/* cw_trace_command_type_name without "CL_COMMAND_", as everything for people names commands: "READ_BUFFER".
 * The second: the name of its kernel where it has one. */
const char *cw_trace_command_short_name(uint32_t type);
const char *cw_trace_command_name(const struct cw_trace *t, const struct cw_command *command);

#endif
