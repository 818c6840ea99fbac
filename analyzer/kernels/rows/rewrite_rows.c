/* rewrite_rows.c - which kernels have a form for rows: see rewrite_rows.h. */
#include "rewrite_rows.h"

#include <string.h>

/* Tests for borders in kernels: conditions of `if`, split into comparisons: see
 * rewrite_rows.h. */

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

/* Finds the conditions and atoms. */
static void rewrite_rows_tests(struct cw_rw_rows *r)
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

enum { MAX_BLOCKS = 32 };

/* The declaration begins behind the end of another one, says kernel and void, and has attributes at most
 * besides. */
static bool is_kernel(const struct cw_rw_rows *r)
{
    token *v = r->t->v;
    bool kernel = false, nothing = false;
    uint32_t depth = 0;

    for (uint32_t i = r->f->name_token; i-- > 0;) {
        if (v[i].kind == CW_RW_LINE_END ||
            (!depth && (v[i].c == ';' || v[i].c == '}') && v[i].kind == CW_RW_PUNCT))
            break;
        depth += v[i].c == ')';
        if (v[i].c == '(' && v[i].kind == CW_RW_PUNCT && depth-- == 0)
            return false;
        if (depth || v[i].c == '(')
            continue;
        if (v[i].kind != CW_RW_NAME)
            return false;
        if (cw_rewrite_word(r, i, "kernel") || cw_rewrite_word(r, i, "__kernel"))
            kernel = true;
        else if (cw_rewrite_word(r, i, "void"))
            nothing = true;
        else if (!cw_rewrite_word(r, i, "__attribute__") && !cw_rewrite_word(r, i, "__attribute"))
            return false;
        if (r->s->names.v[v[i].name].flags & CW_RW_MACRO)
            return false;
    }
    return kernel && nothing;
}

/* One parameter: the last of its tokens is its name. */
static bool parameter(struct cw_rw_rows *r, uint32_t first, uint32_t end)
{
    token *v = r->t->v;
    struct cw_rw_parameter *p = &r->parameter[r->parameters];

    if (end < first + 2 || v[end - 1].kind != CW_RW_NAME || r->parameters == CW_RW_PARAMETERS ||
        r->s->names.v[v[end - 1].name].flags & (CW_RW_MACRO | CW_RW_KNOWN))
        return false;
    *p = (struct cw_rw_parameter){.name = v[end - 1].name};
    for (uint32_t i = first; i < end; i++) {
        if (v[i].kind != CW_RW_NAME && v[i].c != '*')
            return false;
        if (cw_rewrite_word(r, i, "local") || cw_rewrite_word(r, i, "__local") ||
            cw_rewrite_word(r, i, "pipe") || cw_rewrite_word(r, i, "sampler_t") ||
            cw_rewrite_word(r, i, "volatile") || cw_rewrite_word(r, i, "__volatile__") ||
            cw_rewrite_word(r, i, "__volatile"))
            return false;
        p->pointer |= v[i].c == '*';
    }
    p->integer = !p->pointer && cw_rewrite_integer_type(r, first, end - 1) == end - 1 - first;
    p->plain = !p->pointer && cw_rewrite_int_type(r, first, end - 1);
    r->parameters++;
    return true;
}

static bool read_parameters(struct cw_rw_rows *r)
{
    uint32_t first = r->f->open_token + 1;

    if (r->f->parameters != CW_RW_P_SOME)
        return false;
    for (uint32_t i = first; i <= r->f->close_token; i++) {
        if (r->t->v[i].kind == CW_RW_DIRECTIVE)
            return false;
        if (i < r->f->close_token && r->t->v[i].c != ',')
            continue;
        if (!parameter(r, first, i))
            return false;
        first = i + 1;
    }
    return true;
}

/* ---- variables */

static bool is_parameter(const struct cw_rw_rows *r, uint32_t name)
{
    for (uint32_t k = 0; k < r->parameters; k++)
        if (r->parameter[k].name == name)
            return true;
    return false;
}

/* A list of declarators behind an integer type at `type`; token i is the first of them. */
static void declarators(struct cw_rw_rows *r, struct cw_rw_range type, uint32_t i, uint32_t until)
{
    token *v = r->t->v;

    while (i + 1 < r->f->body_close && v[i].kind == CW_RW_NAME && v[i + 1].c == '=' && v[i + 2].c != '=') {
        struct cw_rw_variable x = {v[i].name, i, until, type, {i + 2, i + 2}, CW_RW_T_UNKNOWN, false};
        uint32_t k = i + 2;
        while (k < r->f->body_close && v[k].c != ',' && v[k].c != ';')
            k = v[k].kind == CW_RW_PUNCT && v[k].c && strchr("([{", v[k].c)
                    ? cw_rewrite_behind(r->t, k, r->f->body_close)
                    : k + 1;
        x.value.end = k;
        if (!is_parameter(r, x.name) && cw_rewrite_steady(r, x.name, i))
            x.term = cw_rewrite_term_of(r, x.value);
        if (r->variables == CW_RW_VARIABLES)
            return;
        x.turns = cw_rewrite_turns(r, x.value);
        if (x.term != CW_RW_T_UNKNOWN)
            r->variable[r->variables++] = x;
        if (v[k].c != ',')
            return;
        i = k + 1;
    }
}

static void read_variables(struct cw_rw_rows *r)
{
    token *v = r->t->v;
    uint32_t ends[MAX_BLOCKS] = {r->f->body_close}, depth = 0, round = 0;

    for (uint32_t i = r->f->body_open + 1; i < r->f->body_close; i++) {
        uint32_t n;
        if (v[i].c == '{' && ++depth < MAX_BLOCKS)
            ends[depth] = cw_rewrite_behind(r->t, i, r->f->body_close) - 1;
        depth -= v[i].c == '}';
        round += v[i].c == '(';
        round -= v[i].c == ')';
        if (depth >= MAX_BLOCKS || round /* which a macro may drop */ ||
            !(v[i - 1].c && strchr("{};", v[i - 1].c)))
            continue;
        n = cw_rewrite_integer_type(r, i, r->f->body_close);
        if (n)
            declarators(r, (struct cw_rw_range){i, i + n}, i + n, ends[depth]);
    }
}

/* ---- tokens that the body may hold */

static bool is_pointer(const struct cw_rw_rows *r, uint32_t i)
{
    for (uint32_t k = 0; r->t->v[i].kind == CW_RW_NAME && k < r->parameters; k++)
        if (r->parameter[k].name == r->t->v[i].name)
            return r->parameter[k].pointer && !(r->s->names.v[r->t->v[i].name].flags & CW_RW_MACRO);
    return false;
}

/* The element `name`[ ... ] may be written there; `at`: its name, `behind`: the token behind the bracket. */
static bool is_written(const struct cw_rw_rows *r, uint32_t at, uint32_t behind)
{
    struct cw_rw_range x = cw_rewrite_bracketed(r, (struct cw_rw_range){at, behind});

    return r->t->v[x.end].c == '.' /* some of a vector, perhaps */ || r->t->v[x.first - 1].c == '&' ||
           cw_rewrite_is_written(r, x);
}

/* Every subscript is one of a parameter, and moves by one or not at all. */
static bool subscripts(const struct cw_rw_rows *r)
{
    token *v = r->t->v;

    for (uint32_t i = r->f->body_open + 1; i < r->f->body_close; i++) {
        uint32_t behind;
        if (r->loops && v[i].c == '*' && v[i - 1].kind == CW_RW_PUNCT && v[i - 1].c != ')' &&
            v[i - 1].c != ']')
            return false; /* the target of a pointer, which all work-items might write */
        if (v[i].c != '[')
            continue;
        behind = cw_rewrite_behind(r->t, i, r->f->body_close);
        if (r->loops && is_written(r, i - 1, behind) &&
            cw_rewrite_term_of(r, (struct cw_rw_range){i + 1, behind - 1}) == CW_RW_T_FIXED)
            return false; /* a race, in which compilers might reorder sums */
        if (!is_pointer(r, i - 1) || v[behind - 1].c != ']' || v[behind].c == '[' ||
            cw_rewrite_term_of(r, (struct cw_rw_range){i + 1, behind - 1}) == CW_RW_T_UNKNOWN)
            return false;
    }
    return true;
}

/* Words and directives. Helpers and macros were looked at by cw_rewrite_spread. */
static bool body(const struct cw_rw_rows *r)
{
    token *v = r->t->v;

    if (!r->f->body_open || !r->f->body_close || r->f->body_close - r->f->body_open > CW_RW_ROW_TOKENS ||
        r->s->odd_body[r->f->body - CW_RW_FIRST_BODY] & CW_RW_BODY_NO_ROWS)
        return false;
    for (uint32_t i = r->f->name_token; i < r->f->body_close; i++) {
        uint32_t at = v[i].at + v[i].length;
        if (v[i].kind == CW_RW_DIRECTIVE ||
            memchr(r->t->text + at, '#', v[i + 1].at - at)) /* of #if 1, say */
            return false;
    }
    for (uint32_t i = r->f->close_token + 1; i < r->f->body_open; i++)
        if (v[i].kind != CW_RW_NAME && v[i].kind != CW_RW_PUNCT && v[i].kind != CW_RW_NUMBER)
            return false;
    return true;
}

/* Looks at function f of unit u; false: it has no form for rows. */
static bool rewrite_rows_look(const struct cw_rw *s, const struct cw_rw_unit *u,
                              const struct cw_rw_function *f, struct cw_rw_rows *r)
{
    memset(r, 0, sizeof *r);
    r->s = s;
    r->t = &u->text;
    r->f = f;
    if (s->no_rows || !body(r) || !is_kernel(r) || !read_parameters(r))
        return false;
    if (!cw_rewrite_read_loops(r))
        return false;
    read_variables(r);
    if (!subscripts(r) || !cw_rewrite_signs_stay(r, is_kernel))
        return false;
    rewrite_rows_tests(r);
    cw_rewrite_clamp_tests(r);
    return r->atoms > 0;
}

const struct cw_rewrite_forms cw_rewrite_rows_forms = {sizeof(struct cw_rw_rows), cw_rewrite_rows_head,
                                                       rewrite_rows_look, cw_rewrite_rows_text};
