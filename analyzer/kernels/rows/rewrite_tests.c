/* rewrite_tests.c - tests for borders in kernels: conditions of `if`, split into comparisons: see
 * rewrite_rows.h. */
#include "rewrite_rows.h"

#include <string.h>

typedef const struct cw_rw_token token;

static bool is_punct(token *k, char c)
{
    return k->kind == CW_RW_PUNCT && k->c == c;
}

static void strip(const struct cw_rw_rows *r, struct cw_rw_range *a)
{
    while (a->end > a->first + 2 && is_punct(&r->t->v[a->first], '(') &&
           cw_rewrite_behind(r->t, a->first, a->end) == a->end) {
        a->first++;
        a->end--;
    }
}

/* Nothing in it changes anything, or might: skipping it is the same. Reads of memory may stay. */
static bool is_pure(const struct cw_rw_rows *r, struct cw_rw_range a)
{
    token *v = r->t->v;

    for (uint32_t i = a.first; i < a.end; i++) {
        if (v[i].kind == CW_RW_NAME && r->s->names.v[v[i].name].flags & CW_RW_MACRO)
            return false;
        if (v[i].kind == CW_RW_NAME && is_punct(&v[i + 1], '(') &&
            (!(r->s->names.v[v[i].name].flags & CW_RW_ID) || r->s->names.v[v[i].name].flags & CW_RW_FUNCTION))
            return false;
        if (v[i].kind == CW_RW_STRING || is_punct(&v[i], '{') || is_punct(&v[i], ';'))
            return false;
        if ((is_punct(&v[i], '+') || is_punct(&v[i], '-')) && v[i + 1].c == v[i].c)
            return false;
        if (is_punct(&v[i], '=')) { /* of ==, <=, >=, != */
            if (v[i + 1].c == '=') {
                i++;
                continue;
            }
            if (!(v[i - 1].c && strchr("<>!", v[i - 1].c)) || v[i - 2].c == v[i - 1].c)
                return false;
        }
    }
    return true;
}

/* Splits `a` at top level where the character `join` stands twice. Returns the end of the first piece. */
static uint32_t piece(const struct cw_rw_rows *r, struct cw_rw_range a, char join)
{
    token *v = r->t->v;

    for (uint32_t i = a.first; i < a.end;) {
        if (v[i].kind == CW_RW_PUNCT && v[i].c && strchr("([{", v[i].c)) {
            i = cw_rewrite_behind(r->t, i, a.end);
            continue;
        }
        if (is_punct(&v[i], join) && i + 1 < a.end && is_punct(&v[i + 1], join) && !v[i + 1].spaced)
            return i;
        i++;
    }
    return a.end;
}

/* `a` is made of pieces at `join`: no operator at top level binds less. */
static bool is_joined(const struct cw_rw_rows *r, struct cw_rw_range a, char join)
{
    token *v = r->t->v;

    for (uint32_t i = a.first; i < a.end;) {
        if (is_punct(&v[i], '?') || is_punct(&v[i], ','))
            return false;
        i = v[i].kind == CW_RW_PUNCT && v[i].c && strchr("([{", v[i].c) ? cw_rewrite_behind(r->t, i, a.end)
                                                                        : i + 1;
    }
    return piece(r, a, join) != a.end && (join == '|' || piece(r, a, '|') == a.end);
}

/* The comparison in `a`: fills left, right and op. */
static bool comparison(const struct cw_rw_rows *r, struct cw_rw_range a, struct cw_rw_atom *x)
{
    token *v = r->t->v;

    for (uint32_t i = a.first; i < a.end;) {
        bool two = i + 1 < a.end && is_punct(&v[i + 1], '=') && !v[i + 1].spaced;
        if (v[i].kind == CW_RW_PUNCT && v[i].c && strchr("([{", v[i].c)) {
            i = cw_rewrite_behind(r->t, i, a.end);
            continue;
        }
        if (is_punct(&v[i], '<') || is_punct(&v[i], '>') ||
            (two && (is_punct(&v[i], '=') || is_punct(&v[i], '!')))) {
            x->op[0] = v[i].c;
            x->op[1] = two ? '=' : '\0';
            x->op[2] = '\0';
            x->left = (struct cw_rw_range){a.first, i};
            x->right = (struct cw_rw_range){i + 1 + two, a.end};
            return true; /* a second one is no sum */
        }
        i++;
    }
    return false;
}

static void negate(char op[3])
{
    static const char *const pair[][2] = {{"<", ">="}, {"<=", ">"}, {"==", "!="}};

    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 2; k++)
            if (!strcmp(op, pair[i][k])) {
                strcpy(op, pair[i][1 - k]);
                return;
            }
}

/* Reads one atom of condition c; `value`: its value inside. False: not understood. */
static bool read_atom(struct cw_rw_rows *r, struct cw_rw_range a, uint32_t c, bool value)
{
    struct cw_rw_atom x = {.all = a, .value = value, .condition = c};
    enum cw_rw_term left, right;

    strip(r, &a);
    if (r->atoms == CW_RW_ATOMS || cw_rewrite_turns(r, a) || !comparison(r, a, &x))
        return false;
    left = cw_rewrite_term_of(r, x.left);
    right = cw_rewrite_term_of(r, x.right);
    if (left == CW_RW_T_UNKNOWN || right == CW_RW_T_UNKNOWN)
        return false;
    x.swapped = left == CW_RW_T_FIXED && right != CW_RW_T_FIXED;
    x.moving = (left == CW_RW_T_FIXED) != (right == CW_RW_T_FIXED);
    x.down = (x.swapped ? right : left) == CW_RW_T_DOWN;
    if (!x.moving && left != CW_RW_T_FIXED)
        return false;
    if (x.moving) {
        if (!value)
            negate(x.op);
        if (!strcmp(x.op, "=="))
            return false; /* inside would be one work-item */
    }
    r->condition[c].fixed += !x.moving;
    r->condition[c].moving += x.moving;
    r->atom[r->atoms++] = x;
    return true;
}

/* All atoms of `a`, joined by `join` at any depth. False: some are not understood. */
static bool read_atoms(struct cw_rw_rows *r, struct cw_rw_range a, uint32_t c, char join, bool value)
{
    bool known = true;

    for (uint32_t end; a.first < a.end; a.first = end + 2) {
        struct cw_rw_range one, bare;
        end = piece(r, a, join);
        one = bare = (struct cw_rw_range){a.first, end};
        strip(r, &bare);
        if (is_joined(r, bare, join))
            known = read_atoms(r, bare, c, join, value) && known;
        else
            known = read_atom(r, one, c, value) && known;
        if (end == a.end)
            break;
    }
    return known;
}

/* Whether a test that is one comparison holds inside: a test that makes a kernel return early does not hold
 * there. */
static bool holds_inside(const struct cw_rw_rows *r, struct cw_rw_range a, uint32_t behind)
{
    token *v = r->t->v;
    struct cw_rw_atom x;

    if (!comparison(r, a, &x))
        return true;
    if (!strcmp(x.op, "==") || !strcmp(x.op, "!="))
        return x.op[0] == '!';
    behind += v[behind].c == '{';
    return !(v[behind].kind == CW_RW_NAME && cw_tokens_name_is(&r->s->names, v[behind].name, "return"));
}

static void read_condition(struct cw_rw_rows *r, struct cw_rw_range all, uint32_t behind)
{
    uint32_t c = r->conditions, atoms = r->atoms;
    struct cw_rw_condition *k = &r->condition[c];
    struct cw_rw_range bare = all;
    bool both, either;

    *k = (struct cw_rw_condition){.all = all};
    strip(r, &bare);
    either = piece(r, bare, '|') != bare.end;
    both = piece(r, bare, '&') != bare.end;
    if (!is_pure(r, all) || (both && either) || ((both || either) && !is_joined(r, bare, either ? '|' : '&')))
        return;
    k->join = either ? '|' : both ? '&' : '\0';
    k->known = read_atoms(r, bare, c, k->join ? k->join : '&',
                          either ? false
                          : both ? true
                                 : holds_inside(r, bare, behind));
    if (r->atoms > atoms)
        r->conditions++;
}

void cw_rewrite_rows_tests(struct cw_rw_rows *r)
{
    token *v = r->t->v;

    for (uint32_t i = r->f->body_open + 1; i + 1 < r->f->body_close && r->conditions < CW_RW_CONDITIONS;
         i++) {
        uint32_t behind;
        if (v[i].kind != CW_RW_NAME || !cw_tokens_name_is(&r->s->names, v[i].name, "if") ||
            !is_punct(&v[i + 1], '(') || r->s->names.v[v[i].name].flags & CW_RW_MACRO)
            continue;
        behind = cw_rewrite_behind(r->t, i + 1, r->f->body_close);
        read_condition(r, (struct cw_rw_range){i + 2, behind - 1}, behind);
    }
}
