/* cut_form.h - an access of a whole launch as digits: its first byte is slab * i + the sum of stride * x +
 * slack. Shared by the files cut*.c only. */
#ifndef CW_FOOTPRINT_CUT_FORM_H
#define CW_FOOTPRINT_CUT_FORM_H

#include "eval_internal.h"

enum { CUT_MAX_DIGITS = CW_POLY_TERMS + 1, CUT_MAX_WAYS = 4 };

/* stride * x, lo <= x <= hi */
struct cut_digit {
    cw_wide stride, lo, hi; /* stride > 0 */
};

/* slab * i + the sum of digit[k] * x of the k-th digit is `rest` modulo `modulus` wherever the access
 * happens; modulus 0: nothing of that kind is known. */
struct cut_congruence {
    cw_wide modulus, rest, slab, digit[CUT_MAX_DIGITS];
};

/* One way of writing an offset down. i is the group id in the cut dimension; it and all x are taken as
 * independent of each other. */
struct cut_way {
    cw_wide slab;          /* coefficient of i; 0: does not depend on i, or `mixed` */
    bool mixed;            /* depends on i in another way than slab * i: `total` holds, nothing else */
    bool linear;           /* slack is one number */
    struct cw_range slack; /* the constant and all terms that are no digit */
    struct cw_range total; /* bounds of the whole sum */
    int n;
    struct cut_digit digit[CUT_MAX_DIGITS]; /* ascending strides, no two alike */
    /* Bounds of slack and all summands, slab * i too, whose factors are less than digit[k]'s; [n]: of the
     * whole. Guards tie variables together, so it may be tighter than the sum of the digits' bounds. Holds
     * where digit[k].stride > |slab|. */
    struct cw_range below[CUT_MAX_DIGITS + 1];
    struct cut_congruence congruence;
};

struct cut_form {
    int access, arg;       /* access -1: the argument is touched somewhere, all of it is meant */
    unsigned kind;         /* CW_ACCESS_* */
    bool never;            /* does not happen in this launch */
    bool whole;            /* may be any byte of the buffer */
    bool vague;            /* depends on values that are not the launch's */
    int64_t bytes;         /* from its first byte on */
    struct cw_range slabs; /* of i */
    int ways;              /* all of them true; 0 when `whole` */
    struct cut_way way[CUT_MAX_WAYS];
};

/* Reads access `index` of the model for e->launch, with a range of slabs along `dim` in e->tile. */
void cw_cut_form_read(struct cw_eval *e, int index, int dim, struct cut_form *f);

/* cut_congruence.c */
/* A condition of the access that gives the remainder of a polynomial (cells of one colour): the polynomial,
 * which is `rest` modulo `modulus`. False: there is none. */
bool cw_cut_find_congruence(struct cw_eval *e, const struct cw_access *a, const struct cw_poly **p,
                            struct cut_congruence *found);
/* The same in terms of the digits of `offset` that w consists of; left unknown where that is impossible. */
void cw_cut_place_congruence(const struct cw_eval *e, const struct cw_poly *p,
                             const struct cut_congruence *found, const struct cw_poly *offset, int dim,
                             struct cut_way *w);
/* Wherever a and b of different slabs would meet, one of them does not happen, because of its congruence. */
bool cw_cut_incongruent(const struct cut_form *a, const struct cut_way *x, const struct cut_form *b,
                        const struct cut_way *y, int64_t shift);

/* No slab's a meets another slab's b, whose buffer begins `shift` bytes behind that of a in the same memory
 * (negative: before). */
bool cw_cut_disjoint(const struct cut_form *a, const struct cut_form *b, int64_t shift);

/* Greatest common divisor, not negative; of 0 and b: |b|. */
cw_wide cw_cut_gcd(cw_wide a, cw_wide b);

/* Offsets are multiples of `bytes` in all cases. */
bool cw_cut_aligned(const struct cut_form *f, int64_t bytes);

/* How many intervals a tile of many slabs has: 1 when its slabs lie side by side or do not matter;
 * CW_EVAL_MAX_SPANS + 1 when there are too many to be listed, or the evaluator's lists for two tiles may
 * overlap. */
int64_t cw_cut_pieces(const struct cut_form *f);

#endif
