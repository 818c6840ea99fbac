/* form_internal.h - shared by form*.c only. */
#ifndef CW_FORM_INTERNAL_H
#define CW_FORM_INTERNAL_H

#include "form.h"
#include "eval_internal.h"

/* Everything of a compiled launch stays within ± this in the whole launch, sums and products included. */
#define FORM_LIMIT (INT64_C(1) << 60)

/* constant + the sum of coefficient * variable over n terms from `first` of the code on, smallest
 * coefficients first. A value without this form, or larger than FORM_LIMIT, is a polynomial; then only bounds
 * of it are known. */
struct form_line {
    int64_t constant;
    int first, n;
    int curve;   /* 1 + its number in the code; 0: none */
    uint32_t id; /* formula of the constant, while a launch is recorded (form_plan.c); as other ids here */
};

struct form_term {
    int64_t coefficient;
    uint32_t id;
    uint8_t var;
};

/* A condition that is no comparison: its parts, operands first. */
enum form_op {
    FORM_COMPARE,
    FORM_YES,
    FORM_NO,
    FORM_OPEN,
    FORM_NOT,
    FORM_AND,
    FORM_OR,
    FORM_XOR,
    FORM_SELECT
};
enum { FORM_MAX_STEPS = 64 };

struct form_step {
    enum form_op op;
    struct form_line line; /* COMPARE: line <relation> */
    enum relation relation;
};

/* line <relation>, or the result of `steps`, holds for some work-items of the launch only. */
struct form_guard {
    struct form_line line;
    enum relation relation;
    int at;          /* its number among the conditions of its accesses */
    int step, steps; /* steps > 0: no line */
};

/* How the range of a variable of the box follows from lines (eval_internal.h); TESTs come before the LOOP
 * they belong to. */
struct form_recipe {
    enum eval_rule rule;
    uint8_t var;
    int stage; /* before the condition that stands there in the source's order */
    struct form_line a, b;
    int64_t number;
    uint32_t id;                 /* of number */
    struct form_guard condition; /* SELECT */
    enum relation relation;
    bool sole, inside;
};

/* A narrowed box: the conditions of some accesses, in the tile's variables and in some that begin with a
 * fixed range. */
struct form_box {
    int guard, guards;
    int first_var, vars;               /* into cw_code.var: VAR_DYNAMIC and following */
    int recipe, recipes, recipes_seen; /* seen: of the evaluator's */
    bool by_group[3];
};

struct form_var {
    int64_t lo, hi;
    uint32_t lo_id, hi_id;
    bool free;
};

/* p <= rest - c, or p >= rest - c for c < 0, while `var` has several values: p's bound by a condition that
 * ties variables together (eval.c, bound_by). */
struct form_bound {
    struct form_line rest;
    int64_t c;
    uint32_t id; /* of c */
    uint8_t var;
};

struct form_item {
    int arg;
    unsigned kind;
    bool slow;                   /* `access` goes to the evaluator */
    bool whole;                  /* touches all of the buffer, unknown, because of `why` */
    bool doubted;                /* with `why` */
    bool tied;                   /* some variable of the line is not free */
    int access, box;             /* box -1: none is needed */
    struct form_line line, also; /* also: another form of it, with other bounds */
    bool two_forms;
    int64_t bytes_may, bytes_must;
    int64_t repeats, stride; /* repeats < 0: once */
    bool repeats_vary;
    int bound, bounds;
    const char *why;
};

/* One compiled launch. Arrays keep their memory from launch to launch. */
struct cw_code {
    bool valid, planned;
    uint64_t plan;     /* the number of the plan whose arrays these are; 0: of none */
    uint64_t used;     /* when, for the choice of the one to give up */
    unsigned work_dim; /* the key ... */
    int64_t global[3], local[3], offset[3];
    unsigned char *scalars; /* ... and c->key_bytes of arguments, each behind a byte that says known */
    bool ragged[3];
    struct form_item *item;
    struct form_box *box;
    struct form_guard *guard;
    struct form_bound *bound;
    struct form_term *term;
    struct form_var *var;
    struct form_recipe *recipe;
    struct form_step *step;
    struct cw_poly *curve;
    int items, boxs, guards, bounds, terms, vars, recipes, steps, curves;
    int item_room, box_room, guard_room, bound_room, term_room, var_room, recipe_room, step_room, curve_room;
};

/* How the numbers of a code follow from those of the launch: a code before anything in it was found settled,
 * its numbers as formulas, and the condition (the checks among them) under which another launch has such a
 * code. See form_plan.c. */
struct form_plan {
    bool valid;
    uint64_t used, number;
    unsigned work_dim;
    bool ragged[3];
    struct cw_formulas formulas;
    struct cw_code code;
    struct form_patch {
        uint8_t array; /* of FORM_ARRAYS */
        uint16_t id;
        uint32_t at; /* bytes from its beginning */
    } * patch;
    int patches;
    int64_t most; /* coefficients that are plain numbers are at most this large */
};

enum { CODES = 8, PLANS = 4, RECORDINGS = 16 };

struct cw_form {
    const struct cw_model *m;
    struct cw_eval *e;
    struct cw_code code[CODES], *now;
    struct form_plan plan[PLANS];
    int recordings; /* how many launches have been recorded, of RECORDINGS; plans that fail cost time */
    uint64_t clock;
    struct cw_launch launch; /* the copy; its arguments are ... */
    struct cw_launch_arg *arg;
    unsigned char *bytes; /* ... with their values here */
    size_t bytes_room;
    int *key_size, key_bytes;             /* per argument: bytes that indices depend on */
    struct eval_touch touch;              /* of slow accesses */
    int64_t lo[VAR_COUNT], hi[VAR_COUNT]; /* the box of a tile */
    bool free[VAR_COUNT];
    bool inexact, empty;
};

/* form_line.c */
/* The outcome of compiling a part. */
enum outcome { FORM_OK, FORM_SLOW, FORM_NO_MEMORY };
/* Room for n more elements of `size` bytes in the array of `have` that the pointer at `v` points to. */
bool cw_form_room(void *v, int have, int n, int *capacity, size_t size);
/* p as a line or curve; sorted: by the size of coefficients. */
enum outcome cw_form_make_line(struct cw_form *c, struct cw_code *code, const struct cw_poly *p, bool sorted,
                               struct form_line *l);
/* Smallest coefficients first. */
void cw_form_sort_line(struct cw_code *code, const struct form_line *l);
/* A condition that is no comparison, as steps. */
enum outcome cw_form_make_tree(struct cw_form *c, struct cw_code *code, struct cw_guard g,
                               struct form_guard *to);

/* form_compile.c */
/* Fills `code` for c->launch; conditions that are settled everywhere are left in it. False without memory. */
bool cw_form_compile(struct cw_form *c, struct cw_code *code);
/* Drops it. */
void cw_form_drop_settled(struct cw_form *c, struct cw_code *code);

/* form_compile.c */
/* The arrays of a code. */
#define FORM_ARRAYS(X) X(item) X(box) X(guard) X(bound) X(term) X(var) X(recipe) X(step) X(curve)
enum form_array {
#define X(name) FORM_ARRAY_##name,
    FORM_ARRAYS(X)
#undef X
        FORM_ARRAY_COUNT
};
/* Copies the arrays, not the key; `moved_only`: those whose elements are moved after a plan was used, as the
 * others are there already. False without memory. */
bool cw_form_copy(struct cw_code *to, const struct cw_code *from, bool moved_only);
void cw_form_finish(struct cw_code *code);

/* form_plan.c */
/* Compiles c->launch into `code`, by one of the plans where that is possible, and drops settled conditions.
 * False without memory. */
bool cw_form_make(struct cw_form *c, struct cw_code *code);
void cw_form_plans_finish(struct cw_form *c);

/* form_box.c */
/* Sets c->lo, c->hi for a tile; per box: its own variables, then its conditions. */
void cw_form_set_tile(struct cw_form *c, const struct cw_tile *tile);
/* Narrows; false when nothing is left. *certain: all conditions hold in the rest, which has no holes. */
bool cw_form_enter_box(struct cw_form *c, const struct cw_code *code, const struct form_box *b,
                       bool *certain);
struct form_range {
    int64_t lo, hi;
};
enum tri cw_form_decide(const struct cw_form *c, const struct cw_code *code, const struct form_guard *g);
struct form_range cw_form_line_range(const struct cw_form *c, const struct cw_code *code,
                                     const struct form_line *l);

/* form_compile.c */
/* The value of a line in the box: base + all that it adds, in pieces of `extent` bytes. */
struct form_layout {
    int64_t base, last, extent; /* the last element begins at `last` */
    bool one_piece, few, independent;
};
struct form_layout cw_form_lay_out(const struct cw_form *c, const struct cw_code *code,
                                   const struct form_item *x);

#endif
