/* rows_floats.h - facts that compilers may derive about floating-point values in a copy of a kernel's text.
 * Internal to rows_*.c; see rows_floats.c. */
#ifndef CW_FOOTPRINT_ROWS_FLOATS_H
#define CW_FOOTPRINT_ROWS_FLOATS_H

#include "rows_proof.h"

enum cw_rows_value {
    CW_PROOF_NOTHING, /* while variables are looked at: it adds nothing to their other values */
    CW_PROOF_OPEN,
    CW_PROOF_NUMBER,
    CW_PROOF_ZERO,
    CW_PROOF_DOUBT
};

/* Functions that stand for an operation or two, without tests or constants of their own. */
enum cw_rows_plain {
    CW_PROOF_OTHER,
    CW_PROOF_PICKS, /* fmin, clamp, select …: one of their arguments */
    CW_PROOF_KEEPS, /* fabs, sqrt …: exact, 0 of 0 */
    CW_PROOF_SUMS   /* mad, fma */
};

enum { CW_PROOF_DEEPEST = 24, CW_PROOF_MOST_LOOKS = 2000000 };

struct cw_rows_look {
    const struct cw_proof *p;
    const struct cw_ast_node *body;                    /* of the function that is looked at */
    const struct cw_ast_node *trail[CW_PROOF_DEEPEST]; /* whose values are being looked at */
    unsigned depth;
    bool strict;     /* buffers that are being looked at are DOUBT, else OPEN */
    unsigned *looks; /* so far; beyond a limit all is DOUBT */
};

bool cw_rows_is_floating(
    const struct cw_ast_node *n); /* a scalar or vector; no function, pointer or structure */
bool cw_rows_is_whole(const struct cw_ast_node *n);
bool cw_rows_is_literal(const struct cw_ast_node *n);
bool cw_rows_is_one_of(const char *word, const char *const *list); /* NULL ends it */

/* Of an expression, or of the target of a store. */
enum cw_rows_value cw_rows_value_of(struct cw_rows_look l, const struct cw_ast_node *n);
/* The number that it is everywhere, computed in double; false: it is none, or it is not known here. */
bool cw_rows_number(struct cw_rows_look l, const struct cw_ast_node *n, double *value);
/* Nothing that makes a NaN with another one, or negates its subtrahend. */
bool cw_rows_is_usual(double v);
/* The one value that a variable is ever given, or NULL. */
const struct cw_ast_node *cw_rows_given_once(const struct cw_rows_look *l, const struct cw_ast_node *d);
bool cw_rows_is_in_trail(const struct cw_rows_look *l, const struct cw_ast_node *d);
enum cw_rows_plain
cw_rows_plain_of(const char *function); /* by its name, where the program defines none of that name */
/* The name of the function that is called; "" for none. */
const char *cw_rows_called(const struct cw_ast_node *call);

#endif
