#include "farm_plan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../io/array.h"
#include "../io/text.h"
#include "farm_rows.h"

/* ---- bytes that grow */

struct text {
    char *v;
    size_t used, capacity;
    bool no_memory;
};

static void add(struct text *t, const void *data, size_t n)
{
    if (t->no_memory || !cw_array_reserve(&t->v, &t->capacity, t->used, n + 1, 1)) {
        t->no_memory = true;
        return;
    }
    if (n)
        memcpy(t->v + t->used, data, n);
    t->used += n;
    t->v[t->used] = '\0';
}

/* ---- lines and words */

/* The next word of the line at *p, without its quotes, put into `word` when that is not NULL. False: the line
 * has no more words; *open tells of a quote that is not closed. */
static bool next_word(const char **p, struct text *word, bool *open)
{
    char quote = 0;

    while (**p && **p != '\n' && isblank((unsigned char)**p))
        ++*p;
    if (!**p || **p == '\n' || **p == '\r')
        return false;
    for (; **p && **p != '\n' && (quote || !isspace((unsigned char)**p)); ++*p) {
        if (quote ? **p == quote : **p == '"' || **p == '\'')
            quote = quote ? 0 : **p;
        else if (word)
            add(word, *p, 1);
    }
    *open |= quote != 0;
    if (word)
        add(word, "", 1);
    return true;
}

/* The words of the line at `p`. */
static uint32_t count_words(const char *p, bool *open)
{
    uint32_t n = 0;

    while (next_word(&p, NULL, open))
        n++;
    return n;
}

static size_t line_bytes(const char *p)
{
    size_t n = strcspn(p, "\n");

    return n && p[n - 1] == '\r' ? n - 1 : n;
}

static unsigned long line_number(const struct cw_farm_list *l, const char *at)
{
    unsigned long n = 1;

    for (const char *p = l->text; p < at; p++)
        n += *p == '\n';
    return n;
}

/* Finds the lines, and the one with the fewest words. */
static enum cw_status find_lines(struct cw_farm_list *l, uint32_t *fewest, const char **where,
                                 struct cw_error *err)
{
    const char *end = l->text + l->bytes, *nul = memchr(l->text, '\0', l->bytes);
    size_t capacity = 0;

    *fewest = UINT32_MAX;
    if (nul)
        return cw_error_set(err, CW_ERR_FORMAT, "%s:%lu: a NUL byte; lists are text, one task a line",
                            l->name, line_number(l, nul));
    for (const char *p = l->text; p < end; p += strcspn(p, "\n") + 1) {
        bool open = false;
        uint32_t words = count_words(p, &open);

        if (open)
            return cw_error_set(err, CW_ERR_FORMAT, "%s:%lu: a quote is not closed", l->name,
                                line_number(l, p));
        if (!words)
            continue;
        if (l->lines == UINT32_MAX - 1 ||
            !cw_array_reserve(&l->line, &capacity, l->lines, 1, sizeof *l->line))
            return cw_error_set(err, CW_ERR_NOMEM, "out of memory for the lines of %s", l->name);
        l->line[l->lines++] = (uint64_t)(p - l->text);
        if (words < *fewest) {
            *fewest = words;
            *where = p;
        }
    }
    return CW_OK;
}

/* The highest N of the placeholders {N}. */
static unsigned long highest_placeholder(const struct cw_farm_plan *p)
{
    unsigned long highest = 0;

    for (uint32_t a = 0; a < p->argc; a++)
        for (const char *s = p->argv[a]; (s = strchr(s, '{')); s++) {
            char *end;
            unsigned long n = isdigit((unsigned char)s[1]) ? strtoul(s + 1, &end, 10) : 0;
            if (n && *end == '}' && n > highest)
                highest = n;
        }
    return highest;
}

enum cw_status cw_farm_plan_check(struct cw_farm_plan *p, struct cw_error *err)
{
    unsigned long needed = highest_placeholder(p), words = 0;
    uint64_t tasks = 1;

    for (uint32_t k = 0; k < p->lists; k++) {
        struct cw_farm_list *l = &p->list[k];
        const char *where = l->text;
        uint32_t fewest;
        enum cw_status status = find_lines(l, &fewest, &where, err);

        if (status != CW_OK)
            return status;
        tasks *= l->lines;
        words += l->lines ? fewest : needed;
        if (tasks > UINT32_MAX - 2)
            return cw_error_set(err, CW_ERR_LIMIT, "the lists make more than %u tasks", UINT32_MAX - 2);
        if (k + 1 == p->lists && words < needed)
            return cw_error_set(err, CW_ERR_FORMAT, "%s:%lu: the command has {%lu}, and the line %lu word%s",
                                l->name, line_number(l, where), needed, words, words == 1 ? "" : "s");
    }
    p->tasks = p->lists ? (uint32_t)tasks : 0;
    return CW_OK;
}

enum cw_status cw_farm_plan_add_text(struct cw_farm_plan *p, const char *name, const char *text, size_t n,
                                     struct cw_error *err)
{
    struct cw_farm_list *l = &p->list[p->lists];

    if (p->lists == CW_FARM_LISTS_MAX)
        return cw_error_set(err, CW_ERR_LIMIT, "more than %d lists", CW_FARM_LISTS_MAX);
    l->name = strdup(name);
    l->text = malloc(n + 1);
    l->bytes = n;
    if (l->text) {
        memcpy(l->text, text, n);
        l->text[n] = '\0';
    }
    p->lists++;
    return l->name && l->text ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory for %s", name);
}

enum cw_status cw_farm_plan_add_list(struct cw_farm_plan *p, const char *path, struct cw_error *err)
{
    struct cw_file_text in;
    enum cw_status status = cw_file_text_open(&in, strcmp(path, "-") ? path : "/dev/stdin", err);

    if (status != CW_OK)
        return status;
    status = cw_farm_plan_add_text(p, path, in.text, in.length, err);
    cw_file_text_close(&in);
    return status;
}

void cw_farm_plan_finish(struct cw_farm_plan *p)
{
    for (uint32_t a = 0; p->argv && a < p->argc; a++)
        free(p->argv[a]);
    free(p->argv);
    free(p->folder);
    free(p->out);
    for (uint32_t k = 0; k < p->lists; k++) {
        free(p->list[k].name);
        free(p->list[k].text);
        free(p->list[k].line);
    }
    *p = (struct cw_farm_plan){0};
}

/* ---- as bytes: the numbers, then strings with their lengths */

struct head {
    double timeout_s;
    uint32_t tries, argc, lists;
    uint16_t form, rows;
};

static void add_string(struct text *t, const char *s, size_t n)
{
    uint64_t bytes = n;

    add(t, &bytes, sizeof bytes);
    add(t, s, n);
}

void *cw_farm_plan_pack(const struct cw_farm_plan *p, size_t *bytes)
{
    struct head h = {p->timeout_s, p->tries, p->argc, p->lists, p->form, p->rows};
    struct text t = {0};

    add(&t, &h, sizeof h);
    add_string(&t, p->folder, strlen(p->folder));
    add_string(&t, p->out, strlen(p->out));
    for (uint32_t a = 0; a < p->argc; a++)
        add_string(&t, p->argv[a], strlen(p->argv[a]));
    for (uint32_t k = 0; k < p->lists; k++) {
        add_string(&t, p->list[k].name, strlen(p->list[k].name));
        add_string(&t, p->list[k].text, p->list[k].bytes);
    }
    *bytes = t.used;
    if (t.no_memory)
        free(t.v);
    return t.no_memory ? NULL : t.v;
}

/* The string at *p, NULL when it does not end before `end` or memory is out. */
static char *take_string(const char **p, const char *end, size_t *length)
{
    uint64_t n;
    char *s;

    if ((size_t)(end - *p) < sizeof n)
        return NULL;
    memcpy(&n, *p, sizeof n);
    *p += sizeof n;
    if (n > (uint64_t)(end - *p) || !(s = malloc(n + 1)))
        return NULL;
    memcpy(s, *p, n);
    s[n] = '\0';
    *p += n;
    if (length)
        *length = n;
    return s;
}

enum cw_status cw_farm_plan_unpack(struct cw_farm_plan *p, const void *data, size_t bytes,
                                   struct cw_error *err)
{
    const char *at = data, *end = at + bytes;
    struct head h;
    bool ok = bytes >= sizeof h;

    *p = (struct cw_farm_plan){0};
    if (ok) {
        memcpy(&h, at, sizeof h);
        at += sizeof h;
        ok = h.form <= CW_TABLE_SQLITE && h.rows <= CW_FARM_ROWS_OTHER && h.argc > 0 && h.argc < bytes &&
             h.lists <= CW_FARM_LISTS_MAX && h.tries > 0 && h.timeout_s >= 0;
    }
    ok = ok && (p->folder = take_string(&at, end, NULL)) && (p->out = take_string(&at, end, NULL)) &&
         (p->argv = calloc(h.argc + 1, sizeof *p->argv));
    for (uint32_t a = 0; ok && a < h.argc; a++)
        ok = (p->argv[p->argc++] = take_string(&at, end, NULL)) != NULL;
    for (uint32_t k = 0; ok && k < h.lists; k++) {
        struct cw_farm_list *l = &p->list[p->lists++];
        ok = (l->name = take_string(&at, end, NULL)) && (l->text = take_string(&at, end, &l->bytes));
    }
    if (!ok || at != end)
        return cw_error_set(err, CW_ERR_FORMAT, "the plan in it is damaged");
    p->timeout_s = h.timeout_s;
    p->tries = h.tries;
    p->form = h.form;
    p->rows = h.rows;
    return cw_farm_plan_check(p, err);
}

bool cw_farm_plan_same(const struct cw_farm_plan *a, const struct cw_farm_plan *b)
{
    bool same = a->argc == b->argc && a->lists == b->lists &&
                (a->rows == CW_FARM_ROWS_OTHER) == (b->rows == CW_FARM_ROWS_OTHER) &&
                !strcmp(a->folder, b->folder);

    for (uint32_t k = 0; same && k < a->argc; k++)
        same = !strcmp(a->argv[k], b->argv[k]);
    for (uint32_t k = 0; same && k < a->lists; k++)
        same = a->list[k].bytes == b->list[k].bytes &&
               !memcmp(a->list[k].text, b->list[k].text, a->list[k].bytes);
    return same;
}

/* ---- tasks */

const char *cw_farm_plan_list_line(const struct cw_farm_list *l, uint32_t line, size_t *n)
{
    const char *text = l->text + l->line[line];

    *n = line_bytes(text);
    return text;
}

const char *cw_farm_plan_task_line(const struct cw_farm_plan *p, uint32_t task, uint32_t list, size_t *n)
{
    for (uint32_t k = p->lists; --k > list;)
        task /= p->list[k].lines;
    return cw_farm_plan_list_line(&p->list[list], task % p->list[list].lines, n);
}

char *cw_farm_plan_line(const struct cw_farm_plan *p, uint32_t task)
{
    struct text t = {0};

    for (uint32_t k = 0; k < p->lists; k++) {
        size_t n;
        const char *line = cw_farm_plan_task_line(p, task, k, &n);
        if (k)
            add(&t, " ", 1);
        add(&t, line, n);
    }
    if (t.no_memory)
        free(t.v);
    return t.no_memory ? NULL : t.v;
}

/* The N-th of the words, which stand one behind the other; from 1. */
static const char *word_at(const struct text *words, uint32_t count, unsigned long n)
{
    const char *w = words->v;

    if (n > count)
        return "";
    while (--n)
        w += strlen(w) + 1;
    return w;
}

/* Adds the word `w` of the command with its placeholders replaced, and a NUL. */
static void add_filled(struct text *out, const char *w, const struct text *words, uint32_t count)
{
    for (; *w; w++) {
        char *end = NULL;
        unsigned long n = w[0] == '{' && isdigit((unsigned char)w[1]) ? strtoul(w + 1, &end, 10) : 0;

        if (w[0] == '{' && w[1] == '}') {
            for (uint32_t k = 1; k <= count; k++) {
                const char *word = word_at(words, count, k);
                if (k > 1)
                    add(out, " ", 1);
                add(out, word, strlen(word));
            }
            w++;
        } else if (n && *end == '}') {
            const char *word = word_at(words, count, n);
            add(out, word, strlen(word));
            w = end;
        } else {
            add(out, w, 1);
        }
    }
    add(out, "", 1);
}

/* The arguments as one block: the pointers, then the text. */
static char **block_of(const struct text *text, int argc)
{
    size_t head = ((size_t)argc + 1) * sizeof(char *);
    char **argv = malloc(head + text->used), *at = (char *)argv + head;

    if (!argv)
        return NULL;
    if (text->used)
        memcpy(at, text->v, text->used);
    for (int a = 0; a < argc; a++, at += strlen(at) + 1)
        argv[a] = at;
    argv[argc] = NULL;
    return argv;
}

char **cw_farm_plan_command(const struct cw_farm_plan *p, uint32_t task, int *argc)
{
    struct text words = {0}, out = {0};
    uint32_t count = 0;
    bool open = false;
    char **argv = NULL;

    for (uint32_t k = 0; k < p->lists; k++) {
        size_t n;
        for (const char *line = cw_farm_plan_task_line(p, task, k, &n); next_word(&line, &words, &open);)
            count++;
    }
    *argc = 0;
    for (uint32_t a = 0; a < p->argc; a++) {
        bool all = !strcmp(p->argv[a], "{}");
        if (all)
            add(&out, words.v, words.used);
        else
            add_filled(&out, p->argv[a], &words, count);
        *argc += all ? (int)count : 1;
    }
    if (!words.no_memory && !out.no_memory)
        argv = block_of(&out, *argc);
    free(words.v);
    free(out.v);
    return argv;
}
