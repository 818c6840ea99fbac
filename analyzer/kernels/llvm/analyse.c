/* analyse.c - see analyse.h. */
#include "analyse.h"

#include "access.h"
#include "../footprint/evaluate.h"
#include "../footprint/model_file.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct session {
    const struct cw_analyse_request *request;
    LLVMContextRef context;
    LLVMModuleRef module;
    struct cw_model model; /* the model that find_kernel has found */
    struct cw_error *err;
};

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static enum cw_status read_kernel(struct session *s, LLVMValueRef f, struct cw_model *m)
{
    cw_model_init(m);
    if (cw_access_read_kernel(m, s->module, f))
        return CW_OK;
    cw_model_finish(m);
    return cw_error_set(s->err, CW_ERR_NOMEM, "out of memory for the model of a kernel");
}

static LLVMValueRef next_kernel(LLVMValueRef f, const char *only)
{
    size_t n;
    while (f && (!cw_bitcode_is_kernel(f) || (only && strcmp(only, LLVMGetValueName2(f, &n)))))
        f = LLVMGetNextFunction(f);
    return f;
}

static enum cw_status describe(struct session *s, json_t *result)
{
    json_t *list = json_array();
    json_object_set_new(result, "kernels", list);
    LLVMValueRef f = next_kernel(LLVMGetFirstFunction(s->module), s->request->kernel);
    if (!f && s->request->kernel)
        return cw_error_set(s->err, CW_ERR_NOTFOUND, "there is no kernel '%s' in %s", s->request->kernel,
                            s->request->path);
    for (; f; f = next_kernel(LLVMGetNextFunction(f), s->request->kernel)) {
        struct cw_model m;
        enum cw_status status = read_kernel(s, f, &m);
        if (status != CW_OK)
            return status;
        json_array_append_new(list, cw_report_kernel(&m));
        cw_model_finish(&m);
    }
    return CW_OK;
}

/* Of the launch file's kernels the last one is kept: launches of one kernel often follow each other. */
static enum cw_status find_kernel(void *context, const char *name, const struct cw_model **m,
                                  struct cw_error *err)
{
    struct session *s = context;
    *m = &s->model;
    if (s->model.kernel && !strcmp(s->model.kernel, name))
        return CW_OK;
    LLVMValueRef f = next_kernel(LLVMGetFirstFunction(s->module), name);
    if (!f)
        return cw_error_set(err, CW_ERR_NOTFOUND, "there is no kernel '%s' in %s", name, s->request->path);
    cw_model_finish(&s->model);
    return read_kernel(s, f, &s->model);
}

static enum cw_status evaluate(struct session *s, json_t *result)
{
    json_t *results = json_array();
    json_object_set_new(result, "results", results);
    enum cw_status status =
        cw_evaluate_file(s->request->launches, find_kernel, s, s->request->time, results, s->err);
    cw_model_finish(&s->model);
    return status;
}

static void ignore_diagnostic(LLVMDiagnosticInfoRef info, void *data)
{
    (void)info;
    (void)data;
}

static void close_session(struct session *s)
{
    LLVMDisposeModule(s->module);
    LLVMContextDispose(s->context);
}

static enum cw_status open_session(struct session *s, double *compiled_us)
{
    enum cw_status status = cw_bitcode_read(s->request->path, &s->context, &s->module, s->err);
    bool binary = status == CW_OK && s->module;
    if (status == CW_OK && !binary)
        status = cw_ir_compile(&s->request->options, s->request->path, &s->context, &s->module, s->err);
    if (status != CW_OK)
        return status;
    LLVMContextSetDiagnosticHandler(s->context, ignore_diagnostic, NULL);
    *compiled_us = now_us();
    cw_exact_mark(s->module, binary);
    status = cw_ir_canonicalise(s->module, s->err);
    if (status != CW_OK)
        close_session(s);
    return status;
}

enum cw_status cw_analyse(const struct cw_analyse_request *request, json_t **result, struct cw_error *err)
{
    struct session s = {.request = request, .err = err};
    double start = now_us(), compiled, ready;
    enum cw_status status = open_session(&s, &compiled);
    if (status != CW_OK)
        return status;
    ready = now_us();
    json_t *j = json_pack("{s:s, s:i}", "format", "clweave-footprint", "version", 1);
    if (!j)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for the result");
    if (status == CW_OK)
        status = request->launches ? evaluate(&s, j) : describe(&s, j);
    if (request->time && j)
        json_object_set_new(j, "time_us",
                            json_pack("{s:f, s:f, s:f}", "compile", compiled - start, "canonicalise",
                                      ready - compiled, "analyse", now_us() - ready));
    close_session(&s);
    if (status == CW_OK)
        *result = j;
    else
        json_decref(j);
    return status;
}

/* Appends the models of all wanted kernels. */
static enum cw_status read_all(struct session *s, struct cw_model **model, int *n)
{
    LLVMValueRef f = next_kernel(LLVMGetFirstFunction(s->module), s->request->kernel);
    for (; f; f = next_kernel(LLVMGetNextFunction(f), s->request->kernel)) {
        struct cw_model *more = realloc(*model, (size_t)(*n + 1) * sizeof *more);
        if (!more)
            return cw_error_set(s->err, CW_ERR_NOMEM, "out of memory for models");
        *model = more;
        if (*n == CW_MODEL_MAX_KERNELS)
            return cw_error_set(s->err, CW_ERR_LIMIT, "more than %d kernels", *n);
        enum cw_status status = read_kernel(s, f, &more[*n]);
        if (status != CW_OK)
            return status;
        ++*n;
    }
    return CW_OK;
}

enum cw_status cw_analyse_models(const struct cw_analyse_request *request, FILE *out, struct cw_error *err)
{
    struct session s = {.request = request, .err = err};
    double compiled;
    struct cw_model *model = NULL;
    int n = 0;
    char *text = NULL;
    size_t length;
    enum cw_status status = open_session(&s, &compiled);
    if (status != CW_OK)
        return status;
    status = read_all(&s, &model, &n);
    if (status == CW_OK)
        cw_rows_models(request, model, n);
    FILE *whole = open_memstream(&text, &length);
    if (!whole)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for models");
    if (status == CW_OK)
        status = cw_model_write(model, n, whole, err);
    if (whole && fclose(whole) && status == CW_OK)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for models");
    if (status == CW_OK)
        fwrite(text, 1, length, out);
    for (int i = 0; i < n; i++)
        cw_model_finish(&model[i]);
    free(model);
    free(text);
    close_session(&s);
    return status;
}
