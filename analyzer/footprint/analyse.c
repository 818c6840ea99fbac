/* analyse.c - see analyse.h. */
#include "analyse.h"

#include "access.h"
#include "launch.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_TIMED_REPEATS = 64 };

struct session {
    const struct cw_analyse_request *request;
    LLVMContextRef context;
    LLVMModuleRef module;
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
    while (f && (!cw_access_is_kernel(f) || (only && strcmp(only, LLVMGetValueName2(f, &n)))))
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

/* All tiles of one launch. */
static enum cw_status evaluate_tiles(struct session *s, const json_t *j, const struct cw_model *m,
                                     struct cw_launch_file *l, json_t *result)
{
    json_t *tiles = json_array(), *description;
    struct cw_eval *e = cw_eval_create(m);
    struct cw_arg_footprint *f = calloc((size_t)m->args + 1, sizeof *f);
    enum cw_status status =
        e && f ? CW_OK : cw_error_set(s->err, CW_ERR_NOMEM, "out of memory for an evaluation");
    size_t i;
    json_object_set_new(result, "kernel", json_string(m->kernel));
    json_object_set_new(result, "tiles", tiles);
    json_array_foreach(json_object_get(j, "tiles"), i, description)
    {
        struct cw_tile t;
        if (status == CW_OK)
            status = cw_launch_read_tile(&t, description, &l->launch, s->err);
        if (status != CW_OK)
            break;
        double start = now_us();
        int repeats = 0;
        do
            if (!cw_eval_tile(e, &l->launch, &t, f))
                status = cw_error_set(s->err, CW_ERR_NOMEM, "out of memory for an evaluation");
        while (s->request->time && status == CW_OK && ++repeats < MAX_TIMED_REPEATS);
        double took = now_us() - start;
        json_t *one = json_pack("{s:o}", "args", cw_report_footprint(m, f));
        if (s->request->time)
            json_object_set_new(one, "evaluation_us", json_real(took / MAX_TIMED_REPEATS));
        json_array_append_new(tiles, one);
    }
    if (f)
        cw_eval_result_finish(f, m->args);
    free(f);
    cw_eval_destroy(e);
    return status;
}

static enum cw_status evaluate_launch(struct session *s, const json_t *j, json_t *results)
{
    const char *name = json_string_value(json_object_get(j, "kernel"));
    if (!name)
        return cw_error_set(s->err, CW_ERR_FORMAT, "%s: a launch without \"kernel\"", s->request->launches);
    LLVMValueRef f = next_kernel(LLVMGetFirstFunction(s->module), name);
    if (!f)
        return cw_error_set(s->err, CW_ERR_NOTFOUND, "there is no kernel '%s' in %s", name, s->request->path);
    struct cw_model m;
    struct cw_launch_file l;
    enum cw_status status = read_kernel(s, f, &m);
    if (status != CW_OK)
        return status;
    status = cw_launch_read(&l, j, &m, s->err);
    if (status == CW_OK) {
        json_t *one = json_object();
        status = evaluate_tiles(s, j, &m, &l, one);
        json_array_append_new(results, one);
        cw_launch_finish(&l);
    }
    cw_model_finish(&m);
    return status;
}

static enum cw_status evaluate(struct session *s, json_t *result)
{
    json_error_t where;
    json_t *file = json_load_file(s->request->launches, JSON_REJECT_DUPLICATES, &where), *j;
    size_t i;
    enum cw_status status = CW_OK;
    if (!file)
        return cw_error_set(s->err, CW_ERR_FORMAT, "%s:%d:%d: %s", s->request->launches, where.line,
                            where.column, where.text);
    json_t *launches = json_object_get(file, "launches"), *results = json_array();
    json_object_set_new(result, "results", results);
    if (!json_is_array(launches))
        status = cw_error_set(s->err, CW_ERR_FORMAT, "%s has no array \"launches\"", s->request->launches);
    json_array_foreach(launches, i, j)
    {
        if (status == CW_OK)
            status = evaluate_launch(s, j, results);
    }
    json_decref(file);
    return status;
}

static void ignore_diagnostic(LLVMDiagnosticInfoRef info, void *data)
{
    (void)info;
    (void)data;
}

enum cw_status cw_analyse(const struct cw_analyse_request *request, json_t **result, struct cw_error *err)
{
    struct session s = {.request = request, .err = err};
    double start = now_us(), compiled, ready;
    enum cw_status status = cw_ir_compile(&request->options, request->path, &s.context, &s.module, err);
    if (status != CW_OK)
        return status;
    LLVMContextSetDiagnosticHandler(s.context, ignore_diagnostic, NULL);
    compiled = now_us();
    status = cw_ir_canonicalise(s.module, err);
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
    LLVMDisposeModule(s.module);
    LLVMContextDispose(s.context);
    if (status == CW_OK)
        *result = j;
    else
        json_decref(j);
    return status;
}
