/* cl_variables.c - see cl_source.h. */
#include "cl_source.h"
#include "cl_language.h"

#include <string.h>

/* The part of a declaration outside of functions that has been read. */
struct outline {
    size_t words; /* identifiers, but for those in brackets and attributes */
    bool constant, type_name, tag, call, value;
    bool body, after; /* a struct's members came; a name came after them */
};

static bool is_any(const struct cw_cl_token *t, const char *a, const char *b)
{
    return cw_cl_token_is(t, a) || cw_cl_token_is(t, b);
}

static void note(struct outline *o, const struct cw_cl_token *v, size_t i, size_t parentheses)
{
    const struct cw_cl_token *t = &v[i];
    bool attribute = cw_cl_token_is(t, "__attribute__"),
         word = t->kind == CW_CL_IDENTIFIER && !parentheses && !attribute;

    o->words += word;
    o->after |= word && o->body;
    o->constant |= is_any(t, "constant", "__constant");
    o->type_name |= cw_cl_token_is(t, "typedef");
    o->tag |= is_any(t, "struct", "union") || cw_cl_token_is(t, "enum");
    o->call |=
        cw_cl_token_is(t, "(") && parentheses == 1 && (!i || !cw_cl_token_is(&v[i - 1], "__attribute__"));
    o->value |= parentheses == 0 && is_any(t, "=", "[");
}

/* Brackets are those of a prototype unless there is a value or an array; "struct s;" names a type only. */
static bool is_variable(const struct outline *o)
{
    if (o->constant || o->type_name || o->words == 0)
        return false;
    return o->value || o->after || (!o->call && !o->body && (!o->tag || o->words > 2));
}

/* The index behind the bracket that closes the one at v[i]; *found when a static variable is in between. */
static size_t skip_body(const struct cw_cl_source *s, size_t i, bool *found)
{
    const struct cw_cl_token *v = s->tokens;
    size_t depth = 0;
    bool in_static = false, constant = false;

    for (; i < s->count; i++) {
        depth += cw_cl_token_is(&v[i], "{");
        in_static |= cw_cl_token_is(&v[i], "static");
        constant |= is_any(&v[i], "constant", "__constant");
        if (cw_cl_token_is(&v[i], ";")) {
            *found |= in_static && !constant;
            in_static = constant = false;
        }
        if (cw_cl_token_is(&v[i], "}") && --depth == 0)
            break;
    }
    return i;
}

static bool declares(const struct cw_cl_source *s)
{
    const struct cw_cl_token *v = s->tokens;
    struct outline o = {0};
    size_t parentheses = 0;
    bool found = false;

    for (size_t i = 0; i < s->count && !found; i++) {
        parentheses += cw_cl_token_is(&v[i], "(");
        parentheses -= parentheses && cw_cl_token_is(&v[i], ")");
        if (cw_cl_token_is(&v[i], "{")) {
            bool function = o.call && !o.value;
            i = skip_body(s, i, &found);
            o = function ? (struct outline){0} : o;
            o.body = !function;
        } else if (cw_cl_token_is(&v[i], ";")) {
            found = is_variable(&o);
            o = (struct outline){0};
        } else {
            note(&o, v, i, parentheses);
        }
    }
    return found;
}

bool cw_cl_has_variables(const struct cw_cl_source *s, const char *options, int by_default)
{
    return cw_cl_language(options, by_default) == CW_CL_LANGUAGE_3 &&
           (s->has_include || s->has_paste || declares(s));
}
