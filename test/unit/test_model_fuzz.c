/* test_model_fuzz.c - thousands of damaged model files: each is either refused with a message and a position,
 * or evaluates, for every launch, to intervals inside of the buffers. Deterministic; meant to be run under
 * the sanitizers as well.
 *
 * CW_FUZZ_ROUNDS: mutations per file (default 1000). The corpus is test/fuzz/models/ *.json, made by
 * clweave-footprint --models from test/footprint/kernels; tests start in the repository's root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_files.h"

#include "../../analyzer/kernels/footprint/cut.h"
#include "../../analyzer/kernels/footprint/model_file.h"

static const char *const words[] = {
    "0",
    "-1",
    "4294967295",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "1e9",
    "null",
    "true",
    "\"\"",
    "[]",
    "{}",
    "\"+\"",
    "\"*\"",
    "\"udiv\"",
    "\"shl\"",
    "\"and\"",
    "\"select\"",
    "\"or\"",
    "\"loop\"",
    "\"an image\"",
    "\"cmp\"",
    "\"choice\"",
    "[\"any\",64,-1]",
    "63",
    "64",
    "4611686018427387904",
    "\"mul24\"",
    "\"srem\"",
    "7",
};

/* Replaces a number by another one of about its size, which often is still a model. */
static char *change_number(const char *text, size_t n, size_t *length)
{
    size_t at = fuzz_draw((uint32_t)n), end;
    char *out = malloc(n + 64);
    while (at < n && !isdigit((unsigned char)text[at]))
        at++;
    for (end = at; end < n && isdigit((unsigned char)text[end]);)
        end++;
    memcpy(out, text, at);
    *length = at + (size_t)sprintf(out + at, "%ld", strtol(text + at, NULL, 10) + (long)fuzz_draw(9) - 4);
    memcpy(out + *length, text + end, n - end);
    *length += n - end;
    return out;
}

/* A value replaced by one of `words`. */
static char *replace_value(const char *text, size_t n, size_t *length)
{
    return fuzz_replace_value(text, n, ":[,", words[fuzz_draw(sizeof words / sizeof *words)], length);
}

/* A piece repeated, removed or moved. */
static char *shuffle(const char *text, size_t n, size_t *length)
{
    size_t a = fuzz_draw((uint32_t)n), size = fuzz_draw(40), b = fuzz_draw((uint32_t)n);
    char *out = malloc(2 * n + 64);
    size = a + size > n ? n - a : size;
    memcpy(out, text, b);
    memcpy(out + b, text + a, size);
    memcpy(out + b + size, text + b, n - b);
    *length = n + size;
    return out;
}

static char *damage(const char *text, size_t n, size_t *length)
{
    uint32_t how = fuzz_draw(10);
    char *out, *twice;
    if (how < 5) {
        out = change_number(text, n, length);
        for (uint32_t more = fuzz_draw(4); more > 0; more--) {
            twice = change_number(out, *length, length);
            free(out);
            out = twice;
        }
        return out;
    }
    if (how < 8)
        return replace_value(text, n, length);
    if (how == 8)
        return shuffle(text, n, length);
    out = malloc(n + 1);
    memcpy(out, text, n);
    out[fuzz_draw((uint32_t)n)] = (char)fuzz_draw(256);
    *length = fuzz_draw(2) ? n : fuzz_draw((uint32_t)n);
    return out;
}

static void check_spans(const struct cw_spans *s, int64_t size)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].begin < 0 || s->v[i].begin >= s->v[i].end || s->v[i].end > size ||
            (i && s->v[i].begin <= s->v[i - 1].end))
            fail_msg("interval %lld..%lld of %lld", (long long)s->v[i].begin, (long long)s->v[i].end,
                     (long long)size);
}

/* Launches that a program might make, and some that no program makes. */
static void random_launch(const struct cw_model *m, struct cw_launch *l, struct cw_tile *t,
                          unsigned char *bytes)
{
    static const int64_t sizes[] = {1, 7, 64, 1000, 1 << 20, INT64_C(1) << 40};
    l->work_dim = 1 + fuzz_draw(3);
    for (unsigned d = 0; d < 3; d++) {
        bool used = d < l->work_dim;
        l->local[d] = used ? 1 + fuzz_draw(64) : 1;
        l->global[d] = used ? sizes[fuzz_draw(6)] : 1;
        l->offset[d] = used && !fuzz_draw(3) ? sizes[fuzz_draw(6)] : 0;
        t->first[d] =
            fuzz_draw((uint32_t)(l->global[d] / l->local[d] > 1000 ? 1000 : l->global[d] / l->local[d] + 1));
        t->count[d] = 1 + fuzz_draw(20);
    }
    for (int i = 0; i < m->args; i++) {
        l->arg[i] =
            (struct cw_launch_arg){.buffer_bytes = fuzz_draw(4) ? 1 + fuzz_draw(5000) : sizes[fuzz_draw(6)],
                                   .value = fuzz_draw(5) ? bytes : NULL,
                                   .value_bytes = fuzz_draw(40)};
        if (m->arg[i].kind == CW_ARG_IMAGE && fuzz_draw(4)) /* struct cw_image_shape */
            l->arg[i].value_bytes = 48;
    }
    for (int i = 0; i < 64; i++)
        bytes[i] = fuzz_draw(3) ? 0 : (unsigned char)fuzz_draw(256);
}

static void evaluate(const struct cw_model *m)
{
    struct cw_launch_arg *arg = calloc((size_t)m->args + 1, sizeof *arg);
    struct cw_arg_footprint *f = calloc((size_t)m->args + 1, sizeof *f);
    struct cw_launch l = {.arg = arg};
    struct cw_eval *e = cw_eval_create(m);
    unsigned char bytes[64];
    for (int i = 0; i < 3; i++) {
        struct cw_tile t;
        random_launch(m, &l, &t, bytes);
        assert_true(cw_eval_tile(e, &l, &t, f));
        for (int a = 0; a < m->args; a++) {
            check_spans(&f[a].reads.may, arg[a].buffer_bytes);
            check_spans(&f[a].writes.may, arg[a].buffer_bytes);
            check_spans(&f[a].writes.must, arg[a].buffer_bytes);
        }
    }
    cw_eval_destroy(e);
    cw_eval_result_finish(f, m->args);
    free(f);
    free(arg);
}

/* Returns whether the damaged text was still a file of models. */
static bool try(const char *text, size_t n)
{
    struct cw_error err = {0};
    struct cw_model_set set;
    bool ok = cw_model_set_read(&set, "fuzz", text, n, &err) == CW_OK;
    FILE *nowhere = fopen("/dev/null", "w");
    if (!ok && (strncmp(err.text, "fuzz:", 5) != 0 || err.status == CW_OK))
        fail_msg("no position: status %d, \"%s\"", err.status, err.text);
    if (ok && cw_model_write(set.model, set.n, nowhere, &err))
        fail_msg("%s", err.text);
    for (int i = 0; ok && i < set.n; i++) {
        const struct cw_model *m = &set.model[i];
        evaluate(m);
        for (int a = 0; a < m->args; a++)
            (void)cw_judge_argument(m, a, CW_ACCESS_READ);
        for (int g = 0; g < m->guards; g++)
            cw_eval_print_guard(m, m->guard[g], nowhere);
    }
    fclose(nowhere);
    cw_model_set_finish(&set);
    return ok;
}

static void damaged_models_do_no_harm(void **state)
{
    (void)state;
    fuzz_files(&(struct fuzz_reader){"test/fuzz/models/*.json", 1000, damage, try});
}

/* Every reference out of range, one by one, and what only a person would write. */
static void wrong_files_are_refused(void **state)
{
    static const char *const model =
        "{\"format\":\"clweave-footprint\",\"version\":1,\"model_version\":%d,\"models\":[{\"kernel\":\"k\","
        "\"barriers\":false,\"groups\":false,\"prints\":false,\"polls\":false,\"anywhere\":false,"
        "\"addresses\":false,\"why_"
        "anywhere\":null,"
        "\"rows\":0,"
        "\"inexact\":null,\"floats\":0,\"args\":[{"
        "\"name\":"
        "\"p\",\"type\":\"int*\",\"kind\":\"global\",\"bytes\":0,\"changed\":false,\"placed\":false,"
        "\"placed_reads\":false,"
        "\"unknown_read\":null,"
        "\"unknown_write\":null}],\"nodes\":[[\"gid\",0],[\"const\",64,4],%s],\"guards\":[%s],\"loops\":[%s],"
        "\"exits\":[%s],\"accesses\":[%s],\"work\":[]}]}";
    static const struct {
        const char *node, *guard, *loop, *exit, *access;
    } c[] = {
        {"[\"*\",64,0,1]", "[2,1]", "[-1,1]", "[0,0,1]",
         "[0,2,2,4,4,-1,-1,0,1,0,0,0,-1,null,\"\"]"},                             /* right */
        {"[\"*\",64,0,2]", "", "", "", ""},                                       /* its own operand */
        {"[\"*\",65,0,1]", "", "", "", ""},                                       /* width */
        {"[\"*\",64,0]", "", "", "", ""},                                         /* too short */
        {"[\"*\",64,0,1,1]", "", "", "", ""},                                     /* too long */
        {"[\"gid\",3]", "", "", "", ""},                                          /* dimension */
        {"[\"forward\",64,0]", "", "", "", ""},                                   /* occurs in no file */
        {"[\"arg\",32,1,0]", "", "", "", ""},                                     /* no such argument */
        {"[\"loop\",0]", "", "", "", ""},                                         /* no such loop */
        {"[\"any\",8,0]", "", "", "", ""},                                        /* no such loop */
        {"[\"const\",8,256]", "", "", "", ""},                                    /* does not fit */
        {"[\"gid\",1]", "[3,1]", "", "", ""},                                     /* no such node */
        {"[\"gid\",1]", "[2,2]", "", "", ""},                                     /* neither true nor false */
        {"[\"gid\",1]", "", "[0,1]", "", ""},                                     /* its own parent */
        {"[\"gid\",1]", "", "", "[0,0,0]", ""},                                   /* no such loop */
        {"[\"gid\",1]", "", "[-1,1]", "[0,0,1]", ""},                             /* no such guard */
        {"[\"gid\",1]", "", "", "", "[1,2,2,4,4,-1,-1,0,0,-1,0,0,-1,null,\"\"]"}, /* argument */
        {"[\"gid\",1]", "", "", "", "[0,4,2,4,4,-1,-1,0,0,-1,0,0,-1,null,\"\"]"}, /* kind */
        {"[\"gid\",1]", "", "", "", "[0,2,3,4,4,-1,-1,0,0,-1,0,0,-1,null,\"\"]"}, /* offset */
        {"[\"gid\",1]", "", "", "",
         "[0,2,2,4,5,-1,-1,0,0,-1,0,0,-1,null,\"\"]"}, /* more certain than possible */
        {"[\"gid\",1]", "", "", "", "[0,2,2,4,4,1,-1,0,0,-1,0,0,-1,null,\"\"]"},  /* count without stride */
        {"[\"gid\",1]", "", "", "", "[0,2,2,4,4,-1,-1,0,1,-1,0,0,-1,null,\"\"]"}, /* guards */
        {"[\"gid\",1]", "", "", "", "[0,2,2,4,4,-1,-1,0,0,0,0,0,-1,null,\"\"]"},  /* loop */
        {"[\"gid\",1]", "", "", "", "[0,2,2,4,4,-1,-1,0,0,-1,0,0,3,null,\"\"]"},  /* value */
        {"[\"gid\",1]", "", "", "", "[0,2,2,4,4,-1,-1,0,0,-1,0,0,-1,\"because\",\"\"]"}, /* reason */
        {"[\"gid\",1]", "", "", "", "[0,2,2,4,4,-1,-1,0,0,-1,0,0,-1,null,\"atomic\"]"},  /* operation */
    };
    char text[2000];
    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        int n = snprintf(text, sizeof text, model, CW_MODEL_VERSION, c[i].node, c[i].guard, c[i].loop,
                         c[i].exit, c[i].access);
        if (try(text, (size_t)n) != (i == 0))
            fail_msg("case %zu: %s", i, text);
    }
}

static void other_files_say_what_they_are(void **state)
{
    static const struct {
        const char *text, *message;
        enum cw_status status;
    } c[] = {
        {"{\"format\":\"clweave-footprint\",\"version\":1,\"error\":{\"status\":\"malformed "
         "input\",\"message\":"
         "\"k.cl does not compile\"}}",
         "file: k.cl does not compile", CW_ERR_UNSUPPORTED},
        {"{\"format\":\"clweave-footprint\",\"version\":1,\"model_version\":0,\"models\":[]}",
         "another version", CW_ERR_VERSION},
        {"{\"format\":\"clweave-trace\"}", "no file of kernel footprints", CW_ERR_FORMAT},
        {"", "file:1:1", CW_ERR_FORMAT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct cw_model_set set;
        struct cw_error err = {0};
        assert_int_equal(cw_model_set_read(&set, "file", c[i].text, strlen(c[i].text), &err), c[i].status);
        if (!strstr(err.text, c[i].message))
            fail_msg("%s", err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_models_do_no_harm),
                                       cmocka_unit_test(wrong_files_are_refused),
                                       cmocka_unit_test(other_files_say_what_they_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
