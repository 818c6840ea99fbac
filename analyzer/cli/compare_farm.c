/* compare_farm.c - the results of clweave compare by a farm, a task per graph; see compare.h. A task is
 * `clweave compare` of one graph, and prints JSON, from which doubles come back as they were. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../farm/farm_plan.h"
#include "../farm/farm_rows.h"
#include "../io/json_in.h"
#include "frame/cli.h"
#include "compare.h"
#include "../farm/farm_command.h"

struct farm {
    struct cw_compare *c;
    bool (*put)(const struct cw_compare *c);
};

/* ---- the tasks */

static bool add_word(struct cw_farm_plan *p, const char *word)
{
    return (p->argv[p->argc++] = strdup(word)) != NULL;
}

/* An option with a value; without one when `value` is NULL. */
static bool add_option(struct cw_farm_plan *p, const char *option, const char *value)
{
    return !value || (add_word(p, option) && add_word(p, value));
}

static bool add_number(struct cw_farm_plan *p, const char *option, int64_t value)
{
    char text[32];

    snprintf(text, sizeof text, "%lld", (long long)value);
    return value < 0 || add_option(p, option, text);
}

static bool make_command(struct cw_farm_plan *p, const struct cw_compare_options *o)
{
    bool good = (p->argv = calloc(32 + 2 * o->policies.count, sizeof *p->argv)) != NULL;

    good = good && add_word(p, "clweave") && add_word(p, "compare") && add_option(p, "--json", "-") &&
           add_option(p, "--jobs", "1") && add_option(p, "--seed", "{1}") &&
           (o->platforms.count == 0 || add_option(p, "--platform", "{3}")) && add_option(p, "--lp", o->lp) &&
           add_option(p, "--host-waits", o->host_waits) && add_number(p, "--dsp", o->dsp) &&
           add_number(p, "--processors", o->processors);
    for (size_t k = 0; good && k < o->policies.count; k++)
        good = add_option(p, "--policy", o->policies.word[k]);
    return good && (!o->check || add_word(p, "--check")) && (!o->times || add_word(p, "--times")) &&
           add_word(p, "--") && add_word(p, "{2}");
}

/* A word in quotes, with a blank before it: a ' in it is put into others. */
static bool add_quoted(struct cw_farm_bytes *b, const char *word)
{
    bool good = cw_farm_result_add_bytes(b, " '", 2);

    for (; *word && good; word++)
        good =
            *word == '\'' ? cw_farm_result_add_bytes(b, "'\"'\"'", 5) : cw_farm_result_add_bytes(b, word, 1);
    return good && cw_farm_result_add_bytes(b, "'", 1);
}

/* The seed, the graph, the platform where there is one. */
static bool add_line(struct cw_farm_bytes *b, const struct cw_compare_input *input)
{
    char seed[32];
    int n = snprintf(seed, sizeof seed, "%llu", (unsigned long long)input->seed);

    return cw_farm_result_add_bytes(b, seed, (size_t)n) && add_quoted(b, input->graph) &&
           (!input->platform || add_quoted(b, input->platform)) && cw_farm_result_add_bytes(b, "\n", 1);
}

static enum cw_status add_inputs(struct cw_farm_plan *p, const struct cw_compare *c, struct cw_error *err)
{
    struct cw_farm_bytes text = {0};
    enum cw_status status = CW_OK;

    for (size_t k = 0; k < c->inputs && status == CW_OK; k++) {
        const char *graph = c->input[k].graph, *platform = c->input[k].platform;
        if (strchr(graph, '\n') || (platform && strchr(platform, '\n')))
            status = cw_error_set(err, CW_ERR_INVALID, "--farm takes no name with a newline: %s", graph);
        else if (!add_line(&text, &c->input[k]))
            status = cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    }
    if (status == CW_OK)
        status = cw_farm_plan_add_text(p, "graphs", text.v, text.used, err);
    free(text.v);
    return status;
}

/* The file that says where results go, of which the checkpoint's name is made. */
static const char *first_out(const struct cw_compare_options *o)
{
    const char *const outs[] = {o->out, o->csv, o->json};

    for (size_t k = 0; k < sizeof outs / sizeof *outs; k++)
        if (outs[k] && strcmp(outs[k], "-"))
            return outs[k];
    return "-";
}

static enum cw_status make_plan(struct cw_farm_plan *p, const struct cw_compare *c, struct cw_error *err)
{
    bool good = make_command(p, c->o);
    enum cw_status status;

    p->folder = getcwd(NULL, 0);
    p->out = strdup(first_out(c->o));
    p->tries = 3;
    p->rows = CW_FARM_ROWS_OTHER;
    if (!good || !p->folder || !p->out)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    status = add_inputs(p, c, err);
    return status == CW_OK ? cw_farm_plan_check(p, err) : status;
}

/* ---- the results */

static enum cw_bound_kind kind_called(const char *name, size_t n)
{
    enum cw_bound_kind k = CW_BOUND_PATH;

    while (k < CW_BOUND_LP &&
           (strlen(cw_plan_bound_kind_name(k)) != n || memcmp(cw_plan_bound_kind_name(k), name, n)))
        k++;
    return k;
}

static bool read_number(struct cw_json_in *in, double *x)
{
    char first = cw_json_peek(in), text[64];
    const char *begin = in->p;
    size_t n;

    if (!cw_json_skip(in) || (n = (size_t)(in->p - begin)) >= sizeof text)
        return false;
    memcpy(text, begin, n);
    text[n] = '\0';
    *x = first == 'n' ? NAN : strtod(text, NULL);
    return true;
}

/* A policy's object. */
static bool read_cell(struct cw_json_in *in, struct cw_compare_cell *x, uint32_t *tasks)
{
    double noted = 0, count = 0;
    const struct {
        const char *key;
        double *value;
    } numbers[] = {{"tasks", &count}, {"makespan", &x->makespan}, {"lower_bound", &x->bound},
                   {"slr", &x->slr},  {"speedup", &x->speedup},   {"efficiency", &x->efficiency},
                   {"nsl", &x->nsl},  {"noted", &noted},          {"seconds", &x->seconds}};
    const char *key, *kind;
    size_t n, length;

    for (bool first = cw_json_begin(in, '{'); cw_json_next(in, '}', &first);) {
        size_t k = 0;
        if (!cw_json_key(in, &key, &n))
            return false;
        while (k < sizeof numbers / sizeof *numbers &&
               (strlen(numbers[k].key) != n || memcmp(numbers[k].key, key, n)))
            k++;
        if (k < sizeof numbers / sizeof *numbers) {
            read_number(in, numbers[k].value);
        } else if (n == 14 && !memcmp(key, "lower_bound_by", 14)) {
            if (cw_json_string(in, &kind, &length))
                x->kind = kind_called(kind, length);
        } else {
            cw_json_skip(in);
        }
    }
    x->noted = noted > 0;
    *tasks = (uint32_t)count;
    return in->err->status == CW_OK;
}

/* The results of one file, as `compare --json -` prints them. */
static bool read_file(struct cw_compare *c, size_t file, const struct cw_farm_result *r, struct cw_error *err)
{
    struct cw_json_in in;
    const char *key;
    size_t n, policy = 0;

    cw_json_in_init(&in, c->input[file].graph, r->out, r->out_bytes, err);
    for (bool first = cw_json_begin(&in, '{'); cw_json_next(&in, '}', &first);) {
        bool results = cw_json_key(&in, &key, &n) && n == 7 && !memcmp(key, "results", 7);
        if (!results && !cw_json_skip(&in))
            break;
        for (bool one = results && cw_json_begin(&in, '['); results && cw_json_next(&in, ']', &one);)
            if (policy == c->policies.count ||
                !read_cell(&in, &c->cell[file * c->policies.count + policy++], &c->tasks[file]))
                break;
    }
    cw_json_in_finish(&in);
    if (err->status == CW_OK && policy != c->policies.count)
        cw_error_set(err, CW_ERR_FORMAT, "%s: a worker sent the results of %zu policies",
                     c->input[file].graph, policy);
    return err->status == CW_OK;
}

/* Reads all results; the first task that failed has its say, as it would have without a farm. */
static int finish(void *context, const struct cw_farm_plan *p, const struct cw_farm_checkpoint *k)
{
    struct farm *f = context;
    struct cw_farm_bytes bytes = {0};
    struct cw_farm_result r;
    struct cw_error err = {0};
    int result = CW_EXIT_OK;

    for (uint32_t t = 0; t < p->tasks && result == CW_EXIT_OK; t++) {
        char word[80];
        if (cw_farm_checkpoint_read(k, t, &bytes, &r, &err) != CW_OK) {
            result = cw_cli_fail(&err);
            break;
        }
        if (!k->failed)
            fwrite(r.errors, 1, r.errors_bytes, stderr);
        if (cw_farm_result_failed(&r)) {
            fwrite(r.errors, 1, r.errors_bytes, stderr);
            if (!r.errors_bytes)
                cw_cli_complain("%s: %s", f->c->input[t].graph, cw_farm_result_word(&r, word));
            result = CW_EXIT_FAILURE;
        } else if (!k->failed && !read_file(f->c, t, &r, &err)) {
            result = cw_cli_fail(&err);
        }
    }
    free(bytes.v);
    return result == CW_EXIT_OK && !f->put(f->c) ? CW_EXIT_FAILURE : result;
}

int cw_compare_farm(struct cw_compare *c, bool (*put)(const struct cw_compare *c))
{
    struct farm f = {c, put};
    struct cw_farm_use use = {c->o->checkpoint, c->o->resume, c->o->workers, finish, &f};
    struct cw_farm_plan p = {0};
    struct cw_error err = {0};
    int result = make_plan(&p, c, &err) == CW_OK ? cw_cmd_farm_use(&p, &use) : cw_cli_fail(&err);

    cw_farm_plan_finish(&p);
    return result;
}
