/* readcl.h - what libreadcl.so, the witness of what a program reads back, is made of.
 *
 * readcl.c is an OpenCL layer (cl_layer.h) in front of everything else: it sees the calls as the program
 * makes them. readcl_log.c keeps what is still on its way, hashes what has arrived, and writes the log. It
 * shares no code with clweave.
 *
 *   READCL_DIR    folder in which each process leaves <process id>.reads
 *   READCL_FRESH  a byte, two hex digits, that every buffer made without contents begins with (default: what
 *                 the vendor gives). Such a buffer's CL_MEM_FLAGS show CL_MEM_COPY_HOST_PTR.
 *
 * The log has one line per read and per call that failed:
 *   <thread> <number> <entry point> <bytes> <hash, 16 hex digits>   the bytes that the program got
 *   <thread> <number> <entry point> <bytes> unseen                  it never waited for them
 *   <thread> <number> <entry point> <bytes> undone                  it unmapped them before that
 *   <thread> <number> <entry point> status <code>                   the call, or the event, failed
 * Threads count from 0 in the order of their first line, numbers from 0 in the order in which the thread made
 * the calls, so sorting the lines gives program order. A non-blocking read is hashed when the program can
 * know that it has arrived: the return of a wait, a finish or a blocking call behind it, a status of
 * CL_COMPLETE, a callback. */
#ifndef TEST_READCL_H
#define TEST_READCL_H

#include <CL/cl_icd.h>
#include <stdbool.h>
#include <stdint.h>

/* clCreateBuffer and clCreateBufferWithProperties as the program calls them: READCL_FRESH above
 * (readcl_fresh.c). */
cl_mem CL_API_CALL rd_fresh_buffer(cl_context c, cl_mem_flags flags, size_t bytes, void *host, cl_int *err);
cl_mem CL_API_CALL rd_fresh_buffer_with(cl_context c, const cl_mem_properties *p, cl_mem_flags flags,
                                        size_t bytes, void *host, cl_int *err);

/* Memory of the program: `slices` times `rows` rows of `row_bytes`. */
struct rd_area {
    const char *start;
    size_t row_bytes, rows, row_pitch, slices, slice_pitch; /* pitches in bytes */
};

/* The functions below this layer. */
extern const struct _cl_icd_dispatch *rd_next;

/* A single row. */
struct rd_area rd_bytes(const void *start, size_t bytes);

/* The next line's name for the calling thread: taken in program order, before the call. */
struct rd_line {
    unsigned thread, number;
};
struct rd_line rd_line(void);

/* Logs that `call` answered `status`, unless that is CL_SUCCESS. */
void rd_status(struct rd_line line, const char *call, cl_int status);

/* Forgets what was known of a queue of this address (queues are made at the addresses of released ones). */
void rd_queue_made(cl_command_queue queue);

/* A command was enqueued: its place in the queue, its event (NULL: none) and the events that it waits for.
 * `covers`: it also waits for everything before it in its queue (in-order queues: always true). Returns the
 * place, counted from 1. Thread-safe, as all of this. */
uint64_t rd_enqueued(cl_command_queue queue, cl_event event, bool covers, cl_uint waits,
                     const cl_event *wait_list);

/* `area` will hold what the command at `place` of `queue` reads. Hashed by one of the following. */
void rd_pending(struct rd_line line, const char *call, const struct rd_area *area, cl_command_queue queue,
                uint64_t place);

/* Hashes and logs `area` now. */
void rd_arrived(struct rd_line line, const char *call, const struct rd_area *area);

/* The program has unmapped what it has at `start`. */
void rd_unmapped(const void *start);

/* The program knows that everything enqueued so far / everything up to `place` (if in order, else that
 * command alone) / the command of `event` and what that waited for is complete. */
void rd_queue_finished(cl_command_queue queue);
void rd_place_finished(cl_command_queue queue, uint64_t place);
void rd_event_finished(cl_event event);

#endif
