/* eval_internal.h - shared by the files of the evaluator (eval*.c, judge.c) only. */
#ifndef CW_FOOTPRINT_EVAL_INTERNAL_H
#define CW_FOOTPRINT_EVAL_INTERNAL_H

#include "eval.h"
#include "poly.h"

enum eval_mode {
    EVAL_LAUNCH,   /* with numbers */
    EVAL_SYMBOLIC, /* every leaf and every operation that is not + - * becomes a variable; extensions are
                      looked through */
    EVAL_STRICT,   /* the same, but extensions are variables too */
};

/* Variable numbers. 1..9 belong to the tile, the others are made on demand. */
enum { VAR_GLOBAL = 1, VAR_GROUP = 4, VAR_LOCAL = 7, VAR_DYNAMIC = 10, VAR_COUNT = 256 };

struct eval_var {
    int node;     /* the node that it stands for; -1 for the tile's variables */
    bool free;    /* takes every value of its range, independently of the others */
    bool wrapped; /* stands for a value of the launch that may not fit its width */
    bool pending; /* counter of a loop whose bound is being computed: its range means nothing yet */
    bool tiled;   /* its range may be another one in another tile of the same launch */
};

enum loop_state { LOOP_NEW, LOOP_PENDING, LOOP_DONE, LOOP_FAILED };

/* "The polynomial stays in range while the counter runs", taken for granted until the bound is known. */
struct eval_duty {
    const struct cw_poly *p;
    struct cw_range limit;
};

/* Deeper expressions are taken as "anything": the stack of a launch's evaluation is a thread of the host's,
 * about 1.3 KiB a level. Formulas are printed, and loops read, in programs of clweave itself. */
enum { EVAL_MAX_DUTIES = 64, EVAL_CHUNK = 64, EVAL_MAX_DEPTH_LAUNCH = 200, EVAL_MAX_DEPTH = 1000 };

/* Conditions are decided anew each time, also those that others share: beyond so many the rest is open. */
enum { EVAL_MAX_DECISIONS = 20000 };

/* p < 0, p == 0, p != 0 */
enum relation { REL_NEGATIVE, REL_ZERO, REL_NONZERO };

/* How the range of a variable follows from those of polynomials. */
enum eval_rule {
    RULE_FLOOR,     /* floor(a / number) */
    RULE_REMAINDER, /* a - number * floor(a / number) */
    RULE_MIN,       /* of a and b */
    RULE_MAX,
    RULE_EITHER, /* a or b */
    RULE_SELECT, /* a where `condition` <relation>, else b */
    RULE_TEST,   /* the bound from a test of a loop, for the iteration that fails it first; then the loop
                    itself: */
    RULE_LOOP,   /* the least of the `number` tests before it, and nothing else ends the loop when `sole` */
};

/* Inputs of formulas (cw_formula_value_input): sizes by dimension, then scalar arguments by node. */
enum { INPUT_GLOBAL = 0, INPUT_LOCAL = 3, INPUT_OFFSET = 6, INPUT_GROUPS = 9, INPUT_NODE = 12 };

/* Remembered for a variable whose range depends on the tile (form_compile.c). */
struct eval_recipe {
    enum eval_rule rule;
    int var;
    int stage; /* how many conditions had narrowed the box */
    const struct cw_poly *a, *b;
    const struct cw_poly *condition; /* SELECT; NULL: */
    int node;                        /* the condition is no comparison */
    struct cw_value number;          /* FLOOR, REMAINDER; TEST: the counter's coefficient */
    enum relation relation;          /* SELECT, TEST */
    bool sole, inside; /* LOOP: counts as certain when its bounds are one number; seen from inside */
};

/* p = number * quotient + remainder; these are variables, 0 when not met yet. The quotient may be one number
 * instead. */
struct eval_division {
    const struct cw_poly *p;
    struct cw_value number, constant;
    int quotient, remainder;
    bool is_constant;
};

enum { EVAL_MAX_RECIPES = 64, EVAL_MAX_DIVISIONS = 16 };

/* The three readings of a node. */
enum reading { READ_RAW, READ_SIGNED, READ_UNSIGNED };

struct remembered {
    uint32_t generation;
    const struct cw_poly *p;
};

struct cw_eval {
    const struct cw_model *m;
    const struct cw_launch *launch;
    const struct cw_tile *tile;
    enum eval_mode mode;
    struct remembered *remembered; /* 3 per node */
    uint32_t generation;
    struct cw_poly **chunk;
    int chunks, polys;
    struct cw_range range[VAR_COUNT],
        initial[VAR_COUNT]; /* initial: of VAR_DYNAMIC on, before guards narrowed it */
    struct eval_var var[VAR_COUNT];
    int vars;
    enum loop_state *loop;
    uint8_t *loop_var;
    struct eval_duty duty[EVAL_MAX_DUTIES];
    int duties;
    int access_loop;      /* innermost loop around the access in hand */
    bool ragged[3];       /* the last group is smaller than the others */
    bool by_group[3];     /* basis of the dimension: group and local id instead of the global id */
    bool basis_by_offset; /* because of the offset in hand, not of its guards */
    bool pending_used;    /* a range that depends on a pending counter was asked for */
    bool restart;         /* evaluate this access again: a loop has failed or a basis has changed */
    bool inexact;         /* a variable that is not free was narrowed, or the box has holes */
    bool empty;           /* the box is empty: nothing happens */
    bool box_valid;       /* the box and all that is remembered belong to ... */
    struct cw_guard_range box_guards; /* ... these guards */
    int depth, max_depth;             /* of the recursion over nodes */
    int decisions;                    /* since the last reset */
    bool failed;                      /* out of memory or of variables: nothing is known */
    struct eval_recipe recipe[EVAL_MAX_RECIPES];
    int recipes, stage;
    struct eval_division division[EVAL_MAX_DIVISIONS];
    int divisions;
    const struct cw_poly *also; /* another form of the last offset reached, with other bounds; NULL: none */
    bool weighing; /* a condition is being decided for a caller that can handle another tile's other decision
                      ... */
    bool swayed;   /* ... which another tile may do */
    bool tile_bound; /* something was decided (not just found true everywhere) that another tile may decide
                        otherwise */
};

enum tri { TRI_NO, TRI_YES, TRI_MAYBE };

static inline enum tri tri_not(enum tri t)
{
    return t == TRI_MAYBE ? t : t == TRI_YES ? TRI_NO : TRI_YES;
}

static inline enum tri tri_and(enum tri a, enum tri b)
{
    return a == TRI_NO || b == TRI_NO ? TRI_NO : a == TRI_YES && b == TRI_YES ? TRI_YES : TRI_MAYBE;
}

static inline enum tri tri_or(enum tri a, enum tri b)
{
    return tri_not(tri_and(tri_not(a), tri_not(b)));
}

static inline enum tri tri_xor(enum tri a, enum tri b)
{
    return a == TRI_MAYBE || b == TRI_MAYBE ? TRI_MAYBE : a != b ? TRI_YES : TRI_NO;
}

/* The footprint of one access. */
struct eval_visit {
    enum cw_answer answer;
    struct cw_spans may, must;
    const char *why; /* static */
    int64_t outside, outside_end;
};

/* eval.c */
extern const char cw_eval_why_any[], cw_eval_why_wrap[], cw_eval_why_data[], cw_eval_why_guard[],
    cw_eval_why_shape[], cw_eval_why_gaps[], cw_eval_why_atomic[], cw_eval_why_size[], cw_eval_why_count[],
    cw_eval_why_padding[];
/* eval_reach.c */
/* Narrows the box to where `a`, whose offset is a node, can happen, and evaluates its offset (READ_SIGNED),
 * count (READ_UNSIGNED) and stride (READ_SIGNED). TRI_YES, and the offset; TRI_NO: it happens nowhere;
 * TRI_MAYBE: it is too large to say. */
enum tri cw_eval_reach(struct cw_eval *e, const struct cw_access *a, const struct cw_poly **offset);
/* eval.c */
/* One access of the tile; `t` keeps its memory. *ok is cleared without memory. */
void cw_eval_access(struct cw_eval *e, const struct cw_access *a, const struct cw_launch_arg *arg,
                    struct eval_visit *t, bool *ok);

/* eval_value.c */
void cw_eval_reset(struct cw_eval *e);
const struct cw_poly *cw_eval_node(struct cw_eval *e, int node, enum reading how);
struct cw_range cw_eval_range(struct cw_eval *e, const struct cw_poly *p);
const struct cw_poly *cw_eval_keep(struct cw_eval *e, const struct cw_poly *p);
int cw_eval_new_var(struct cw_eval *e, int node, struct cw_range r);
/* A variable for any value of the node's width. */
const struct cw_poly *cw_eval_unknown(struct cw_eval *e, int node, bool is_signed);
const struct cw_poly *cw_eval_var_poly(struct cw_eval *e, int var);
struct cw_range cw_eval_type_range(int width, bool is_signed);
/* Is some variable of p pending? */
bool cw_eval_pending(const struct cw_eval *e, const struct cw_poly *p);

/* Does the range of p depend on the tile? */
bool cw_eval_is_tiled(const struct cw_eval *e, const struct cw_poly *p);
/* The range of p was used for more than to find something true that then holds in every part of the tile. */
void cw_eval_depends(struct cw_eval *e, const struct cw_poly *p);

/* Bounds of the result of rule FLOOR .. SELECT (undecided) for ranges of a and b. */
struct cw_range cw_eval_rule_range(enum eval_rule rule, struct cw_value number, struct cw_range a,
                                   struct cw_range b);
/* The same for TEST; false when the test does not end the loop for certain. */
bool cw_eval_test_range(enum relation relation, struct cw_value t, struct cw_range rest,
                        struct cw_range *out);
/* eval_number.c */
const struct cw_poly *cw_eval_number(struct cw_eval *e, int node, bool is_signed);
/* r lies within the limit; remembered where bounds are formulas. */
bool cw_eval_within(struct cw_range r, struct cw_range limit);
/* Keeps a recipe; when there are too many the answer is `tile_bound`. */
void cw_eval_remember(struct cw_eval *e, struct eval_recipe r);

/* The scalar argument x (ARG); false when it is not known. eval_value.c */
bool cw_eval_argument(const struct cw_launch *l, const struct cw_expr *x, int64_t *value);

/* eval_print.c */
/* An evaluator without a launch; NULL without memory. */
struct cw_eval *cw_eval_symbolic(const struct cw_model *m, enum eval_mode mode);

/* eval_op.c: operations that are not a ring's */
const struct cw_poly *cw_eval_operation(struct cw_eval *e, int node);
/* A variable by a rule, which is remembered when the outcome depends on the tile. */
const struct cw_poly *cw_eval_by_rule(struct cw_eval *e, int node, struct eval_recipe r);

/* eval_divide.c */
/* p = d * quotient + remainder with 0 <= remainder < d everywhere; false when there are no such polynomials.
 */
bool cw_eval_split(struct cw_eval *e, const struct cw_poly *p, struct cw_value d, struct cw_poly *quotient,
                   struct cw_poly *remainder);
/* floor(p / d) and p mod d, d > 0; they stand for `node`. */
const struct cw_poly *cw_eval_floor_division(struct cw_eval *e, int node, const struct cw_poly *p,
                                             struct cw_value d);
const struct cw_poly *cw_eval_remainder(struct cw_eval *e, int node, const struct cw_poly *p,
                                        struct cw_value d);
/* Where p has c * remainder + c * number * quotient of a division, that is c times the dividend: *out is p
 * with that put in. False when there is no such pair. */
bool cw_eval_undivide(const struct cw_eval *e, const struct cw_poly *p, struct cw_poly *out);

/* The comparison `node` == want as "p <relation>"; false when p does not fit. */
bool cw_eval_relation(struct cw_eval *e, int node, bool want, struct cw_poly *p, enum relation *relation);
enum tri cw_eval_decide(struct cw_eval *e, int node);
/* The same; when tiles may decide a condition that is undecided here, the outcome is not one of this tile;
 * *tiles_decide tells it. */
enum tri cw_eval_weigh(struct cw_eval *e, int node, bool *tiles_decide);
/* Shrinks the box to where the guard can hold; TRI_NO when it cannot hold anywhere. */
enum tri cw_eval_narrow(struct cw_eval *e, struct cw_guard g);
/* Does p <relation> hold in the whole box? */
enum tri cw_eval_decide_relation(struct cw_eval *e, const struct cw_poly *p, enum relation relation);

/* eval_loop.c */
const struct cw_poly *cw_eval_loop_counter(struct cw_eval *e, int loop);

/* Whether a term of `p` has a variable that only data in memory tell. */
bool cw_eval_of_data(const struct cw_eval *e, const struct cw_poly *p);

#endif
