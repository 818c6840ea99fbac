/* rows_models.c - see analyse.h. */
#include "analyse.h"

#include <stdlib.h>
#include <string.h>

#include "../../io/text.h"
#include "rows_proof.h"

struct asked {
    const struct cw_analyse_request *request;
    struct cw_model *model;
    int n;
    json_t *said;                  /* NULL, or the assumption that fails in each */
    const struct cw_rw_text *text; /* whose tree that is */
    struct cw_ast *tree;
    struct cw_error err;
};

static bool look(void *data, const char *kernel, const struct cw_rw_rows *form, uint64_t key)
{
    struct asked *a = data;
    const char *wrong;

    if (a->text != form->t) {
        a->text = form->t;
        cw_ast_read(&a->request->options, form->t->text, form->t->length, &a->tree, &a->err);
    }
    wrong = a->tree ? cw_rows_proof(a->tree, form) : a->err.text;
    for (int i = 0; i < a->n && !wrong; i++)
        if (!strcmp(a->model[i].kernel, kernel))
            a->model[i].rows = (int64_t)key;
    if (a->said)
        json_array_append_new(a->said, json_pack("{s:s, s:s?}", "kernel", kernel, "wrong", wrong));
    return !wrong;
}

/* The options as the rewriter wants them; the caller's to free. */
static char *options_of(const struct cw_ir_options *o)
{
    size_t bytes = 1;
    char *text, *to;

    for (int i = 0; i < o->n; i++)
        bytes += strlen(o->pass[i]) + 1;
    to = text = malloc(bytes + (o->std ? strlen(o->std) : 0));
    for (int i = 0; text && i < o->n; i++) {
        to = stpcpy(to, o->pass[i]);
        *to++ = ' ';
    }
    if (text)
        strcpy(to, o->std ? o->std : "");
    return text;
}

static enum cw_status rewrite(struct asked *a, const char *source, struct cw_error *err)
{
    char *options = options_of(&a->request->options);
    struct cw_rewrite_unit unit = {source, options};
    struct cw_rewrite_in in = {
        .forms = &cw_rewrite_rows_forms, .unit = &unit, .units = 1, .rows = look, .rows_context = a};
    struct cw_rewrite_out out;
    enum cw_status s = options ? cw_rewrite(&in, &out, err)
                               : cw_error_set(err, CW_ERR_NOMEM, "out of memory for build options");

    if (s == CW_OK) {
        if (!out.source)
            s = cw_error_set(err, CW_ERR_UNSUPPORTED, "%s cannot be rewritten: %s", a->request->path,
                             out.reason);
        cw_rewrite_finish(&out);
    }
    cw_ast_free(a->tree);
    free(options);
    return s;
}

static enum cw_status ask(struct asked *a, struct cw_error *err)
{
    const char *path = a->request->path;
    struct cw_file_text file;
    enum cw_status s;
    char *source;

    if (!strcmp(path, "-"))
        return cw_error_set(err, CW_ERR_UNSUPPORTED, "forms for rows are of a file, as it is read twice");
    s = cw_file_text_open(&file, path, err);
    if (s != CW_OK)
        return s;
    source = strndup(file.text, file.length);
    cw_file_text_close(&file);
    s = source ? rewrite(a, source, err) : cw_error_set(err, CW_ERR_NOMEM, "out of memory for a source");
    free(source);
    return s;
}

void cw_rows_models(const struct cw_analyse_request *request, struct cw_model *model, int n)
{
    ask(&(struct asked){.request = request, .model = model, .n = n}, NULL);
}

enum cw_status cw_rows_described(const struct cw_analyse_request *request, json_t **result,
                                 struct cw_error *err)
{
    struct asked a = {.request = request, .said = json_array()};
    enum cw_status s = ask(&a, err);

    *result = json_pack("{s:s, s:i, s:o}", "format", "clweave-footprint", "version", 1, "rows", a.said);
    if (s == CW_OK && !*result)
        s = cw_error_set(err, CW_ERR_NOMEM, "out of memory for an answer");
    if (s != CW_OK) {
        json_decref(*result);
        *result = NULL;
    }
    return s;
}
