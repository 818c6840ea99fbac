/* rectangle.h - commands that move bytes: rectangles of buffers, of images and of the program's memory. Lock
 * held. */
#ifndef CW_RUN_API_RECTANGLE_H
#define CW_RUN_API_RECTANGLE_H

#include "enqueue.h"

/* One side of a transfer: its first byte, pitches, and the bytes from the first to the last. */
struct cw_run_rectangle_side {
    size_t start, row, slice, span;
};

/* The side at `origin`, the first number of it and of `region` in bytes; pitches of 0: rows and slices follow
 * each other. False: the vendor shall judge it. */
bool cw_run_rectangle_make_side(struct cw_run_rectangle_side *s, const size_t *origin, const size_t *region,
                                size_t row, size_t slice);
/* All of it lies in `m`. */
bool cw_run_rectangle_fits(const struct cw_run_rectangle_side *s, const struct cw_run_memory *m);

/* A part of an image: where it begins, in pixels, and the same as one side of a transfer. */
struct cw_run_rectangle_part {
    struct cw_run_memory *memory;
    const size_t *origin;
    struct cw_run_rectangle_side side;
    size_t region[3]; /* the first number in bytes */
};

/* The part of `image` at `origin`, all in pixels. False: the image is not one of the queue's context, has one
 * of the flags `not`, or not all of the part lies in it. */
bool cw_run_rectangle_find_part(const struct cw_run_enqueue *e, struct cw_run_rectangle_part *p, cl_mem image,
                                cl_mem_flags not, const size_t *origin, const size_t *region);

/* A command of the type that uses at most two memory objects; the caller adds the accesses. NULL: it must be
 * native. */
struct cw_run_task *cw_run_rectangle_task(struct cw_run_enqueue *e, cl_command_type type,
                                          enum cw_run_work work);
/* The command reads or writes the `span` bytes from `b` on. */
void cw_run_rectangle_add_access(const struct cw_run_enqueue *e, struct cw_run_task *t,
                                 const struct cw_run_bytes *b, size_t span, bool write);
/* The command that copies `region`, its first number in bytes; NULL: it is refused. Of `from` and `to` one
 * may be NULL: `host`. */
struct cw_run_task *cw_run_rectangle_copy(struct cw_run_enqueue *e, cl_command_type type,
                                          const size_t *region, struct cw_run_memory *to,
                                          const struct cw_run_rectangle_side *to_side,
                                          struct cw_run_memory *from,
                                          const struct cw_run_rectangle_side *from_side, uint8_t *host);

#endif
