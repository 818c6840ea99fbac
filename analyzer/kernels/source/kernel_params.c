/* kernel_params.c - see kernel_params.h. */
#include "kernel_params.h"
#include "access_mode.h"

#include <string.h>

typedef struct cw_cl_token token;

#define CW_PARAM_ANY UINT8_MAX /* no definition has been read yet */

static bool one_of(const token *t, const char *const *words)
{
    while (*words && !cw_cl_token_is(t, *words))
        words++;
    return *words != NULL;
}

static const char *const kernel_words[] = {"kernel", "__kernel", NULL};
static const char *const constant_words[] = {"constant", "__constant", NULL};
static const char *const read_only_words[] = {"read_only", "__read_only", NULL};
static const char *const write_only_words[] = {"write_only", "__write_only", NULL};
static const char *const read_write_words[] = {"read_write", "__read_write", NULL};
static const char *const image_words[] = {"image1d_t",
                                          "image1d_buffer_t",
                                          "image1d_array_t",
                                          "image2d_t",
                                          "image2d_array_t",
                                          "image2d_depth_t",
                                          "image2d_msaa_t",
                                          "image2d_array_depth_t",
                                          "image3d_t",
                                          "image2d_msaa_depth_t",
                                          "image2d_array_msaa_t",
                                          "image2d_array_msaa_depth_t",
                                          NULL};
static const char *const keywords[] = {
    "const",        "kernel",    "__kernel",    "constant",   "__constant",   "global",
    "__global",     "read_only", "__read_only", "write_only", "__write_only", "read_write",
    "__read_write", "void",      "restrict",    "volatile",   "pipe",         NULL};
static const char *const scalar_words[] = {"char",   "uchar", "short",  "ushort", "int",  "uint",
                                           "long",   "ulong", "float",  "double", "half", "unsigned",
                                           "signed", "bool",  "size_t", NULL};

/* float, float4, unsigned … and nothing that a program may give a meaning of its own (float5, bool4). */
static bool is_scalar_or_vector(const token *t)
{
    static const char *const widths[] = {"", "2", "3", "4", "8", "16", NULL};
    static const char *const without[] = {"unsigned", "signed", "bool", "size_t", NULL};
    token base = *t, width;

    while (base.length > 1 && strchr("0123456789", base.text[base.length - 1]))
        base.length--;
    width = (token){.text = base.text + base.length, .length = t->length - base.length};
    return one_of(&base, scalar_words) && one_of(&width, widths) &&
           (!width.length || !one_of(&base, without));
}

/* Things that make every answer about the program unsafe. */
static bool hides_everything(const struct cw_cl_source *s)
{
    if (s->has_hidden_directives)
        return true;
    for (size_t i = 0; i < s->macro_count; i++) {
        const struct cw_cl_macro *m = &s->macros[i];
        if (one_of(&m->name, keywords) || is_scalar_or_vector(&m->name))
            return true;
        for (uint32_t k = 0; k < m->count; k++)
            if (one_of(&s->macro_tokens[m->first + k], kernel_words))
                return true;
    }
    return false;
}

/* A macro that can stand for more than a number. */
static bool may_name_memory(const struct cw_cl_source *s, const token *t)
{
    for (size_t i = 0; t->kind == CW_CL_IDENTIFIER && i < s->macro_count; i++) {
        const struct cw_cl_macro *m = &s->macros[i];
        if (!cw_cl_token_same(&m->name, t))
            continue;
        for (uint32_t k = 0; k < m->count; k++)
            if (m->function_like || s->macro_tokens[m->first + k].kind == CW_CL_IDENTIFIER)
                return true;
    }
    return false;
}

/* True when an address operator in v may apply to a macro's text, to a macro's parameter, or (at the end of a
 * macro) to the text behind it. */
static bool takes_address(const struct cw_cl_source *s, const token *v, size_t count, const token *parameters,
                          size_t parameter_count)
{
    for (size_t k = 0; k < count; k++) {
        size_t next = k + 1;
        if (!cw_cl_token_is(&v[k], "&"))
            continue;
        while (next < count && cw_cl_token_is(&v[next], "("))
            next++;
        if (next == count || may_name_memory(s, &v[next]))
            return true;
        for (size_t p = 0; p < parameter_count; p++)
            if (cw_cl_token_same(&parameters[p], &v[next]))
                return true;
    }
    return false;
}

static bool hides_pointers(const struct cw_cl_source *s)
{
    for (size_t i = 0; i < s->macro_count; i++) {
        const struct cw_cl_macro *m = &s->macros[i];
        if (takes_address(s, s->macro_tokens + m->first, m->count, s->macro_tokens + m->parameters,
                          m->parameter_count))
            return true;
    }
    return s->has_paste || takes_address(s, s->tokens, s->count, NULL, 0);
}

/* The call that the innermost open parenthesis around v[at] belongs to. */
struct call {
    const token *name; /* the identifier before it, NULL if there is none */
    bool first;        /* v[at] is in the first argument */
    bool assigns;      /* something is assigned between the parenthesis and v[at] */
};

static struct call enclosing_call(const token *v, size_t at)
{
    struct call c = {.first = true};
    size_t depth = 0;

    for (size_t i = at; i-- > 0;) {
        if (cw_cl_token_is(&v[i], ")"))
            depth++;
        else if (cw_cl_token_is(&v[i], "(") && depth-- == 0) {
            c.name = i > 0 && v[i - 1].kind == CW_CL_IDENTIFIER ? &v[i - 1] : NULL;
            break;
        } else if (cw_cl_token_is(&v[i], ";") || cw_cl_token_is(&v[i], "{"))
            break;
        c.first &= depth > 0 || !cw_cl_token_is(&v[i], ",");
        c.assigns |= cw_cl_token_is(&v[i], "=");
    }
    return c;
}

/* Index of the token that closes the bracket at v[open], or count. */
static size_t closing(const token *v, size_t count, size_t open, const char *opening,
                      const char *closing_text)
{
    size_t depth = 0;

    for (size_t i = open; i < count; i++) {
        depth += cw_cl_token_is(&v[i], opening);
        if (cw_cl_token_is(&v[i], closing_text) && --depth == 0)
            return i;
    }
    return count;
}

static bool is_function(const struct cw_cl_source *s, const token *name)
{
    for (size_t i = 0; i + 1 < s->count; i++) {
        size_t end = cw_cl_token_same(&s->tokens[i], name) && cw_cl_token_is(&s->tokens[i + 1], "(")
                         ? closing(s->tokens, s->count, i + 1, "(", ")")
                         : s->count;
        if (end + 1 < s->count && cw_cl_token_is(&s->tokens[end + 1], "{"))
            return true;
    }
    return false;
}

/* vload and prefetch only read; so do copies, except through their first argument. */
static bool is_reading_builtin(const struct cw_cl_source *s, const struct call *c)
{
    static const char *const words[] = {
        "vload2",       "vload3",       "vload4",       "vload8",        "vload16",      "vload_half",
        "vload_half2",  "vload_half3",  "vload_half4",  "vload_half8",   "vload_half16", "vloada_half2",
        "vloada_half3", "vloada_half4", "vloada_half8", "vloada_half16", "prefetch",     NULL};
    static const char *const copies[] = {"async_work_group_copy", "async_work_group_strided_copy", NULL};

    return c->name && !c->assigns && (one_of(c->name, words) || (!c->first && one_of(c->name, copies))) &&
           !cw_cl_is_macro(s, c->name) && !is_function(s, c->name);
}

/* Whether the use of a pointer at v[at] only reads through it; see the header for the forms. */
static bool use_only_reads(const struct cw_cl_source *s, const token *v, size_t count, size_t at)
{
    size_t before = at;
    bool indexed = at + 1 < count && cw_cl_token_is(&v[at + 1], "["), starred;
    struct call call;

    if (at > 0 && (cw_cl_token_is(&v[at - 1], ".") || cw_cl_token_is(&v[at - 1], "->")))
        return true; /* a member of the same name */
    while (before > 0 && cw_cl_token_is(&v[before - 1], "("))
        before--;
    starred = before > 0 && cw_cl_token_is(&v[before - 1], "*") && before + 1 >= at;
    if (starred)
        before--;
    while (before > 0 && cw_cl_token_is(&v[before - 1], "("))
        before--;
    if (before > 0 && cw_cl_token_is(&v[before - 1], "&"))
        return false;
    call = enclosing_call(v, at);
    return indexed || starred || is_reading_builtin(s, &call);
}

static bool uses_only_read(const struct cw_cl_source *s, const token *v, size_t count, const token *name)
{
    for (size_t i = 0; i < count; i++)
        if (v[i].kind == CW_CL_IDENTIFIER && cw_cl_token_same(&v[i], name) && !use_only_reads(s, v, count, i))
            return false;
    return true;
}

static bool const_is_proven(const struct cw_cl_source *s, const token *name, const token *body, size_t count)
{
    if (hides_pointers(s) || cw_cl_is_macro(s, name) || !uses_only_read(s, body, count, name))
        return false;
    for (size_t i = 0; i < s->macro_count; i++)
        if (!uses_only_read(s, s->macro_tokens + s->macros[i].first, s->macros[i].count, name))
            return false;
    return true;
}

/* The meaning of the words of one parameter. */
struct declaration {
    bool is_constant, is_const, read_only, write_only, read_write, image, pipe, sampler, scalar, doubtful;
    bool number; /* a word before the name is a scalar type, and no word is a macro */
    unsigned stars;
    token name;
};

static void read_word(const struct cw_cl_source *s, const token *t, struct declaration *d, int depth);

/* A macro in a parameter: one definition of plain words is as good as the words; several that all name a
 * scalar type are a type; anything else leaves the parameter in doubt. */
static bool read_macro_word(const struct cw_cl_source *s, const token *t, struct declaration *d, int depth)
{
    const struct cw_cl_macro *m = NULL;
    size_t found = 0;
    bool plain = depth < 8, scalar = true;

    for (size_t i = 0; i < s->macro_count; i++) {
        if (!cw_cl_token_same(&s->macros[i].name, t))
            continue;
        m = &s->macros[i];
        found++;
        plain &= !m->function_like && !m->undefined;
        for (uint32_t k = 0; k < m->count; k++) {
            plain &= s->macro_tokens[m->first + k].kind == CW_CL_IDENTIFIER;
            scalar &= is_scalar_or_vector(&s->macro_tokens[m->first + k]);
        }
        scalar &= m->count > 0;
    }
    if (!m)
        return false;
    if (plain && scalar)
        d->scalar = true;
    else if (plain && found == 1)
        for (uint32_t k = 0; k < m->count; k++)
            read_word(s, &s->macro_tokens[m->first + k], d, depth + 1);
    else
        d->doubtful = true;
    return true;
}

static void read_word(const struct cw_cl_source *s, const token *t, struct declaration *d, int depth)
{
    if (read_macro_word(s, t, d, depth))
        return;
    d->is_constant |= one_of(t, constant_words);
    d->is_const |= cw_cl_token_is(t, "const") && d->stars == 0;
    d->read_only |= one_of(t, read_only_words);
    d->write_only |= one_of(t, write_only_words);
    d->read_write |= one_of(t, read_write_words);
    d->image |= one_of(t, image_words);
    d->pipe |= cw_cl_token_is(t, "pipe");
    d->sampler |= cw_cl_token_is(t, "sampler_t");
    d->scalar |= d->stars == 0 && is_scalar_or_vector(t);
}

static struct declaration read_declaration(const struct cw_cl_source *s, const token *v, size_t count)
{
    struct declaration d = {0};
    bool macros = false;

    for (size_t i = 0; i < count; i++) {
        if (v[i].kind == CW_CL_CONDITIONAL || cw_cl_token_is(&v[i], "__attribute__"))
            d.doubtful = true;
        else if (v[i].kind == CW_CL_IDENTIFIER) {
            d.name = v[i];
            d.number = d.scalar && !macros;
            macros |= cw_cl_is_macro(s, &v[i]);
            read_word(s, &v[i], &d, 0);
        } else if (cw_cl_token_is(&v[i], "*")) {
            d.stars++;
        } else if (cw_cl_token_is(&v[i], "[")) {
            /* an array parameter is a pointer; the text inside the brackets does not matter, the text behind
             * them does: an array of arrays is a pointer to arrays, whose elements are pointers again */
            d.stars++;
            i = closing(v, count, i, "[", "]");
            d.doubtful |= i + 1 < count;
        } else {
            d.doubtful = true;
        }
    }
    return d;
}

static uint8_t mode_of(const struct cw_cl_source *s, const struct declaration *d, const token *body,
                       size_t body_count, bool trust_const, bool no_const)
{
    if (d->doubtful || d->pipe || d->read_write)
        return CW_ACCESS_READ_WRITE;
    if (d->image && d->stars == 0)
        return d->write_only ? CW_ACCESS_WRITE : CW_ACCESS_READ; /* read_only is the default */
    if (d->stars != 1 || s->has_include)
        return CW_ACCESS_READ_WRITE;
    if (d->is_constant)
        return CW_ACCESS_READ;
    if (d->is_const && !no_const &&
        (trust_const || (d->scalar && const_is_proven(s, &d->name, body, body_count))))
        return CW_ACCESS_READ;
    return CW_ACCESS_READ_WRITE;
}

/* Where to stop looking for uses of a parameter: behind the body, which opens at v[open]. When branches of
 * conditionals have braces of their own the end cannot be seen, but the next kernel is behind it. */
static size_t end_of_body(const struct cw_cl_source *s, size_t open)
{
    const token *v = s->tokens;
    size_t end =
        open < s->count && cw_cl_token_is(&v[open], "{") ? closing(v, s->count, open, "{", "}") : s->count;
    bool branches = false;

    for (size_t i = open; i < end; i++)
        branches |= v[i].kind == CW_CL_CONDITIONAL;
    while (branches && end < s->count && !one_of(&v[end], kernel_words))
        end++;
    return end;
}

/* What is asked of the parameters, of which all definitions have `count`. */
struct question {
    uint32_t count;
    bool trust_const, no_const;
    uint8_t *modes; /* those of all definitions together; NULL: not asked */
    uint8_t *kinds; /* the one of all definitions, or unknown; likewise */
};

static enum cw_param_kind kind_of(const struct cw_cl_source *s, const struct declaration *d)
{
    if (d->doubtful || s->has_include)
        return CW_PARAM_UNKNOWN;
    if (d->stars || d->image || d->pipe || d->sampler)
        return CW_PARAM_OBJECT;
    return d->number ? CW_PARAM_NUMBER : CW_PARAM_UNKNOWN;
}

static void answer(const struct cw_cl_source *s, const struct declaration *d, const token *body,
                   size_t body_count, const struct question *q, uint32_t n)
{
    if (q->modes)
        q->modes[n] |= mode_of(s, d, body, body_count, q->trust_const, q->no_const);
    if (q->kinds && q->kinds[n] != kind_of(s, d))
        q->kinds[n] = q->kinds[n] == CW_PARAM_ANY ? kind_of(s, d) : CW_PARAM_UNKNOWN;
}

/* One definition: its parameter list opens at v[open]. False: not understood. */
static bool read_definition(const struct cw_cl_source *s, size_t open, const struct question *q)
{
    const token *v = s->tokens;
    size_t close = closing(v, s->count, open, "(", ")"), begin = open + 1, body_end, depth = 0;
    uint32_t n = 0;

    if (close == s->count)
        return false;
    body_end = end_of_body(s, close + 1);
    for (size_t i = open + 1; i <= close; i++) {
        depth += cw_cl_token_is(&v[i], "(");
        if (i < close && (depth > 0 || !cw_cl_token_is(&v[i], ","))) {
            depth -= cw_cl_token_is(&v[i], ")");
            continue;
        }
        if (n == q->count)
            return false;
        struct declaration d = read_declaration(s, v + begin, i - begin);
        answer(s, &d, v + close, body_end - close, q, n++);
        begin = i + 1;
    }
    return n == q->count;
}

/* Index of the '(' of a definition's parameter list when v[at] is a kernel keyword and the definition names
 * `name`; 0 when it names another; *hidden is set when a macro stands where the name should be. */
static size_t definition_of(const struct cw_cl_source *s, size_t at, const char *name, bool *hidden)
{
    const token *v = s->tokens;

    for (size_t i = at + 1; i + 1 < s->count; i++) {
        if (cw_cl_token_is(&v[i], ";") || cw_cl_token_is(&v[i], "{"))
            return 0;
        if (!cw_cl_token_is(&v[i], "("))
            continue;
        if (cw_cl_token_is(&v[i - 1], "__attribute__")) {
            i = closing(v, s->count, i, "(", ")");
            continue;
        }
        *hidden |= cw_cl_is_macro(s, &v[i - 1]);
        return cw_cl_token_is(&v[i - 1], name) ? i : 0;
    }
    return 0;
}

/* False: the definitions of the kernel cannot be read. */
static bool read_definitions(const struct cw_cl_source *s, const char *name, const struct question *q)
{
    bool understood = !hides_everything(s), hidden = false;

    for (size_t i = 0; understood && i < s->count; i++) {
        size_t open = one_of(&s->tokens[i], kernel_words) ? definition_of(s, i, name, &hidden) : 0;
        if (open)
            understood = read_definition(s, open, q);
    }
    return understood && !hidden;
}

void cw_kernel_params(const struct cw_cl_source *s, const char *name, uint32_t count, bool trust_const,
                      bool no_const, uint8_t *modes)
{
    const struct question q = {count, trust_const, no_const, modes, NULL};
    bool understood;

    memset(modes, 0, count);
    understood = read_definitions(s, name, &q);
    for (uint32_t i = 0; i < count; i++)
        if (!understood || modes[i] == 0)
            modes[i] = CW_ACCESS_READ_WRITE;
}

void cw_kernel_params_kinds(const struct cw_cl_source *s, const char *name, uint32_t count, uint8_t *kinds)
{
    const struct question q = {.count = count, .kinds = kinds};
    bool understood;

    memset(kinds, CW_PARAM_ANY, count);
    understood = read_definitions(s, name, &q);
    for (uint32_t i = 0; i < count; i++)
        if (!understood || kinds[i] == CW_PARAM_ANY)
            kinds[i] = CW_PARAM_UNKNOWN;
}
