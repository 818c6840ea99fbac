/* rewrite_state.h - the state of one cw_rewrite, shared by its steps. Internal to rewrite*.c. */
#ifndef CW_REWRITE_STATE_H
#define CW_REWRITE_STATE_H

#include "rewrite.h"
#include "../../io/array.h"
#include "../source/header_files.h"
#include "../source/tokens.h"

/* Facts about a name, in struct cw_rw_name.flags. Names are those of all units together: two functions of one
 * name (static ones, overloads) are treated alike. */
enum cw_rw_flag {
    CW_RW_ID = 1 << 0,         /* a built-in that a tile would answer wrongly */
    CW_RW_FORBIDDEN = 1 << 1,  /* a word that no rewritten program may have */
    CW_RW_KNOWN = 1 << 2,      /* a keyword, type or function of OpenCL C */
    CW_RW_STATEMENT = 1 << 3,  /* a keyword that may stand before a call: return, else … */
    CW_RW_ATTRIBUTE = 1 << 4,  /* takes a parenthesis anywhere in a declaration */
    CW_RW_SEEN = 1 << 5,       /* occurs in a unit */
    CW_RW_MACRO = 1 << 6,      /* defined or undefined somewhere */
    CW_RW_SOLID = 1 << 7,      /* macro: stands for something in all its definitions */
    CW_RW_HOLLOW = 1 << 8,     /* macro: a definition of it may stand for nothing, or for void */
    CW_RW_BRACES = 1 << 9,     /* macro: may stand for something with braces */
    CW_RW_TOPLEVEL = 1 << 10,  /* macro: occurs outside of functions */
    CW_RW_CONDITION = 1 << 11, /* occurs in #if, #ifdef, #pragma … */
    CW_RW_PARAMETER = 1 << 12, /* of the macro that is being read */
    CW_RW_FUNCTION = 1 << 13,  /* a function of the program, declared or defined */
    CW_RW_NONE = 1 << 14,      /* function: one declared without parameters */
    CW_RW_SOME = 1 << 15,      /* function: one declared with parameters */
    CW_RW_ODD = 1 << 16,       /* function: a declaration of it is not understood */
    CW_RW_LOCAL = 1 << 17,     /* a function of this name seems to be declared inside of a function */
    CW_RW_TYPEDEF = 1 << 18,   /* occurs in a typedef */
    CW_RW_CALLED = 1 << 19,    /* stands before a parenthesis */
    CW_RW_USED = 1 << 20,      /* occurs elsewhere than as the name in a declaration */
    CW_RW_FAMILY =
        1 << 23, /* named like a function of OpenCL C (convert_…), and one if the program has none */
    CW_RW_SPLIT = 1 << 22,      /* a directive stands behind it, where its parenthesis might be */
    CW_RW_REACHES_ID = 1 << 21, /* may reach an id built-in */
    CW_RW_NO_ROWS = 1 << 24,    /* no kernel that reaches it has a form for rows (rewrite_rows.h) */
    CW_RW_LOOP = 1 << 26,       /* `for`, and functions and macros that reach it */
    CW_RW_SECRET = 1 << 27,     /* may show ids in unknown ways: no kernel that reaches it is rewritten */
    CW_RW_IN_MACRO = 1 << 25,   /* occurs in a macro's text, or in the options */
    CW_RW_RANGE = 1 << 28, /* may reach a built-in that answers for the range as a whole, or for its groups */
};

/* The declaration of a function: "name ( parameters )". */
struct cw_rw_function {
    uint32_t name_token, close_token; /* UINT32_MAX while the parenthesis is open */
    uint32_t open_token;
    uint32_t body_open, body_close; /* its braces; 0: none, or not its alone */
    uint32_t body;                  /* its node */
    uint8_t parameters;             /* enum cw_rw_parameters */
    bool done;                      /* its declaration is over */
    bool odd;                       /* not understood */
    bool rows;                      /* the result has a form for rows of it */
};

enum cw_rw_parameters {
    CW_RW_P_NONE, /* () */
    CW_RW_P_VOID, /* (void) */
    CW_RW_P_SOME,
    CW_RW_P_DOUBT, /* made by macros that may stand for nothing; variadic */
};

enum cw_rw_body {
    CW_RW_BODY_ODD = 1,     /* braces whose function is not understood */
    CW_RW_BODY_NO_ROWS = 2, /* reaches a name with CW_RW_NO_ROWS */
};

struct cw_rw_edge {
    uint32_t from, to; /* names, or bodies + cw_rw.first_body: `from` mentions `to` */
};

struct cw_rw_unit {
    struct cw_rw_text text;
    struct cw_rw_function *function;
    size_t functions, function_capacity;
    bool inlined; /* headers stand in it: lines have other numbers */
};

struct cw_rw {
    struct cw_rw_names names;
    struct cw_rw_unit *unit;
    size_t units;
    char **options; /* owned copies: names point into them */
    struct cw_rw_edge *edge;
    size_t edges, edge_capacity;
    uint32_t bodies;   /* function bodies and the like, over all units */
    uint8_t *odd_body; /* per body: enum cw_rw_body */
    size_t odd_capacity;
    bool pastes;   /* some macro has ## */
    bool has_line; /* __LINE__ is used */
    /* No forms for rows: compilers may contract or reorder sums beyond one expression, so that results depend
     * on where they stand; or macros have the names of words that those forms are written with. */
    bool no_rows;
    bool own_clamp;  /* the program declares a function of that name */
    uint64_t *looks; /* at tokens, that are left to find out which kernels have a form for rows: then none has
                        any more */
    const struct cw_rewrite_in *in;
    char *reason; /* 256 bytes, empty: nothing was refused yet */
    bool nomem;
};

enum { CW_RW_REASON = CW_INLINED_REASON, CW_RW_MAX_BYTES = CW_INLINED_MAX_BYTES };
/* Makes the forms for rows: the folder rows/ lies above this one. */
struct cw_rewrite_forms {
    size_t bytes;     /* of a struct cw_rw_rows */
    const char *head; /* once before all forms, behind the definitions of tiles */
    /* False: function `f` of unit `u` has no such form. Fills *r, which holds `s`, the unit's text and `f`.
     * */
    bool (*look)(const struct cw_rw *s, const struct cw_rw_unit *u, const struct cw_rw_function *f,
                 struct cw_rw_rows *r);
    char *(*text)(const struct cw_rw_rows *r); /* for free(); NULL: memory is out */
};

#define CW_RW_FIRST_BODY 0x80000000u /* nodes from here on are bodies */

/* Every step returns false when the program is refused (reason filled, the first one stays) or nomem is set.
 */
bool cw_rewrite_refuse(struct cw_rw *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool cw_rewrite_nomem(struct cw_rw *s);

/* %.*s of a name */
#define CW_RW_TEXT(s, id)                                                                                    \
    (int)((s)->names.v[id].length > 60 ? 60 : (s)->names.v[id].length), (s)->names.v[id].text

bool cw_rewrite_enter_words(struct cw_rw *s); /* rewrite_words.c: the words of OpenCL C */
bool cw_rewrite_check_words(struct cw_rw *s); /* words that forbid rewriting */
/* Refuses the program, or a kernel, for the first word of CW_RW_SECRET. Returns false. */
bool cw_rewrite_refuse_secret(struct cw_rw *s);
bool cw_rewrite_read_options(struct cw_rw *s, size_t unit, const char *options); /* rewrite_macros.c */
bool cw_rewrite_read_macros(struct cw_rw *s, struct cw_rw_unit *u);              /* rewrite_macros.c */
bool cw_rewrite_scan(struct cw_rw *s, struct cw_rw_unit *u);  /* rewrite_scan.c: functions and bodies */
bool cw_rewrite_own_clamp(const struct cw_rw *s);             /* rewrite_use.c: the value of `own_clamp` */
char *cw_rewrite_emit(struct cw_rw *s, struct cw_rw_unit *u); /* rewrite_emit.c: NULL: nomem */

/* Text that grows; `ok`: false when memory is out. */
struct cw_rw_writer {
    char *text;
    size_t length, capacity;
    bool ok;
};

void cw_rewrite_put(struct cw_rw_writer *w, const char *text, size_t length); /* rewrite_emit.c */

bool cw_rewrite_add_edge(struct cw_rw *s, uint32_t from, uint32_t to);
/* A call, a block or a use at token i of the unit (in a body or a macro); previous and next may lie across
 * directives. */
bool cw_rewrite_look_at_use(struct cw_rw *s, const struct cw_rw_text *t, size_t i, size_t first, size_t end);

#endif
