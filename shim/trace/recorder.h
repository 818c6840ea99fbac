/* recorder.h - shared by the recording hooks: settings, objects and their definitions, enqueues.
 *
 * A hook makes the vendor's call exactly as the program made it and writes a record beside it. It never holds
 * a lock over a vendor call and never retains an object whose count the program could see. Everything here is
 * safe on any thread. */
#ifndef CW_RECORDER_H
#define CW_RECORDER_H

#include "../../analyzer/settings/options.h"
#include "log_write.h"
#include "object.h"

/* The functions behind the hooks: the vendor's, or run mode's hooks where it records (cw_mode_trace_start).
 * */
extern struct cw_dispatch cw_traced;

/* Settings, constant after the mode's start(). */
struct cw_recorder_settings {
    bool capture_data, no_sources, all_calls;
    bool reads_itself; /* of the program's threads: there is no reader (device_times.c) */
    struct cw_device_times_choice device_times;
    unsigned callsite_frames; /* 0 off, 1 leaf, N frames */
};
extern struct cw_recorder_settings cw_recorder;

/* ---- uses of released objects, and events (calls.c) */

/* Writes a record if the program has released `handle`, an object of `kind`, and no live entry is there.
 * command: sequence number of the call's command + 1, else 0: then `function` is its number (enum cw_api_id).
 * note_any: whatever kind it is. */
void cw_calls_stale_note(const void *handle, enum cw_log_object kind, uint64_t command, uint32_t function);

/* The program made a user event; it let go of an event, of which o is the entry. */
void cw_calls_stale_user_event(void);
void cw_calls_stale_event_released(const struct cw_object *o);

/* At the program's end: which events it has kept. Once per log. */
void cw_calls_stale_write_events(void);
void cw_calls_stale_after_fork(void);

static inline void cw_calls_stale_event_used(struct cw_object *o)
{
    if (CW_UNLIKELY(!(atomic_load_explicit(&o->flags, memory_order_relaxed) & CW_OBJECT_USED)))
        atomic_fetch_or_explicit(&o->flags, CW_OBJECT_USED, memory_order_relaxed);
}

/* ---- objects and their definitions (define.c) */

/* The entry of `handle`, made and described in the log if it is not known (by asking the vendor). NULL for a
 * NULL handle or when the vendor does not know it either. Not for events. */
struct cw_object *cw_define(const void *handle, enum cw_log_object kind);

static inline struct cw_object *cw_known(const void *handle, enum cw_log_object kind)
{
    struct cw_object *o = cw_object_find(handle, kind);

    return CW_LIKELY(o && o->generation == cw_log_generation) ? o : cw_define(handle, kind);
}

/* id + 1 of a known object, 0 for none: how records refer to objects that may be missing. */
static inline uint64_t cw_known_id(const void *handle, enum cw_log_object kind)
{
    struct cw_object *o = cw_known(handle, kind);

    return o ? (uint64_t)o->id + 1 : 0;
}

/* The same for a handle that the program passes to the call of sequence number `seq`: notes the use of a
 * released object. */
static inline struct cw_object *cw_used(const void *handle, enum cw_log_object kind, uint64_t seq)
{
    struct cw_object *o = cw_object_find(handle, kind);

    if (CW_LIKELY(o && o->generation == cw_log_generation))
        return o;
    if (!o)
        cw_calls_stale_note(handle, kind, seq + 1, 0);
    return cw_define(handle, kind);
}

static inline uint64_t cw_used_id(const void *handle, enum cw_log_object kind, uint64_t seq)
{
    struct cw_object *o = cw_used(handle, kind, seq);

    return o ? (uint64_t)o->id + 1 : 0;
}

void cw_define_after_fork(void);

/* A new object that a creation call returned (NULL allowed): replaces the object that had this handle. */
struct cw_object *cw_defined_new(const void *handle, enum cw_log_object kind);

/* The hash that traces identify sources by: FNV-1a, 64 bits, chained from `hash` (CW_FNV_START first). */
#define CW_FNV_START 0xcbf29ce484222325u
uint64_t cw_define_hash(uint64_t hash, const void *bytes, size_t n);

/* The headers that a program was compiled with, by their names. Borrowed. */
struct cw_define_headers {
    cl_uint count;
    const cl_program *programs;
    const char *const *names;
};

/* After a build, compile or link: options, and under capture_data the source with its headers in it.
 * `headers` NULL: the build is not over, or has no source. The vendor is not asked for binaries: that may
 * take it long, and programs have died of it. */
void cw_define_build(cl_program program, const char *options, const struct cw_define_headers *headers);

/* After a build, compile or link that failed: the log of the first device that has one. */
void cw_define_build_log(cl_program program, bool failed);

/* The bytes that a program was made from, under capture_data. */
void cw_define_bytes(cl_program program, const void *bytes, size_t n);

/* Programs that are made of others, or from bytes that the vendor does not give back; before/instead of
 * cw_defined_new. */
void cw_define_program(cl_program program, uint32_t kind, uint64_t hash, const cl_program *inputs,
                       cl_uint count);
/* The same of a program that is made of binaries: with its source, where the build that they are from is
 * known (programs/known_binaries.h), or pyopencl has it beside the one binary
 * (programs/program_exchange.h). */
void cw_define_binary(cl_program program, cl_uint n, const cl_device_id *devices, const size_t *bytes,
                      const unsigned char *const *binaries);
/* Around a build or compilation of a program: the build that its binary is from is not known, and is the one
 * with these options. */
void cw_define_build_begins(cl_program program);
void cw_define_built(cl_program program, const char *options);
/* clGetProgramInfo of CL_PROGRAM_BINARIES. */
cl_int cw_define_fetch(cl_program program, size_t capacity, void *to, size_t *bytes);

/* ---- SVM allocations, which have addresses instead of handles (svm.c) */
void cw_svm_add(cl_context context, void *address, size_t bytes, cl_svm_mem_flags flags);
struct cw_caller;
void cw_svm_remove(const void *address, const struct cw_caller *caller); /* caller: may be NULL */
/* id + 1 of the allocation that holds `address`, 0 if none; *offset = where in it. */
uint64_t cw_svm_id(const void *address, uint64_t *offset);
void cw_svm_after_fork(void);

/* ---- kernels (kernel_args.c) */
struct cw_kernel;
struct cw_kernel *cw_kernel_create(cl_kernel kernel);
void cw_kernel_destroy(struct cw_kernel *k);
void cw_kernel_after_fork(struct cw_kernel *k);
void cw_kernel_copy_args(struct cw_kernel *to, struct cw_kernel *from);
void cw_kernel_set_arg(struct cw_kernel *k, cl_uint index, size_t size, const void *value);
void cw_kernel_set_svm(struct cw_kernel *k, cl_uint index, const void *address);
/* Calls visit(queue, m) for each memory object m among the arguments of `kernel` (its entry or NULL). */
void cw_kernel_each_memory(const struct cw_object *kernel, void (*visit)(cl_command_queue, cl_mem),
                           cl_command_queue queue);
void cw_kernel_set_indirect(struct cw_kernel *k); /* it reaches memory through pointers of its own */
struct cw_range {
    cl_uint work_dim;
    const size_t *global, *local, *offset; /* as the program gave them */
    bool task;
};
/* Writes the kernel command's part of `r`: the arguments that changed since the kernel's latest record.
 * False: the log has no record of the kernel yet. */
bool cw_kernel_encode(struct cw_rec *r, struct cw_object *kernel, const struct cw_range *range,
                      struct cw_thread *t);

/* ---- call sites (callsite.c) */

/* Where a hook was called from. A macro, because it must see the hook's own frame. */
struct cw_caller {
    void *address, *frame;
};
#define CW_CALLER ((struct cw_caller){__builtin_return_address(0), __builtin_frame_address(0)})
/* The number of this call site + 1, written to the log the first time; 0 when call sites are off. */
uint32_t cw_callsite(struct cw_thread *t, struct cw_caller caller);
/* The same without the callers of the caller, for what is frequent. */
uint32_t cw_callsite_leaf(struct cw_thread *t, struct cw_caller caller);
/* The same of the program's call that this thread is in, found by unwinding: for what is rare. */
uint32_t cw_callsite_unwound(void);
void cw_callsite_after_fork(void);

/* The program's release (define.c): counts, and writes a release record for the last one. */
void cw_defined_release(const void *handle, enum cw_log_object kind, struct cw_caller caller);

/* ---- calls that no command stands for (calls.c) */

/* Puts a function that times and records the call before the hooks of `hooks`: of those that take long and
 * are rare each call, of the others those that fail; with all_calls each call of all functions, also of those
 * that `hooks` leaves out. Once, after cw_mode_trace_start. */
void cw_calls_install(struct cw_dispatch *hooks);

/* Writes the name of a function (enum cw_api_id) to the log, once. */
void cw_calls_describe(uint32_t id);

/* ---- enqueues (enqueue.c) */
struct cw_enqueue {
    struct cw_rec r;
    struct cw_thread *t;
    struct cw_object *queue;
    cl_command_queue queue_handle;
    cl_event *event; /* pointer to pass to the vendor: the program's, or &own where device times are wanted */
    cl_event own;
    bool wanted;       /* the program asked for the event */
    bool first;        /* launch of its kernel */
    uint64_t enter_ns; /* set for the sampled estimate of our own cost */
};

/* False: nothing is recorded, make the call plainly. Else cw_enqueue_end must follow. */
bool cw_enqueue_begin(struct cw_enqueue *e, cl_command_queue queue, cl_uint waits, const cl_event *wait_list,
                      cl_event *event, struct cw_caller caller);

/* The vendor's call has returned `status`. */
void cw_enqueue_returned(struct cw_enqueue *e, cl_int status);

/* Sequence number + 1 of the command whose call is being made by this thread; 0: none that is recorded. */
extern __thread uint64_t cw_enqueuing __attribute__((tls_model("initial-exec")));

/* Run mode: command `seq` ran on `device` (its id + 1; 0: its queue's), at at[0..3], queued to end, on the
 * clock of profiling, and ended with `status`. Any thread; makes no vendor call. (device_times.c) */
void cw_device_times_ran(uint64_t seq, uint64_t device, cl_int status, const uint64_t at[4]);

/* A part of a launch: work-groups along `dim`. */
struct cw_times_part {
    uint64_t seq, device; /* as above */
    uint32_t dim;
    uint32_t priority_group; /* that it was a tile of, from 1 on; 0: of none */
    uint64_t first, groups;
    uint64_t start_ns, end_ns;
};

/* Such a part of a launch that was cut has run. */
void cw_device_times_part(const struct cw_times_part *part);
/* The policy wants it to run then and there; groups 0: the whole command. */
void cw_device_times_plan(const struct cw_times_part *part);

/* Run mode gives the command whose call is being made by this thread to a stream of its queue, from 1 on
 * (0: nothing is said of that), or sends so many bytes of it through pinned memory. Makes no vendor call. */
void cw_device_times_went(uint32_t stream, uint64_t staged_bytes);

/* Run mode ran the launch `seq` whole, because of `why`. Any thread; makes no vendor call. */
void cw_device_times_whole(uint64_t seq, const char *why);

/* A copy of a buffer's bytes between the host's memory and a device's. */
struct cw_times_move {
    uint64_t command;  /* that it is made for: sequence number + 1; 0: none that is recorded */
    uint64_t memory;   /* the buffer's id + 1; 0: not known */
    uint32_t why;      /* enum cw_move_why (trace/trace.h) */
    uint64_t from, to; /* devices' ids + 1; 0: the host's memory */
    uint64_t offset, bytes;
    uint64_t start_ns, end_ns; /* as above */
};

/* Run mode has made it. Any thread; makes no vendor call. */
void cw_device_times_move(const struct cw_times_move *move);

/* Writes the record. */
void cw_enqueue_commit(struct cw_enqueue *e, enum cw_log_kind kind);

/* Parameters of a transfer; zeroed members are not recorded. */
struct cw_transfer {
    uint32_t type; /* cl_command_type */
    cl_mem src, dst;
    uint64_t src_id, dst_id; /* id + 1 where there is no handle (SVM) */
    uint64_t src_offset, dst_offset, bytes;
    const size_t *src_origin, *dst_origin, *region;
    uint64_t src_row_pitch, src_slice_pitch, dst_row_pitch, dst_slice_pitch;
    uint64_t map_flags, map_seq; /* map_seq + 1 */
    const void *host;
    const void *pattern;
    size_t pattern_bytes;
    uint64_t data_offset, data_bytes;
};
/* Writes the record of a transfer. */
void cw_enqueue_transfer(struct cw_enqueue *e, const struct cw_transfer *t);

/* Writes a CW_HOST_WRITE: the program changed `t->dst` (bytes dst_offset, bytes; data) by its host pointer.
 */
void cw_enqueue_host_write_record(const struct cw_transfer *t);

/* Pseudo-commands of the host (enum cw_host_type of trace.h), around the vendor's call. begin returns false
 * when nothing is recorded; else end must follow. user_event: sequence number of its creation + 1, else 0. */
bool cw_enqueue_host_begin(struct cw_rec *r, cl_command_queue queue, cl_uint waits, const cl_event *wait_list,
                           struct cw_caller caller);
void cw_enqueue_host_end(struct cw_rec *r, uint32_t type, uint64_t user_event, cl_int exec_status,
                         cl_int status);

/* The program saw that command `seq` is over. Once per event: test and set CW_OBJECT_SEEN_COMPLETE first. */
void cw_enqueue_event_seen(uint64_t seq, cl_int exec_status, struct cw_caller caller);

/* ---- maps (maps.c): which unmap ends which map */
struct cw_map {
    const void *address;
    uint64_t seq, flags, offset, bytes, row_pitch, slice_pitch;
    size_t origin[3], region[3];
    bool image;
};
/* `memory`: the object's entry; NULL: shared virtual memory. */
void cw_maps_add(struct cw_object *memory, const struct cw_map *map);
/* Takes the latest map of `memory` at `address` out, with the flags and the extent of all that were there
 * with it; false when there is none. */
bool cw_maps_take(struct cw_object *memory, const void *address, struct cw_map *map);
void cw_maps_free(struct cw_object *memory); /* all of its maps */
void cw_maps_after_fork(void);

/* ---- device times (device_times.c) */

/* Under every:N: whether the command of sequence number `seq` has its times recorded. One of each N numbers
 * does, at a place that a hash of their block's number draws, so that no period of the program's meets it. */
bool cw_device_times_wants(uint64_t seq);
/* Takes over the program's last reference of `event` (or one of our own) until its times are known. `whole`:
 * QUEUED and SUBMIT are asked for, too. */
void cw_device_times_adopt(cl_event event, uint64_t seq, bool whole);
/* Writes the times of the command if it has finished, else returns false. */
bool cw_device_times_write(cl_event event, uint64_t seq, bool whole);
/* Before a call of the vendor in which the thread waits for commands: the reader, a thread of this library,
 * writes times of finished commands until the call returns, or any thread enqueues. Never blocks. */
void cw_device_times_waits(void);
extern atomic_bool cw_device_times_waiting;
/* At the begin and at the end of each call that the vendor's lock may hold up. */
static inline void cw_device_times_goes_on(void)
{
    if (CW_UNLIKELY(atomic_load_explicit(&cw_device_times_waiting, memory_order_relaxed)))
        atomic_store_explicit(&cw_device_times_waiting, false, memory_order_relaxed);
}
/* Commands have finished: where there is no reader the calling thread writes their times. Never blocks. */
void cw_device_times_finished(void);
/* The calling thread writes the times of all finished commands and drops these. Never blocks; the reader may
 * still write some. */
void cw_device_times_harvest(void);
/* The same, and waits for the reader: no finished command has an event of this library. */
void cw_device_times_settle(void);
/* The program ends: the reader asks the vendor no more. `waits`: from the return on; else soon. */
void cw_device_times_stop(bool waits);
/* At the mode's start, and in a forked child: nothing is pending. */
void cw_device_times_start(void);

/* ---- functions shared by the files that describe objects in the log. Used by define*.c only. */

/* value = the answer of `get`(object, param), zero for an error */
#define QUERY(get, object, param, value)                                                                     \
    do {                                                                                                     \
        memset(&(value), 0, sizeof(value));                                                                  \
        if (cw_traced.get(object, param, sizeof(value), &(value), NULL) != CL_SUCCESS)                       \
            memset(&(value), 0, sizeof(value));                                                              \
    } while (0)

/* Appends the string that `get` answers, "" for an error. */
#define QUERY_STRING(r, get, object, param)                                                                  \
    do {                                                                                                     \
        size_t bytes_ = 0;                                                                                   \
        char *text_ = NULL;                                                                                  \
        if (cw_traced.get(object, param, 0, NULL, &bytes_) == CL_SUCCESS && bytes_)                          \
            text_ = calloc(1, bytes_ + 1);                                                                   \
        if (bytes_ && !text_)                                                                                \
            cw_log_stop("out of memory");                                                                    \
        if (text_ && cw_traced.get(object, param, bytes_, text_, NULL) != CL_SUCCESS)                        \
            text_[0] = '\0';                                                                                 \
        cw_log_rec_string(r, text_);                                                                         \
        free(text_);                                                                                         \
    } while (0)

/* Fill `r` with the vendor's answers about an object (entry `o`) and commit it. */
void cw_define_describe_program(struct cw_rec *r, struct cw_object *o, cl_program program);

/* The devices of a program, the caller's to free; NULL: none. */
cl_device_id *cw_define_program_devices(cl_program program, size_t *count);

#endif
