/* graph_file_edges.c - see graph_file.h. */
#include "graph_file.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../sched/status.h"
#include "../io/array.h"
#include "../io/text.h"
#include "../io/json_in.h"

enum { LARGE_BYTES = 1 << 20 };

/* A number as JSON has them, of digits and a fraction; false: another value, which is left to others. */
static bool read_number(struct cw_json_in *in, double *value)
{
    char *end;
    char first = cw_json_peek(in);

    if (first != '-' && (first < '0' || first > '9'))
        return false;
    if (in->p[first == '-'] == '0' && in->p[1 + (first == '-')] >= '0' && in->p[1 + (first == '-')] <= 'x')
        return false; /* 0x10, 007 */
    *value = strtod(in->p, &end);
    for (const char *c = in->p; c < end; c++) /* a digit on either side of the point */
        if (*c == '.' && !(c > in->p && c[-1] >= '0' && c[1] >= '0' && c[1] <= '9'))
            return false;
    if (end == in->p || *end == '.' || !isfinite(*value))
        return false;
    in->p = end;
    return true;
}

/* One edge; false: it is not {"from": N, "to": N, "data": X}, in any order, each at most once. */
static bool read_edge(struct cw_json_in *in, struct cw_graph_file_edge *e)
{
    static const char *const names[] = {"from", "to", "data"};
    unsigned seen = 0;
    const char *key;
    size_t length;

    *e = (struct cw_graph_file_edge){0, 0, 0};
    for (bool first = cw_json_begin(in, '{'); cw_json_next(in, '}', &first);) {
        unsigned k = 0;
        uint64_t id = 0;
        if (!cw_json_key(in, &key, &length))
            return false;
        while (k < 3 && (strlen(names[k]) != length || memcmp(names[k], key, length) != 0))
            k++;
        if (k == 3 || seen & 1u << k)
            return false;
        seen |= 1u << k;
        if (k == 2 ? !read_number(in, &e->data) : !cw_json_u64(in, UINT32_MAX - 1, &id))
            return false;
        if (k < 2)
            *(k ? &e->to : &e->from) = (uint32_t)id;
    }
    return !in->err->status && (seen & 3) == 3;
}

static bool read_edges(struct cw_json_in *in, struct cw_graph_file_edges *edges)
{
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first);) {
        if (!cw_array_reserve(&edges->v, &edges->capacity, edges->count, 1, sizeof *edges->v) ||
            !read_edge(in, &edges->v[edges->count]))
            return false;
        edges->count++;
    }
    return !in->err->status;
}

/* Reads the top level of `text`, then takes out what it has read. */
static bool take(struct cw_json_in *in, char *text, struct cw_graph_file_edges *edges)
{
    char *begin = NULL, *end = NULL;
    const char *key;
    size_t length;

    for (bool first = cw_json_begin(in, '{'); cw_json_next(in, '}', &first);) {
        if (!cw_json_key(in, &key, &length))
            return false;
        if (length != 5 || memcmp(key, "edges", 5) != 0) {
            if (!cw_json_skip(in))
                return false;
            continue;
        }
        if (begin || cw_json_peek(in) != '[')
            return false;
        begin = text + (in->p - text) + 1;
        if (!read_edges(in, edges))
            return false;
        end = text + (in->p - text) - 1;
    }
    if (!begin || in->err->status || !cw_json_done(in))
        return false;
    memmove(begin, end, strlen(end) + 1);
    return true;
}

/* The text with a NUL behind it; NULL: the file is no large regular one, or has a NUL in it. */
static char *read_text(const char *path, size_t *length)
{
    struct cw_file_text file;
    struct cw_error err = {0};
    struct stat st;
    char *text = NULL;

    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < LARGE_BYTES ||
        cw_file_text_open(&file, path, &err) != CW_OK)
        return NULL;
    *length = file.length;
    if (file.length && !memchr(file.text, 0, file.length) && (text = malloc(file.length + 1))) {
        memcpy(text, file.text, file.length);
        text[file.length] = '\0';
    }
    cw_file_text_close(&file);
    return text;
}

char *cw_graph_file_edges_take(const char *path, struct cw_graph_file_edges *edges)
{
    struct cw_error err = {0};
    struct cw_json_in in;
    size_t length;
    char *text = read_text(path, &length);
    bool good;

    *edges = (struct cw_graph_file_edges){0};
    if (!text)
        return NULL;
    cw_json_in_init(&in, path, text, length, &err);
    good = take(&in, text, edges);
    cw_json_in_finish(&in);
    if (good)
        return text;
    free(text);
    free(edges->v);
    *edges = (struct cw_graph_file_edges){0};
    return NULL;
}
