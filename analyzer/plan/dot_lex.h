/* dot_lex.h - graphviz's language as tokens (graphviz.org/doc/info/lang.html), as graphviz 2.42 reads it. */
#ifndef CW_DOT_LEX_H
#define CW_DOT_LEX_H

#include <stdbool.h>
#include <stddef.h>

#include "../../sched/status.h"

enum cw_dot_token {
    CW_DOT_END,
    CW_DOT_ID,    /* a word, a number, a quoted string or an HTML string; its text in `word` */
    CW_DOT_ARROW, /* -> */
    CW_DOT_LINE,  /* -- */
    CW_DOT_SIGN,  /* one of { } [ ] ; , = : in `sign` */
    CW_DOT_ERROR, /* told in err */
};

struct cw_dot_lex {
    const char *name, *text, *p, *end; /* set by the caller, p = text */
    struct cw_error *err;
    enum cw_dot_token token;
    const char *at; /* where the token begins */
    char sign;
    bool quoted; /* a quoted or HTML string is never a keyword */
    char *word;  /* NUL-terminated; owned */
    size_t length, capacity;
};

/* Moves to the next token and returns its kind. Strings joined by + are one; a backslash before a quote or a
 * line's end is taken away, others stay. Errors: unfinished strings and comments, strange bytes, and words
 * that touch (graphviz reads 2a as the words 2 and a). */
enum cw_dot_token cw_dot_next(struct cw_dot_lex *l);
void cw_dot_lex_finish(struct cw_dot_lex *l);

/* True when the token is that sign, or that keyword (in any case). */
bool cw_dot_is(const struct cw_dot_lex *l, char sign);
bool cw_dot_is_word(const struct cw_dot_lex *l, const char *keyword);

/* Sets the error "expected <what>, found <token>"; does nothing when there is one already. */
enum cw_status cw_dot_expected(struct cw_dot_lex *l, const char *what);

#endif
