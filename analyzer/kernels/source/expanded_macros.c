/* expanded_macros.c - see vendor_macros.h. */
#include "vendor_macros.h"

#include <stdlib.h>
#include <string.h>

#include "../../io/array.h"
#include "tokens.h"

enum { MOST_PARAMETERS = 16, MOST_DEPTH = 64, MOST_NESTED = 64 };

struct range {
    const struct cw_rw_text *text;
    size_t first, end; /* tokens */
};

enum check { CHECK_NEW, CHECK_OPEN, CHECK_PLAIN, CHECK_NOT };

struct macro {
    uint32_t definitions;
    bool doubtful, function;
    size_t from; /* the token of the source at which it is defined; 0: in the options */
    struct range body;
    uint32_t parameter[MOST_PARAMETERS], parameters;
    enum check check;
};

/* The arguments of a use, in which `outer` gives the parameters' values. */
struct arguments {
    const struct macro *macro;
    struct range value[MOST_PARAMETERS];
    const struct arguments *outer;
};

struct option {
    struct option *next;
    struct cw_rw_text text; /* of its value */
    char *value;
};

struct expansion {
    struct cw_rw_names names;
    struct cw_rw_text text;
    struct macro *macro; /* by name */
    size_t macros, capacity;
    struct option *option;
    char *words; /* the options, cut into words: names lie in it */
    char *out;
    size_t length, out_capacity;
    bool nomem, long_, odd;
};

static bool out_of_memory(struct expansion *e)
{
    e->nomem = true;
    return false;
}

static struct macro *macro_of(struct expansion *e, uint32_t name)
{
    if (name >= e->macros) {
        if (!cw_array_reserve(&e->macro, &e->capacity, e->macros, name + 1 - e->macros, sizeof *e->macro)) {
            e->nomem = true;
            return NULL;
        }
        e->macros = name + 1;
    }
    return &e->macro[name];
}

/* NULL: the token is no name of a macro. */
static struct macro *used(struct expansion *e, const struct cw_rw_token *k)
{
    bool named = k->kind == CW_RW_NAME && k->name < e->macros && e->macro[k->name].definitions;

    return named ? &e->macro[k->name] : NULL;
}

/* ---- definitions */

/* The parameters between the parentheses behind token `i`. Returns the token behind them; 0: not
 * understood. */
static size_t read_parameters(struct macro *m, const struct cw_rw_text *t, size_t i)
{
    for (i++; t->v[i].c != ')'; i++) {
        if (t->v[i].kind == CW_RW_NAME && m->parameters < MOST_PARAMETERS)
            m->parameter[m->parameters++] = t->v[i].name;
        else if (t->v[i].c != ',')
            return 0;
    }
    return i + 1;
}

static bool define(struct expansion *e, size_t i, bool doubtful)
{
    const struct cw_rw_text *t = &e->text;
    struct macro *m;
    size_t first = i + 3;

    if (t->v[i + 2].kind != CW_RW_NAME)
        return true;
    m = macro_of(e, t->v[i + 2].name);
    if (!m)
        return false;
    m->definitions++;
    m->doubtful |= doubtful;
    m->from = i;
    m->function = t->v[first].c == '(' && !t->v[first].spaced;
    if (m->function && !(first = read_parameters(m, t, first)))
        m->doubtful = true;
    m->body = (struct range){t, first, first};
    while (first && t->v[m->body.end].kind != CW_RW_LINE_END)
        m->body.end++;
    return true;
}

/* #ifndef NAME, and #define NAME behind it. */
static bool is_guard(const struct expansion *e, size_t i)
{
    const struct cw_rw_token *v = e->text.v;

    return i + 6 < e->text.count && cw_tokens_name_is(&e->names, v[i + 1].name, "ifndef") &&
           v[i + 2].kind == CW_RW_NAME && v[i + 3].kind == CW_RW_LINE_END &&
           v[i + 4].kind == CW_RW_DIRECTIVE && v[i + 4].c == CW_RW_DEFINE && v[i + 6].kind == CW_RW_NAME &&
           v[i + 6].name == v[i + 2].name;
}

static bool read_directives(struct expansion *e)
{
    const struct cw_rw_token *v = e->text.v;
    bool guard[MOST_NESTED] = {false};
    uint32_t depth = 0, doubts = 0;

    for (size_t i = 0; i < e->text.count; i++) {
        struct macro *m;
        if (v[i].kind != CW_RW_DIRECTIVE)
            continue;
        if (v[i].c == CW_RW_IF && depth == MOST_NESTED) {
            e->odd = true;
            return true;
        }
        if (v[i].c == CW_RW_IF)
            doubts += !(guard[depth++] = is_guard(e, i));
        if ((v[i].c == CW_RW_ELSE || v[i].c == CW_RW_ELIF) && depth && guard[depth - 1]) {
            guard[depth - 1] = false;
            doubts++;
        }
        if (v[i].c == CW_RW_ENDIF && depth)
            doubts -= !guard[--depth];
        if (v[i].c == CW_RW_DEFINE && !define(e, i, doubts > 0))
            return false;
        if (v[i].c == CW_RW_UNDEF && v[i + 2].kind == CW_RW_NAME) {
            if (!(m = macro_of(e, v[i + 2].name)))
                return false;
            m->definitions++;
            m->doubtful = true;
        }
    }
    return true;
}

/* NAME or NAME=VALUE behind -D, NAME behind -U. */
static bool read_option(struct expansion *e, const char *word, bool undefines)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    size_t length = strspn(word, letters);
    uint32_t name = cw_tokens_name_intern(&e->names, word, length);
    struct macro *m = name != UINT32_MAX ? macro_of(e, name) : NULL;
    struct option *o = m ? calloc(1, sizeof *o) : NULL;

    if (!o)
        return out_of_memory(e);
    o->next = e->option;
    e->option = o;
    o->value = strdup(word[length] ? word + length + 1 : "1");
    if (!o->value || !cw_tokens_read(&o->text, &e->names, o->value, strlen(o->value)))
        return out_of_memory(e);
    m->definitions++;
    m->doubtful |= undefines || !length || (word[length] && word[length] != '=') || o->text.trouble;
    m->body = (struct range){&o->text, 0, o->text.count};
    return true;
}

static bool read_options(struct expansion *e, const char *options)
{
    char *p = e->words = strdup(options ? options : ""), *word;

    if (!p)
        return out_of_memory(e);
    e->odd |= strpbrk(p, "\"'\\") != NULL;
    while (!e->odd && (word = strsep(&p, " \t\n"))) {
        bool undefines = !strncmp(word, "-U", 2);
        if (strncmp(word, "-D", 2) != 0 && !undefines)
            continue;
        if (!word[2] && p)
            word = strsep(&p, " \t\n");
        else
            word += 2;
        if (!read_option(e, word, undefines))
            return false;
    }
    return true;
}

/* ---- which of them are plain */

static bool is_parameter(const struct macro *m, uint32_t name, uint32_t *number)
{
    for (uint32_t k = 0; k < m->parameters; k++)
        if (m->parameter[k] == name) {
            *number = k;
            return true;
        }
    return false;
}

/* A name that is no use where it stands, but might be one beside other text. */
static bool is_bare(const struct macro *m, struct range r, size_t i)
{
    return m->function && (i + 1 >= r.end || r.text->v[i + 1].c != '(');
}

static bool is_plain(struct expansion *e, struct macro *m, int depth)
{
    uint32_t number;

    if (m->check == CHECK_OPEN)
        return false; /* it stands for itself */
    if (m->check != CHECK_NEW)
        return m->check == CHECK_PLAIN;
    m->check = CHECK_OPEN;
    bool plain = m->definitions == 1 && !m->doubtful && depth < MOST_DEPTH;
    for (size_t i = m->body.first; i < m->body.end && plain; i++) {
        const struct cw_rw_token *k = &m->body.text->v[i];
        struct macro *other = used(e, k);
        plain = k->c != '#' && k->c != 'P' && k->kind != CW_RW_DIRECTIVE;
        if (other && !is_parameter(m, k->name, &number))
            plain &= !is_bare(other, m->body, i) && is_plain(e, other, depth + 1);
    }
    m->check = plain ? CHECK_PLAIN : CHECK_NOT;
    return plain;
}

/* ---- the text */

static void put(struct expansion *e, const char *text, size_t length)
{
    e->long_ |= e->length + length >= CW_EXPANDED_MOST;
    if (e->nomem || e->long_)
        return;
    if (!cw_array_reserve(&e->out, &e->out_capacity, e->length, length + 1, 1)) {
        e->nomem = true;
        return;
    }
    memcpy(e->out + e->length, text, length);
    e->length += length;
    e->out[e->length] = '\0';
}

static void put_token(struct expansion *e, const struct cw_rw_text *t, size_t i)
{
    if (t->v[i].spaced)
        put(e, " ", 1);
    put(e, t->text + t->v[i].at, t->v[i].length);
}

/* The token behind the parenthesis that opens at `i`; 0: it does not end before `end`, or directives stand
 * in it. */
static size_t behind(const struct cw_rw_text *t, size_t i, size_t end)
{
    uint32_t depth = 0;

    for (; i < end && t->v[i].kind != CW_RW_DIRECTIVE; i++) {
        depth += t->v[i].c == '(' && t->v[i].kind == CW_RW_PUNCT;
        depth -= t->v[i].c == ')' && t->v[i].kind == CW_RW_PUNCT;
        if (!depth)
            return i + 1;
    }
    return 0;
}

/* Splits what stands between the parentheses at commas. False: as many as the macro has parameters are not
 * there, or macros that are not plain are among them. */
static bool read_arguments(struct expansion *e, struct arguments *a, const struct cw_rw_text *t, size_t first,
                           size_t end)
{
    uint32_t n = 0, depth = 0;
    size_t from = first;

    for (size_t i = first; i <= end; i++) {
        struct macro *m = i < end ? used(e, &t->v[i]) : NULL;
        bool punct = i < end && t->v[i].kind == CW_RW_PUNCT;
        if (m && (!is_plain(e, m, 0) || is_bare(m, (struct range){t, first, end}, i)))
            return false;
        depth += punct && (t->v[i].c == '(');
        depth -= punct && (t->v[i].c == ')');
        if (i < end && (depth || !punct || t->v[i].c != ','))
            continue;
        if (n == MOST_PARAMETERS)
            return false;
        a->value[n++] = (struct range){t, from, i};
        from = i + 1;
    }
    return n == a->macro->parameters || (!a->macro->parameters && n == 1 && first == end);
}

static void put_range(struct expansion *e, struct range r, const struct arguments *a, int depth);

/* A use of plain `m` at token i of r. Returns the token behind it; i: it is no use. */
static size_t put_use(struct expansion *e, const struct macro *m, struct range r, size_t i,
                      const struct arguments *outer, int depth)
{
    struct arguments a = {.macro = m, .outer = outer};
    size_t end = i + 1;

    if (m->function) {
        end = i + 1 < r.end && r.text->v[i + 1].c == '(' ? behind(r.text, i + 1, r.end) : 0;
        if (!end || !read_arguments(e, &a, r.text, i + 2, end - 1))
            return i;
    }
    put(e, " ", 1);
    put_range(e, m->body, &a, depth + 1);
    put(e, " ", 1);
    return end;
}

/* The tokens of r, in which the names of a->macro's parameters stand for its arguments (a: NULL: none). */
static void put_range(struct expansion *e, struct range r, const struct arguments *a, int depth)
{
    e->long_ |= depth > MOST_DEPTH;
    for (size_t i = r.first; i < r.end && !e->nomem && !e->long_;) {
        const struct cw_rw_token *k = &r.text->v[i];
        struct macro *m = used(e, k);
        uint32_t number;
        size_t next = i;

        if (a && k->kind == CW_RW_NAME && is_parameter(a->macro, k->name, &number)) {
            put(e, " ", 1);
            put_range(e, a->value[number], a->outer, depth + 1);
            put(e, " ", 1);
            i++;
            continue;
        }
        if (m && is_plain(e, m, 0))
            next = put_use(e, m, r, i, a, depth);
        if (next == i)
            put_token(e, r.text, next++);
        i = next;
    }
}

/* The token behind a use, at token i, of a macro that stays: behind its parenthesis, and behind what might
 * make one behind a bare name. */
static size_t behind_stored(struct expansion *e, size_t i)
{
    size_t end;

    while (i + 1 < e->text.count && e->text.v[i + 1].c != '(' && used(e, &e->text.v[i + 1]))
        i++;
    end = i + 1 < e->text.count && e->text.v[i + 1].c == '(' ? behind(&e->text, i + 1, e->text.count) : 0;
    return end ? end : i + 1;
}

/* Copies the text up to `to`. */
static void copy(struct expansion *e, size_t *from, size_t to)
{
    put(e, e->text.text + *from, to - *from);
    *from = to;
}

/* A use at token i, with as many line ends as it had. Returns the token behind it. */
static size_t replace(struct expansion *e, const struct macro *m, size_t i, size_t *copied)
{
    const struct cw_rw_token *v = e->text.v;
    struct range all = {&e->text, 0, e->text.count};
    size_t end;

    copy(e, copied, v[i].at);
    end = put_use(e, m, all, i, NULL, 0);
    if (end == i)
        return behind_stored(e, i);
    *copied = v[end - 1].at + v[end - 1].length;
    for (size_t k = v[i].at; k < *copied; k++)
        if (e->text.text[k] == '\n')
            put(e, "\n", 1);
    return end;
}

static void expand(struct expansion *e)
{
    const struct cw_rw_token *v = e->text.v;
    size_t copied = 0;
    uint32_t depth = 0;

    for (size_t i = 0; i < e->text.count && !e->nomem && !e->long_;) {
        struct macro *m = used(e, &v[i]);
        if (v[i].kind == CW_RW_DIRECTIVE) {
            while (i < e->text.count && v[i].kind != CW_RW_LINE_END)
                i++;
            continue;
        }
        depth += v[i].kind == CW_RW_PUNCT && v[i].c == '{';
        depth -= v[i].kind == CW_RW_PUNCT && v[i].c == '}' && depth;
        if (m && is_plain(e, m, 0) && m->from <= i)
            i = depth ? replace(e, m, i, &copied) : i + 1;
        else
            i = m ? behind_stored(e, i) : i + 1;
    }
    copy(e, &copied, e->text.length);
}

/* ---- definitions that nothing uses any more */

/* Definition at token i of the result, of a plain macro whose name stands nowhere else: blanks take its
 * place. mentions[]: of each name of the result. */
static bool drop(struct expansion *e, const struct cw_rw_text *t, const struct cw_rw_names *names, size_t i,
                 uint32_t *mentions)
{
    const struct cw_rw_name *n = &names->v[t->v[i + 2].name];
    uint32_t name = cw_tokens_name_intern(&e->names, n->text, n->length);
    size_t k = i;

    if (mentions[t->v[i + 2].name] != 1 || name >= e->macros || !is_plain(e, &e->macro[name], 0))
        return false;
    for (; t->v[k].kind != CW_RW_LINE_END; k++)
        if (t->v[k].kind == CW_RW_NAME)
            mentions[t->v[k].name]--;
    memset(e->out + t->v[i].at, ' ', t->v[k - 1].at + t->v[k - 1].length - t->v[i].at);
    return true;
}

/* How often each name stands in the result and the options; the caller's to free. */
static uint32_t *count_mentions(const struct expansion *e, const struct cw_rw_text *t,
                                struct cw_rw_names *names)
{
    uint32_t *mentions = calloc(names->count + 1, sizeof *mentions);

    for (size_t i = 0; mentions && i < t->count; i++)
        mentions[t->v[i].name] += t->v[i].kind == CW_RW_NAME;
    for (const struct option *o = e->option; mentions && o; o = o->next)
        for (size_t i = 0; i < o->text.count; i++) {
            const struct cw_rw_token *k = &o->text.v[i];
            size_t known = names->count;
            uint32_t name = k->kind == CW_RW_NAME
                                ? cw_tokens_name_intern(names, o->text.text + k->at, k->length)
                                : UINT32_MAX;
            if (name < known)
                mentions[name]++;
        }
    return mentions;
}

static void drop_unused(struct expansion *e)
{
    struct cw_rw_names names = {0};
    struct cw_rw_text t = {0};
    uint32_t *mentions = NULL;
    bool again = cw_tokens_read(&t, &names, e->out, e->length) && !t.trouble && t.length >= e->length &&
                 !memcmp(t.text, e->out, e->length) && (mentions = count_mentions(e, &t, &names));

    while (again) { /* others may have stood in the text of one that has gone */
        again = false;
        for (size_t i = 0; i < t.count; i++)
            if (t.v[i].kind == CW_RW_DIRECTIVE && t.v[i].c == CW_RW_DEFINE && t.v[i + 2].kind == CW_RW_NAME)
                again |= drop(e, &t, &names, i, mentions);
    }
    free(mentions);
    cw_tokens_finish(&t);
    cw_tokens_names_finish(&names);
}

static void finish(struct expansion *e)
{
    while (e->option) {
        struct option *o = e->option;
        e->option = o->next;
        cw_tokens_finish(&o->text);
        free(o->value);
        free(o);
    }
    cw_tokens_finish(&e->text);
    cw_tokens_names_finish(&e->names);
    free(e->macro);
    free(e->words);
}

char *cw_expanded_macros(const char *source, const char *options)
{
    struct expansion e = {0};
    bool good = cw_tokens_read(&e.text, &e.names, source, strlen(source)) || out_of_memory(&e);

    if (good && !e.text.trouble && read_options(&e, options) && !e.odd && read_directives(&e) && !e.odd)
        expand(&e);
    good = !e.nomem && e.out && !e.long_;
    if (good) {
        drop_unused(&e);
        e.out[e.length - (e.length && e.out[e.length - 1] == '\n')] = '\0'; /* the reader has added it */
    }
    if (!good) {
        free(e.out);
        e.out = NULL;
    }
    if (!good && !e.nomem)
        e.out = strdup(source);
    finish(&e);
    return e.out;
}
