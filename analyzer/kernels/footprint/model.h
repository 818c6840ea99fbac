/* model.h - the bytes that a kernel touches: the contract between the reader of LLVM IR, the evaluator and
 * the printers.
 *
 * A model is a pool of expressions plus, per kernel argument, the list of its accesses. An access says:
 * "whenever all of these guards hold, bytes [offset, offset + bytes) of that argument may be touched"; guards
 * and offset are expressions over work-item ids, sizes, scalar arguments and loop counters. Nothing in it
 * refers to LLVM. */
#ifndef CW_FOOTPRINT_MODEL_H
#define CW_FOOTPRINT_MODEL_H

#include "cut_verdict.h"
#include "expr.h"
#include "op_kinds.h"

enum cw_arg_kind {
    CW_ARG_SCALAR,   /* by value: integer, floating point, vector, struct */
    CW_ARG_GLOBAL,   /* buffer in global memory */
    CW_ARG_CONSTANT, /* buffer in constant memory */
    CW_ARG_LOCAL,
    CW_ARG_IMAGE,
    CW_ARG_OTHER, /* sampler, queue, pipe, event */
};

enum cw_access_kind {
    CW_ACCESS_READ = 1,
    CW_ACCESS_WRITE = 2,
    CW_ACCESS_ATOMIC = 4 /* with READ and WRITE */
};

/* `node` (1 bit) must be `want`. */
struct cw_guard {
    int node;
    bool want;
};

struct cw_guard_range {
    int first, n; /* into cw_model.guard */
};

struct cw_access {
    int arg;
    unsigned kind;
    int offset;         /* node, 64 bits, bytes from the start of the argument's buffer; -1: anywhere in it */
    int64_t bytes_may;  /* at most these many bytes from offset on, padding included ... */
    int64_t bytes_must; /* ... of which the first so many are certainly touched */
    int count;  /* node: the access repeats count times, `stride` apart (asynchronous copies); -1: once */
    int stride; /* node, 64 bits, bytes */
    struct cw_guard_range guards; /* outermost first */
    int loop;                     /* innermost loop around the access, -1 none */
    /* static words why the guards do not decide alone whether it happens; NULL when they do */
    const char *doubt;
    const char *atomic;  /* static name of an atomic operation, "" otherwise */
    bool result_used;    /* of an atomic */
    enum cw_merge merge; /* of an atomic */
    int value; /* node: the value that a WRITE of `bytes_must` bytes stores; -1: not known or no integer */
};

/* One way out of a loop: it goes on only while all guards hold. */
struct cw_exit {
    int loop;
    struct cw_guard_range stay;
};

struct cw_loop {
    int parent; /* -1: none */
    int exits;  /* exits of all kinds; those that are tested in every iteration are in cw_model.exit */
};

/* The operations of a work-item in a part of the kernel, once; the part runs when all guards hold, in every
 * iteration of the loops around it. An estimate for cost models: code is counted as the reader of kernels
 * sees it, before the vendor's compiler has improved it. */
struct cw_ops {
    struct cw_guard_range guards;
    int loop;   /* innermost loop around it, -1 none */
    bool doubt; /* other conditions decide too */
    uint32_t count[CW_OPS];
};

struct cw_arg {
    char *name, *type;
    enum cw_arg_kind kind;
    int64_t bytes; /* of a SCALAR */
    bool changed;  /* a SCALAR struct of which the kernel changes its copy */
    bool placed; /* an IMAGE: all of its writes are accesses, of which a pixel is one byte (cw_image_leaf) */
    bool placed_reads; /* the same of its reads */
    /* static words: may be read anywhere, because ...; NULL when accesses say all (cw_model_anywhere_in) */
    const char *unknown_read;
    const char *unknown_write;
};

/* What an ARG node of an IMAGE says: its byte offset is that of a number of struct cw_image_shape (reach.h),
 * or one of these, which a launch that does not say the shape has, too. */
enum cw_image_leaf {
    CW_IMAGE_LIMIT = -3, /* and the two below it: coordinates 0, 1, 2 are less than this; else 2^31 */
    CW_IMAGE_PITCH = -6, /* pixels from a coordinate's value to the next; else 1, 2^20, 2^40 */
    CW_IMAGE_LAYER = -9, /* the same of an array's layers, which vendors clamp; else 0 */
};

/* An access of an IMAGE has the number of its pixel as its offset: it is another one only for another pixel.
 * Writes have guards that they lie in the image, as those outside are dropped. How far pixels lie from each
 * other in memory is not the kernel's to know: where a launch does not say the shape, cut.h alone reads such
 * accesses, and for others unknown_read and unknown_write hold, as the access qualifier says. */

/* Precisions in which a kernel computes: its results are the same bits only on devices that keep denormal
 * numbers of these, and round to nearest. */
enum cw_model_floats { CW_MODEL_SINGLE = 1, CW_MODEL_DOUBLE = 2 };

struct cw_model {
    char *kernel;
    struct cw_expr_pool pool;
    struct cw_arg *arg;
    int args;
    struct cw_access *access;
    int accesses, access_capacity;
    struct cw_guard *guard;
    int guards, guard_capacity;
    struct cw_exit *exit;
    int exits, exit_capacity;
    struct cw_loop *loop;
    int loops;
    struct cw_ops *work;
    int works, work_capacity;
    bool prints, barriers;    /* calls printf; has a work-group barrier */
    bool polls;               /* a loop ends by memory that others write: the host, other commands, other
                                 work-items */
    bool groups;              /* may see its work-groups: their sizes, numbers, local memory, barriers */
    bool anywhere;            /* may touch memory that is no argument's (SVM, program scope, unknown calls) */
    const char *why_anywhere; /* static words, NULL when not */
    bool addresses;           /* may hand on where a buffer lies: as a number, or in memory */
    int64_t rows;             /* key of the form for rows that clang's reading of the kernel bears out
                                 (llvm/rows_proof.h); 0: none */
    /* static words: its results may be other bits on a device with another code generator, because ...;
     * NULL: they are the same, where both devices keep what `floats` needs */
    const char *inexact;
    unsigned floats; /* enum cw_model_floats, or-ed */
};

void cw_model_init(struct cw_model *m);
void cw_model_finish(struct cw_model *m);

/* A larger kernel is not worth reasoning about. */
enum {
    CW_MODEL_MAX_ARGS = 1024,
    CW_MODEL_MAX_NODES = 100000,
    CW_MODEL_MAX_GUARDS = 100000,
    CW_MODEL_MAX_LOOPS = 2000,
    CW_MODEL_MAX_EXITS = 10000,
    CW_MODEL_MAX_ACCESSES = 10000,
    CW_MODEL_MAX_WORKS = 2000,
    CW_MODEL_MAX_CONDITIONS = 1000, /* guards of one access or exit */
};

/* Memory for the expressions sufficed and everything is within the limits. */
bool cw_model_fits(const struct cw_model *m);
/* Forgets expressions, accesses, guards, loops, their exits and work; name, arguments and flags stay. */
void cw_model_clear(struct cw_model *m);

/* Append a copy; false without memory. An access that is there already is not repeated. */
bool cw_model_add_access(struct cw_model *m, const struct cw_access *a);
bool cw_model_add_guard(struct cw_model *m, int node, bool want);
bool cw_model_add_exit(struct cw_model *m, const struct cw_exit *x);
/* Adds to the counts of the part with the same guards, loop and doubt, or appends it; parts beyond
 * CW_MODEL_MAX_WORKS are left out. */
bool cw_model_add_ops(struct cw_model *m, const struct cw_ops *w);

/* Some expression has the local size, or an id in a work-group or of one. */
bool cw_model_depends_on_groups(const struct cw_model *m);
/* `inner` is `outer` or lies inside it; nothing lies in or around loop -1. */
bool cw_model_loop_inside(const struct cw_model *m, int inner, int outer);
/* The value can differ between iterations of `loop`, or between uses outside of it. */
bool cw_model_varies_in(const struct cw_model *m, int node, int loop);

/* Why argument `arg` may be written (else read) anywhere in it; NULL: its accesses say all. `shape`: the
 * launch says it of an IMAGE. */
static inline const char *cw_model_anywhere_in(const struct cw_model *m, int arg, bool write, bool shape)
{
    const struct cw_arg *a = &m->arg[arg];

    if (shape && a->kind == CW_ARG_IMAGE && (write ? a->placed : a->placed_reads))
        return NULL;
    return write ? a->unknown_write : a->unknown_read;
}

/* Launches that touch memory only by one atomic operation that commutes, on integers of one size, without use
 * of its results, leave the same bytes in every order and at the same time. The number of that operation and
 * size where this holds of all accesses to argument `arg`, equal for those that commute; 0: it does not. */
uint8_t cw_model_commutes(const struct cw_model *m, int arg);

/* Marks every buffer argument, and memory besides, as touched anywhere (`kind`: READ | WRITE), because of
 * `why` (static). */
void cw_model_unknown(struct cw_model *m, unsigned kind, const char *why);

#endif
