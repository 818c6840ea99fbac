/* rows_models.c - see rows_models.h. */
#include "rows_models.h"

#include <stdlib.h>
#include <string.h>

#include "../io/file_text.h"
#include "rows_proof.h"

struct asked {
    const struct cw_analyse_request *request;
    struct cw_model *model;
    int n;
    json_t *said; /* NULL, or what does not hold in each */
    const struct cw_rw_text *text; /* whose tree that is */
    struct cw_ast *tree;
    struct cw_error err;
};

static bool look(void *data, const char *kernel, const struct cw_rw_rows *form, uint64_t key)
{
    struct asked *a = data;
    const char *wrong = "there is no syntax tree";

    if (a->text != form->t) {
        a->text = form->t;
        cw_ast_read(&a->request->options, form->t->text, form->t->length, &a->tree, &a->err);
    }
    if (a->tree)
        wrong = cw_rows_proof(a->tree, form);
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

static void ask(struct asked *a)
{
    const struct cw_analyse_request *request = a->request;
    struct cw_rewrite_unit unit = {.options = options_of(&request->options)};
    struct cw_rewrite_in in = {.unit = &unit, .units = 1, .rows = look, .rows_context = a};
    struct cw_rewrite_out out;
    struct cw_file_text file;
    char *source = NULL;

    if (strcmp(request->path, "-") && cw_file_text_open(&file, request->path, NULL) == CW_OK) {
        source = strndup(file.text, file.length);
        cw_file_text_close(&file);
    }
    unit.source = source;
    if (source && unit.options && cw_rewrite(&in, &out, NULL) == CW_OK)
        cw_rewrite_finish(&out);
    cw_ast_free(a->tree);
    free((char *)(uintptr_t)unit.options);
    free(source);
}

void cw_rows_models(const struct cw_analyse_request *request, struct cw_model *model, int n)
{
    ask(&(struct asked){.request = request, .model = model, .n = n});
}

json_t *cw_rows_described(const struct cw_analyse_request *request)
{
    struct asked a = {.request = request, .said = json_array()};

    ask(&a);
    return json_pack("{s:s, s:i, s:o}", "format", "clweave-footprint", "version", 1, "rows", a.said);
}
