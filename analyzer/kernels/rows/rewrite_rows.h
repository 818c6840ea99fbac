/* rewrite_rows.h - a second form of kernels, in which one work-item does the work of a row of them.
 *
 * Why. Compilers for CPUs run a work-group as a loop over its work-items. In kernels that test for borders
 * every load is conditional there, so the loop is made of masked loads and tests; indices in int, wide ids
 * cut to them, must be proved not to wrap in each work-group. As rows such kernels take half of the time
 * or less (PoCL 3.1).
 *
 * How. Behind kernel K of the source stands __cw_rows_K: a loop over dimension 0 in an int, around K's own
 * text as an inlined function. Tests are split into *atoms*, comparisons of sums of which one grows or
 * falls by one from work-item to work-item (*moving*) or none does (*fixed*). At run time the ends of the
 * row give the range in which each moving atom has the value that it has inside: what moves by one is
 * looked at at both ends in the type in which it is compared, and where it does not differ by just as many
 * as there are work-items between (it has wrapped), nothing is taken for granted. In that range runs a
 * copy of the text in which those tests are constants; before and behind it the text as it is. Rows in
 * which a fixed atom decides a test (the first row, the last) have copies of their own.
 *
 * Clamps. clamp(sum, least, most) of ints is a test, too: inside the sum is between the two, and stands
 * there by itself. In loops of few turns over an int (`for (int d = -1; d <= 1; d++)`) that is so in all
 * turns when it is in the first and the last one. Compilers unroll such loops, and what is left is the
 * kernel that a programmer would have written out.
 *
 * Macros. Plain ones have given way to their text before (source/vendor_macros.h); what others stand for
 * is not known, and a test or a subscript with one has no form.
 *
 * Which. Kernels without other loops, local memory, barriers, atomics and whatever else tells work-groups
 * apart; ids that they ask for themselves, not in functions; subscripts of parameters only, that move by
 * at most one (with loops, what they write by one); at least one test. Variables in tests are integers
 * that are given a value where they are declared and nowhere else, of sums that have no side effects, read
 * no memory and cannot trap, so that they may be looked at before they are reached. Each copy of the text
 * computes what the text computes: nothing but tests is replaced, and compilers contract products and sums
 * within one expression of the source (which options that allow more are refused). What they negate for
 * that must not be taken out of the row's loop (rewrite_signs.c). */
#ifndef CW_REWRITE_ROWS_H
#define CW_REWRITE_ROWS_H

#include "../rewrite/rewrite_state.h"

enum cw_rw_term { CW_RW_T_UNKNOWN, CW_RW_T_FIXED, CW_RW_T_UP, CW_RW_T_DOWN };

enum {
    CW_RW_LOOPS = 8,
    CW_RW_VARIABLES = 24,
    CW_RW_CONDITIONS = 4,
    CW_RW_ATOMS = 24,
    CW_RW_PARAMETERS = 64,
    CW_RW_ROW_TOKENS = 1500
};

struct cw_rw_range {
    uint32_t first, end; /* tokens */
};

struct cw_rw_variable {
    uint32_t name;
    uint32_t token; /* of its declaration */
    uint32_t until; /* the brace that ends its block */
    struct cw_rw_range type, value;
    enum cw_rw_term term;
    bool turns; /* it differs from turn to turn of a loop */
};

struct cw_rw_atom {
    struct cw_rw_range all, left, right;
    char op[3];        /* of left to right, that it has inside; a fixed one: as it is written */
    bool moving, down; /* down: the side that moves falls */
    bool swapped;      /* it is `right` that moves */
    bool value;        /* inside */
    uint32_t condition;
    uint32_t loop, turn; /* in the first (turn 1) or last (2) turn of loop[loop]; turn 0: of none */
};

struct cw_rw_condition {
    struct cw_rw_range all; /* between the parentheses */
    char join;              /* '&', '|', 0: one atom */
    bool known;             /* all its atoms are */
    bool clamp;             /* clamp(sum, least, most): the sum inside */
    struct cw_rw_range sum;
    uint32_t fixed; /* that many of them are fixed */
    uint32_t moving;
};

/* for (int name = first; name <= last; name++) */
struct cw_rw_loop {
    uint32_t name;
    uint32_t head, until; /* tokens: `for`, and the one behind the loop */
    uint32_t body;
    int32_t first, last;
};

struct cw_rw_parameter {
    uint32_t name;
    bool integer, pointer;
    bool plain; /* int */
};

struct cw_rw_rows {
    const struct cw_rw *s;
    const struct cw_rw_text *t;
    const struct cw_rw_function *f;
    struct cw_rw_parameter parameter[CW_RW_PARAMETERS];
    struct cw_rw_variable variable[CW_RW_VARIABLES];
    struct cw_rw_condition condition[CW_RW_CONDITIONS];
    struct cw_rw_atom atom[CW_RW_ATOMS];
    struct cw_rw_loop loop[CW_RW_LOOPS];
    uint32_t parameters, variables, conditions, atoms, loops;
};

/* ---- rewrite_terms.c */

/* Pays for looking at `n` tokens; false: too many were looked at, and the caller has to take the worst for
 * granted. */
bool cw_rewrite_spend(const struct cw_rw_rows *r, uint32_t n);
/* Token i is that word. */
bool cw_rewrite_word(const struct cw_rw_rows *r, uint32_t i, const char *text);
/* How the sum in these tokens changes along a row. */
enum cw_rw_term cw_rewrite_term_of(const struct cw_rw_rows *r, struct cw_rw_range at);
/* Number of tokens at `i` that name an integer type, 0: none do. */
uint32_t cw_rewrite_integer_type(const struct cw_rw_rows *r, uint32_t i, uint32_t end);
/* These tokens name int, and nothing but that. */
bool cw_rewrite_int_type(const struct cw_rw_rows *r, uint32_t first, uint32_t end);
/* The token behind the bracket that closes the one at `open`, or `end`. */
uint32_t cw_rewrite_behind(const struct cw_rw_text *t, uint32_t open, uint32_t end);

/* ---- rewrite_writes.c */

/* Nothing in the body declares, changes or takes the address of `name`, but its declaration at token
 * `declared` (0: it is a parameter), and no macro can. */
bool cw_rewrite_steady(const struct cw_rw_rows *r, uint32_t name, uint32_t declared);

/* Occurrence i of a name, not that of its declaration, leaves the value alone. */
bool cw_rewrite_only_read(const struct cw_rw_rows *r, uint32_t i);
/* `a` with the round brackets around it, which hold nothing else. */
struct cw_rw_range cw_rewrite_bracketed(const struct cw_rw_rows *r, struct cw_rw_range a);
/* The token beside `x`, bracketed, is an operator that writes it. */
bool cw_rewrite_is_written(const struct cw_rw_rows *r, struct cw_rw_range x);

/* ---- rewrite_loops.c */

/* Reads the loops; false: there is one that is not understood, or that other functions or macros reach. */
bool cw_rewrite_read_loops(struct cw_rw_rows *r);
/* The loop whose variable the name at token i is, or NULL. */
const struct cw_rw_loop *cw_rewrite_loop_of(const struct cw_rw_rows *r, uint32_t i);
/* Something in `a` differs from turn to turn of a loop. */
bool cw_rewrite_turns(const struct cw_rw_rows *r, struct cw_rw_range a);
/* The arguments of the call of clamp at token i, and the token behind it; false: it is none. */
bool cw_rewrite_clamp(const struct cw_rw_rows *r, uint32_t i, uint32_t end, struct cw_rw_range argument[3],
                      uint32_t *behind);
/* Finds the calls of clamp that are tests. */
void cw_rewrite_clamp_tests(struct cw_rw_rows *r);

/* rewrite_signs.c: no NaN has another sign in the form for rows. */
bool cw_rewrite_signs_stay(const struct cw_rw_rows *r, bool (*is_kernel)(const struct cw_rw_rows *r));

/* ---- rewrite_rows_emit.c, rewrite_rows_body.c */

struct cw_rw_rows_writer {
    const struct cw_rw_rows *r;
    struct cw_rw_writer out;
};
void cw_rewrite_rows_say(struct cw_rw_rows_writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cw_rewrite_rows_copy(struct cw_rw_rows_writer *w,
                          struct cw_rw_range a); /* the tokens as they are written */
void cw_rewrite_rows_name(struct cw_rw_rows_writer *w,
                          const char *which); /* of function `which` of the kernel */
void cw_rewrite_rows_parameters(struct cw_rw_rows_writer *w);

/* The variables on which atoms depend. */
void cw_rewrite_rows_need(const struct cw_rw_rows *r, bool need[CW_RW_VARIABLES]);

/* The function `which`: the kernel's text, one work-item as it is, inside, or where a fixed atom decides
 * condition c (c + 1). */
enum { CW_RW_INNER, CW_RW_ITEM = 1 << 16 };
void cw_rewrite_rows_body(struct cw_rw_rows_writer *w, const char *which, uint32_t edge);

/* Text for behind the function, for free(); NULL: memory is out. */
char *cw_rewrite_rows_text(const struct cw_rw_rows *r);
extern const char cw_rewrite_rows_head[]; /* once before all of them, behind the definitions of tiles */

/* For cw_rewrite_in.forms. */
extern const struct cw_rewrite_forms cw_rewrite_rows_forms;

#endif
