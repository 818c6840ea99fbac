/* cmd_cache.c - clweave cache: what earlier runs have left for later ones. */
#include "cache_files.h"
#include "frame/cli.h"
#include "../history/run_records.h"
#include "../io/quantity.h"

#include <jansson.h>
#include <string.h>

struct cache_options {
    bool json;
};

static const struct cw_cli_option options[] = {
    {"json", 0, CW_CLI_BOOL, offsetof(struct cache_options, json), NULL, NULL, "list and show: print JSON"},
    CW_CLI_END,
};

/* ---- list */

static void print_size(const char *name, struct cw_file_store_size size, const char *limit, const char *holds)
{
    char bytes[16];

    printf("%-12s %6llu  %10s  %-22s %s\n", name, (unsigned long long)size.files,
           cw_quantity_bytes(size.bytes, bytes), limit, holds);
}

static void print_stores(const struct cw_cache_files *c)
{
    char limit[48], bytes[16];

    snprintf(limit, sizeof limit, "%d files, %s", CW_FILE_STORE_FILES,
             cw_quantity_bytes(CW_FILE_STORE_BYTES, bytes));
    printf("\n%-12s %6s  %10s  %-22s %s\n", "store", "files", "size", "limit", "holds");
    for (const struct cw_cache_store *s = cw_cache_stores; s->folder; s++)
        print_size(s->folder, cw_cache_files_store(c, s->folder, false), limit, s->holds);
    print_size(c->history, cw_cache_files_history(c, false), "-", "times of launches");
}

static void print_requests(const struct cw_cache_files *c)
{
    struct cw_cache_requests r = cw_cache_files_requests(c);

    printf("\nbuilder: %s, %u request%s waiting\n", r.at_work ? "at work" : "idle", r.waiting,
           r.waiting == 1 ? "" : "s");
}

static json_t *stores_json(const struct cw_cache_files *c)
{
    json_t *list = json_array();

    for (const struct cw_cache_store *s = cw_cache_stores; s->folder; s++) {
        struct cw_file_store_size size = cw_cache_files_store(c, s->folder, false);

        json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:I, s:I}", "store", s->folder, "files",
                                              (json_int_t)size.files, "bytes", (json_int_t)size.bytes,
                                              "most_files", (json_int_t)CW_FILE_STORE_FILES, "most_bytes",
                                              (json_int_t)CW_FILE_STORE_BYTES));
    }
    return list;
}

#define SECOND "(clweave beside it is not used: another machine, user or an earlier version has filled it)\n"

static int list_all(const struct cw_cache_files *c, bool json)
{
    struct cw_file_store_size history = cw_cache_files_history(c, false);
    struct cw_cache_requests r = cw_cache_files_requests(c);

    if (json) {
        json_t *root =
            json_pack("{s:s, s:i, s:s, s:o, s:o, s:{s:s, s:I, s:I}, s:{s:I, s:b}}", "format", "clweave-cache",
                      "version", 1, "folder", c->folder, "programs", cw_cache_programs_json(c, NULL),
                      "stores", stores_json(c), "history", "file", c->history, "files",
                      (json_int_t)history.files, "bytes", (json_int_t)history.bytes, "requests", "waiting",
                      (json_int_t)r.waiting, "builder_at_work", (int)r.at_work);

        json_dumpf(root, stdout, JSON_INDENT(1));
        putchar('\n');
        json_decref(root);
        return CW_EXIT_OK;
    }
    printf("%s\n%s\n", c->folder, c->own && strcmp(strrchr(c->folder, '/'), "/clweave") ? SECOND : "");
    cw_cache_programs_print(c);
    print_stores(c);
    print_requests(c);
    return CW_EXIT_OK;
}

/* ---- clear */

static void add(struct cw_file_store_size *all, struct cw_file_store_size more)
{
    all->files += more.files;
    all->bytes += more.bytes;
}

static int clear_all(const struct cw_cache_files *c)
{
    struct cw_file_store_size gone = {0};
    char bytes[16];

    add(&gone, cw_cache_files_requests_clear(c)); /* first, so that a builder takes no more of them */
    for (const struct cw_cache_store *s = cw_cache_stores; s->folder; s++)
        add(&gone, cw_cache_files_store(c, s->folder, true));
    add(&gone, cw_cache_files_history(c, true));
    printf("removed %llu files, %s, in %s\n", (unsigned long long)gone.files,
           cw_quantity_bytes(gone.bytes, bytes), c->folder);
    if (cw_cache_files_requests(c).at_work)
        puts("a builder is at work: it may write the file that it is making");
    return CW_EXIT_OK;
}

static bool goes(const struct cw_request *q, void *context)
{
    (void)q, (void)context;
    return true;
}

static int clear_program(const struct cw_cache_files *c, const char *program)
{
    struct cw_file_store_size gone = {0};
    char path[PATH_MAX], bytes[16];

    if (!cw_cache_programs_known(c, program))
        return CW_EXIT_FAILURE;
    if (cw_cache_files_path(c, CW_CACHE_PROGRAMS, path))
        add(&gone, cw_run_records_forget(path, program));
    add(&gone, cw_cache_files_requests_of(c, program, goes, NULL));
    printf("removed %llu files, %s, of %s; builds and models are kept by source, and stay\n",
           (unsigned long long)gone.files, cw_quantity_bytes(gone.bytes, bytes), program);
    return CW_EXIT_OK;
}

/* ---- the command */

enum action { LIST, SHOW, CLEAR, FOLDER, ACTIONS };

static const struct {
    const char *word;
    int least, most; /* operands behind the word */
} actions[ACTIONS] = {
    [LIST] = {"list", 0, 0}, [SHOW] = {"show", 1, 1}, [CLEAR] = {"clear", 0, 1}, [FOLDER] = {"path", 0, 0}};

/* The action that argv names, with as many operands as it takes; ACTIONS: none, which this says. */
static enum action read_action(int argc, char **argv)
{
    const char *const words[] = {"list", "show", "clear", "path", NULL}, *nearest;
    const char *word = argc > 0 ? argv[0] : "list";
    int given = argc > 0 ? argc - 1 : 0;

    for (int i = 0; i < ACTIONS; i++) {
        if (strcmp(actions[i].word, word) != 0)
            continue;
        if (given >= actions[i].least && given <= actions[i].most)
            return (enum action)i;
        if (given < actions[i].least)
            cw_cli_complain("cache %s: a program is missing; clweave cache list names them", word);
        else
            cw_cli_complain("cache %s: unexpected '%s'", word, argv[1 + actions[i].most]);
        return ACTIONS;
    }
    nearest = cw_cli_nearest(word, words);
    if (nearest)
        cw_cli_complain("cache: unknown word '%s'; did you mean '%s'?", word, nearest);
    else
        cw_cli_complain("cache: unknown word '%s'; possible are list, show, clear and path", word);
    return ACTIONS;
}

static int run(const void *values, int argc, char **argv)
{
    const struct cache_options *o = values;
    enum action action = read_action(argc, argv);
    struct cw_error err = {0};
    static struct cw_cache_files c; /* large */

    if (action == ACTIONS)
        return CW_EXIT_USAGE;
    if (cw_cache_files_find(&c, NULL, &err) != CW_OK)
        return cw_cli_fail(&err);
    if (argc > 1 && strrchr(argv[1], '/')) /* a program is known by the name of its file */
        argv[1] = strrchr(argv[1], '/') + 1;
    switch (action) {
    case SHOW:
        return cw_cache_programs_show(&c, argv[1], o->json) ? CW_EXIT_OK : CW_EXIT_FAILURE;
    case CLEAR:
        return argc > 1 ? clear_program(&c, argv[1]) : clear_all(&c);
    case FOLDER:
        puts(c.folder);
        return CW_EXIT_OK;
    default:
        return list_all(&c, o->json);
    }
}

static const char *const examples[] = {"clweave cache",
                                       "programs, their gain, and the size of everything",
                                       "clweave cache show app",
                                       "what run knows of app, for each kind of arguments",
                                       "clweave cache clear app",
                                       "let run learn app anew",
                                       NULL};

static const char *const output[] = {
    "program",   "name of the program's file",
    "runs",      "under clweave run, those without work left out",
    "bare, run", "OpenCL's part of late runs without helpers, and with them; - not known",
    "gain",      "bare over run: above 1 is faster",
    "state",     "see above",
    "used",      "when it ran last",
    "store",     "folder or file; files, size: what is in it; limit: the oldest files go at",
    "holds",     "what the files are about",
    "requests",  "results that the builder makes for later runs",
    NULL,
};

const struct cw_command_def cw_cmd_cache = {
    .name = "cache",
    .summary = "show or clear what runs have left for later ones",
    .usage = "[list | show PROGRAM | clear [PROGRAM] | path] [--json]",
    .details =
        "list (also without a word): the programs that run knows, with the work of runs without helpers "
        "(bare) and with them (run) of late; then every store with its size, and the builder that prepares "
        "later runs. state: watching: runs so far only tell how long the program works; trying: some runs "
        "begin with helpers, to see whether that gains; gains: runs begin with them; no gain: they have "
        "lost, and are tried again ever more seldom.\n\nshow PROGRAM: the same for each kind of arguments "
        "of the program, and its requests to the builder.\n\nclear: removes all files that run has made, "
        "without a question; with a PROGRAM (the name of its file) only the times of its runs and its "
        "requests to the builder. It may be done at any time: programs that run go on.\n\npath: prints the "
        "folder: $XDG_CACHE_HOME/clweave, else ~/.cache/clweave; clweave-OWNER beside it where another "
        "machine, user or an earlier version has filled that one; or where CLWEAVE_HISTORY says.",
    .options = options,
    .output = output,
    .words = "list|show|clear|path",
    .examples = examples,
    .values_size = sizeof(struct cache_options),
    .max_operands = 2,
    .run = run,
};
