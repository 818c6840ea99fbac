#include "plan_source.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../sched/whole.h"

static const struct cw_generator *generator_of(const char *text)
{
    size_t n = strcspn(text, ":");

    for (size_t k = 0; cw_generators[k]; k++)
        if (strlen(cw_generators[k]->name) == n && !strncmp(cw_generators[k]->name, text, n))
            return cw_generators[k];
    return NULL;
}

bool cw_graph_made_is(const char *text)
{
    return strchr(text, ':') && generator_of(text) && access(text, F_OK) < 0;
}

/* The number of `n` bytes, which must be one that `whole` allows. */
static bool parse(const char *text, size_t n, bool whole, double *number)
{
    char copy[40], *end;

    if (n == 0 || n >= sizeof copy || !strchr("0123456789.", *text))
        return false;
    memcpy(copy, text, n);
    copy[n] = '\0';
    *number = strtod(copy, &end);
    return !*end && (!whole || cw_whole_is(*number, 0x1p53));
}

/* One OPTION=VALUE of n bytes. */
static bool set_option(struct cw_generate_options *o, const char *text, size_t n)
{
    const char *equals = memchr(text, '=', n);
    size_t name = equals ? (size_t)(equals - text) : n;
    double x;

    if (!equals)
        return false;
    if (name == 4 && !strncmp(text, "seed", 4)) {
        bool good = parse(equals + 1, n - name - 1, true, &x);
        o->seed = good ? (uint64_t)x : 0;
        return good;
    }
#define COUNT  true
#define NUMBER false
#define CW_GENERATE_OPTION(field, kind, initial, least, most, word, argument, help)                          \
    if (strlen(word) == name && !strncmp(word, text, name)) {                                                \
        if (!parse(equals + 1, n - name - 1, kind, &x) || !(x >= (least) && x <= (most)))                    \
            return false;                                                                                    \
        o->field = x;                                                                                        \
        return true;                                                                                         \
    }
#include "../../sched/generate_options.inc"
#undef CW_GENERATE_OPTION
#undef COUNT
#undef NUMBER
    return false;
}

enum cw_status cw_graph_made(const char *text, struct cw_graph **graph, struct cw_platform **platform,
                             struct cw_error *err)
{
    const struct cw_generator *generator = generator_of(text);
    struct cw_generate_options o = cw_generate_defaults;
    const char *p = text + strlen(generator->name);
    struct cw_error why = {0};
    enum cw_status status;

    *graph = NULL;
    *platform = NULL;
    for (p += *p == ':'; *p; p += strcspn(p, ",") + (p[strcspn(p, ",")] == ','))
        if (!set_option(&o, p, strcspn(p, ",")))
            return cw_error_set(err, CW_ERR_INVALID,
                                "%s: \"%.*s\" is no option with a value that it may have (clweave generate "
                                "--help)",
                                text, (int)strcspn(p, ","), p);
    status = cw_generate(generator, &o, graph, platform, &why);
    return status == CW_OK ? CW_OK : cw_error_set(err, status, "%s: %s", text, why.text);
}
