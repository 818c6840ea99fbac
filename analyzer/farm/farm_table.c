#include "farm_table.h"

#include <stdlib.h>
#include <string.h>

#include "../io/json_out.h"
#include "../io/output.h"

static bool ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), e = strlen(ending);

    return n >= e && !strcmp(path + n - e, ending);
}

static bool is_json(const char *path)
{
    return ends_in(path, ".jsonl") || ends_in(path, ".json");
}

enum cw_status cw_farm_table_check(const char *path, struct cw_error *err)
{
    struct cw_output out = {0};
    enum cw_status status;

    if (!strcmp(path, "-"))
        return CW_OK;
    if (!is_json(path) && !ends_in(path, ".csv"))
        return cw_error_set(err, CW_ERR_INVALID, "the table '%s' ends neither in .csv nor in .jsonl", path);
    status = cw_output_open(&out, path, 0666, err);
    cw_output_discard(&out);
    return status;
}

/* In quotes where it must be (RFC 4180). */
static void put_csv(FILE *f, const char *s, size_t n, char behind)
{
    bool quotes = memchr(s, '"', n) || memchr(s, ',', n) || memchr(s, '\n', n) || memchr(s, '\r', n);

    if (quotes)
        putc('"', f);
    for (size_t i = 0; quotes && i < n; i++) {
        if (s[i] == '"')
            putc('"', f);
        putc(s[i], f);
    }
    if (quotes)
        putc('"', f);
    else
        fwrite(s, 1, n, f);
    putc(behind, f);
}

struct row {
    uint32_t task;
    const char *input, *status;
    char *output, *errors; /* NUL-terminated */
    size_t output_bytes, errors_bytes;
};

static void put_row(FILE *f, struct cw_json_out *json, const struct row *r)
{
    if (!json) {
        fprintf(f, "%u,", r->task + 1);
        put_csv(f, r->input, strlen(r->input), ',');
        put_csv(f, r->status, strlen(r->status), ',');
        put_csv(f, r->output, r->output_bytes, ',');
        put_csv(f, r->errors, r->errors_bytes, '\n');
        return;
    }
    cw_json_put_open(json);
    cw_json_put_key(json, "task");
    cw_json_put_u64(json, r->task + 1u);
    cw_json_put_key(json, "input");
    cw_json_put_string(json, r->input);
    cw_json_put_key(json, "status");
    cw_json_put_string(json, r->status);
    cw_json_put_key(json, "output");
    cw_json_put_string(json, r->output);
    cw_json_put_key(json, "errors");
    cw_json_put_string(json, r->errors);
    cw_json_put_close(json);
    cw_json_put_char(json, '\n');
}

/* A copy of n bytes, less one newline at the end, with a NUL; NULL: out of memory. JSON gets U+EF00 for a NUL
 * byte, as json_out.h has U+EF00 + byte for bytes that are not UTF-8. */
static char *text_of(const char *s, size_t *n, bool json)
{
    static const char nul[] = "\xee\xbc\x80";
    size_t bytes = *n - (*n && s[*n - 1] == '\n'), size = 1, used = 0;
    char *text;

    for (size_t i = 0; i < bytes; i++)
        size += s[i] || !json ? 1 : sizeof nul - 1;
    text = malloc(size);
    for (size_t i = 0; text && i < bytes; i++) {
        size_t m = s[i] || !json ? 1 : sizeof nul - 1;
        memcpy(text + used, m == 1 ? &s[i] : nul, m);
        used += m;
    }
    if (text)
        text[used] = '\0';
    *n = used;
    return text;
}

static enum cw_status write_row(FILE *f, struct cw_json_out *json, const struct cw_farm_plan *p,
                                const struct cw_farm_checkpoint *c, uint32_t task, struct cw_farm_bytes *b,
                                struct cw_error *err)
{
    struct cw_farm_result r;
    char word[80], *input;
    enum cw_status status = cw_farm_checkpoint_read(c, task, b, &r, err);
    struct row row;

    if (status != CW_OK)
        return status;
    row = (struct row){.task = task,
                       .status = cw_farm_result_word(&r, word),
                       .output_bytes = r.out_bytes,
                       .errors_bytes = cw_farm_result_failed(&r) ? r.errors_bytes : 0};
    row.input = input = cw_farm_plan_line(p, task);
    row.output = text_of(r.out, &row.output_bytes, json != NULL);
    row.errors = text_of(r.errors, &row.errors_bytes, json != NULL);
    if (input && row.output && row.errors)
        put_row(f, json, &row);
    else
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for a result");
    free(input);
    free(row.output);
    free(row.errors);
    return status;
}

enum cw_status cw_farm_table_write(const char *path, const struct cw_farm_plan *p,
                                   const struct cw_farm_checkpoint *c, struct cw_error *err)
{
    struct cw_json_out *json = is_json(path) ? malloc(sizeof *json) : NULL;
    struct cw_farm_bytes b = {0};
    struct cw_output out = {0};
    enum cw_status status = cw_output_open(&out, path, 0666, err);

    if (status == CW_OK && is_json(path) && !json)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for the table");
    if (status == CW_OK && json)
        cw_json_out_init(json, out.f);
    else if (status == CW_OK)
        fputs("task,input,status,output,errors\n", out.f);
    for (uint32_t t = 0; status == CW_OK && t < p->tasks && !ferror(out.f); t++)
        status = write_row(out.f, json, p, c, t, &b, err);
    if (status == CW_OK && json)
        cw_json_out_flush(json);
    free(json);
    free(b.v);
    return cw_output_close(&out, status, err);
}
