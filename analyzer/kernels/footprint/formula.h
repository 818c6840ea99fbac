/* formula.h - numbers of a launch that remember how they came about, so that the next launch has them without
 * being evaluated.
 *
 * While a thread records, a number that depends on the launch carries the name of a formula: an entry of a
 * straight-line program over the launch's sizes and scalars. Arithmetic on such numbers appends to the
 * program, a comparison appends the check that it comes out the same way again. Running the program on other
 * inputs gives the numbers that the same evaluation would find there, or says that it would take another
 * course. Numbers of formulas are 64 bits wide; a larger number ends the recording, or the run. */
#ifndef CW_FOOTPRINT_FORMULA_H
#define CW_FOOTPRINT_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

typedef __int128 cw_wide;

/* A number, and the formula that it is the value of. 0: the same number in every launch. */
struct cw_value {
    cw_wide v;
    uint32_t id;
};

enum cw_formula_op {
    CW_FORMULA_NUMBER, /* a, b: its halves */
    CW_FORMULA_INPUT,  /* a: which, as the caller counts them */
    CW_FORMULA_ADD,
    CW_FORMULA_SUB,
    CW_FORMULA_MUL,
    CW_FORMULA_MIN,
    CW_FORMULA_MAX,
    CW_FORMULA_FLOOR, /* floor(a / b), b > 0 */
    CW_FORMULA_LESS,  /* checks: a < b, and so on */
    CW_FORMULA_NOT_LESS,
    CW_FORMULA_EQUAL,
    CW_FORMULA_UNEQUAL
};

/* Value number `to` (none for checks) from values a and b. `level`: it rests on values of lower levels only.
 */
struct cw_formula_step {
    uint16_t op, to, a, b, level;
};

/* A recording. value[i]: of formula i, as it was while recording, then as the last run left it. */
struct cw_formulas {
    int64_t *value;
    struct cw_formula_step *step; /* neither NUMBER nor INPUT; by level, then operation; checks last */
    struct cw_formula_input {
        uint32_t which;
        uint16_t to;
    } * input;
    int values, steps, inputs;
};

struct cw_recorder;

/* NULL without memory. */
struct cw_recorder *cw_formula_recorder_create(void);
void cw_formula_recorder_destroy(struct cw_recorder *r);
/* The calling thread records into r until it is told NULL. */
void cw_formula_record_into(struct cw_recorder *r);
/* The thread records. */
bool cw_formula_is_recording(void);
/* Something happened that the program does not know: nothing can be made of the recording. */
void cw_formula_give_up(void);
/* The program, without steps that neither checks nor the formulas wanted[0 .. n - 1] need. False when given
 * up, too long or without memory; then there is nothing to finish. */
bool cw_formula_recorder_take(struct cw_recorder *r, const uint32_t *wanted, int n, struct cw_formulas *out);
void cw_formulas_finish(struct cw_formulas *f);
/* Computes the values from those of the inputs, which the caller has set. False: another course, or a number
 * that does not fit. */
bool cw_formulas_run(struct cw_formulas *f);

/* An input of the launch; a plain number when the thread does not record. */
struct cw_value cw_formula_value_input(uint32_t which, int64_t v);
static inline struct cw_value cw_value_number(cw_wide v)
{
    return (struct cw_value){v, 0};
}

/* Sums, products and so on of formulas; one operand may be a plain number. */
struct cw_value cw_formula_of(enum cw_formula_op op, struct cw_value a, struct cw_value b);
/* Whether a <op> b, LESS or EQUAL; remembered. */
bool cw_formula_compare(enum cw_formula_op op, struct cw_value a, struct cw_value b);
/* The number behind a value; the recording is good for launches only in which it is that number. */
cw_wide cw_formula_value_pin(struct cw_value a);

static inline struct cw_value cw_value_add(struct cw_value a, struct cw_value b)
{
    return a.id | b.id ? cw_formula_of(CW_FORMULA_ADD, a, b) : cw_value_number(a.v + b.v);
}

static inline struct cw_value cw_value_sub(struct cw_value a, struct cw_value b)
{
    return a.id | b.id ? cw_formula_of(CW_FORMULA_SUB, a, b) : cw_value_number(a.v - b.v);
}

static inline struct cw_value cw_value_min(struct cw_value a, struct cw_value b)
{
    return a.id | b.id ? cw_formula_of(CW_FORMULA_MIN, a, b) : a.v < b.v ? a : b;
}

static inline struct cw_value cw_value_max(struct cw_value a, struct cw_value b)
{
    return a.id | b.id ? cw_formula_of(CW_FORMULA_MAX, a, b) : a.v > b.v ? a : b;
}

static inline bool cw_value_less(struct cw_value a, struct cw_value b)
{
    return a.id | b.id ? cw_formula_compare(CW_FORMULA_LESS, a, b) : a.v < b.v;
}

static inline bool cw_value_equal(struct cw_value a, struct cw_value b)
{
    return a.id | b.id ? cw_formula_compare(CW_FORMULA_EQUAL, a, b) : a.v == b.v;
}

#endif
