/* macro_question.c - see vendor_macros.h. */
#include "vendor_macros.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kind of a name where it is defined at all: OpenCL C's own constants that are no integers (6.13.2, math
 * constants). A question about their values does not compile, and PoCL says so on the program's stderr.
 */
static enum cw_macro_kind promised(const char *name)
{
    static const char *const doubles[] = {"M_E",        "M_LOG2E", "M_LOG10E",  "M_LN2",  "M_LN10",
                                          "M_PI",       "M_PI_2",  "M_PI_4",    "M_1_PI", "M_2_PI",
                                          "M_2_SQRTPI", "M_SQRT2", "M_SQRT1_2", NULL},
                             *const others[] = {"HUGE_VAL", "DBL_MAX", "DBL_MIN", "DBL_EPSILON", NULL},
                             *const floats[] = {"MAXFLOAT", "HUGE_VALF", "INFINITY",    "NAN",
                                                "FLT_MAX",  "FLT_MIN",   "FLT_EPSILON", NULL};

    for (size_t i = 0; doubles[i]; i++) {
        size_t n = strlen(doubles[i]);
        if (strncmp(name, doubles[i], n))
            continue;
        if (!name[n])
            return CW_MACRO_DOUBLE;
        if (!strcmp(name + n, "_F"))
            return CW_MACRO_FLOAT;
        if (!strcmp(name + n, "_H"))
            return CW_MACRO_OTHER;
    }
    for (size_t i = 0; others[i]; i++)
        if (!strcmp(name, others[i]))
            return CW_MACRO_DOUBLE;
    for (size_t i = 0; floats[i]; i++)
        if (!strcmp(name, floats[i]))
            return CW_MACRO_FLOAT;
    return CW_MACRO_UNDEFINED;
}

static void put_kernel(FILE *f, size_t i, const char *value)
{
    fprintf(f, "kernel void CW_JOIN(cw_n%zu_, %s, _e)(global int *a) {}\n", i, value);
}

static void put_name(FILE *f, size_t i, const char *name)
{
    const char *asked;
    size_t length, n = cw_tested_names_question(name, &asked, &length);

    fprintf(f, "#ifdef %.*s\n", n ? (int)n : (int)strlen(name), name);
    if (asked) {
        fprintf(f, "#if %s == 1\n", name);
        put_kernel(f, i, "1");
        fprintf(f, "#elif %s\n", name);
        put_kernel(f, i, "x");
        fputs("#endif\n", f);
    } else {
        put_kernel(f, i, n ? "1" : promised(name) ? "0" : name);
    }
    fputs("#endif\n", f);
}

/* The names are pasted, so that no text of the question itself says that they are there. */
static char *question(char *const *names, size_t first, size_t n)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);

    if (!f)
        return NULL;
    fputs("#define CW_JOIN_(a, b, c) a##b##c\n#define CW_JOIN(a, b, c) CW_JOIN_(a, b, c)\n", f);
    for (size_t i = first; i < first + n; i++)
        put_name(f, i, names[i]);
    fputs("kernel void CW_JOIN(cw_, la, st)(global int *a) {}\n", f);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}

static bool answers(const char *kernels, size_t bytes)
{
    return kernels && memmem(kernels, bytes, CW_MACRO_LAST, strlen(CW_MACRO_LAST));
}

/* Reads the value in the name of kernel number `i`, about `name`. */
static struct cw_macro_value read_value(const char *kernels, size_t bytes, size_t i, const char *name)
{
    struct cw_macro_value v = {CW_MACRO_UNDEFINED, 0};
    enum cw_macro_kind kind = promised(name);
    const char *at, *end = kernels + bytes, *digits;
    char head[32];

    snprintf(head, sizeof head, "cw_n%zu_", i);
    at = memmem(kernels, bytes, head, strlen(head));
    if (!at)
        return v;
    v.kind = kind ? kind : CW_MACRO_OTHER;
    digits = at += strlen(head);
    for (; at < end && isdigit((unsigned char)*at) && at - digits < 18; at++)
        v.number = 10 * v.number + (*at - '0');
    /* one plain decimal number: 0x10, 10L, 010 and words are others */
    if (kind || at == digits || (*digits == '0' && at > digits + 1) || end - at < 2 || memcmp(at, "_e", 2))
        v.number = 0;
    else
        v.kind = CW_MACRO_NUMBER;
    return v;
}

bool cw_macro_question(cw_macro_kernels *kernels_of, void *data, char *const *names, size_t n,
                       struct cw_macro_value *values)
{
    char *source = question(names, 0, n), *kernels = NULL;
    bool good = source;
    size_t bytes = 0;

    if (good)
        kernels = kernels_of(data, source, &bytes);
    if (answers(kernels, bytes)) {
        for (size_t i = 0; i < n; i++)
            values[i] = read_value(kernels, bytes, i, names[i]);
    } else {
        for (size_t i = 0; good && i < n; i++) { /* one of them is no word: each on its own */
            char *one = question(names, i, 1);
            good = one;
            values[i] = (struct cw_macro_value){CW_MACRO_OTHER, 0};
            free(kernels);
            kernels = one ? kernels_of(data, one, &bytes) : NULL;
            if (answers(kernels, bytes))
                values[i] = read_value(kernels, bytes, i, names[i]);
            free(one);
        }
    }
    free(source);
    free(kernels);
    return good;
}

void cw_macro_agree(struct cw_macro_value *values, const struct cw_macro_value *others, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (others[i].kind != values[i].kind || others[i].number != values[i].number)
            values[i].kind = CW_MACRO_OTHER;
}
