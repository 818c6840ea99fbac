/* run_records.c - see run_records.h. shim/run/tuning/activation.c makes the identity of a record's file. */
#include "run_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../io/identity.h"
#include "../settings/options.h"
#include "history_runs.h"

#define KIND "runs " /* then a version: parsing tells whether it is this one */

enum { FIELD_KIND, FIELD_ENTRY, FIELD_PROCESSORS, FIELD_PROGRAM, FIELD_SETTINGS = 7 };

/* The settings in the identity, from FIELD_SETTINGS on. */
static const char *const settings[] = {"numerics",   "footprints", "rows",        "devices", "groups",
                                       "policy",     "learn",      "share",       "blocks",  "ratio",
                                       "group-rule", "group-tile", "group-reuse", NULL};

static const char *text_field(const struct cw_identity *id, unsigned number)
{
    size_t n = 0;
    const char *text = cw_identity_field(id, number, &n);

    return text && n > 0 && !text[n - 1] ? text : NULL;
}

/* The program's name in the identity of its record; NULL: this is no record of this version. */
static const char *program_of(const struct cw_file_store_file *f)
{
    const char *kind = text_field(f->identity, FIELD_KIND), *entry;
    uint64_t bytes = 0;
    size_t n = 0;

    entry = cw_identity_field(f->identity, FIELD_ENTRY, &n);
    if (!kind || strncmp(kind, KIND, sizeof KIND - 1) != 0 || !entry || n != sizeof bytes)
        return NULL;
    memcpy(&bytes, entry, sizeof bytes);
    return bytes == sizeof(struct cw_runs_entry) ? text_field(f->identity, FIELD_PROGRAM) : NULL;
}

static const char *default_of(const char *name)
{
    const struct cw_option_info *o = cw_option_table;

    while (o->name && strcmp(o->name, name) != 0)
        o++;
    return o->name ? o->default_value : "";
}

static void write_settings(const struct cw_identity *id, char *text, size_t size)
{
    size_t used = 0;

    *text = '\0';
    for (unsigned i = 0; settings[i] && used < size; i++) {
        const char *value = text_field(id, FIELD_SETTINGS + i);

        if (value && strcmp(value, default_of(settings[i])) != 0)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s=%s", used ? " " : "", settings[i], value);
    }
}

struct visit {
    void (*each)(const struct cw_run_record *record, void *context);
    void *context;
};

static bool show(const struct cw_file_store_file *f, void *context)
{
    static const enum cw_run_state states[] = {[CW_RUNS_WATCHED] = CW_RUN_WATCHING,
                                               [CW_RUNS_TRYING] = CW_RUN_TRYING,
                                               [CW_RUNS_GAINING] = CW_RUN_GAINS,
                                               [CW_RUNS_NO_GAIN] = CW_RUN_NO_GAIN};
    const struct visit *visit = context;
    const char *program = program_of(f);
    char given[256];
    struct cw_runs r;

    if (!program || !cw_history_runs_parse(&r, f->data, f->data_bytes))
        return false;
    write_settings(f->identity, given, sizeof given);
    for (uint32_t i = 0; i < r.count; i++)
        visit->each(&(struct cw_run_record){.program = program,
                                            .file = f->name,
                                            .settings = given,
                                            .arguments = r.text[i] ? r.text[i] : "",
                                            .arguments_bytes = r.text[i] ? r.entry[i].bytes : 0,
                                            .runs = r.number,
                                            .ago = r.number - r.entry[i].used,
                                            .bare_ns = cw_history_runs_bare_ns(&r.entry[i]),
                                            .run_ns = r.entry[i].run_ns,
                                            .cost_ns = r.entry[i].cost_ns,
                                            .lived_ns = r.lived_ns,
                                            .lost_ns = r.lost_ns,
                                            .state = states[cw_history_runs_state(&r.entry[i])],
                                            .used_s = f->used_s,
                                            .bytes = f->bytes},
                    visit->context);
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

const char *cw_run_records_state(enum cw_run_state state)
{
    static const char *const words[] = {"watching", "trying", "gains", "no gain"};

    return words[state];
}
