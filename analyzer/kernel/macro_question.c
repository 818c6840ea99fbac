/* macro_question.c - see macro_question.h. */
#include "macro_question.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* OpenCL C's own constants that are no integers (6.13.2, math constants). A question about their values does not compile,
 * and PoCL says so on the program's stderr. */
static bool is_fraction(const char *name)
{
    static const char *const words[] = {"M_E", "M_LOG2E", "M_LOG10E", "M_LN2", "M_LN10", "M_PI", "M_PI_2", "M_PI_4", "M_1_PI",
                                        "M_2_PI", "M_2_SQRTPI", "M_SQRT2", "M_SQRT1_2", "MAXFLOAT", "HUGE_VALF", "HUGE_VAL",
                                        "INFINITY", "NAN", "FLT_MAX", "FLT_MIN", "FLT_EPSILON", "DBL_MAX", "DBL_MIN",
                                        "DBL_EPSILON"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if (!strncmp(name, words[i], n) && (!name[n] || !strcmp(name + n, "_F") || !strcmp(name + n, "_H")))
            return true;
    }
    return false;
}

static char *question(char *const *names, size_t first, size_t n)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);

    if (!f)
        return NULL;
    fputs("#define CW_JOIN_(a, b) a##b\n#define CW_JOIN(a, b) CW_JOIN_(a, b)\n", f);
    for (size_t i = first; i < first + n; i++)
        if (!is_fraction(names[i]))
            fprintf(f, "#ifdef %s\nkernel void CW_JOIN(cw_n%zu_, %s)(global int *a) {}\n#endif\n", names[i], i, names[i]);
    fputs("kernel void cw_last(global int *a) {}\n", f);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}

/* What the name of kernel number `i` says. */
static struct cw_macro_value read_value(const char *kernels, size_t i)
{
    struct cw_macro_value v = {CW_MACRO_UNDEFINED, 0};
    char name[32];
    const char *at;
    char *end;

    snprintf(name, sizeof name, "cw_n%zu_", i);
    at = strstr(kernels, name);
    if (!at)
        return v;
    at += strlen(name);
    v.number = strtoll(at, &end, 10);
    /* one plain decimal number: 0x10, 10L, 010 and words are others */
    v.kind = isdigit((unsigned char)*at) && (*at != '0' || end == at + 1) && (!*end || *end == ';') && end - at < 18
                 ? CW_MACRO_NUMBER : CW_MACRO_OTHER;
    return v;
}

bool cw_macro_question(cw_macro_kernels *kernels_of, void *data, char *const *names, size_t n, struct cw_macro_value *values)
{
    char *kernels = calloc(1, CW_MACRO_KERNELS_BYTES), *source = question(names, 0, n);
    bool good = kernels && source;

    if (good && kernels_of(data, source, kernels) && strstr(kernels, "cw_last")) {
        for (size_t i = 0; i < n; i++)
            values[i] = is_fraction(names[i]) ? (struct cw_macro_value){CW_MACRO_OTHER, 0} : read_value(kernels, i);
    } else {
        for (size_t i = 0; good && i < n; i++) { /* one of them is no word: each on its own */
            char *one = question(names, i, 1);
            good = one;
            values[i] = (struct cw_macro_value){CW_MACRO_OTHER, 0};
            if (one && !is_fraction(names[i]) && kernels_of(data, one, kernels) && strstr(kernels, "cw_last"))
                values[i] = read_value(kernels, i);
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
