/* rewrite_rows_body.c - the copies of a kernel's text in its form for rows: see rewrite_rows.h.
 *
 * What tests are read by is never written, as the text was read (cw_rewrite_steady). Where a test is a
 * constant that is a promise, so compilers are told: there it is const. Should the text have been misread,
 * they refuse it, and the program does without rows. */
#include "rewrite_rows.h"

typedef struct cw_rw_rows_writer writer;

static bool reads(const struct cw_rw_rows *r, struct cw_rw_range a, uint32_t name)
{
    for (uint32_t i = a.first; i < a.end; i++)
        if (r->t->v[i].kind == CW_RW_NAME && r->t->v[i].name == name)
            return true;
    return false;
}

/* Some atom does, or a variable on which one depends. */
static bool is_read(const struct cw_rw_rows *r, const bool need[CW_RW_VARIABLES], uint32_t from,
                    uint32_t name)
{
    for (uint32_t i = 0; i < r->atoms; i++)
        if (reads(r, r->atom[i].all, name))
            return true;
    for (uint32_t k = from; k < r->variables; k++)
        if (need[k] && reads(r, r->variable[k].value, name))
            return true;
    return false;
}

void cw_rewrite_rows_need(const struct cw_rw_rows *r, bool need[CW_RW_VARIABLES])
{
    for (uint32_t k = r->variables; k-- > 0;)
        need[k] = is_read(r, need, k + 1, r->variable[k].name);
}

enum { PLACES = CW_RW_CONDITIONS + CW_RW_ATOMS + 2 * CW_RW_VARIABLES + CW_RW_LOOPS, MOST_NAME = 255 };

struct place {
    struct cw_rw_range all;
    const char *text; /* instead of it; NULL: `sum` in parentheses */
    struct cw_rw_range sum;
};

static const char *const constant[] = {" 0 ", " 1 "};

/* The variable is an int that is get_global_id(0), and nothing else. */
static bool is_x(const struct cw_rw_rows *r, const struct cw_rw_variable *v)
{
    const struct cw_rw_token *t = r->t->v + v->value.first;
    size_t n = v->value.end - v->value.first;

    return cw_rewrite_int_type(r, v->type.first, v->type.end) && v->term == CW_RW_T_UP && n == 4 &&
           t->kind == CW_RW_NAME && cw_tokens_name_is(&r->s->names, t->name, "get_global_id");
}

static void add(struct place *p, uint32_t *n, struct place one)
{
    uint32_t k = (*n)++;

    for (; k > 0 && p[k - 1].all.first > one.all.first; k--)
        p[k] = p[k - 1];
    p[k] = one;
}

/* Compilers see that int + 1 cannot wrap; not so where it comes from a size_t, and PolyBench's jacobi-1d was
 * no vector loop. */
static uint32_t ids(const struct cw_rw_rows *r, struct place *p)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < r->variables; k++)
        if (is_x(r, &r->variable[k]))
            add(p, &n, (struct place){.all = r->variable[k].value, .text = " __cw_x "});
    return n;
}

/* The constants of copy `edge`: 0 is inside, 1 where a fixed atom decides condition 0, and so on. In
 * the order in which it is written. */
static uint32_t places(const struct cw_rw_rows *r, uint32_t edge, struct place *p)
{
    uint32_t n = ids(r, p);

    for (uint32_t l = 0; l < r->loops; l++) /* or PoCL leaves them, and the row's loop is no vector loop */
        add(p, &n,
            (struct place){.all = {r->loop[l].head, r->loop[l].head}, .text = " _Pragma(\"unroll\") "});
    for (uint32_t c = 0; c < r->conditions && (!edge || c < edge); c++) {
        const struct cw_rw_condition *k = &r->condition[c];
        bool inside = k->join != '|', decided = edge == c + 1;
        if (k->clamp) {
            if (!decided)
                add(p, &n, (struct place){.all = k->all, .sum = k->sum});
            continue;
        }
        for (uint32_t i = 0; !k->join && i < r->atoms; i++)
            if (r->atom[i].condition == c)
                inside = r->atom[i].value;
        if (decided || k->known)
            add(p, &n, (struct place){.all = k->all, .text = constant[inside != decided]});
        for (uint32_t i = 0; !decided && !k->known && i < r->atoms; i++)
            if (r->atom[i].condition == c)
                add(p, &n, (struct place){.all = r->atom[i].all, .text = constant[r->atom[i].value]});
    }
    return n;
}

/* All that is declared there is given a value there, and keeps it. */
static bool is_steady_list(const struct cw_rw_rows *r, struct cw_rw_range type)
{
    uint32_t at = type.end;

    for (uint32_t k = 0; k < r->variables; k++) {
        if (r->variable[k].token != at)
            continue;
        at = r->variable[k].value.end;
        if (r->t->v[at].c != ',')
            return r->t->v[at].c == ';';
        at++;
    }
    return false;
}

/* Made of numbers alone, or of variables that are: const would make a constant of it, which compilers compute
 * with in other ways before they make code of it. */
static bool is_number(const struct cw_rw_rows *r, uint32_t k)
{
    for (uint32_t i = r->variable[k].value.first; i < r->variable[k].value.end; i++) {
        uint32_t of = k;
        if (r->t->v[i].kind != CW_RW_NAME || cw_rewrite_integer_type(r, i, i + 1))
            continue;
        while (of > 0 && r->variable[of - 1].name != r->t->v[i].name)
            of--;
        if (!of || !is_number(r, of - 1))
            return false;
    }
    return true;
}

/* Of its list of declarators some is. */
static bool has_numbers(const struct cw_rw_rows *r, uint32_t first)
{
    for (uint32_t k = first; k < r->variables && r->variable[k].type.first == r->variable[first].type.first;
         k++)
        if (is_number(r, k))
            return true;
    return false;
}

static void constants(const struct cw_rw_rows *r, struct place *p, uint32_t *n)
{
    for (uint32_t k = 0; k < r->variables; k++)
        if (r->variable[k].token == r->variable[k].type.end && !has_numbers(r, k) &&
            is_steady_list(r, r->variable[k].type))
            add(p, n,
                (struct place){.all = {r->variable[k].type.first, r->variable[k].type.first},
                               .text = " const "});
}

/* Blocks in which parameters that tests read are const. Returns how many blocks. */
static uint32_t constant_parameters(writer *w)
{
    const struct cw_rw_rows *r = w->r;
    bool need[CW_RW_VARIABLES];
    uint32_t blocks = 0;

    cw_rewrite_rows_need(r, need);
    for (uint32_t k = 0; k < r->parameters; k++) {
        const struct cw_rw_name *n = &r->s->names.v[r->parameter[k].name];
        if (!r->parameter[k].integer || n->length > MOST_NAME || !is_read(r, need, 0, r->parameter[k].name))
            continue;
        cw_rewrite_rows_say(
            w, "{ const __typeof__(%.*s) __cw_c = %.*s; { const __typeof__(__cw_c) %.*s = __cw_c;\n",
            (int)n->length, n->text, (int)n->length, n->text, (int)n->length, n->text);
        blocks += 2;
    }
    return blocks;
}

void cw_rewrite_rows_body(writer *w, const char *which, uint32_t edge)
{
    const struct cw_rw_rows *r = w->r;
    uint32_t at = r->f->body_open, n, blocks = 0;
    struct place p[PLACES];

    if (edge == CW_RW_ITEM) {
        n = ids(r, p);
    } else {
        n = places(r, edge, p);
        constants(r, p, &n);
    }
    cw_rewrite_rows_say(w, "__cw_row ");
    cw_rewrite_rows_name(w, which);
    cw_rewrite_rows_say(w, "(");
    cw_rewrite_rows_parameters(w);
    cw_rewrite_rows_say(w, ", int __cw_x, size_t __cw_y, size_t __cw_z, __cw_tile __cw_t)\n");
    if (edge != CW_RW_ITEM)
        blocks = constant_parameters(w);
    for (uint32_t i = 0; i < n; i++) {
        cw_rewrite_rows_copy(w, (struct cw_rw_range){at, p[i].all.first});
        if (p[i].text) {
            cw_rewrite_rows_say(w, "%s", p[i].text);
        } else {
            cw_rewrite_rows_say(w, " +("); /* not a bracket, of which a macro before it would make a call */
            cw_rewrite_rows_copy(w, p[i].sum);
            cw_rewrite_rows_say(w, ") ");
        }
        at = p[i].all.end;
    }
    cw_rewrite_rows_copy(w, (struct cw_rw_range){at, r->f->body_close + 1});
    while (blocks--)
        cw_rewrite_rows_say(w, "}");
    cw_rewrite_rows_say(w, "\n");
}
