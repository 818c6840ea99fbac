/* tilecl.h - a layer for tests: real programs' launches, run again in tiles of the rewritten kernel.
 *
 * LD_PRELOAD=libtilecl.so ./program. Before a launch is passed on it is done over in a context of its own, on
 * copies of the buffers: the original kernel whole, then the rewritten one cut, tiles in random order, on one
 * device and on two at once. Every byte of every buffer is compared. What may be cut says the footprint's
 * verdict (cut.h).
 *
 * Settings: TILECL_LOG (file that lines are appended to), TILECL_FOOTPRINT (clweave-footprint),
 * TILECL_LAUNCHES (launches that are checked per kernel, 2), TILECL_SEED, TILECL_PREPROCESS (command that
 * reads build options and a file), TILECL_TWO ("basic": devices of type basic, "sub": sub-devices of the
 * program's device), TILECL_BREAK ("base", "group": the hidden argument is falsified, so that the check must
 * fail), TILECL_TIME (repetitions: the rewritten kernel uncut is timed against the original). */
#ifndef TILECL_H
#define TILECL_H

#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>

enum { MAX_ARGS = 64, MAX_KERNELS = 256 };

struct arg {
    size_t size;
    bool set, local, is_buffer;
    unsigned char value[1024];
    cl_mem buffer; /* the program's */
};

struct kernel_record {
    cl_kernel handle;
    struct program_record *program;
    char name[256];
    struct arg arg[MAX_ARGS];
    cl_uint args;
};

struct kernel_state {
    char name[256];
    unsigned checked;
};

struct program_record {
    cl_program handle;
    char *source, *options;
    bool prepared, usable;
    struct private_program *private;
    struct kernel_state kernel[MAX_KERNELS];
    size_t kernels;
    struct program_record *next;
};

struct launch {
    cl_uint dims;
    size_t global[3], local[3], offset[3];
    bool local_given, offset_given;
};

/* The loader's functions, not this layer's. */
struct vendor {
#define V(name) __typeof__(name) *name;
#include "tilecl_calls.inc"
#undef V
};
extern struct vendor v;

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Builds the originals and the rewritten kernels of a program that was just built; says what became of it. */
void tilecl_prepare(struct program_record *p);
/* Does the launch over; `queue` is the program's and idle. */
void tilecl_check(struct kernel_record *k, const struct launch *l, cl_command_queue queue);

#endif
