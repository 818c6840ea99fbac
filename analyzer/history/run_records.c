/* run_records.c - see run_records.h. The record's layout is that of struct cw_runs in
 * shim/history/history_runs.h; its file's identity is made in shim/run/tuning/activation.c. */
#include "run_records.h"

#include <string.h>

#include "../io/identity.h"

#define KIND          "runs 7"
#define MOST_ENTRIES  32
#define TRIALS        3
#define MARKS         12
#define LONGEST_NS    1e18 /* more is nonsense */
#define FIELD_ENTRY   1
#define FIELD_PROGRAM 3

struct head {
    uint64_t number;
    double lived_ns, learnt_ns;
    uint32_t count, unused;
};

struct entry {
    uint64_t arguments, used;
    double later_ns, at_once_ns, cost_ns;
    float saved_ns, owed_ns;
    uint32_t later, at_once, losses, since, learnt, begins, bytes;
    float at_ns[MARKS];
};

/* The program's name in the identity of its record; NULL: this is no record of this version. */
static const char *program_of(const struct cw_file_store_file *f)
{
    size_t n = 0;
    uint64_t entry = 0;
    const char *text = cw_identity_field(f->identity, 0, &n);

    if (!text || n != sizeof KIND || memcmp(text, KIND, n) != 0)
        return NULL;
    text = cw_identity_field(f->identity, FIELD_ENTRY, &n);
    if (!text || n != sizeof entry)
        return NULL;
    memcpy(&entry, text, sizeof entry);
    if (entry != sizeof(struct entry))
        return NULL;
    text = cw_identity_field(f->identity, FIELD_PROGRAM, &n);
    return text && n > 1 && !text[n - 1] ? text : NULL;
}

static bool is_time(double ns)
{
    return ns >= 0 && ns < LONGEST_NS; /* no NAN either */
}

static enum cw_run_state state_of(const struct entry *e)
{
    return e->at_once >= TRIALS          ? CW_RUN_GAINS
           : e->at_once > 0 || e->learnt ? CW_RUN_TRYING
           : e->losses > 0               ? CW_RUN_NO_GAIN
                                         : CW_RUN_WATCHING;
}

struct visit {
    void (*each)(const struct cw_run_record *record, void *context);
    void *context;
};

static bool show(const struct cw_file_store_file *f, void *context)
{
    const struct visit *visit = context;
    const char *program = program_of(f), *data = f->data, *end = data + f->data_bytes, *text;
    struct head head;
    struct entry e;

    if (!program || f->data_bytes < sizeof head)
        return false;
    memcpy(&head, data, sizeof head);
    if (head.count > MOST_ENTRIES || f->data_bytes < sizeof head + head.count * sizeof e)
        return false;
    text = data + sizeof head + head.count * sizeof e;
    for (uint32_t i = 0; i < head.count; i++, text += e.bytes) {
        memcpy(&e, data + sizeof head + i * sizeof e, sizeof e);
        if (e.bytes > (size_t)(end - text) || e.used > head.number || !is_time(e.later_ns) ||
            !is_time(e.at_once_ns) || !is_time(e.cost_ns) || !is_time(head.lived_ns) ||
            !is_time(head.learnt_ns))
            return false;
        visit->each(&(struct cw_run_record){.program = program,
                                            .file = f->name,
                                            .arguments = text,
                                            .arguments_bytes = e.bytes,
                                            .runs = head.number,
                                            .ago = head.number - e.used,
                                            .bare_ns = e.later_ns,
                                            .run_ns = e.at_once_ns,
                                            .cost_ns = e.cost_ns,
                                            .lived_ns = head.lived_ns,
                                            .learnt_ns = head.learnt_ns,
                                            .state = state_of(&e),
                                            .used_s = f->used_s,
                                            .bytes = f->bytes},
                    visit->context);
    }
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
