/* rewrite_use.c - single uses of names in bodies and macros that decide whether anything is certain. */
#include "rewrite_state.h"

#include <string.h>

/* A '^' where no operand stands before it begins a block (or its type). */
static bool is_block(const struct cw_rw *s, const struct cw_rw_text *t, size_t i, size_t first, size_t end)
{
    const struct cw_rw_token *before = i > first ? &t->v[i - 1] : NULL;

    if (t->v[i].c != '^')
        return false;
    if (i + 1 < end && t->v[i + 1].c == '{')
        return true;
    if (!before || before->kind == CW_RW_LINE_END)
        return false; /* at the head of a macro: braces or a parenthesis behind it would be seen elsewhere */
    if (before->kind == CW_RW_NAME)
        return (s->names.v[before->name].flags & CW_RW_STATEMENT) != 0;
    return before->kind == CW_RW_PUNCT && before->c && strchr("(=,;{}[?:&|!~+-*/%<>^", before->c);
}

bool cw_rewrite_look_at_use(struct cw_rw *s, const struct cw_rw_text *t, size_t i, size_t first, size_t end)
{
    const struct cw_rw_token *before = i > first ? &t->v[i - 1] : NULL;
    uint32_t *flags, last;

    if (is_block(s, t, i, first, end))
        return cw_rewrite_refuse(s, "blocks");
    if (t->v[i].kind == CW_RW_NAME && i + 1 < end && t->v[i + 1].kind == CW_RW_DIRECTIVE)
        s->names.v[t->v[i].name].flags |= CW_RW_SPLIT;
    if (t->v[i].kind != CW_RW_NAME || i + 1 >= end || t->v[i + 1].c != '(')
        return true;
    flags = &s->names.v[t->v[i].name].flags;
    if (!(*flags & CW_RW_PARAMETER) && !(before && before->c == 'P'))
        *flags |= CW_RW_CALLED;
    if (before && before->kind == CW_RW_NAME) {
        last = s->names.v[before->name].flags;
        if (!(last & (CW_RW_STATEMENT | CW_RW_MACRO | CW_RW_ATTRIBUTE)))
            *flags |= CW_RW_LOCAL;
    }
    return true;
}

/* Within functions clamp is called: behind no name but return. Elsewhere it is declared, or something makes a
 * declaration of it. */
bool cw_rewrite_own_clamp(const struct cw_rw *s)
{
    for (size_t u = 0; u < s->units; u++) {
        const struct cw_rw_token *v = s->unit[u].text.v;
        size_t f = 0;
        for (size_t i = 1; i + 1 < s->unit[u].text.count; i++) {
            while (f < s->unit[u].functions &&
                   (!s->unit[u].function[f].body_close || i > s->unit[u].function[f].body_close))
                f++;
            if (v[i].kind != CW_RW_NAME || !cw_tokens_name_is(&s->names, v[i].name, "clamp"))
                continue;
            if (f == s->unit[u].functions || i < s->unit[u].function[f].body_open ||
                (v[i - 1].kind == CW_RW_NAME && !(s->names.v[v[i - 1].name].flags & CW_RW_STATEMENT)))
                return true;
        }
    }
    return false;
}
