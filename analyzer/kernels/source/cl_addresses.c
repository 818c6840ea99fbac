/* cl_addresses.c - see cl_source.h.
 *
 * Names are looked up where they are cast: in the function around them and in declarations outside of
 * functions. A name counts as a pointer where it is declared behind a star or as an array. Macros that the
 * answer depends on give way to their text first (vendor_macros.h). */
#include "cl_source.h"

#include "../../io/array.h"
#include "vendor_macros.h"

#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 1 << 20,
    STEPS_EACH = 16,
    DEPTH = 8
}; /* looks at tokens in all, and for each; macros in macros */

/* Part of a text: a function with its parameters, or all between two functions. */
struct look {
    const struct cw_cl_source *s;
    const struct cw_cl_token *v; /* s->tokens or s->macro_tokens */
    size_t begin, end;
    const struct cw_cl_macro *macro; /* the part is its text; NULL: it is of the program's */
    struct cw_cl_token *types;       /* names that a typedef makes */
    size_t n_types, capacity;
    bool star_macros; /* macros may end in a star */
    uint64_t steps, limit;
};

static bool is(const struct look *l, size_t i, const char *word)
{
    return i < l->end && cw_cl_token_is(&l->v[i], word);
}

static bool is_name(const struct look *l, size_t i)
{
    return i < l->end && l->v[i].kind == CW_CL_IDENTIFIER;
}

static bool is_one_of(const struct cw_cl_token *t, const char *const *words)
{
    while (*words && !cw_cl_token_is(t, *words))
        words++;
    return *words;
}

static const char *const spaces[] = {"global",     "__global", "local",     "__local", "constant",
                                     "__constant", "generic",  "__generic", NULL};
static const char *const qualifiers[] = {"const",   "volatile",   "restrict",     "__const",   "__volatile__",
                                         "private", "__restrict", "__restrict__", "__private", NULL};
static const char *const tags[] = {"struct", "union", "enum", NULL};

static bool is_qualifier(const struct cw_cl_token *t)
{
    return is_one_of(t, qualifiers) || is_one_of(t, spaces);
}

/* ---- types */

/* "float" of "float4" */
static bool is_built_in(const struct cw_cl_token *t)
{
    static const char *const numbers[] = {"bool", "char",  "uchar", "short",  "ushort", "int", "uint",
                                          "long", "ulong", "float", "double", "half",   NULL};
    static const char *const others[] = {"void", "signed", "unsigned", "quad", NULL};
    struct cw_cl_token stem = *t;

    while (stem.length > 1 && strchr("0123456789", stem.text[stem.length - 1]))
        stem.length--;
    return is_one_of(&stem, numbers) || is_one_of(t, others) ||
           (t->length > 2 && !memcmp(t->text + t->length - 2, "_t", 2));
}

static bool is_type(struct look *l, const struct cw_cl_token *t, int depth);

/* A macro that stands for a type, in one of its definitions. */
static bool is_type_macro(struct look *l, const struct cw_cl_token *t, int depth)
{
    const struct cw_cl_source *s = l->s;
    bool found = false;

    l->steps += s->macro_count / 8;
    for (size_t m = 0; m < s->macro_count && !found; m++)
        for (uint32_t i = 0; cw_cl_token_same(&s->macros[m].name, t) && i < s->macros[m].count && !found; i++)
            found = depth >= DEPTH || is_type(l, &s->macro_tokens[s->macros[m].first + i], depth + 1);
    return found;
}

/* All words of a typedef but those in braces: one of them is the name that it makes. False: memory is out. */
static bool collect_types(struct look *l)
{
    const struct cw_cl_token *v = l->s->tokens;
    bool inside = false;
    size_t depth = 0;

    for (size_t i = 0; i < l->s->count; i++) {
        inside |= cw_cl_token_is(&v[i], "typedef");
        depth += cw_cl_token_is(&v[i], "{");
        depth -= depth && cw_cl_token_is(&v[i], "}");
        inside &= depth || !cw_cl_token_is(&v[i], ";");
        if (!inside || depth || v[i].kind != CW_CL_IDENTIFIER)
            continue;
        if (!cw_array_reserve(&l->types, &l->capacity, l->n_types, 1, sizeof *l->types))
            return false;
        l->types[l->n_types++] = v[i];
    }
    return true;
}

static bool is_typedef(struct look *l, const struct cw_cl_token *t)
{
    size_t i = 0;

    while (i < l->n_types && !cw_cl_token_same(&l->types[i], t))
        i++;
    l->steps += i;
    return i < l->n_types;
}

static bool is_type(struct look *l, const struct cw_cl_token *t, int depth)
{
    if (t->kind != CW_CL_IDENTIFIER)
        return false;
    return is_built_in(t) || is_qualifier(t) || is_one_of(t, tags) || is_type_macro(l, t, depth) ||
           is_typedef(l, t);
}

/* The macro's text ends in a star, perhaps with qualifiers. */
static bool ends_in_star(const struct cw_cl_source *s, const struct cw_cl_macro *m)
{
    const struct cw_cl_token *v = &s->macro_tokens[m->first];
    uint32_t n = m->count;

    while (n && is_qualifier(&v[n - 1]))
        n--;
    return n && cw_cl_token_is(&v[n - 1], "*");
}

static bool is_star_macro(const struct look *l, const struct cw_cl_token *t)
{
    for (size_t m = 0; l->star_macros && t->kind == CW_CL_IDENTIFIER && m < l->s->macro_count; m++)
        if (cw_cl_token_same(&l->s->macros[m].name, t) && ends_in_star(l->s, &l->s->macros[m]))
            return true;
    return false;
}

/* A star of a declaration or a cast, not of a product. */
static bool is_star(struct look *l, size_t i)
{
    if (is_name(l, i))
        return is_star_macro(l, &l->v[i]);
    if (!is(l, i, "*") || i == l->begin)
        return false;
    return is(l, i - 1, "*") || is(l, i - 1, ",") || is(l, i - 1, "}") || is_type(l, &l->v[i - 1], 0) ||
           (i >= l->begin + 2 && is_one_of(&l->v[i - 2], tags));
}

/* ---- names */

enum { POINTER = 1, NUMBER = 2 };

/* The kind that the declaration at i, if it is one, gives its name; 0: it is none. */
static int declared(struct look *l, size_t i)
{
    size_t at = i;

    while (at > l->begin && is_qualifier(&l->v[at - 1]))
        at--;
    if (at > l->begin && is_star(l, at - 1))
        return POINTER;
    if (i == l->begin || !(is(l, i - 1, ",") || (is_name(l, i - 1) && is_type(l, &l->v[i - 1], 0)) ||
                           (i >= l->begin + 2 && is_one_of(&l->v[i - 2], tags)) || is(l, i - 1, "}")))
        return 0;
    return is(l, i + 1, "[") ? POINTER : NUMBER;
}

static int declared_in(struct look *l, size_t begin, size_t end, const struct cw_cl_token *t)
{
    struct look part = *l;
    int what = 0;

    part.begin = begin;
    part.end = end;
    for (size_t i = begin; i < end && part.steps++ < part.limit; i++)
        if (cw_cl_token_same(&l->v[i], t))
            what |= declared(&part, i);
    l->steps = part.steps;
    return l->steps < l->limit ? what : POINTER | NUMBER;
}

/* Its declarations in this function, else anywhere in the text. */
static int look_up(struct look *l, const struct cw_cl_token *t)
{
    int what = l->macro ? 0 : declared_in(l, l->begin, l->end, t);
    struct look all = *l;

    if (what)
        return what;
    all.v = l->s->tokens;
    what = declared_in(&all, 0, l->s->count, t);
    l->steps = all.steps;
    return what;
}

static bool is_parameter(const struct look *l, const struct cw_cl_token *t)
{
    for (uint32_t i = 0; l->macro && i < l->macro->parameter_count; i++)
        if (cw_cl_token_same(&l->s->macro_tokens[l->macro->parameters + i], t))
            return true;
    return false;
}

/* The name may stand for a pointer, be it as a macro. */
static bool may_be_pointer(struct look *l, const struct cw_cl_token *t, int depth)
{
    const struct cw_cl_source *s = l->s;

    l->steps += s->macro_count / 8;
    if (depth > DEPTH || l->steps >= l->limit || is_parameter(l, t))
        return true;
    for (size_t m = 0; m < s->macro_count; m++)
        for (uint32_t i = 0; cw_cl_token_same(&s->macros[m].name, t) && i < s->macros[m].count; i++) {
            const struct cw_cl_token *x = &s->macro_tokens[s->macros[m].first + i];
            if (x->kind == CW_CL_IDENTIFIER && !cw_cl_token_same(x, t) && !is_type(l, x, 0) &&
                may_be_pointer(l, x, depth + 1))
                return true;
        }
    return look_up(l, t) & POINTER;
}

/* ---- casts */

/* Behind the bracket that closes the one at i. */
static size_t skip_parentheses(struct look *l, size_t i)
{
    size_t depth = 0;

    for (; i < l->end && l->steps < l->limit; i++, l->steps++) {
        depth += is(l, i, "(");
        if (is(l, i, ")") && --depth == 0)
            return i + 1;
    }
    return i;
}

enum cast { NO_CAST, TO_NUMBER, TO_POINTER };

/* The kind of the brackets from i on to `end`. */
static enum cast cast_at(struct look *l, size_t i, size_t end)
{
    enum cast cast = TO_NUMBER;
    size_t words = 0;

    if (i > l->begin && is_name(l, i - 1) && !is(l, i - 1, "return") && !is(l, i - 1, "else"))
        return NO_CAST; /* parameters or arguments */
    for (i++; i + 1 < end; i++, l->steps++) {
        if (is(l, i, "*") || is_star_macro(l, &l->v[i]))
            cast = TO_POINTER;
        else if (!is_name(l, i) || !(is_type(l, &l->v[i], 0) || is_one_of(&l->v[i - 1], tags)))
            return NO_CAST;
        words += is_name(l, i);
    }
    return words ? cast : NO_CAST;
}

/* The operand of a cast to a pointer at i is plainly one itself. */
static bool points(struct look *l, size_t i)
{
    for (;;) {
        size_t end;
        if (!is(l, i, "("))
            break;
        end = skip_parentheses(l, i);
        i = cast_at(l, i, end) == TO_POINTER ? end : i + 1; /* another cast is looked at by itself */
    }
    if (is(l, i, "&") || is(l, i, "NULL") || (i < l->end && l->v[i].kind == CW_CL_STRING))
        return true;
    if (is(l, i, "0"))
        return !is(l, i + 1, "+");
    return is_name(l, i) && !is(l, i + 1, "[") && !is(l, i + 1, "(") && !is(l, i + 1, ".") &&
           !is(l, i + 1, "->") && !cw_cl_is_macro(l->s, &l->v[i]) && look_up(l, &l->v[i]) == POINTER;
}

/* The name at i, in an expression, hands its address on. */
static bool is_bare(struct look *l, size_t i)
{
    if (is(l, i - 1, ".") || is(l, i - 1, "->") || is(l, i - 1, "*") || is(l, i + 1, "[") ||
        is(l, i + 1, ".") || is(l, i + 1, "->"))
        return false;
    return !is_type(l, &l->v[i], 0) && may_be_pointer(l, &l->v[i], 0);
}

static bool is_address_operator(const struct look *l, size_t i)
{
    return is(l, i, "&") && !is_name(l, i - 1) && l->v[i - 1].kind != CW_CL_NUMBER && !is(l, i - 1, ")") &&
           !is(l, i - 1, "]");
}

/* The operand of a cast to a number at i may be an address. */
static bool is_address(struct look *l, size_t i)
{
    size_t end = i + 1;

    while (is(l, i, "+") || is(l, i, "-") || is(l, i, "--"))
        i++;
    if (i >= l->end || l->v[i].kind == CW_CL_CONDITIONAL ||
        is(l, i, "&")) /* a macro's text goes on elsewhere */
        return true;
    if (is(l, i, "("))
        end = skip_parentheses(l, i);
    for (; i < end && l->steps < l->limit; i++, l->steps++) {
        bool call = is_name(l, i) && is(l, i + 1, "(") && !cw_cl_is_macro(l->s, &l->v[i]);
        if (is_address_operator(l, i) || (is_name(l, i) && is_bare(l, i)))
            return true;
        if (call && !is_type(l, &l->v[i], 0))
            i = skip_parentheses(l, i + 1) - 1;
    }
    return false;
}

static bool is_float(const struct cw_cl_token *t)
{
    return t->length >= 4 &&
           (!memcmp(t->text, "half", 4) || (t->length >= 5 && !memcmp(t->text, "float", 5)) ||
            (t->length >= 6 && !memcmp(t->text, "double", 6)));
}

static bool is_doubtful_cast(struct look *l, size_t i)
{
    size_t end;

    if (is_name(l, i) && l->v[i].length > 3 && !memcmp(l->v[i].text, "as_", 3) && is(l, i + 1, "("))
        return is_address(l, i + 1);
    if (!is(l, i, "("))
        return false;
    end = skip_parentheses(l, i);
    switch (cast_at(l, i, end)) {
    case TO_POINTER:
        return !points(l, end);
    case TO_NUMBER:
        return !is_float(&l->v[i + 1]) && is_address(l, end);
    default:
        return false;
    }
}

/* ---- declarations */

/* Pointers that lie in memory, or may. */
static bool is_stored_pointer(struct look *l, size_t i)
{
    size_t next = i + 1;
    bool shared = false;

    if (!is(l, i, "*") && !is_name(l, i))
        return false;
    for (; next < l->end && is_qualifier(&l->v[next]); next++)
        shared |= is_one_of(&l->v[next], spaces);
    return (shared || is_star(l, next)) && is_star(l, i);
}

/* A structure or a typedef begins at i and has a star. */
static bool names_pointer(struct look *l, size_t i)
{
    bool tag = is_one_of(&l->v[i], tags), seen = false;
    size_t depth = 0, brackets = 0;

    if (!tag && !is(l, i, "typedef"))
        return false;
    for (i++; i < l->end && !(is(l, i, ";") && !depth) && l->steps < l->limit; i++, l->steps++) {
        depth += is(l, i, "{");
        seen |= is(l, i, "{");
        brackets += is(l, i, "[");
        brackets -= brackets && is(l, i, "]");
        if ((!tag || depth) && !brackets && (is(l, i, "*") || (is_name(l, i) && is_star_macro(l, &l->v[i]))))
            return true;
        if (is(l, i, "}") && depth && --depth == 0 && tag)
            break;
        if (tag && !seen && !is_name(l, i))
            break; /* the type is only named */
    }
    return false;
}

static bool is_odd_word(const struct cw_cl_token *t)
{
    static const char *const odd[] = {"auto",       "__auto_type",      "typeof",           "__typeof",
                                      "__typeof__", "__builtin_astype", "reinterpret_cast", NULL};

    return is_one_of(t, odd);
}

static bool is_doubtful_token(struct look *l, size_t i)
{
    const struct cw_cl_token *t = &l->v[i];

    if (t->kind == CW_CL_PUNCTUATION)
        return *t->text == '(' ? is_doubtful_cast(l, i) : *t->text == '*' && is_stored_pointer(l, i);
    if (t->kind != CW_CL_IDENTIFIER)
        return false;
    if (l->star_macros && is_stored_pointer(l, i))
        return true;
    return strchr("_aerstu", *t->text) && (is_odd_word(t) || names_pointer(l, i) || is_doubtful_cast(l, i));
}

static bool is_doubtful(struct look *l)
{
    bool doubt = false;

    for (size_t i = l->begin; i < l->end && !doubt; i++)
        doubt = ++l->steps >= l->limit || is_doubtful_token(l, i);
    return doubt;
}

/* ---- parts */

/* The end of the part that begins at `begin`: behind a function's body, or behind a declaration. SIZE_MAX:
 * braces do not match. */
static size_t part_end(const struct cw_cl_source *s, size_t begin)
{
    const struct cw_cl_token *v = s->tokens;
    size_t braces = 0, parentheses = 0, i = begin;
    bool function = false;

    for (; i < s->count; i++) {
        function |= !braces && !parentheses && cw_cl_token_is(&v[i], "(") && i &&
                    !cw_cl_token_is(&v[i - 1], "__attribute__");
        function &= braces || !cw_cl_token_is(&v[i], "=");
        parentheses += cw_cl_token_is(&v[i], "(");
        parentheses -= parentheses && cw_cl_token_is(&v[i], ")");
        braces += cw_cl_token_is(&v[i], "{");
        if (cw_cl_token_is(&v[i], "}") && !braces--)
            return SIZE_MAX;
        if (!braces && (cw_cl_token_is(&v[i], ";") || (function && cw_cl_token_is(&v[i], "}"))))
            return i + 1;
    }
    return braces ? SIZE_MAX : i;
}

static bool parts_are_doubtful(struct look *l)
{
    const struct cw_cl_source *s = l->s;

    l->v = s->tokens;
    for (; l->begin < s->count; l->begin = l->end) {
        l->end = part_end(s, l->begin);
        if (l->end == SIZE_MAX || is_doubtful(l))
            return true;
    }
    l->v = s->macro_tokens;
    for (size_t m = 0; m < s->macro_count; m++) {
        l->macro = &s->macros[m];
        l->begin = l->macro->first;
        l->end = l->begin + l->macro->count;
        if (is_doubtful(l))
            return true;
    }
    return false;
}

static bool text_is_doubtful(const struct cw_cl_source *s)
{
    struct look l = {.s = s, .limit = STEPS + STEPS_EACH * (s->count + s->macro_count_tokens)};
    bool doubtful = !collect_types(&l);

    for (size_t m = 0; m < s->macro_count; m++) {
        bool star = ends_in_star(s, &s->macros[m]);
        l.star_macros |= star;
        doubtful |= star && s->macros[m].function_like;
    }
    doubtful = doubtful || parts_are_doubtful(&l);
    free(l.types);
    return doubtful;
}

bool cw_cl_may_hold_addresses(const struct cw_cl_source *s)
{
    bool doubtful = text_is_doubtful(s), references = s->options && strstr(s->options, "-cl-std=CLC++");
    char *text = doubtful && s->macro_count ? cw_expanded_macros(s->text, s->options) : NULL;
    struct cw_cl_source expanded;

    if (text) {
        doubtful = !cw_cl_source_init(&expanded, text, s->options) || text_is_doubtful(&expanded);
        cw_cl_source_finish(&expanded);
        free(text);
    }
    return doubtful || references;
}
