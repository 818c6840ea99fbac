/* log_format.h - the binary log that libclweave.so writes while a program runs, and log_read.h reads.
 *
 * A log is a sequence of chunks of CW_LOG_CHUNK_BYTES (a chunk may span several units of that size). The
 * first unit holds struct cw_log_header; every other chunk begins with struct cw_log_chunk. A chunk
 * belongs to one thread at a time. Only its first `committed` bytes count: the writer stores a whole
 * record and then advances `committed` (store-release), so a process that is killed at any instruction
 * leaves nothing half-readable. Units whose chunk has magic 0 were reserved but never used.
 *
 * A record: varint length of the rest, kind byte (enum cw_log_kind), body. Numbers are LEB128 varints,
 * signed ones zigzag. "delta seq" is relative to the previous record of the same segment, "delta time" to
 * the previous end time of the segment; a segment begins with a CW_LOG_THREAD record, which carries
 * thread, segment number and absolute bases. A thread's stream is its segments in order of segment number.
 * Sequence numbers are unique in a process, are taken when a call begins, and are the identity of a
 * command in the log: wait lists name them.
 *
 * Kernel arguments are deltas: a CW_LOG_KERNEL_COMMAND without CW_LOG_K_FULL changes the arguments of the
 * latest CW_LOG_KERNEL_COMMAND of that kernel in the same thread's stream (records with CW_LOG_K_NESTED do
 * not count as latest); the writer writes a full one whenever another thread was the last to enqueue the
 * kernel. In a limited log the first record of a kernel in a segment is a full one, as earlier segments
 * go, and definitions (CW_LOG_PLATFORM to CW_LOG_KERNEL and others that are no commands) are in segments
 * of their own, of thread number CW_LOG_DEFINITIONS + the thread's, which stay.
 *
 * All integers are little-endian (clweave supports little-endian hosts only). */
#ifndef CW_LOG_FORMAT_H
#define CW_LOG_FORMAT_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdbool.h>

#define CW_LOG_MAGIC       "CWLOG\r\n\x1a"
#define CW_LOG_VERSION     1
#define CW_LOG_CHUNK_BYTES 65536u
#define CW_LOG_DEFINITIONS 0x80000000u
#define CW_LOG_CHUNK_MAGIC 0x4b4e4843u /* "CHNK" */

struct cw_log_header {
    char magic[8];
    uint32_t version, chunk_bytes;
    uint64_t pid, ppid;
    uint64_t process_start_ticks; /* field 22 of /proc/PID/stat: tells a reused pid from a live writer */
    uint64_t run_id;              /* CLOCK_REALTIME ns at which the first process of this run started */
    uint64_t start_realtime_ns, start_ns;
    _Atomic uint64_t end_ns;   /* set with `complete` */
    _Atomic uint32_t complete; /* 1: the process ended normally */
    _Atomic uint32_t stopped;  /* 1: recording stopped early; stopped_why says why */
    uint32_t capture_data;     /* 1: blobs are in data_path */
    uint32_t run_mode;         /* 1: recorded by mode run of itself */
    char stopped_why[512];
    char host[256];
    char program[4096], cwd[4096], data_path[4096], command[16384]; /* NUL-terminated */
    uint32_t all_calls; /* 1: every call is recorded (--calls), else slow ones and failed ones */
    uint32_t limited; /* 1: chunks of commands are used again when the log has reached its limit (--limit) */
    _Atomic uint64_t dropped; /* commands and waits that were in them */
    _Atomic uint64_t cpu_ns;  /* set with `complete`: user and system time of the process's threads */
    uint32_t times_every;     /* above 1: one command in so many has device times (every:N) */
};

struct cw_log_chunk {
    uint32_t magic;
    uint32_t units;               /* length of the chunk in units of CW_LOG_CHUNK_BYTES */
    _Atomic uint64_t committed;   /* valid bytes after this header */
    _Atomic uint64_t calls;       /* hooked calls while a thread had this chunk */
    _Atomic uint64_t recorder_ns; /* estimated time that recording them took */
};

enum cw_log_kind {
    CW_LOG_THREAD = 1, /* u thread, u segment, u sequence base, u time base */
    CW_LOG_PLATFORM,   /* id, s name, s vendor, s version */
    CW_LOG_DEVICE,  /* id, platform+1, parent+1, type, s name, s version, s driver, units, MHz, global, local,
                       max work-group, unified */
    CW_LOG_CONTEXT, /* id, count, device ids+1 */
    CW_LOG_QUEUE,   /* id, context+1, device+1, properties */
    CW_LOG_MEMORY, /* id, kind, context+1, parent+1, offset, size, flags, host_ptr, image_type; if image_type:
                      order, type, element bytes, width, height, depth, array, row pitch, slice pitch, mips,
                      samples */
    CW_LOG_SAMPLER, /* id, normalized, addressing, filter */
    CW_LOG_PROGRAM, /* id, kind, context+1, hash (8 raw bytes), has source, [s source], count, program ids+1
                     */
    CW_LOG_PROGRAM_BUILD, /* id, s options, blob binary */
    CW_LOG_PROGRAM_BYTES, /* id, blob: the bytes of a binary or IL program */
    /* id, program+1, number of arguments, s name; on its program's first device: preferred multiple, largest
     * work-group, bytes of local memory, bytes of private memory of a work-item */
    CW_LOG_KERNEL,
    CW_LOG_KERNEL_COMMAND, /* call head, enqueue head, kernel command (below) */
    CW_LOG_TRANSFER,       /* call head, enqueue head, type, transfer (below) */
    CW_LOG_COMMAND,        /* call head, enqueue head, type */
    CW_LOG_HOST, /* call head, enqueue head, type - CW_HOST_FINISH, seq of the user event's creation + 1,
                    zigzag exec status */
    CW_LOG_HOST_WRITE, /* call head, enqueue head, transfer */
    CW_LOG_TIMES, /* delta seq of the command (signed, to this record), zigzag exec status, queued (absolute),
                     then submit, start, end as zigzag differences to the one before */
    CW_LOG_STATUS,   /* delta seq of the command, zigzag exec status */
    CW_LOG_CALLSITE, /* id, count, addresses */
    CW_LOG_MODULE,   /* start, end, file offset, s path */
    CW_LOG_CONTENTS, /* memory id, 0 initial | 1 final, blob */
    CW_LOG_DATA, /* delta seq of the command (signed, to this record), blob: the bytes that a read returned,
                    or that a write or an unmap sent */
    /* enum cw_log_object, id, absolute time, [call site + 1, or 0]: the program's last release */
    CW_LOG_RELEASE,
    CW_LOG_RAN, /* as CW_LOG_TIMES, then device id+1: run mode knows where and when it ran */
    /* A part of a launch that run mode has cut: delta seq of the command (signed, to this record), device
     * id+1, dimension, first work-group, number of them, start (absolute), end - start. */
    CW_LOG_PART,
    CW_LOG_TILE, /* as CW_LOG_PART, then the number of the priority group that it ran in */
    CW_LOG_PLAN, /* as CW_LOG_PART: where and when a policy wants it, all of it where the number is 0 */
    /* How run mode gave a command to the vendor: delta seq of the command (signed, to this record), stream
     * from 1 on or 0, staged bytes or 0. A command may have several. */
    CW_LOG_WENT,
    /* A copy between memories: sequence number of its command + 1 or 0, memory id+1, enum cw_move_why, id+1
     * of the device that it came from, of that it went to (0: the host's memory), offset in the buffer,
     * bytes, start (absolute), end - start. */
    CW_LOG_MOVE,
    CW_LOG_FUNCTION, /* id, s name: a function of OpenCL that CW_LOG_CALL names */
    /* id of the program, s what the vendor's compiler said about a build, 1 if that succeeded */
    CW_LOG_BUILD_LOG,
    /* A call that no command stands for: call head, flags (CW_LOG_E_STATUS), [zigzag status], id of the
     * function, enum cw_log_object and id+1 of the object that it made, or, of builds and failed calls, was
     * for, argument+1, call site+1 (0: none, or not looked for). Its delta seq is 0. */
    CW_LOG_CALL,
    /* At the end of a program that ends by itself, once: how many user events it made and how many of these
     * it has kept, how many events nothing has used, how many events of commands it has kept; count, and
     * for that many of the latter delta seq of the command (signed, to this record). */
    CW_LOG_EVENTS,
    /* The program uses an object behind its last release of it: enum cw_log_object, id (of an event: delta
     * seq of its command, signed), sequence number + 1 of the command or 0, function + 1 or 0, absolute
     * time, [call site + 1, or 0, of the call; that of the release]. Written before the call, which may not
     * return; at most once per object. */
    CW_LOG_STALE,
    CW_LOG_INJECTED, /* id of the program, hash (8 raw bytes) of its own text, which another one replaced */
    CW_LOG_WHOLE,    /* delta seq of a launch (signed, to this record), s why run mode did not cut it */
    CW_LOG_CONSTANT, /* id of an IL program, id of a specialisation constant, size, bytes: its value */
    CW_LOG_KINDS
};

/* Every record of kind >= CW_LOG_PLATFORM continues with its delta seq. A call head is: delta time of the
 * call's begin, duration. An enqueue head is: flags, [zigzag status], queue+1, [wait list], [call site]. */
enum cw_log_enqueue_flags {
    CW_LOG_E_STATUS = 1,   /* zigzag status follows: the enqueue failed */
    CW_LOG_E_EVENT = 2,    /* the program asked for an event */
    CW_LOG_E_WAIT = 4,     /* count, items: (delta seq, signed) << 2 | enum cw_log_wait */
    CW_LOG_E_CALLSITE = 8, /* id */
    CW_LOG_E_BLOCKING = 16,
    CW_LOG_E_UNKNOWN_ACCESS = 32
};
enum cw_log_wait {
    CW_LOG_WAIT_COMMAND,
    CW_LOG_WAIT_USER,
    CW_LOG_WAIT_UNKNOWN
}; /* USER: seq is that of its creation */

/* Kernel command: kernel+1, flags, [dimensions: 1 byte count; global; unless CW_LOG_K_LOCAL_NULL local; if
 * CW_LOG_K_OFFSET offset], number of changed arguments, each: index, kind byte, payload. */
enum cw_log_kernel_flags {
    CW_LOG_K_FULL = 1,       /* all set arguments follow; forget earlier ones */
    CW_LOG_K_SAME_RANGE = 2, /* dimensions as in the kernel's latest record */
    CW_LOG_K_LOCAL_NULL = 4,
    CW_LOG_K_OFFSET = 8,
    CW_LOG_K_TASK = 16,  /* clEnqueueTask */
    CW_LOG_K_NESTED = 32 /* made inside another call: no later record is a delta to it */
};
/* Kind byte of an argument: enum cw_arg_kind | size code << 4. Size code 1..8 is the size of a VALUE, 0:
 * varint. Payload: VALUE [size] bytes; MEMORY, SAMPLER, QUEUE id+1; LOCAL size; SVM 8 bytes, memory id+1. */

/* A transfer: mask of fields, then the fields in this order. */
enum cw_log_transfer_fields {
    CW_LOG_T_SRC = 1, /* id+1 */
    CW_LOG_T_DST = 2, /* id+1 */
    CW_LOG_T_SRC_OFFSET = 4,
    CW_LOG_T_DST_OFFSET = 8,
    CW_LOG_T_BYTES = 16,
    CW_LOG_T_SRC_ORIGIN = 32, /* 3 numbers */
    CW_LOG_T_DST_ORIGIN = 64, /* 3 numbers */
    CW_LOG_T_REGION = 128,    /* 3 numbers */
    CW_LOG_T_SRC_PITCH = 256, /* row, slice */
    CW_LOG_T_DST_PITCH = 512, /* row, slice */
    CW_LOG_T_MAP_FLAGS = 1024,
    CW_LOG_T_MAP_COMMAND = 2048, /* delta seq, signed */
    CW_LOG_T_HOST_PTR = 4096,
    CW_LOG_T_PATTERN = 8192, /* length byte, bytes */
    CW_LOG_T_DATA = 16384    /* blob */
};
/* A blob: size, and if it is not 0 the offset in the data file. */

enum cw_log_object {
    CW_LOG_O_NONE,
    CW_LOG_O_PLATFORM,
    CW_LOG_O_DEVICE,
    CW_LOG_O_CONTEXT,
    CW_LOG_O_QUEUE,
    CW_LOG_O_MEMORY,
    CW_LOG_O_SAMPLER,
    CW_LOG_O_PROGRAM,
    CW_LOG_O_KERNEL,
    CW_LOG_O_EVENT,
    CW_LOG_O_COMMAND_BUFFER, /* never in the log */
    CW_LOG_OBJECTS
};

static inline uint64_t cw_log_zigzag(int64_t v)
{
    return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}
static inline int64_t cw_log_unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* Whether the writer of a log is still there. */

/* Field 22 of /proc/PID/stat, the start time of a process in clock ticks; 0 when there is no such process or
 * it has ended. Together with the pid it names a process for good. Thread-safe. */
uint64_t cw_log_process_start(uint64_t pid);

/* True when process `pid` is still there, but has been killed or is exiting: its memory may take a while to
 * be given back. Thread-safe. */
bool cw_log_process_is_ending(uint64_t pid);

#endif
