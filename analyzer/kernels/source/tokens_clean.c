/* tokens_clean.c - translation phases 1 to 3 as far as the rewriter needs them: see tokens.h. */
#include "tokens.h"

#include <stdlib.h>
#include <string.h>

struct cleaner {
    const char *p, *end;
    char *out;
    size_t pending;  /* newlines taken out since the last one that was written */
    bool line_start; /* only blanks since the last newline */
    bool directive;
    bool spliced;
};

/* Length of a line splice at p (backslash, blanks, newline), 0 if there is none. */
static size_t splice_at(const char *p, const char *end)
{
    const char *q = p;

    if (q == end || *q != '\\')
        return 0;
    for (q++; q < end && (*q == ' ' || *q == '\t' || *q == '\f' || *q == '\v'); q++)
        ;
    if (q < end && *q == '\r')
        q++;
    return q < end && *q == '\n' ? (size_t)(q + 1 - p) : 0;
}

/* Steps over splices; then *p is the next character of the logical line. */
static void skip_splices(struct cleaner *c)
{
    size_t n;

    while ((n = splice_at(c->p, c->end)) > 0) {
        c->p += n;
        c->pending++;
        c->spliced = true;
    }
}

/* The character behind *p, looking through splices; 0 at the end. */
static char peek(const struct cleaner *c)
{
    const char *q = c->p + 1;
    size_t n;

    while (q < c->end && (n = splice_at(q, c->end)) > 0)
        q += n;
    return q < c->end ? *q : 0;
}

static void put_newlines(struct cleaner *c)
{
    for (; c->pending > 0; c->pending--)
        *c->out++ = '\n';
}

static void take(struct cleaner *c)
{
    c->p++;
    skip_splices(c);
}

static void line_comment(struct cleaner *c)
{
    while (c->p < c->end && *c->p != '\n')
        take(c);
}

static void block_comment(struct cleaner *c)
{
    char last = 0;

    take(c);
    take(c);
    for (; c->p < c->end && !(last == '*' && *c->p == '/'); take(c)) {
        last = *c->p;
        c->pending += *c->p == '\n';
    }
    if (c->p < c->end)
        take(c);
    *c->out++ = ' ';
    if (!c->directive)
        put_newlines(c);
}

/* A string or character constant; one that does not end on its line is as long as the line. */
static void quoted(struct cleaner *c)
{
    char quote = *c->p;

    do {
        bool escape = *c->p == '\\';
        *c->out++ = *c->p;
        take(c);
        if (escape && c->p < c->end && *c->p != '\n') {
            *c->out++ = *c->p;
            take(c);
        }
    } while (c->p < c->end && *c->p != '\n' && *c->p != quote);
    if (c->p < c->end && *c->p == quote) {
        *c->out++ = quote;
        take(c);
    }
}

static void newline(struct cleaner *c)
{
    *c->out++ = '\n';
    put_newlines(c);
    c->line_start = true;
    c->directive = false;
    take(c);
}

/* Characters that forbid rewriting: their meaning depends on the compiler's mode. */
static const char *strange_byte(const char *p, const char *end)
{
    if (*p == '\r' && (p + 1 == end || p[1] != '\n'))
        return "a carriage return that ends no line";
    if (end - p > 2 && p[0] == '?' && p[1] == '?' && strchr("=/'()!<>-", p[2]))
        return "trigraphs";
    return NULL;
}

bool cw_tokens_clean(struct cw_rw_text *t, const char *source, size_t length)
{
    struct cleaner c = {.p = source, .end = source + length, .line_start = true};

    t->text = c.out = malloc(length + 2); /* it never grows, but for the last newline */
    if (!t->text)
        return false;
    for (const char *p = source; p < c.end && !t->trouble; p++)
        t->trouble = strange_byte(p, c.end);
    skip_splices(&c);
    while (c.p < c.end) {
        char next = peek(&c);
        if (*c.p == '\n') {
            newline(&c);
        } else if (*c.p == '/' && next == '/') {
            line_comment(&c);
        } else if (*c.p == '/' && next == '*') {
            block_comment(&c);
        } else if (*c.p == '"' || *c.p == '\'') {
            quoted(&c);
            c.line_start = false;
        } else if (*c.p == '\r') {
            take(&c);
        } else {
            c.directive |= c.line_start && *c.p == '#';
            c.line_start &= *c.p == ' ' || *c.p == '\t' || *c.p == '\f' || *c.p == '\v';
            *c.out++ = *c.p;
            take(&c);
        }
    }
    *c.out++ = '\n';
    *c.out = '\0';
    t->length = (size_t)(c.out - t->text);
    t->spliced = c.spliced;
    return true;
}
