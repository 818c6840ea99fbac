/* run_records.c - see run_records.h. The record is history_runs.h's; its file's identity is made in
 * shim/run/tuning/activation.c. */
#include "run_records.h"

#include <string.h>

#include "../io/identity.h"

#define FIELD_ENTRY   1
#define FIELD_PROGRAM 3

/* The program's name in the identity of its record; NULL: this is no record of this version. */
static const char *program_of(const struct cw_file_store_file *f)
{
    size_t n = 0;
    uint64_t entry = 0;
    const char *text = cw_identity_field(f->identity, 0, &n);

    if (!text || n != sizeof CW_HISTORY_RUNS_KIND || memcmp(text, CW_HISTORY_RUNS_KIND, n) != 0)
        return NULL;
    text = cw_identity_field(f->identity, FIELD_ENTRY, &n);
    if (!text || n != sizeof entry)
        return NULL;
    memcpy(&entry, text, sizeof entry);
    if (entry != sizeof(struct cw_runs_entry))
        return NULL;
    text = cw_identity_field(f->identity, FIELD_PROGRAM, &n);
    return text && n > 1 && !text[n - 1] ? text : NULL;
}

struct visit {
    void (*each)(const struct cw_run_record *record, void *context);
    void *context;
};

static bool show(const struct cw_file_store_file *f, void *context)
{
    const struct visit *visit = context;
    const char *program = program_of(f);
    struct cw_runs r;

    if (!program || !cw_history_runs_parse(&r, f->data, f->data_bytes))
        return false;
    for (uint32_t i = 0; i < r.count; i++) {
        const struct cw_runs_entry *e = &r.entry[i];

        visit->each(&(struct cw_run_record){.program = program,
                                            .file = f->name,
                                            .arguments = r.text[i] ? r.text[i] : "",
                                            .arguments_bytes = e->bytes,
                                            .runs = r.number,
                                            .ago = r.number - e->used,
                                            .bare_ns = cw_history_runs_bare_ns(e),
                                            .run_ns = e->run_ns,
                                            .cost_ns = e->cost_ns,
                                            .lived_ns = r.lived_ns,
                                            .lost_ns = r.lost_ns,
                                            .state = cw_history_runs_state(e),
                                            .used_s = f->used_s,
                                            .bytes = f->bytes},
                    visit->context);
    }
    cw_history_runs_finish(&r);
    return false;
}

void cw_run_records_each(const char *folder, void (*each)(const struct cw_run_record *record, void *context),
                         void *context)
{
    struct cw_file_store store;

    cw_file_store_init(&store, folder);
    cw_file_store_visit(&store, show, &(struct visit){each, context});
}

static bool is_named(const struct cw_file_store_file *f, void *name)
{
    const char *program = program_of(f);

    return program && strcmp(program, name) == 0;
}

struct cw_file_store_size cw_run_records_forget(const char *folder, const char *program)
{
    struct cw_file_store store;

    cw_file_store_init(&store, folder);
    return cw_file_store_visit(&store, is_named, (void *)(uintptr_t)program);
}

const char *cw_run_records_state(enum cw_runs_state state)
{
    static const char *const words[] = {"watching", "trying", "gains", "no gain"};

    return words[state];
}
