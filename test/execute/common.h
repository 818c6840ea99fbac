/* common.h - makes small traces by hand, as a recorder would with --capture-data, and runs them again. */
#ifndef TEST_EXECUTE_COMMON_H
#define TEST_EXECUTE_COMMON_H

#include <CL/cl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../analyzer/execute/execute.h"
#include "../../analyzer/graph/graph_build.h"

struct maker {
    struct cw_trace t;
    FILE *data;
    uint64_t data_size;
    char path[256];
};

/* One device (of any name), one context, one queue (in-order unless out_of_order). */
void maker_init(struct maker *m, bool out_of_order);
void maker_finish(struct maker *m);
struct cw_blob maker_blob(struct maker *m, const void *bytes, size_t size);
/* Puts bytes into the trace's own byte array and returns their offset. */
uint32_t maker_bytes(struct maker *m, const void *bytes, size_t size);
/* `initial` and `final` may be NULL: not captured. Returns the memory id. */
uint32_t maker_buffer(struct maker *m, uint64_t flags, size_t size, const void *initial, const void *final);
/* Returns the program id. */
uint32_t maker_program(struct maker *m, const char *source);
uint32_t maker_kernel(struct maker *m, uint32_t program, const char *name, uint32_t args);
uint32_t maker_sampler(struct maker *m);
/* Appends a command on the queue (host types: none) and its transfer if `transfer`; the pointers are valid
 * until the next call. */
struct cw_command *maker_command(struct maker *m, uint32_t type);
struct cw_t_transfer *maker_transfer(struct maker *m, uint32_t type);
/* A launch of `items` work-items; then its arguments, in order. */
uint32_t maker_launch(struct maker *m, uint32_t kernel, size_t items, size_t local);
void maker_arg_memory(struct maker *m, uint32_t memory);
void maker_arg_value(struct maker *m, const void *value, uint32_t size);
void maker_arg(struct maker *m, enum cw_arg_kind kind, uint32_t id, uint32_t size);
/* Linear transfers. */
uint32_t maker_write(struct maker *m, uint32_t memory, uint64_t offset, const void *bytes, size_t size);
uint32_t maker_read(struct maker *m, uint32_t memory, uint64_t offset, const void *bytes, size_t size);
/* Writes the data out and builds the graph. */
void maker_seal(struct maker *m);
/* Runs on the first device here. The report is printed. */
enum cw_status maker_run(struct maker *m, struct cw_execute_options o, struct cw_execute_report *r,
                         struct cw_error *err);
/* True when OpenCL has a device. Without one the test programs exit with 77. */
bool maker_has_device(void);

#endif
