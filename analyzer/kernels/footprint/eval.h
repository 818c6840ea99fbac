/* eval.h - which bytes a range of work-groups touches: a model, a launch and a tile in, byte intervals out.
 *
 * The tile's work-items become a box of integer variables (global ids, or group and local ids, and loop
 * counters), the launch's sizes and scalar arguments become constants, every index becomes a polynomial over
 * the box, every guard narrows the box. Only linear indices over independent variables whose guards hold
 * everywhere in the narrowed box are *exact*; everything else is *at most*. Where an extension, comparison or
 * division looks at the value of a `width`-bit expression, the polynomial's range must fit that width without
 * wrapping; if it does not, any value of that width is assumed. */
#ifndef CW_FOOTPRINT_EVAL_H
#define CW_FOOTPRINT_EVAL_H

#include "model.h"

#include <stdio.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets of bytes of one buffer as sorted lists of half-open intervals. */

struct cw_span {
    int64_t begin, end; /* bytes [begin, end) */
};

/* A list is normal when it is sorted and its intervals neither meet nor touch. All of these functions but
 * cw_spans_append keep a normal list normal. */
struct cw_spans {
    struct cw_span *v;
    size_t n, capacity;
};

void cw_spans_finish(struct cw_spans *s);
/* Adds an interval at the end, without normalising; empty intervals are ignored. False without memory. */
bool cw_spans_append(struct cw_spans *s, int64_t begin, int64_t end);
/* Sorts and merges. */
void cw_spans_normalise(struct cw_spans *s);
/* Adds all of `from` to `s` and normalises. False without memory. */
bool cw_spans_union(struct cw_spans *s, const struct cw_spans *from);
/* Keeps only the spans within [begin, end). */
void cw_spans_clip(struct cw_spans *s, int64_t begin, int64_t end);
/* Replaces a normal list of more than `max` intervals by the one interval around it; true when it did. */
bool cw_spans_limit(struct cw_spans *s, size_t max);
bool cw_spans_equal(const struct cw_spans *a, const struct cw_spans *b);

struct cw_launch_arg {
    int64_t buffer_bytes; /* GLOBAL and CONSTANT: size of the (sub-)buffer, 0 for NULL; IMAGE: pixels, as
                                   the shape numbers them */
    const unsigned char *value; /* SCALAR: its bytes, little endian, NULL when not known; IMAGE: its shape
                                   (struct cw_image_shape) or NULL */
    size_t value_bytes;
    uint64_t allocation; /* GLOBAL, CONSTANT, IMAGE: the memory it lies in; 0: in one of its own */
    int64_t base;        /* where in that memory it begins, bytes */
    int64_t
        start; /* a pointer into the buffer: to which of its bytes. Answers count from the buffer's first */
};

struct cw_launch {
    unsigned work_dim;                      /* 1..3 */
    int64_t global[3], local[3], offset[3]; /* dimensions >= work_dim: 1, 1, 0 */
    struct cw_launch_arg *arg;              /* cw_model.args entries */
};

struct cw_tile {
    int64_t first[3], count[3]; /* work-groups first .. first + count - 1 per dimension, count >= 1 */
};

enum cw_answer {
    CW_ANSWER_NONE,    /* touches nothing */
    CW_ANSWER_EXACT,   /* touches every byte of `may` and nothing else; writes only */
    CW_ANSWER_AT_MOST, /* touches nothing outside of `may` */
    CW_ANSWER_UNKNOWN, /* no better statement than the whole buffer; `may` is the whole buffer */
};

struct cw_footprint {
    enum cw_answer answer;
    struct cw_spans may;  /* clipped to the buffer */
    struct cw_spans must; /* writes only: certainly written; part of `may` */
    const char *why;      /* static words, for AT_MOST and UNKNOWN */
    /* the first byte outside of the buffer that is certainly touched, and one behind the last; equal: none is
     * known */
    int64_t outside, outside_end;
};

struct cw_arg_footprint {
    struct cw_footprint reads, writes;
};

/* How many intervals an answer may have before it becomes the one interval around them (and at most). */
#define CW_EVAL_MAX_SPANS 4096

struct cw_eval;

/* Working memory for evaluating one model many times; the model must outlive it. NULL without memory. */
struct cw_eval *cw_eval_create(const struct cw_model *m);
void cw_eval_destroy(struct cw_eval *e);

/* Fills result[0 .. m->args - 1], which the caller has zeroed or used before and later gives to
 * cw_eval_result_finish. False without memory; then the contents of result mean nothing. */
bool cw_eval_tile(struct cw_eval *e, const struct cw_launch *launch, const struct cw_tile *tile,
                  struct cw_arg_footprint *result);
void cw_eval_result_finish(struct cw_arg_footprint *result, int args);

const char *cw_eval_answer_name(enum cw_answer a);

/* ---- the symbolic side: one evaluator, used without a launch */

/* The polynomial of `next` minus that of `var` (an OPAQUE node), as a new expression of the same width, when
 * it does not change within `loop` and needs no extension to look through; else -1. */
int cw_eval_step(struct cw_model *m, int next, int var, int loop);

/* Formulas for people, such as "4*gid0 + 4*n*gid1"; extensions are taken as not wrapping. Appends to the open
 * stdio stream. */
void cw_eval_print(const struct cw_model *m, int node, FILE *out);
/* The same of a pixel's number (struct cw_image_shape): its coordinates, such as "gid0, gid1". */
void cw_eval_print_pixel(const struct cw_model *m, int node, FILE *out);
/* "gid0 < n" */
void cw_eval_print_guard(const struct cw_model *m, struct cw_guard g, FILE *out);

#endif
