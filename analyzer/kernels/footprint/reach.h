/* reach.h - the bytes that a whole launch reaches, as a short list of ranges; the latest launches are
 * remembered.
 *
 * For callers that know launches only: nothing of models shows here. */
#ifndef CW_FOOTPRINT_REACH_H
#define CW_FOOTPRINT_REACH_H

#include <stdbool.h>
#include <stdint.h>

struct cw_model;

/* An image of a launch, in pixels: coordinate d is less than size[d], and the pixel at (x, y, z) is number
 * x + pitch[1] * y + pitch[2] * z. A size that the image does not have is 1; those of an array come before
 * its layers. pitch[0] is 1. */
struct cw_image_shape {
    int64_t size[3], pitch[3];
};

enum cw_reach_kind {
    CW_REACH_BUFFER, /* of `bytes` bytes; 0: NULL */
    CW_REACH_SCALAR, /* `bytes` bytes at `value` */
    CW_REACH_LOCAL,
    CW_REACH_IMAGE, /* `bytes` pixels; `value`: its struct cw_image_shape */
    CW_REACH_OTHER  /* sampler, ..., an image of unknown shape: no ranges are given for it */
};

struct cw_reach_arg {
    enum cw_reach_kind kind;
    uint64_t bytes;
    const unsigned char *value;
    uint64_t start; /* BUFFER: a pointer to that byte of it */
};

struct cw_reach_launch {
    unsigned work_dim;                       /* 1..3 */
    uint64_t global[3], local[3], offset[3]; /* the first work_dim count; local[0] == 0: not known */
    const struct cw_reach_arg *arg;
    uint32_t args;
};

/* Bytes [begin, end) from the start of the (sub-)buffer that is, or holds, argument `arg`; pixels of an
 * image. */
struct cw_reach_piece {
    uint32_t arg;
    bool write;
    bool unknown;     /* nothing better is known than all of the buffer */
    uint8_t commutes; /* cw_reach_commute */
    uint64_t begin, end;
    uint64_t sure,
        sure_end; /* of a write: all bytes [sure, sure_end) are stored to, a part of the above; or 0, 0 */
};

/* Two accesses of launches that commute: the bytes become the same whichever comes first, and when both run
 * at once on devices whose atomic operations act on one memory. They need no order between them, only before
 * and behind accesses of another class. The class is that of pieces of a reach; 0 commutes with none. */
static inline bool cw_reach_commute(uint8_t a, uint8_t b)
{
    return a && a == b;
}

/* Bytes [first, end) from the start of the buffer that is argument `arg` hold the first byte outside of it
 * that the launch surely touches, and the last; first may be negative. */
struct cw_reach_outside {
    uint32_t arg;
    bool write;
    int64_t first, end; /* equal: none is known */
};

struct cw_reach {
    uint64_t id; /* of launches of this kernel like this one; never 0, and no other kernel's */
    double most; /* operations (cw_ops_most): found out when a launch comes again; INFINITY before */
    struct cw_reach_outside outside; /* of the first write, else read; not of a compiled launch */
    uint32_t n;
    struct cw_reach_piece piece[]; /* reads before writes */
};

/* Of one kernel. Belongs to one thread at a time. */
struct cw_reacher;

/* `model` must outlive it. `pieces`: at most so many ranges per argument and direction, more become the one
 * around them. NULL: out of memory, or the model does not know all memory that the kernel touches (memory
 * that is no argument, printf). */
struct cw_reacher *cw_reacher_create(const struct cw_model *model, uint32_t pieces);
void cw_reacher_destroy(struct cw_reacher *r); /* NULL is fine */

/* Parameter `arg` is a buffer (false also when there is none of this number). */
bool cw_reacher_is_buffer(const struct cw_reacher *r, uint32_t arg);
/* The class of the accesses to parameter `arg` (cw_reach_commute). Pieces say it, too. */
uint8_t cw_reacher_commutes(const struct cw_reacher *r, uint32_t arg);

/* Everything that the launch may read or write in its buffer arguments; valid until the next call. NULL: any
 * byte of any of them: the arguments are not as the model takes them, the local size matters and is not known
 * or does not divide the global one, memory is out. Microseconds (depends on the kernel), 0.1 us for a launch
 * like one of the latest. `dear_ns`, 0 for no limit: of kernels whose evaluations take longer on average the
 * launch is compiled (form.h), which says a little less; NULL where that is slow, too, unless remembered. */
const struct cw_reach *cw_reacher_launch(struct cw_reacher *r, const struct cw_reach_launch *launch,
                                         uint64_t dear_ns);

struct cw_work_ops; /* op_kinds.h */

/* The operations of that launch, of which group_bytes are those of the group in its middle; valid until the
 * next call. NULL: as above. Tens of microseconds, little for a launch like one of the latest. */
const struct cw_work_ops *cw_reacher_ops(struct cw_reacher *r, const struct cw_reach_launch *launch);

struct cw_ops_floats; /* op_kinds.h */

/* The floating-point operations of that launch. NULL, or why they are not known (static text). Milliseconds
 * at most, and seconds for all launches of the kernel. */
const char *cw_reacher_floats(struct cw_reacher *r, const struct cw_reach_launch *launch,
                              struct cw_ops_floats *floats);

#endif
