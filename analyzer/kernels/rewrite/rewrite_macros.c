/* rewrite_macros.c - the #define and #undef lines of a unit, whichever branch they stand in. */
#include "rewrite_state.h"

#include <string.h>

typedef const struct cw_rw_token token;

/* Brackets of a replacement list match: then those of the text match too, in any expansion. */
static bool is_balanced(const struct cw_rw_text *t, size_t first, size_t end)
{
    long round = 0, square = 0, curly = 0;

    for (size_t i = first; i < end && round >= 0 && square >= 0 && curly >= 0; i++) {
        round += (t->v[i].c == '(') - (t->v[i].c == ')');
        square += (t->v[i].c == '[') - (t->v[i].c == ']');
        curly += (t->v[i].c == '{') - (t->v[i].c == '}');
    }
    return !round && !square && !curly;
}

/* "# parameter" makes a string of its argument's text, which the rewriter's own macros change. In _Pragma no
 * harm is done.
 */
static bool makes_strings(const struct cw_rw *s, const struct cw_rw_text *t, size_t first, size_t i)
{
    return t->v[i].c == '#' && !(i >= first + 2 && t->v[i - 1].c == '(' && t->v[i - 2].kind == CW_RW_NAME &&
                                 cw_tokens_name_is(&s->names, t->v[i - 2].name, "_Pragma"));
}

/* The text before the & at token i, in a macro's body, is an operand, not a cast; brackets might be either,
 * but where a number follows. */
static bool behind_operand(const struct cw_rw_text *t, size_t first, size_t end, size_t i)
{
    if (i == first)
        return false;
    if (t->v[i - 1].c == ')')
        return i + 1 < end && t->v[i + 1].kind == CW_RW_NUMBER;
    return t->v[i - 1].kind == CW_RW_NAME || t->v[i - 1].kind == CW_RW_NUMBER || t->v[i - 1].c == ']';
}

/* Whether it may change a variable that it is given or names. */
static bool may_write(const struct cw_rw_text *t, size_t first, size_t end, size_t i)
{
    token *k = &t->v[i];
    char before = i > first ? k[-1].c : 0, after = i + 1 < end ? k[1].c : 0;

    switch (k->c) {
    case '=':
        return after != '=' && !(before && strchr("=<>!", before) && !(i > first + 1 && k[-2].c == before));
    case '+':
    case '-':
        return after == k->c;
    case '&':
        return after != '&' && before != '&' && !behind_operand(t, first, end, i);
    default:
        return false;
    }
}

/* Statements, or their beginnings, which would end elsewhere than seems. */
static bool is_statement(const struct cw_rw *s, const struct cw_rw_text *t, size_t i)
{
    static const char *const words[] = {"if",     "else",  "switch",   "case", "default",
                                        "return", "break", "continue", NULL};

    if (t->v[i].c == ';')
        return true;
    for (const char *const *w = words; t->v[i].kind == CW_RW_NAME && *w; w++)
        if (cw_tokens_name_is(&s->names, t->v[i].name, *w))
            return true;
    return false;
}

static bool read_body(struct cw_rw *s, const struct cw_rw_text *t, uint32_t macro, size_t first, size_t end)
{
    uint32_t *flags = &s->names.v[macro].flags;

    if (!is_balanced(t, first, end))
        return cw_rewrite_refuse(s, "the brackets in macro '%.*s' do not match", CW_RW_TEXT(s, macro));
    *flags |= end - first >= 2 ? CW_RW_SOLID : CW_RW_HOLLOW;
    for (size_t i = first; i < end; i++) {
        *flags |= may_write(t, first, end, i) || is_statement(s, t, i) ? CW_RW_NO_ROWS : 0;
        if (t->v[i].c == 'P') {
            s->pastes = true;
            *flags |= CW_RW_TAINTED | CW_RW_RANGE | CW_RW_NO_ROWS; /* may make any name */
        } else if (t->v[i].c == '{') {
            *flags |= CW_RW_BRACES;
        } else if (makes_strings(s, t, first, i)) {
            return cw_rewrite_refuse(s, "macro '%.*s' makes strings of its arguments", CW_RW_TEXT(s, macro));
        } else if (t->v[i].kind == CW_RW_NAME) {
            if (!cw_rewrite_add_edge(s, macro, t->v[i].name))
                return cw_rewrite_nomem(s);
            s->names.v[t->v[i].name].flags |=
                CW_RW_USED | (s->names.v[t->v[i].name].flags & CW_RW_PARAMETER ? 0 : CW_RW_IN_MACRO);
        }
        if (!cw_rewrite_look_at_use(s, t, i, first, end))
            return false;
    }
    return true;
}

/* The definition whose # is token i. */
static bool read_define(struct cw_rw *s, const struct cw_rw_text *t, size_t i)
{
    size_t first = i + 3, end, parameters = i + 4;
    bool ok, function_like;

    if (t->v[i + 2].kind != CW_RW_NAME)
        return cw_rewrite_refuse(s, "a #define without a name");
    s->names.v[t->v[i + 2].name].flags |= CW_RW_MACRO;
    function_like = t->v[first].c == '(' && !t->v[first].spaced;
    if (function_like) {
        for (first++; t->v[first].c != ')' && t->v[first].kind != CW_RW_LINE_END; first++)
            if (t->v[first].kind == CW_RW_NAME)
                s->names.v[t->v[first].name].flags |= CW_RW_PARAMETER;
        if (t->v[first].c != ')')
            return cw_rewrite_refuse(s, "a #define whose parameters do not end");
        first++;
    }
    for (end = first; t->v[end].kind != CW_RW_LINE_END; end++)
        ;
    ok = read_body(s, t, t->v[i + 2].name, first, end);
    for (; function_like && parameters < first; parameters++)
        if (t->v[parameters].kind == CW_RW_NAME)
            s->names.v[t->v[parameters].name].flags &= ~(uint32_t)CW_RW_PARAMETER;
    return ok;
}

bool cw_rewrite_read_macros(struct cw_rw *s, struct cw_rw_unit *u)
{
    const struct cw_rw_text *t = &u->text;

    for (size_t i = 0; i < t->count; i++) {
        if (t->v[i].kind == CW_RW_NAME && (cw_tokens_name_is(&s->names, t->v[i].name, "__LINE__") ||
                                           cw_tokens_name_is(&s->names, t->v[i].name, "__FILE__")))
            s->has_line = true;
        if (t->v[i].kind != CW_RW_DIRECTIVE)
            continue;
        if (t->v[i].c == CW_RW_DEFINE && !read_define(s, t, i))
            return false;
        if (t->v[i].c == CW_RW_UNDEF && t->v[i + 2].kind == CW_RW_NAME)
            s->names.v[t->v[i + 2].name].flags |= CW_RW_MACRO | CW_RW_HOLLOW;
        for (size_t k = i + 1; t->v[i].c == CW_RW_HARMLESS && t->v[k].kind != CW_RW_LINE_END; k++)
            if (t->v[k].kind == CW_RW_NAME && (cw_tokens_name_is(&s->names, t->v[k].name, "clang") ||
                                               cw_tokens_name_is(&s->names, t->v[k].name, "float_control")))
                s->no_rows = true; /* fp contract(fast), say */
        if (t->v[i].c == CW_RW_UNKNOWN)
            return cw_rewrite_refuse(s, "a directive that is not known");
        for (size_t k = i + 1; t->v[i].c != CW_RW_DEFINE && t->v[k].kind != CW_RW_LINE_END; k++)
            if (t->v[k].kind == CW_RW_NAME)
                s->names.v[t->v[k].name].flags |= CW_RW_CONDITION;
    }
    if (s->has_line)
        return cw_rewrite_refuse(
            s, "uses __LINE__ or __FILE__"); /* calls become macros, which stand on one line */
    return true;
}
