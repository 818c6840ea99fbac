/* formula.c - see formula.h. */
#include "formula.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ENTRIES = 8000, BUCKETS = 1 << 14 };

struct entry {
    enum cw_formula_op op;
    uint32_t a, b;
    int64_t value;
    uint16_t level;
    bool needed;
};

struct cw_recorder {
    struct entry entry[MAX_ENTRIES]; /* formula i is entry i; 0 is none */
    uint16_t bucket[BUCKETS];
    uint32_t entries;
    bool failed;
};

static _Thread_local struct cw_recorder *recorder;

struct cw_recorder *cw_formula_recorder_create(void)
{
    struct cw_recorder *r = calloc(1, sizeof *r);
    if (r)
        r->entries = 1;
    return r;
}

void cw_formula_recorder_destroy(struct cw_recorder *r)
{
    free(r);
}

void cw_formula_record_into(struct cw_recorder *r)
{
    recorder = r;
}

bool cw_formula_is_recording(void)
{
    return recorder != NULL;
}

void cw_formula_give_up(void)
{
    if (recorder)
        recorder->failed = true;
}

/* The entry with this operation and operands, which is there already or new; 0 when there is no room. */
static uint32_t entry_of(enum cw_formula_op op, uint32_t a, uint32_t b, int64_t value)
{
    struct cw_recorder *r = recorder;
    uint32_t h = ((uint32_t)op * 0x9e3779b1u ^ a * 0x85ebca77u ^ b * 0xc2b2ae3du) * 0x27d4eb2fu >> 18;
    if (!r)
        return 0;
    for (; r->bucket[h]; h = (h + 1) % BUCKETS) {
        const struct entry *x = &r->entry[r->bucket[h]];
        if (x->op == op && x->a == a && x->b == b)
            return r->bucket[h];
    }
    if (r->entries == MAX_ENTRIES) {
        r->failed = true;
        return 0;
    }
    r->bucket[h] = (uint16_t)r->entries;
    r->entry[r->entries] = (struct entry){op, a, b, value, 0, false};
    return r->entries++;
}

/* The formula of a value, also of a plain number; 0 when it does not fit. */
static uint32_t formula(struct cw_value a)
{
    if (a.id)
        return a.id;
    if (a.v != (int64_t)a.v)
        return 0;
    uint64_t bits = (uint64_t)a.v;
    return entry_of(CW_FORMULA_NUMBER, (uint32_t)bits, (uint32_t)(bits >> 32), (int64_t)a.v);
}

struct cw_value cw_formula_value_input(uint32_t which, int64_t v)
{
    return (struct cw_value){v, recorder ? entry_of(CW_FORMULA_INPUT, which, 0, v) : 0};
}

static int64_t floor_of(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q - (a % b < 0);
}

/* False when the result does not fit. */
static inline bool compute(unsigned op, int64_t a, int64_t b, int64_t *out)
{
    switch (op) {
    case CW_FORMULA_ADD:
        return !__builtin_add_overflow(a, b, out);
    case CW_FORMULA_SUB:
        return !__builtin_sub_overflow(a, b, out);
    case CW_FORMULA_MUL:
        return !__builtin_mul_overflow(a, b, out);
    case CW_FORMULA_MIN:
        *out = a < b ? a : b;
        return true;
    case CW_FORMULA_MAX:
        *out = a > b ? a : b;
        return true;
    case CW_FORMULA_FLOOR:
        *out = b > 0 ? floor_of(a, b) : 0;
        return b > 0;
    case CW_FORMULA_LESS:
        return a < b;
    case CW_FORMULA_NOT_LESS:
        return a >= b;
    case CW_FORMULA_EQUAL:
        return a == b;
    default:
        return a != b;
    }
}

static bool is_number(struct cw_value a, int64_t v)
{
    return !a.id && a.v == v;
}

static cw_wide floor_of_wide(cw_wide a, cw_wide b)
{
    cw_wide q = a / b;
    return q - (a % b < 0);
}

/* The result of an operation without a formula; saturating as poly.h does. */
static struct cw_value plain(enum cw_formula_op op, cw_wide a, cw_wide b)
{
    cw_wide r = 0, end = (cw_wide)1 << 100;
    bool over = op == CW_FORMULA_ADD   ? __builtin_add_overflow(a, b, &r)
                : op == CW_FORMULA_SUB ? __builtin_sub_overflow(a, b, &r)
                : op == CW_FORMULA_MUL ? __builtin_mul_overflow(a, b, &r)
                                       : false;
    if (over && op == CW_FORMULA_MUL)
        return cw_value_number((a < 0) == (b < 0) ? end : -end);
    if (over)
        return cw_value_number(a < 0 ? -end : end);
    if (op == CW_FORMULA_MIN || op == CW_FORMULA_MAX)
        r = (a < b) == (op == CW_FORMULA_MIN) ? a : b;
    else if (op == CW_FORMULA_FLOOR)
        r = floor_of_wide(a, b);
    return cw_value_number(r);
}

struct cw_value cw_formula_of(enum cw_formula_op op, struct cw_value a, struct cw_value b)
{
    if (op == CW_FORMULA_MUL && (is_number(a, 0) || is_number(b, 0)))
        return cw_value_number(0);
    if ((op == CW_FORMULA_ADD && is_number(a, 0)) || (op == CW_FORMULA_MUL && is_number(a, 1)))
        return b;
    if (((op == CW_FORMULA_ADD || op == CW_FORMULA_SUB) && is_number(b, 0)) ||
        ((op == CW_FORMULA_MUL || op == CW_FORMULA_FLOOR) && is_number(b, 1)))
        return a;
    if (a.id == b.id && op == CW_FORMULA_SUB)
        return cw_value_number(0);
    if (a.id == b.id && (op == CW_FORMULA_MIN || op == CW_FORMULA_MAX))
        return a;
    uint32_t x = formula(a), y = formula(b);
    if (x > y && op != CW_FORMULA_SUB && op != CW_FORMULA_FLOOR) {
        uint32_t t = x;
        x = y;
        y = t;
    }
    int64_t value = 0;
    uint32_t id = x && y && compute(op, recorder->entry[x].value, recorder->entry[y].value, &value)
                      ? entry_of(op, x, y, value)
                      : 0;
    if (id)
        return (struct cw_value){value, id};
    cw_formula_give_up();
    return plain(op, a.v, b.v);
}

bool cw_formula_compare(enum cw_formula_op op, struct cw_value a, struct cw_value b)
{
    bool holds = op == CW_FORMULA_LESS ? a.v < b.v : a.v == b.v;
    uint32_t x = formula(a), y = formula(b);
    /* a plain number that does not fit lies beyond all formulas */
    if (x && y && x != y && !entry_of(holds ? op : op + 1, x, y, 0))
        cw_formula_give_up();
    return holds;
}

cw_wide cw_formula_value_pin(struct cw_value a)
{
    if (a.id)
        (void)cw_formula_compare(CW_FORMULA_EQUAL, a, cw_value_number(a.v));
    return a.v;
}

/* ---- the program */

static bool is_check(enum cw_formula_op op)
{
    return op >= CW_FORMULA_LESS;
}

/* Steps of one level do not rest on each other: those of one operation can follow each other, and run faster.
 */
static void find_levels(struct cw_recorder *r)
{
    for (uint32_t i = 1; i < r->entries; i++) {
        struct entry *x = &r->entry[i];
        if (x->op <= CW_FORMULA_INPUT)
            continue;
        uint16_t a = r->entry[x->a].level, b = r->entry[x->b].level;
        x->level = is_check(x->op) ? UINT16_MAX : (uint16_t)((a > b ? a : b) + 1);
    }
}

static int by_level(const void *a, const void *b)
{
    const struct cw_formula_step *x = a, *y = b;
    int order = (x->level > y->level) - (x->level < y->level);
    order = order ? order : (x->op > y->op) - (x->op < y->op);
    return order ? order : (x->to > y->to) - (x->to < y->to);
}

static void mark_needed(struct cw_recorder *r, const uint32_t *wanted, int n)
{
    for (int i = 0; i < n; i++)
        r->entry[wanted[i]].needed = true;
    for (uint32_t i = r->entries - 1; i > 0; i--) {
        struct entry *x = &r->entry[i];
        x->needed |= is_check(x->op);
        if (x->needed && x->op > CW_FORMULA_INPUT)
            r->entry[x->a].needed = r->entry[x->b].needed = true;
    }
}

bool cw_formula_recorder_take(struct cw_recorder *r, const uint32_t *wanted, int n, struct cw_formulas *out)
{
    *out = (struct cw_formulas){0};
    if (r->failed)
        return false;
    mark_needed(r, wanted, n);
    find_levels(r);
    out->value = calloc(r->entries, sizeof *out->value);
    out->step = calloc(r->entries, sizeof *out->step);
    out->input = calloc(r->entries, sizeof *out->input);
    if (!out->value || !out->step || !out->input) {
        cw_formulas_finish(out);
        return false;
    }
    out->values = (int)r->entries;
    for (uint32_t i = 1; i < r->entries; i++) {
        const struct entry *x = &r->entry[i];
        out->value[i] = x->value;
        if (x->needed && x->op == CW_FORMULA_INPUT)
            out->input[out->inputs++] = (struct cw_formula_input){x->a, (uint16_t)i};
        else if (x->needed && x->op > CW_FORMULA_INPUT)
            out->step[out->steps++] = (struct cw_formula_step){(uint16_t)x->op, (uint16_t)i, (uint16_t)x->a,
                                                               (uint16_t)x->b, x->level};
    }
    qsort(out->step, (size_t)out->steps, sizeof *out->step, by_level);
    return true;
}

void cw_formulas_finish(struct cw_formulas *f)
{
    free(f->value);
    free(f->step);
    free(f->input);
    *f = (struct cw_formulas){0};
}

/* All steps from s on, of this operation, that follow each other; the run ends when one fails. */
#define RUN(operation)                                                                                       \
    case operation:                                                                                          \
        do {                                                                                                 \
            if (!compute(operation, v[s->a], v[s->b], &v[s->to]))                                            \
                return false;                                                                                \
        } while (++s < end && s->op == operation);                                                           \
        break;

bool cw_formulas_run(struct cw_formulas *f)
{
    int64_t *v = f->value;
    const struct cw_formula_step *s = f->step, *end = s + f->steps;
    while (s < end)
        switch (s->op) {
            RUN(CW_FORMULA_ADD)
            RUN(CW_FORMULA_SUB)
            RUN(CW_FORMULA_MUL)
            RUN(CW_FORMULA_MIN)
            RUN(CW_FORMULA_MAX)
            RUN(CW_FORMULA_FLOOR)
            RUN(CW_FORMULA_LESS)
            RUN(CW_FORMULA_NOT_LESS)
            RUN(CW_FORMULA_EQUAL)
        default:
            RUN(CW_FORMULA_UNEQUAL)
        }
    return true;
}
