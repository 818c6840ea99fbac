#include "dot_lex.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../io/text_place.h"

static enum cw_dot_token wrong(struct cw_dot_lex *l, const char *at, const char *what)
{
    cw_text_wrong(l->name, l->text, at, l->err, "%s", what);
    return l->token = CW_DOT_ERROR;
}

static bool put(struct cw_dot_lex *l, char c)
{
    if (l->length + 1 >= l->room) {
        size_t room = 2 * l->room + 64;
        char *more = realloc(l->word, room);
        if (!more) {
            cw_error_set(l->err, CW_ERR_NOMEM, "%s: out of memory", l->name);
            l->token = CW_DOT_ERROR;
            return false;
        }
        l->word = more;
        l->room = room;
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

/* Blanks, comments, and lines that begin with "#". False at an unfinished comment. */
static bool skip(struct cw_dot_lex *l)
{
    for (;;) {
        if (l->p < l->end && strchr(" \t\r\n\f", *l->p) && *l->p) {
            l->p++;
        } else if (starts(l, "//") || (starts(l, "#") && (l->p == l->text || l->p[-1] == '\n'))) {
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

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || (unsigned char)c >= 128;
}

static enum cw_dot_token string(struct cw_dot_lex *l)
{
    const char *open = l->p++;

    for (; l->p < l->end && *l->p != '"'; l->p++) {
        if (*l->p == '\0')
            return wrong(l, l->p, "a string holds a zero byte");
        if (starts(l, "\\\n")) {
            l->p++;
            continue;
        }
        if (starts(l, "\\\"") || starts(l, "\\\\"))
            l->p++;
        if (!put(l, *l->p))
            return CW_DOT_ERROR;
    }
    if (l->p == l->end)
        return wrong(l, open, "this string has no end");
    l->p++;
    return l->token = CW_DOT_ID;
}

/* "one" + "two" */
static enum cw_dot_token strings(struct cw_dot_lex *l)
{
    enum cw_dot_token token = string(l);

    l->quoted = true;
    while (token == CW_DOT_ID && skip(l) && starts(l, "+")) {
        l->p++;
        if (!skip(l))
            return CW_DOT_ERROR;
        token = starts(l, "\"") ? string(l) : wrong(l, l->p, "expected a string after +");
    }
    return l->err->status ? CW_DOT_ERROR : token;
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
    if (*l->p == '"')
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
    if (*l->p == '<')
        return wrong(l, l->p, "HTML strings are not read; write the text in quotes");
    if (!letter(*l->p) && *l->p != '-')
        return wrong(l, l->p, "this byte means nothing here");
    do
        if (!put(l, *l->p++))
            return CW_DOT_ERROR;
    while (l->p < l->end && letter(*l->p));
    return l->token = CW_DOT_ID;
}

void cw_dot_lex_finish(struct cw_dot_lex *l)
{
    free(l->word);
    l->word = NULL;
    l->room = 0;
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
