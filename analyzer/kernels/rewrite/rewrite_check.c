/* rewrite_check.c - refuses kernels that cannot be rewritten for certain, once it is known which names reach
 * id built-ins. */
#include "rewrite_state.h"

static bool check_builtin(struct cw_rw *s, uint32_t id, uint32_t flags)
{
    if (flags & CW_RW_MACRO)
        return cw_rewrite_refuse(s, "'%.*s' is redefined", CW_RW_TEXT(s, id));
    if (flags & CW_RW_CONDITION)
        return cw_rewrite_refuse(s, "a directive asks about '%.*s'", CW_RW_TEXT(s, id));
    if (flags & (CW_RW_FUNCTION | CW_RW_TYPEDEF | CW_RW_LOCAL))
        return cw_rewrite_refuse(s, "the program declares a '%.*s' of its own", CW_RW_TEXT(s, id));
    return true;
}

/* A function that gets the hidden parameter. */
static bool check_function(struct cw_rw *s, uint32_t id, uint32_t flags)
{
    if (flags & CW_RW_CONDITION)
        return cw_rewrite_refuse(s, "a directive asks about function '%.*s'", CW_RW_TEXT(s, id));
    if (flags & (CW_RW_ODD | CW_RW_TYPEDEF | CW_RW_LOCAL))
        return cw_rewrite_refuse(s, "function '%.*s' is declared in an unusual way", CW_RW_TEXT(s, id));
    if ((flags & CW_RW_FAMILY) && (flags & CW_RW_CALLED)) /* a call before its definition is the built-in's */
        return cw_rewrite_refuse(s, "calls '%.*s', which OpenCL C may define too", CW_RW_TEXT(s, id));
    if ((flags & CW_RW_NONE) && (flags & CW_RW_SOME))
        return cw_rewrite_refuse(s, "function '%.*s' is declared with and without parameters",
                                 CW_RW_TEXT(s, id));
    return true;
}

/* A word that forms for rows are written with, where the program's macros hold. */
static bool is_row_word(const struct cw_rw *s, uint32_t id)
{
    static const char *const words[] = {"void",
                                        "int",
                                        "int2",
                                        "ulong",
                                        "size_t",
                                        "for",
                                        "if",
                                        "else",
                                        "__kernel",
                                        "__private",
                                        "const",
                                        "static",
                                        "inline",
                                        "__typeof__",
                                        "__attribute__",
                                        "__always_inline__",
                                        "_Pragma",
                                        "x",
                                        "y",
                                        "clang",
                                        "loop",
                                        "vectorize",
                                        "enable",
                                        "unroll",
                                        NULL};

    for (const char *const *w = words; *w; w++)
        if (cw_tokens_name_is(&s->names, id, *w))
            return true;
    return false;
}

static bool check_name(struct cw_rw *s, uint32_t id)
{
    uint32_t flags = s->names.v[id].flags;
    bool ours =
        (flags & (CW_RW_FUNCTION | CW_RW_MACRO | CW_RW_KNOWN | CW_RW_FAMILY | CW_RW_TYPEDEF | CW_RW_ID)) != 0;

    s->no_rows |= flags & CW_RW_MACRO && is_row_word(s, id);
    if (flags & CW_RW_SPLIT &&
        flags & (CW_RW_ID | CW_RW_TAINTED)) /* a macro's name without its parenthesis is none */
        return cw_rewrite_refuse(s, "a directive stands behind '%.*s'", CW_RW_TEXT(s, id));
    if (flags & CW_RW_ID)
        return check_builtin(s, id, flags);
    if (flags & CW_RW_MACRO && cw_tokens_name_is(&s->names, id, "__cplusplus"))
        return cw_rewrite_refuse(s, "'__cplusplus' is redefined");
    if (flags & CW_RW_FUNCTION && flags & CW_RW_TAINTED && !check_function(s, id, flags))
        return false;
    if (flags & CW_RW_MACRO && flags & CW_RW_TAINTED && flags & CW_RW_BRACES && flags & CW_RW_TOPLEVEL)
        return cw_rewrite_refuse(s, "macro '%.*s' makes functions that see ids", CW_RW_TEXT(s, id));
    if (flags & CW_RW_MACRO && flags & CW_RW_SECRET && flags & CW_RW_TOPLEVEL)
        return cw_rewrite_refuse_secret(s);
    if (flags & CW_RW_CALLED && !ours && !(flags & CW_RW_SECRET))
        return cw_rewrite_refuse(s, "calls '%.*s', which neither the program nor OpenCL C defines",
                                 CW_RW_TEXT(s, id));
    return true;
}

bool cw_rewrite_check(struct cw_rw *s)
{
    for (uint32_t id = 0; id < s->names.count; id++)
        if (s->names.v[id].flags & CW_RW_SEEN && !check_name(s, id))
            return false;
    for (size_t u = 0; u < s->units; u++)
        for (size_t i = 0; i < s->unit[u].functions; i++) {
            const struct cw_rw_function *f = &s->unit[u].function[i];
            uint32_t id = s->unit[u].text.v[f->name_token].name;
            if (s->names.v[id].flags & CW_RW_TAINTED && (f->parameters == CW_RW_P_DOUBT || f->odd))
                return cw_rewrite_refuse(s, "the parameters of '%.*s' are hidden in macros",
                                         CW_RW_TEXT(s, id));
        }
    return true;
}
