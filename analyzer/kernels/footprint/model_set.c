/* model_set.c - files of models. See model_file.h. */
#include "model_file.h"

#include <stdlib.h>
#include <string.h>

static bool read_models(struct cw_json_in *in, struct cw_model_set *set)
{
    int capacity = 0;
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first);) {
        in->context = NULL;
        if (!cw_model_read_room(in, &set->model, set->n, &capacity, sizeof *set->model, CW_MODEL_MAX_KERNELS))
            return false;
        cw_model_init(&set->model[set->n]);
        in->context = "models";
        in->index = (size_t)set->n;
        if (!cw_model_read_one(in, &set->model[set->n++]))
            return false;
    }
    in->context = NULL;
    return !in->err->status;
}

/* {"status": string, "message": string}, which becomes this reader's error. */
static bool read_refusal(struct cw_json_in *in)
{
    char *message = NULL;
    for (bool first = cw_json_begin(in, '{'); cw_json_next(in, '}', &first);) {
        const char *s;
        size_t n;
        if (!cw_json_key(in, &s, &n) ||
            !(cw_model_same_text(s, n, "message") ? cw_model_read_text(in, &message) : cw_json_skip(in)))
            break;
    }
    if (!in->err->status)
        cw_error_set(in->err, CW_ERR_UNSUPPORTED, "%s: %s", in->name, message ? message : "not analysed");
    free(message);
    return false;
}

static bool read_file(struct cw_json_in *in, struct cw_model_set *set)
{
    static const char *const keys[] = {"format", "version", "model_version", "models", "error"};
    unsigned seen = 0;
    for (bool first = cw_json_begin(in, '{'); cw_json_next(in, '}', &first);) {
        const char *s, *at = in->p;
        size_t n;
        uint64_t version = 0;
        unsigned k = 0;
        if (!cw_json_key(in, &s, &n))
            return false;
        while (k < 5 && !cw_model_same_text(s, n, keys[k]))
            k++;
        if (k == 5 || seen >> k & 1)
            return cw_json_fail(in, at, "unknown or repeated member");
        seen |= 1u << k;
        if (k == 0 && (!cw_json_string(in, &s, &n) || !cw_model_same_text(s, n, "clweave-footprint")))
            return cw_json_fail(in, at, "this is no file of kernel footprints");
        if ((k == 1 || k == 2) && !cw_json_u64(in, UINT64_MAX, &version))
            return false;
        if ((k == 1 && version != 1) || (k == 2 && version != CW_MODEL_VERSION)) {
            cw_error_set(in->err, CW_ERR_VERSION, "%s: another version of kernel footprints", in->name);
            return false;
        }
        if ((k == 3 && !read_models(in, set)) || (k == 4 && !read_refusal(in)))
            return false;
    }
    if (!in->err->status && seen != 15)
        return cw_json_fail(in, in->p, "a member is missing");
    return !in->err->status && cw_json_done(in);
}

enum cw_status cw_model_set_read(struct cw_model_set *set, const char *name, const char *text, size_t n,
                                 struct cw_error *err)
{
    struct cw_json_in in;
    struct cw_error own = {0};
    *set = (struct cw_model_set){0};
    cw_json_in_init(&in, name, text, n, &own);
    (void)read_file(&in, set);
    cw_json_in_finish(&in);
    if (own.status != CW_OK) {
        cw_model_set_finish(set);
        cw_error_set(err, own.status, "%s", own.text);
    }
    return own.status;
}

void cw_model_set_finish(struct cw_model_set *set)
{
    for (int i = 0; i < set->n; i++)
        cw_model_finish(&set->model[i]);
    free(set->model);
    *set = (struct cw_model_set){0};
}

const struct cw_model *cw_model_set_find(const struct cw_model_set *set, const char *kernel)
{
    for (int i = 0; i < set->n; i++)
        if (!strcmp(set->model[i].kernel, kernel))
            return &set->model[i];
    return NULL;
}
