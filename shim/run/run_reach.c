/* run_reach.c - see run_reach.h. The latest launches are remembered by all that their reach depends on. */
#include "run_reach.h"

#include <stdlib.h>
#include <string.h>

#include "../../analyzer/footprint/eval.h"
#include "run_models.h"

enum { MEMORIES = 16, KEY_BYTES = 512, TRIALS = 16 };
#define DEAR_NS 50000 /* a kernel whose evaluations take longer is evaluated no more */

struct memory {
    size_t key_bytes; /* 0: unused */
    uint8_t key[KEY_BYTES];
    struct cw_run_reach *reach;
};

struct cw_run_reacher {
    struct cw_run_models *models;
    const struct cw_model *model; /* NULL: there is none that says something */
    bool by_group;                /* it depends on the local size */
    struct cw_eval *eval;
    struct cw_arg_footprint *result;
    struct cw_launch_arg *args;
    uint64_t evaluations, spent_ns;
    uint32_t next;
    struct memory latest[MEMORIES];
};

static void finish(struct cw_run_reacher *r)
{
    for (int i = 0; i < MEMORIES; i++)
        free(r->latest[i].reach);
    if (r->result)
        cw_eval_result_finish(r->result, r->model->args);
    cw_eval_destroy(r->eval);
    free(r->result);
    free(r->args);
    cw_run_models_release(r->models);
    free(r);
}

void cw_run_reach_free(struct cw_run_kernel *k)
{
    if (k->reacher)
        finish(k->reacher);
    k->reacher = NULL;
}

static bool depends_on_groups(const struct cw_model *m)
{
    for (int i = 0; i < m->pool.n; i++)
        switch (m->pool.node[i].op) {
        case CW_EXPR_LOCAL_ID:
        case CW_EXPR_GROUP_ID:
        case CW_EXPR_LOCAL_SIZE:
        case CW_EXPR_ENQUEUED_LOCAL_SIZE:
        case CW_EXPR_NUM_GROUPS:
            return true;
        default:
            break;
        }
    return false;
}

/* For the models that the program has now. NULL: out of memory. */
static struct cw_run_reacher *reacher_of(struct cw_run_kernel *k)
{
    struct cw_run_reacher *r = k->reacher;
    const struct cw_model *m;

    if (r && r->models == k->program->models)
        return r;
    cw_run_reach_free(k);
    r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    k->reacher = r;
    r->models = k->program->models;
    r->models->refs++;
    m = cw_model_set_find(&r->models->set, k->name);
    if (!m || m->anywhere || m->prints || m->args != (int)k->count)
        return r;
    r->by_group = depends_on_groups(m);
    r->eval = cw_eval_create(m);
    r->result = calloc((size_t)m->args + 1, sizeof *r->result);
    r->args = calloc((size_t)m->args + 1, sizeof *r->args);
    if (r->eval && r->result && r->args)
        r->model = m;
    return r;
}

/* The arguments are what the model takes them for; then r->args is set. */
static bool take_args(struct cw_run_reacher *r, const struct cw_run_kernel *k)
{
    for (uint32_t i = 0; i < k->count; i++) {
        const struct cw_run_arg *a = &k->args[i];
        const struct cw_arg *expected = &r->model->arg[i];

        r->args[i] = (struct cw_launch_arg){0};
        switch (expected->kind) {
        case CW_ARG_GLOBAL:
        case CW_ARG_CONSTANT:
            if (a->kind != CW_RUN_ARG_VALUE || a->size != sizeof(cl_mem) || (!a->memory && a->word))
                return false;
            r->args[i].buffer_bytes = a->memory ? (int64_t)a->memory->bytes : 0;
            break;
        case CW_ARG_LOCAL:
            if (a->kind != CW_RUN_ARG_LOCAL)
                return false;
            break;
        case CW_ARG_SCALAR:
            if (a->kind != CW_RUN_ARG_VALUE || a->size != expected->bytes || a->memory)
                return false;
            r->args[i].value = a->size > 8 ? a->bytes : (const unsigned char *)&a->word;
            r->args[i].value_bytes = a->size;
            break;
        default:
            return false;
        }
    }
    return true;
}

static bool add(uint8_t key[KEY_BYTES], size_t *n, const void *data, size_t bytes)
{
    if (bytes > KEY_BYTES - *n)
        return false;
    memcpy(key + *n, data, bytes);
    *n += bytes;
    return true;
}

/* All that the reach depends on; 0: too long to be remembered. */
static size_t key_of(const struct cw_run_reacher *r, const struct cw_launch *l, uint8_t key[KEY_BYTES])
{
    size_t n = 0;
    bool fits = add(key, &n, &l->work_dim, sizeof l->work_dim) && add(key, &n, l->global, sizeof l->global) &&
                add(key, &n, l->local, sizeof l->local);

    for (int i = 0; fits && i < r->model->args; i++) {
        const struct cw_launch_arg *a = &l->arg[i];
        fits = a->value ? add(key, &n, a->value, a->value_bytes) : add(key, &n, &a->buffer_bytes, sizeof a->buffer_bytes);
    }
    return fits ? n : 0;
}

static uint32_t pieces_of(const struct cw_spans *s)
{
    return s->n > CW_RUN_REACH_PIECES ? 1 : (uint32_t)s->n;
}

static void add_pieces(struct cw_run_reach *reach, uint32_t arg, bool write, const struct cw_spans *s)
{
    if (s->n > CW_RUN_REACH_PIECES) {
        reach->piece[reach->n++] = (struct cw_run_piece){arg, write, (uint64_t)s->v[0].begin, (uint64_t)s->v[s->n - 1].end};
        return;
    }
    for (size_t i = 0; i < s->n; i++)
        reach->piece[reach->n++] = (struct cw_run_piece){arg, write, (uint64_t)s->v[i].begin, (uint64_t)s->v[i].end};
}

/* NULL: no memory. */
static struct cw_run_reach *evaluate(struct cw_run_reacher *r, const struct cw_launch *l)
{
    struct cw_tile all = {.count = {1, 1, 1}};
    struct cw_run_reach *reach = NULL;
    uint32_t n = 0;

    for (unsigned d = 0; d < l->work_dim; d++)
        all.count[d] = l->global[d] / l->local[d];
    if (!cw_eval_tile(r->eval, l, &all, r->result))
        return NULL;
    for (int i = 0; i < r->model->args; i++)
        n += pieces_of(&r->result[i].reads.may) + pieces_of(&r->result[i].writes.may);
    reach = calloc(1, sizeof *reach + n * sizeof *reach->piece);
    for (int write = 0; reach && write <= 1; write++)
        for (int i = 0; i < r->model->args; i++)
            add_pieces(reach, (uint32_t)i, write, write ? &r->result[i].writes.may : &r->result[i].reads.may);
    return reach;
}

static const struct cw_run_reach *evaluate_and_keep(struct cw_run_reacher *r, const struct cw_launch *l, const uint8_t *key,
                                                    size_t key_bytes)
{
    struct memory *m = &r->latest[r->next];
    uint64_t start = cw_run_now_ns();

    if (r->evaluations >= TRIALS && r->spent_ns / r->evaluations > DEAR_NS)
        return NULL;
    r->next = (r->next + 1) % MEMORIES;
    free(m->reach);
    m->reach = evaluate(r, l);
    m->key_bytes = m->reach ? key_bytes : 0;
    memcpy(m->key, key, key_bytes);
    r->evaluations++;
    r->spent_ns += cw_run_now_ns() - start;
    return m->reach;
}

const struct cw_run_reach *cw_run_reach(struct cw_run_kernel *k, cl_uint dims, const size_t *global, const size_t *local)
{
    struct cw_run_reacher *r = k->program->models ? reacher_of(k) : NULL;
    struct cw_launch l = {.work_dim = dims, .global = {1, 1, 1}, .local = {1, 1, 1}};
    uint8_t key[KEY_BYTES];
    size_t bytes;

    if (!r || !r->model || !take_args(r, k) || (r->by_group && !local))
        return NULL;
    for (cl_uint d = 0; d < dims; d++) {
        if (global[d] > INT64_MAX || (local && (local[d] > INT64_MAX || global[d] % local[d])))
            return NULL;
        l.global[d] = (int64_t)global[d];
        l.local[d] = local ? (int64_t)local[d] : 1;
    }
    l.arg = r->args;
    bytes = key_of(r, &l, key);
    for (int i = 0; bytes && i < MEMORIES; i++)
        if (r->latest[i].key_bytes == bytes && !memcmp(r->latest[i].key, key, bytes))
            return r->latest[i].reach;
    return evaluate_and_keep(r, &l, key, bytes);
}
