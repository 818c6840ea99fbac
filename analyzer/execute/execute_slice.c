/* execute_slice.c - a part of a captured trace as a trace of its own: runs the commands before it, and
 * keeps what memory holds then. */
#include "execute_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../graph/trace_read.h"
#include "../io/output.h"
#include "../record/trace_write.h"

struct slice {
    struct cw_exec x;
    struct cw_trace *t;
    uint8_t *in;    /* per command: it is in the part */
    uint8_t *used;  /* per memory object: a root that the part's commands use */
    FILE *data;     /* the part's contents */
    uint64_t bytes; /* that it has */
    struct cw_error *err;
};

static enum cw_status nomem(struct slice *s)
{
    return cw_error_set(s->err, CW_ERR_NOMEM, "cutting a trace: out of memory");
}

/* Appends bytes to the part's data; errors of writing show when the file is closed. */
static struct cw_blob keep(struct slice *s, const void *bytes, uint64_t n)
{
    struct cw_blob b = {n ? s->bytes : 0, n};

    if (n)
        fwrite(bytes, 1, (size_t)n, s->data);
    s->bytes += n;
    return b;
}

/* ---- which commands */

/* Marks the part's commands: those that the options select of a copy that shares nothing that changes. */
static enum cw_status mark(struct slice *s, const struct cw_selection *part)
{
    struct cw_trace *t = s->t;
    uint8_t *in = calloc(t->commands.count + 1, 1);
    enum cw_status status = in ? cw_selection_mark(t, part, in, s->err) : nomem(s);

    s->in = in;
    for (size_t i = 0; status == CW_OK && i < t->commands.count; i++)
        if (in[i] && t->commands.v[i].elsewhere)
            status = cw_error_set(s->err, CW_ERR_UNSUPPORTED, CW_EXECUTE_NO_PART);
    return status;
}

static void use(void *data, uint32_t memory)
{
    struct slice *s = data;

    while (s->t->memory.v[memory].parent < memory)
        memory = s->t->memory.v[memory].parent;
    s->used[memory] = 1;
}

/* The roots that the part's commands use. */
static enum cw_status find_used(struct slice *s)
{
    s->used = calloc(s->t->memory.count + 1, 1);
    for (uint32_t i = 0; s->used && i < s->t->commands.count; i++)
        if (s->in[i] && s->x.runs[i])
            cw_execute_memory_mentions(s->t, i, use, s);
    return s->used ? CW_OK : nomem(s);
}

/* ---- contents */

/* Reads the used objects; final: as they are at the end of the part, else at its beginning. */
static enum cw_status keep_contents(struct slice *s, struct cw_blob *blobs)
{
    enum cw_status status = CW_OK;

    for (uint32_t i = 0; status == CW_OK && i < s->t->memory.count; i++) {
        struct cw_execute_part whole;
        cl_mem handle;
        uint8_t *bytes;
        if (!s->used[i])
            continue;
        whole = cw_execute_part_whole(s->t, i);
        status = cw_execute_memory_use(&s->x, i, &handle, s->err);
        bytes = status == CW_OK ? malloc((size_t)whole.bytes + 1) : NULL;
        if (status == CW_OK && !bytes)
            status = nomem(s);
        if (status == CW_OK)
            status = cw_execute_part_read(&s->x, s->x.contexts[s->t->memory.v[i].context].queues[0], &whole,
                                          bytes, CW_NONE, s->err);
        if (status == CW_OK)
            blobs[i] = keep(s, bytes, whole.bytes);
        free(bytes);
    }
    return status;
}

/* Runs the trace up to the end of the part. initial, final: per memory object. */
static enum cw_status run_to_end(struct slice *s, const uint32_t *order, struct cw_blob *initial,
                                 struct cw_blob *final)
{
    const size_t n = s->t->commands.count;
    enum cw_status status = CW_OK;
    size_t left = 0;
    bool begun = false;

    for (size_t i = 0; i < n; i++)
        left += s->in[i];
    s->x.phase = CW_EXEC_FIRST;
    s->x.order = order;
    cw_execute_memory_reset(&s->x);
    for (size_t i = 0; i < s->t->memory.count; i++)
        s->x.memory[i].uses_left++; /* they stay to be read */
    for (s->x.position = 0; status == CW_OK && left && s->x.position < n; s->x.position++) {
        uint32_t id = order[s->x.position];
        if (begun && !s->in[id] && s->x.runs[id])
            return cw_error_set(
                s->err, CW_ERR_UNSUPPORTED,
                "command %u takes effect among those of the part, as a user event was set late: "
                "choose a part with it",
                id);
        if (!begun && s->in[id]) {
            status = keep_contents(s, initial);
            begun = true;
        }
        if (status == CW_OK && s->x.runs[id])
            status = cw_execute_operation_find(s->t->commands.v[id].type)->run(&s->x, id, s->err);
        if (status == CW_OK && s->x.runs[id])
            status = cw_execute_memory_done(&s->x, id, s->err);
        left -= s->in[id];
    }
    return status == CW_OK ? keep_contents(s, final) : status;
}

/* The trace's blobs become those of the part. */
static void replace_blobs(struct slice *s, const struct cw_blob *initial, const struct cw_blob *final)
{
    struct cw_trace *t = s->t;

    for (size_t i = 0; i < t->memory.count; i++) {
        t->memory.v[i].initial = initial[i];
        t->memory.v[i].final = final[i];
    }
    for (size_t i = 0; i < t->programs.count; i++) {
        struct cw_t_program *p = &t->programs.v[i];
        p->binary = keep(s, s->x.data + p->binary.offset, p->binary.size);
        p->joined = keep(s, s->x.data + p->joined.offset, p->joined.size);
    }
    for (size_t i = 0; i < t->commands.count; i++) {
        const uint32_t transfer = t->commands.v[i].transfer;
        if (s->in[i] && transfer < t->transfers.count) {
            struct cw_blob *b = &t->transfers.v[transfer].data;
            *b = keep(s, s->x.data + b->offset, b->size);
        }
    }
}

static enum cw_status cut(struct slice *s, const struct cw_selection *part)
{
    struct cw_blob *initial = calloc(s->t->memory.count + 1, sizeof *initial),
                   *final = calloc(s->t->memory.count + 1, sizeof *final);
    uint32_t *effective = NULL, *order = malloc((s->t->commands.count + 1) * sizeof *order);
    enum cw_status status = initial && final && order ? mark(s, part) : nomem(s);

    if (status == CW_OK)
        status = cw_execute_begin(&s->x, s->err);
    if (status == CW_OK)
        status = find_used(s);
    if (status == CW_OK)
        status = cw_sweep_order(s->t, &effective, s->err);
    for (uint32_t i = 0; status == CW_OK && i < s->t->commands.count; i++)
        order[i] = effective ? effective[i] : i;
    if (status == CW_OK)
        status = cw_execute_vendor_init(&s->x, s->err);
    if (status == CW_OK)
        status = run_to_end(s, order, initial, final);
    if (status == CW_OK)
        replace_blobs(s, initial, final);
    free(initial);
    free(final);
    free(effective);
    free(order);
    return status;
}

/* ---- the folder */

static enum cw_status write_script(const char *path, const struct cw_trace *t, struct cw_error *err)
{
    struct cw_output out;
    enum cw_status status = cw_output_open(&out, path, 0700, err);

    if (status != CW_OK)
        return status;
    fprintf(
        out.f,
        "#!/bin/sh\n"
        "# Runs %zu of %llu commands of a traced program again and compares every byte of their results.\n"
        "# It needs clweave and an OpenCL device: `./run --on NAME`, of which `clweave devices` lists "
        "names.\n"
        "# This runs code of the traced program with your rights.\n"
        "exec \"${CLWEAVE:-clweave}\" replay \"$(dirname \"$0\")/trace.json\" --execute \"$@\"\n",
        t->commands.count, (unsigned long long)t->process.whole_commands);
    return cw_output_close(&out, CW_OK, err);
}

static enum cw_status write_folder(struct slice *s, const struct cw_selection *part,
                                   const struct cw_execute_options *o, const char *folder)
{
    char path[4096 + 32];
    struct cw_output data;
    struct cw_exec *x = &s->x;
    struct cw_execute_report report = {.options = *o};
    enum cw_status status;

    snprintf(path, sizeof path, "%.4096s/trace.json.data", folder);
    status = cw_output_open(&data, path, 0600, s->err);
    if (status != CW_OK)
        return status;
    s->data = data.f;
    *x = (struct cw_exec){.t = s->t, .o = o, .r = &report};
    status = cut(s, part);
    cw_execute_end(x);
    status = cw_output_close(&data, status, s->err);
    if (status == CW_OK)
        status = cw_selection_apply(s->t, part, s->err);
    if (status != CW_OK)
        return status;
    s->t->process.sliced = true;
    free(s->t->data_path);
    s->t->data_path = strdup("trace.json.data");
    snprintf(path, sizeof path, "%.4096s/trace.json", folder);
    status = s->t->data_path ? cw_trace_save(s->t, path, s->err) : nomem(s);
    snprintf(path, sizeof path, "%.4096s/run", folder);
    return status == CW_OK ? write_script(path, s->t, s->err) : status;
}

enum cw_status cw_execute_slice(struct cw_trace *t, const struct cw_selection *part,
                                const struct cw_execute_options *o, const char *folder, struct cw_error *err)
{
    struct slice s = {.t = t, .err = err};
    char path[4096 + 32];
    enum cw_status status;
    int saved;

    snprintf(path, sizeof path, "%.4096s/trace.json", folder);
    if (part->kernel)
        return cw_error_set(
            err, CW_ERR_INVALID,
            "--kernel leaves out commands whose results the others need; choose what to run again by "
            "--commands, --windows, --from and --to");
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return cw_error_set(err, CW_ERR_IO, "cannot make the folder %.400s: %s", folder, strerror(errno));
    if (access(path, F_OK) == 0)
        return cw_error_set(err, CW_ERR_IO, "%.400s has a trace already; choose another folder", folder);
    saved = cw_execute_stdout_redirect();
    status = write_folder(&s, part, o, folder);
    cw_execute_stdout_restore(saved);
    free(s.in);
    free(s.used);
    return status;
}
