/* cl_source.h - the tokens of an OpenCL C source as written: comments and line splices gone, macros noted but
 * not expanded, the branches of all conditionals kept.
 *
 * Made for conservative questions ("is every use of this name harmless, whichever branch is compiled?"), not
 * for compiling. Text that could hide something from such a question is flagged. */
#ifndef CW_CL_SOURCE_H
#define CW_CL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cw_cl_token_kind { CW_CL_IDENTIFIER, CW_CL_NUMBER, CW_CL_STRING, CW_CL_PUNCTUATION, CW_CL_CONDITIONAL };

/* CW_CL_CONDITIONAL stands for a #if, #else … between tokens; its text is empty. */
struct cw_cl_token {
    const char *text; /* into the source object's own copy; not NUL-terminated */
    uint32_t length;
    uint32_t kind; /* enum cw_cl_token_kind */
};

/* A #define (or -D option, or #undef or -U with undefined = true); tokens [first, first + count) of
 * macro_tokens. */
struct cw_cl_macro {
    struct cw_cl_token name;
    uint32_t first, count;
    uint32_t parameters, parameter_count; /* identifiers in macro_tokens */
    bool function_like, undefined;
};

struct cw_cl_source {
    char *text; /* owned; several parts are never moved once tokens point into them */
    char *options;
    char *option_macros; /* owned: the options without those that define no macro, and without quotes */
    struct cw_cl_token *tokens;
    size_t count, capacity;
    struct cw_cl_token *macro_tokens;
    size_t macro_count_tokens, macro_capacity_tokens;
    struct cw_cl_macro *macros;
    size_t macro_count, macro_capacity;
    bool has_include;           /* a header may define anything, or be there or not (__has_include) */
    bool has_hidden_directives; /* digraphs, trigraphs: any word may be redefined */
    bool has_paste; /* ##, digraphs, trigraphs, asm, C++: names and pointers can appear from nowhere */
};

/* Reads `source` (NUL-terminated) and the -D and -U options of `options` (NULL allowed). Returns false when
 * memory is out; finish it either way. Any text is accepted. */
bool cw_cl_source_init(struct cw_cl_source *s, const char *source, const char *options);
void cw_cl_source_finish(struct cw_cl_source *s);

bool cw_cl_token_is(const struct cw_cl_token *t, const char *word);
bool cw_cl_token_same(const struct cw_cl_token *a, const struct cw_cl_token *b);

/* True when the token names a macro that is defined (or undefined) anywhere. */
bool cw_cl_is_macro(const struct cw_cl_source *s, const struct cw_cl_token *t);

enum { CW_CL_MAX_WORDS = 16 };

/* The first of `words` (NULL-ended, at most CW_CL_MAX_WORDS, each shorter than 64 bytes) with which an
 * identifier of the text or of -D options begins, directives included, or which ## can make of such
 * identifiers; a blank behind a word stands for the identifier's end. NULL: none. */
const char *cw_cl_may_name(const struct cw_cl_source *s, const char *const *words);

/* ---- whether a program may keep something between its kernels (OpenCL C 3.0, section 6.7.1). */

/* True when the source, built with `options` (NULL allowed), may declare variables in the global address
 * space: outside of functions, or static ones in them. CW_CL_LANGUAGE_3 alone has them; an included header
 * may then hold anything. `by_default`: the language of a build without -cl-std. */
bool cw_cl_has_variables(const struct cw_cl_source *s, const char *options, int by_default);

/* Whether kernels of a program may hand addresses on in memory, by its text. */

/* False: every pointer of the program comes from an argument or a variable of the same work-item, and no
 * address becomes a number or lies in memory that others see. True as well where the text leaves it open: a
 * cast between a pointer and what is not plainly another one; pointers to pointers, in structures, behind
 * typedef; C++, __auto_type and the like. Conversions without a cast, which clang up to 14 takes with a
 * warning, are not looked for. Time: linear in the text, and in its casts up to a limit (some 50 ms), from
 * where on the answer is true. Any text is accepted. Thread-safe. */
bool cw_cl_may_hold_addresses(const struct cw_cl_source *s);

#endif
