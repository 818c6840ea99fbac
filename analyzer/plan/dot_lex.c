#include "graph_dot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../io/array.h"
#include "../io/text.h"

static enum cw_dot_token wrong(struct cw_dot_lex *l, const char *at, const char *what)
{
    cw_text_wrong(l->name, l->text, at, l->err, "%s", what);
    return l->token = CW_DOT_ERROR;
}

static bool put(struct cw_dot_lex *l, char c)
{
    if (l->length + 1 >= l->capacity && !cw_array_reserve(&l->word, &l->capacity, l->length, 2, 1)) {
        cw_error_set(l->err, CW_ERR_NOMEM, "%s: out of memory", l->name);
        l->token = CW_DOT_ERROR;
        return false;
    }
    l->word[l->length++] = c;
    l->word[l->length] = '\0';
    return true;
}

static bool starts(const struct cw_dot_lex *l, const char *what)
{
    size_t n = strlen(what);

    return (size_t)(l->end - l->p) >= n && memcmp(l->p, what, n) == 0;
}

static void skip_line(struct cw_dot_lex *l)
{
    while (l->p < l->end && *l->p != '\n')
        l->p++;
}

/* Blanks and comments. False at an unfinished comment. */
static bool skip(struct cw_dot_lex *l)
{
    for (;;) {
        if (l->p < l->end && strchr(" \t\r\n\f", *l->p) && *l->p) {
            l->p++;
        } else if (starts(l, "//") || starts(l, "#")) {
            skip_line(l);
        } else if (starts(l, "/*")) {
            const char *close = memmem(l->p + 2, (size_t)(l->end - l->p) - 2, "*/", 2);
            if (!close)
                return wrong(l, l->p, "this comment has no end"), false;
            l->p = close + 2;
        } else {
            return true;
        }
    }
}

/* ---- strings */

/* From the quote on. */
static bool put_quoted(struct cw_dot_lex *l)
{
    const char *open = l->p++;

    for (; l->p < l->end && *l->p != '"'; l->p++) {
        if (*l->p == '\0')
            return wrong(l, l->p, "a string holds a zero byte"), false;
        if (starts(l, "\\\n")) {
            l->p++;
            continue;
        }
        if (starts(l, "\\\""))
            l->p++;
        else if (starts(l, "\\\\") && !put(l, *l->p++))
            return false;
        if (!put(l, *l->p))
            return false;
    }
    if (l->p == l->end)
        return wrong(l, open, "this string has no end"), false;
    l->p++;
    return true;
}

/* From the < on to the > that closes it; both are no part of the text. */
static bool put_html(struct cw_dot_lex *l)
{
    const char *open = l->p++;
    size_t depth = 1;

    for (; l->p < l->end; l->p++) {
        depth += *l->p == '<';
        depth -= *l->p == '>';
        if (depth == 0)
            return l->p++, true;
        if (*l->p == '\0')
            return wrong(l, l->p, "a string holds a zero byte"), false;
        if (!put(l, *l->p))
            return false;
    }
    return wrong(l, open, "this HTML string has no end"), false;
}

static bool opens_string(const struct cw_dot_lex *l)
{
    return l->p < l->end && (*l->p == '"' || *l->p == '<');
}

/* "one" + <two> */
static enum cw_dot_token strings(struct cw_dot_lex *l)
{
    l->quoted = true;
    for (;;) {
        if (!(*l->p == '"' ? put_quoted(l) : put_html(l)) || !skip(l))
            return CW_DOT_ERROR;
        if (!starts(l, "+"))
            return l->token = CW_DOT_ID;
        l->p++;
        if (!skip(l))
            return CW_DOT_ERROR;
        if (!opens_string(l))
            return wrong(l, l->p, "expected a string after +");
    }
}

/* ---- words */

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 128;
}

/* How many bytes the word or number at p has; 0: there is none. */
static size_t word_length(const char *p, const char *end)
{
    const char *at = p, *digits;

    if (p < end && letter(*p)) {
        while (at < end && (letter(*at) || digit(*at)))
            at++;
        return (size_t)(at - p);
    }
    at += at < end && *at == '-';
    for (digits = at; at < end && digit(*at);)
        at++;
    if (at < end && *at == '.' && (at > digits || (end - at > 1 && digit(at[1]))))
        for (at++; at < end && digit(*at);)
            at++;
    return at > digits ? (size_t)(at - p) : 0;
}

static enum cw_dot_token word(struct cw_dot_lex *l)
{
    size_t n = word_length(l->p, l->end), next = word_length(l->p + n, l->end);
    char what[200];

    if (n == 0)
        return wrong(l, l->p,
                     "this byte means nothing here; a name that is more than a word stands in quotes");
    if (next) {
        snprintf(what, sizeof what, "graphviz reads %.*s%.*s as the words %.*s and %.*s: write it in quotes",
                 (int)(n < 30 ? n : 30), l->p, (int)(next < 30 ? next : 30), l->p + n, (int)(n < 30 ? n : 30),
                 l->p, (int)(next < 30 ? next : 30), l->p + n);
        return wrong(l, l->p, what);
    }
    for (; n; n--)
        if (!put(l, *l->p++))
            return CW_DOT_ERROR;
    return l->token = CW_DOT_ID;
}

enum cw_dot_token cw_dot_next(struct cw_dot_lex *l)
{
    l->length = 0;
    l->quoted = false;
    if (!skip(l))
        return CW_DOT_ERROR;
    l->at = l->p;
    if (l->p == l->end)
        return l->token = CW_DOT_END;
    if (opens_string(l))
        return put(l, 0) ? l->length = 0, strings(l) : CW_DOT_ERROR;
    if (starts(l, "->") || starts(l, "--")) {
        l->token = l->p[1] == '>' ? CW_DOT_ARROW : CW_DOT_LINE;
        l->p += 2;
        return l->token;
    }
    if (*l->p && strchr("{}[];,=:", *l->p)) {
        l->sign = *l->p++;
        return l->token = CW_DOT_SIGN;
    }
    return word(l);
}

void cw_dot_lex_finish(struct cw_dot_lex *l)
{
    free(l->word);
    l->word = NULL;
    l->capacity = 0;
}

bool cw_dot_is(const struct cw_dot_lex *l, char sign)
{
    return l->token == CW_DOT_SIGN && l->sign == sign;
}

bool cw_dot_is_word(const struct cw_dot_lex *l, const char *keyword)
{
    return l->token == CW_DOT_ID && !l->quoted && strcasecmp(l->word, keyword) == 0;
}

enum cw_status cw_dot_expected(struct cw_dot_lex *l, const char *what)
{
    char found[2] = {l->sign, '\0'};
    const char *text = l->token == CW_DOT_END     ? "the end of the file; it is cut off"
                       : l->token == CW_DOT_ARROW ? "->"
                       : l->token == CW_DOT_LINE  ? "--"
                       : l->token == CW_DOT_ID    ? l->word
                                                  : found;

    if (l->err->status)
        return l->err->status;
    return cw_text_wrong(l->name, l->text, l->at, l->err, "expected %s, found %.60s", what, text);
}
