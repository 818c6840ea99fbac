/* tokens.c - see tokens.h. */
#include "tokens.h"
#include "../../io/array.h"

#include <stdlib.h>
#include <string.h>

/* Translation phases 1 to 3 as far as the rewriter needs them: see tokens.h. */

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

/* The first step of cw_tokens_read: fills t->text. False: memory is out. */
static bool cw_tokens_clean(struct cw_rw_text *t, const char *source, size_t length)
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

static bool is_name_start(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static uint32_t hash_of(const struct cw_rw_names *n, const char *text, size_t length)
{
    uint64_t h = 0xcbf29ce484222325u ^ (uintptr_t)n; /* keyed: a source cannot be made to collide */

    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    h ^= h >> 31;
    h *= 0x9E3779B97F4A7C15u ^ (uintptr_t)n << 17;
    return (uint32_t)(h >> 32);
}

static bool grow_buckets(struct cw_rw_names *n)
{
    size_t buckets = n->buckets ? 2 * n->buckets : 1024;
    uint32_t *bucket = calloc(buckets, sizeof *bucket);

    if (!bucket)
        return false;
    for (size_t i = 0; i < n->count; i++) {
        size_t s = n->v[i].hash & (buckets - 1);
        while (bucket[s])
            s = (s + 1) & (buckets - 1);
        bucket[s] = (uint32_t)i + 1;
    }
    free(n->bucket);
    n->bucket = bucket;
    n->buckets = buckets;
    return true;
}

uint32_t cw_tokens_name_intern(struct cw_rw_names *n, const char *text, size_t length)
{
    uint32_t hash = hash_of(n, text, length);
    size_t s;

    if (2 * (n->count + 1) > n->buckets && !grow_buckets(n))
        return UINT32_MAX;
    for (s = hash & (n->buckets - 1); n->bucket[s]; s = (s + 1) & (n->buckets - 1)) {
        const struct cw_rw_name *have = &n->v[n->bucket[s] - 1];
        if (have->hash == hash && have->length == length && memcmp(have->text, text, length) == 0)
            return n->bucket[s] - 1;
    }
    if (!cw_array_reserve(&n->v, &n->capacity, n->count, 1, sizeof *n->v))
        return UINT32_MAX;
    n->v[n->count] = (struct cw_rw_name){text, (uint32_t)length, 0, hash};
    n->bucket[s] = (uint32_t)++n->count;
    return (uint32_t)n->count - 1;
}

uint32_t cw_tokens_hash_text(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return (uint32_t)(h ^ h >> 32);
}

void cw_tokens_names_finish(struct cw_rw_names *n)
{
    free(n->v);
    free(n->bucket);
    memset(n, 0, sizeof *n);
}

bool cw_tokens_name_is(const struct cw_rw_names *n, uint32_t name, const char *word)
{
    const struct cw_rw_name *v = &n->v[name];

    return strlen(word) == v->length && memcmp(v->text, word, v->length) == 0;
}

/* Number of characters of the token at s (no blank), and its kind. */
static size_t token_length(const char *s, uint8_t *kind)
{
    const char *e = s + 1;

    *kind = CW_RW_PUNCT;
    if (is_name_start((unsigned char)*s)) {
        while (is_name_start((unsigned char)*e) || is_digit((unsigned char)*e))
            e++;
        *kind = CW_RW_NAME;
    } else if (is_digit((unsigned char)*s) || (*s == '.' && is_digit((unsigned char)s[1]))) {
        while (is_name_start((unsigned char)*e) || is_digit((unsigned char)*e) || *e == '.' ||
               ((*e == '+' || *e == '-') && strchr("eEpP", e[-1])))
            e++;
        *kind = CW_RW_NUMBER;
    } else if (*s == '"' || *s == '\'') {
        while (*e && *e != *s && *e != '\n')
            e += *e == '\\' && e[1] && e[1] != '\n' ? 2 : 1;
        e += *e == *s;
        *kind = CW_RW_STRING;
    } else if (*s == '#' && *e == '#') {
        e++;
    }
    return (size_t)(e - s);
}

static const char *strange_punctuation(const char *s)
{
    if ((unsigned char)*s >= 0x80 || *s == '\\')
        return "characters that are not ASCII, or a backslash, outside of strings";
    if ((s[0] == '<' && (s[1] == ':' || s[1] == '%')) || (s[0] == ':' && s[1] == '>') ||
        (s[0] == '%' && (s[1] == '>' || s[1] == ':')))
        return "digraphs";
    return NULL;
}

static bool push(struct cw_rw_text *t, struct cw_rw_names *names, const char *s, size_t length, uint8_t kind,
                 bool spaced)
{
    struct cw_rw_token k = {(uint32_t)(s - t->text), (uint32_t)length, 0, kind, 0, spaced};

    if (kind == CW_RW_NAME)
        k.name = cw_tokens_name_intern(names, s, length);
    else if (kind == CW_RW_PUNCT)
        k.c = length == 2 ? 'P' : *s;
    if (k.name == UINT32_MAX || !cw_array_reserve(&t->v, &t->capacity, t->count, 1, sizeof *t->v))
        return false;
    t->v[t->count++] = k;
    return true;
}

static bool read_tokens(struct cw_rw_text *t, struct cw_rw_names *names)
{
    bool line_start = true, directive = false, spaced = true;

    for (const char *s = t->text; *s;) {
        uint8_t kind;
        size_t length = token_length(s, &kind);
        if (*s == '\n') {
            if (directive && !push(t, names, s, 0, CW_RW_LINE_END, true))
                return false;
            directive = false;
            line_start = spaced = true;
        } else if (*s == ' ' || *s == '\t' || *s == '\f' || *s == '\v') {
            spaced = true;
        } else {
            if (line_start && *s == '#' && length == 1) {
                directive = true;
                kind = CW_RW_DIRECTIVE;
            }
            if (kind == CW_RW_PUNCT && !t->trouble)
                t->trouble = strange_punctuation(s);
            if (!push(t, names, s, length, kind, spaced))
                return false;
            line_start = spaced = false;
        }
        s += length;
    }
    return true;
}

static bool word_at(const struct cw_rw_text *t, const struct cw_rw_names *n, size_t i, const char *word)
{
    return i < t->count && t->v[i].kind == CW_RW_NAME && cw_tokens_name_is(n, t->v[i].name, word);
}

/* enum cw_rw_directive of the directive whose # is token i. */
static char directive_at(const struct cw_rw_text *t, const struct cw_rw_names *n, size_t i)
{
    static const struct {
        const char *word;
        char which;
    } words[] = {{"define", CW_RW_DEFINE},  {"undef", CW_RW_UNDEF},     {"if", CW_RW_IF},
                 {"ifdef", CW_RW_IF},       {"ifndef", CW_RW_IF},       {"elif", CW_RW_ELIF},
                 {"elifdef", CW_RW_ELIF},   {"elifndef", CW_RW_ELIF},   {"else", CW_RW_ELSE},
                 {"endif", CW_RW_ENDIF},    {"include", CW_RW_INCLUDE}, {"include_next", CW_RW_INCLUDE},
                 {"import", CW_RW_INCLUDE}, {"embed", CW_RW_INCLUDE},   {"pragma", CW_RW_HARMLESS},
                 {"line", CW_RW_HARMLESS},  {"error", CW_RW_HARMLESS},  {"warning", CW_RW_HARMLESS},
                 {"ident", CW_RW_HARMLESS}};

    if (t->v[i + 1].kind == CW_RW_LINE_END || t->v[i + 1].kind == CW_RW_NUMBER)
        return CW_RW_HARMLESS; /* "#", and "# 1 file" of a preprocessed source */
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (word_at(t, n, i + 1, words[k].word))
            return words[k].which;
    return CW_RW_UNKNOWN;
}

/* One open conditional while dead branches are taken out. */
struct branch {
    bool dead;        /* this branch makes no tokens */
    bool decided;     /* a branch was taken for certain: those that follow are dead */
    bool parent_dead; /* so all of it is */
    bool opened;      /* a directive of it has stayed */
};

/* '0', '1', or 0 when the condition at directive word i is anything else. No C++ gets here
 * (rewrite_macros.c). */
static char literal_condition(const struct cw_rw_text *t, const struct cw_rw_names *n, size_t i)
{
    if ((word_at(t, n, i, "if") || word_at(t, n, i, "elif")) && t->v[i + 1].kind == CW_RW_NUMBER &&
        t->v[i + 1].length == 1 && t->v[i + 2].kind == CW_RW_LINE_END &&
        strchr("01", t->text[t->v[i + 1].at]))
        return t->text[t->v[i + 1].at];
    if (word_at(t, n, i + 1, "__cplusplus") && word_at(t, n, i, "ifdef"))
        return '0';
    return word_at(t, n, i + 1, "__cplusplus") && word_at(t, n, i, "ifndef") ? '1' : 0;
}

enum { MAX_NESTING = 256 };

/* A branch of `b` begins at the directive token i (#if, #elif, #else). Returns whether the directive stays.
 * Its kind changes when those before it went: an #elif opens the conditional, an #elif 1 is an #else. */
static bool enter_branch(struct branch *b, struct cw_rw_text *t, const struct cw_rw_names *n, size_t i)
{
    char literal = literal_condition(t, n, i + 1);
    bool certain = literal == '1' || t->v[i].c == CW_RW_ELSE;

    b->dead = b->parent_dead || b->decided || literal == '0';
    if (b->dead || (certain && !b->opened)) {
        b->decided |= !b->dead;
        return false;
    }
    t->v[i].c = !b->opened ? CW_RW_IF : certain ? CW_RW_ELSE : CW_RW_ELIF;
    b->decided = certain;
    b->opened = true;
    return true;
}

/* The directive at token i, as far as branches go. Returns whether it stays. */
static bool follow_directive(struct cw_rw_text *t, const struct cw_rw_names *n, size_t i,
                             struct branch *stack, size_t *depth)
{
    bool live = *depth == 0 || !stack[*depth - 1].dead;

    t->v[i].c = directive_at(t, n, i);
    if (t->v[i].c == CW_RW_IF && *depth == MAX_NESTING) {
        t->trouble = "conditionals nested too deeply";
    } else if (t->v[i].c == CW_RW_IF) {
        stack[*depth] = (struct branch){.parent_dead = !live};
        return enter_branch(&stack[(*depth)++], t, n, i);
    } else if (*depth && (t->v[i].c == CW_RW_ELIF || t->v[i].c == CW_RW_ELSE)) {
        return enter_branch(&stack[*depth - 1], t, n, i);
    } else if (*depth && t->v[i].c == CW_RW_ENDIF) {
        return stack[--*depth].opened;
    }
    return live;
}

/* Takes out the tokens of dead branches and the directives of branches that are certain. */
static void drop_dead(struct cw_rw_text *t, const struct cw_rw_names *n)
{
    struct branch stack[MAX_NESTING];
    size_t depth = 0, out = 0;

    for (size_t i = 0; i < t->count && !t->trouble; i++) {
        bool directive = t->v[i].kind == CW_RW_DIRECTIVE;
        bool keep =
            directive ? follow_directive(t, n, i, stack, &depth) : depth == 0 || !stack[depth - 1].dead;
        do {
            if (keep)
                t->v[out++] = t->v[i];
        } while (directive && t->v[i].kind != CW_RW_LINE_END && ++i < t->count);
    }
    t->count = out;
}

bool cw_tokens_read(struct cw_rw_text *t, struct cw_rw_names *names, const char *source, size_t length)
{
    memset(t, 0, sizeof *t);
    if (!cw_tokens_clean(t, source, length) || (!t->trouble && !read_tokens(t, names)))
        return false;
    drop_dead(t, names);
    return true;
}

void cw_tokens_finish(struct cw_rw_text *t)
{
    free(t->text);
    free(t->v);
    memset(t, 0, sizeof *t);
}
