/* rewrite_rows.c - which kernels have a form for rows: see rewrite_rows.h. */
#include "rewrite_rows.h"

#include <string.h>

typedef const struct cw_rw_token token;

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

bool cw_rewrite_rows_look(const struct cw_rw *s, const struct cw_rw_unit *u, const struct cw_rw_function *f,
                          struct cw_rw_rows *r)
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
    cw_rewrite_rows_tests(r);
    cw_rewrite_clamp_tests(r);
    return r->atoms > 0;
}

const struct cw_rewrite_forms cw_rewrite_rows_forms = {sizeof(struct cw_rw_rows), cw_rewrite_rows_head,
                                                       cw_rewrite_rows_look, cw_rewrite_rows_text};
