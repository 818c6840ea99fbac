/* rows_proof.h - whether the assumptions of a kernel's form for rows hold, by clang's reading of the kernel.
 *
 * The rewriter reads kernels as tokens (rows/rewrite_rows.h), without types, scopes or macros' contents. This
 * code checks the rewriter's assumptions against clang's syntax tree of the same text. It shares only their
 * statement with the rewriter: run mode uses a form only where both agree. It looks for no forms, and it
 * refuses every assumption that it cannot prove.
 *
 *   what the form takes for granted                                     looked at in
 *   the kernel is that function, what it calls asks for no ids          rows_proof.c
 *   loops run from the first to the last turn; no others                rows_proof.c
 *   subscripts are of parameters, and move by one at most; with loops,  rows_proof.c
 *     what is written moves
 *   variables that tests rest on keep the value they are declared with  rows_terms.c
 *   a side of a comparison moves by one from work-item to work-item,    rows_terms.c
 *     or not at all, and may be looked at before it is reached
 *   what becomes a constant is a test, made of just these comparisons,  rows_tests.c
 *     joined so, without side effects; names mean the same at the ends
 *     of a row
 *   no floating-point value is computed in another way where tests      rows_numbers.c, rows_floats.c,
 *     and turns are constants                                           rows_operations.c */
#ifndef CW_FOOTPRINT_ROWS_PROOF_H
#define CW_FOOTPRINT_ROWS_PROOF_H

#include "../rows/rewrite_rows.h"
#include "ast.h"

/* `tree` is that of r's text. NULL: all of it is so; else static words that say what is not. */
const char *cw_rows_proof(const struct cw_ast *tree, const struct cw_rw_rows *r);

/* ---- internal to rows_*.c */

enum { CW_PROOF_FUNCTIONS = 64 };

struct cw_proof {
    const struct cw_rw_rows *r;
    const struct cw_ast_node *root, *kernel, *body;
    const struct cw_ast_node *loop[CW_RW_LOOPS]; /* the variable of each of r's */
    /* bodies of the functions that the kernel calls, and they */
    const struct cw_ast_node *reached[CW_PROOF_FUNCTIONS];
    unsigned reaches;
    bool compares; /* floating-point values are compared, or decide, somewhere */
    bool converts; /* … or are made whole numbers */
};

/* How a value changes along a row; `turns`: also from turn to turn of a loop. `cuts`: how often what moves
 * was converted to a type that is shorter than int; one too many where it was clamped. Once, the row's ends
 * tell whether it has wrapped. Where it may wrap in two types, or a clamp shortens a jump, it may come out at
 * its ends as if nothing had happened between. */
struct cw_rows_term {
    enum cw_rw_term moves;
    bool turns;
    uint8_t cuts; /* up to CW_PROOF_CUTS + 1 */
};
enum { CW_PROOF_CUTS = 1 }; /* the most that a side of a comparison may have */

/* rows_terms.c */
struct cw_rows_term cw_rows_term_of(const struct cw_proof *p, const struct cw_ast_node *n);
bool cw_rows_is_type(const char *type,
                     const char *const *names); /* one of these, const or __private or not; NULL ends them */
bool cw_rows_is_integer(const char *type);      /* int, uint, size_t … */
bool cw_rows_is_int(const char *type);
bool cw_rows_calls(const struct cw_proof *p, const struct cw_ast_node *call, const char *builtin);
bool cw_rows_defines(const struct cw_proof *p, const char *function);
/* The variable whose value the expression is, as it is: for `x` and `(x)`; else NULL. */
const struct cw_ast_node *cw_rows_variable(const struct cw_ast_node *n);
uint32_t cw_rows_place(const struct cw_proof *p, uint32_t token);
/* The outermost expression in the kernel that is just these tokens, none of it made by a macro; or NULL. */
const struct cw_ast_node *cw_rows_find(const struct cw_proof *p, struct cw_rw_range at);
bool cw_rows_is_at(const struct cw_proof *p, const struct cw_ast_node *n, struct cw_rw_range at);

/* rows_tests.c and rows_operations.c: NULL, or what does not hold. */
const char *cw_rows_tests(const struct cw_proof *p);
const char *cw_rows_floats(struct cw_proof *p);

#endif
