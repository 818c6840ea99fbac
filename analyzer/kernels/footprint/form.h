/* form.h - the bytes that the tiles of a launch touch, fast: a launch is compiled once, then a tile takes
 * well below a microsecond and no memory. The first launch of a kernel leaves formulas, by which others, of
 * other sizes and scalars, are compiled in about a microsecond (form_plan.c).
 *
 * Compiling runs the evaluator (eval.h) once over the whole launch. A fact that it finds true everywhere
 * there (nothing wraps, a division comes out even, a condition holds) is true in every tile; the rest of an
 * access is then a linear form over ids and loop counters, and the conditions that only some work-items
 * fulfil. An access of which something else depends on the tile is left to the evaluator, tile by tile.
 *
 * The answers are those of cw_eval_tile with each list of intervals as the one interval around it, but for
 * these, where a hull says less: an interval may be larger where accesses of one argument lie partly outside
 * of the buffer, and EXACT becomes AT_MOST where it takes several accesses of an argument to cover each
 * other's bytes. test/footprint/compiled.sh holds both against each other. */
#ifndef CW_FORM_H
#define CW_FORM_H

#include "eval.h"

struct cw_hull {
    /* as in eval.h; EXACT: all touched bytes are stored to, the gaps between are not touched */
    enum cw_answer answer;
    int64_t begin, end; /* bytes [begin, end) of the buffer; 0, 0 when NONE */
    int64_t sure,
        sure_end;    /* of writes: all bytes [sure, sure_end) are stored to, a part of the above; or 0, 0 */
    const char *why; /* static words, for AT_MOST and UNKNOWN; may be NULL for reads */
};

enum { CW_READ_RANGES = 3 };

struct cw_arg_hulls {
    struct cw_hull reads, writes;
    /* Of reads, unless UNKNOWN: the bytes once more in ranges, the lower first, with bytes between them that
     * are not read: a tile of an elimination reads rows of its own, and a row above. Where there would be
     * more ranges, those closest together are one. */
    struct cw_read_range {
        int64_t begin, end;
    } range[CW_READ_RANGES];
    int ranges;
};

/* A model and the launches of it that were compiled last. Belongs to one thread at a time. */
struct cw_form;

/* The model must outlive it. NULL without memory. */
struct cw_form *cw_form_create(const struct cw_model *m);
void cw_form_destroy(struct cw_form *c); /* NULL is fine */

/* The launch that following tiles are of; it is copied, with the bytes of its arguments. A launch whose
 * sizes, offset and those scalar arguments that indices depend on are the same as in one of the last few is
 * not compiled again (buffers may differ). False without memory; then there is no launch. */
bool cw_form_launch(struct cw_form *c, const struct cw_launch *launch);

/* Fills hulls[0 .. m->args - 1] for one tile of the launch. False without memory or launch. O(accesses). */
bool cw_form_tile(struct cw_form *c, const struct cw_tile *tile, struct cw_arg_hulls *hulls);

/* n tiles that follow each other along dimension d: tile i has work-groups from[i] .. from[i + 1] - 1 in d
 * (from[0] < from[1] < ... <= groups in d) and all groups in the others. hulls[i * m->args + argument]. */
bool cw_form_tiles(struct cw_form *c, unsigned d, const int64_t *from, int n, struct cw_arg_hulls *hulls);

/* How many accesses of the current launch are evaluated the slow way, of how many (repeated ones counted
 * once). */
int cw_form_slow(const struct cw_form *c, int *all);

/* The current launch was compiled by formulas that an earlier one had left, without the evaluator. */
bool cw_form_planned(const struct cw_form *c);

#endif
