/* cache_programs.c - see cache_files.h. */
#include "cache_files.h"
#include "frame/cli.h"
#include "../compile/requests.h"
#include "../history/run_records.h"
#include "../io/text.h"
#include "../io/quantity.h"
#include "../io/folders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define OTHERS_WRITE 022
#define LOCK         "lock"
#define LOG          "log"
#define OLD_LOG      "log.old"

enum cw_status cw_cache_files_find(struct cw_cache_files *c, const char *history, struct cw_error *err)
{
    const char *given = history ? history : getenv("CLWEAVE_HISTORY"), *slash, *name;
    char above[PATH_MAX];

    *c = (struct cw_cache_files){.history = "history.db", .own = !given || !*given};
    if (c->own)
        return cw_cache_folder(c->folder, sizeof c->folder, err);
    if (strcmp(given, "off") == 0)
        return cw_error_set(err, CW_ERR_NOTFOUND, "CLWEAVE_HISTORY is off: run keeps nothing");
    slash = strrchr(given, '/');
    name = slash ? slash + 1 : given;
    if ((size_t)(name - given) >= sizeof above || strlen(name) >= sizeof c->history || !*name)
        return cw_error_set(err, CW_ERR_INVALID, "CLWEAVE_HISTORY: %.400s is no file", given);
    snprintf(above, sizeof above, "%.*s", slash ? (int)(name - given) : 1, slash ? given : ".");
    if (!realpath(above, c->folder))
        return cw_error_set(err, CW_ERR_IO, "CLWEAVE_HISTORY: cannot open %.400s: %s", above,
                            strerror(errno));
    strcpy(c->history, name);
    return CW_OK;
}

bool cw_cache_files_path(const struct cw_cache_files *c, const char *name, char path[PATH_MAX])
{
    return snprintf(path, PATH_MAX, "%s/%s", c->folder, name) < PATH_MAX;
}

struct cw_file_store_size cw_cache_files_store(const struct cw_cache_files *c, const char *name, bool clear)
{
    struct cw_file_store store;
    char path[PATH_MAX];

    if (!cw_cache_files_path(c, name, path))
        return (struct cw_file_store_size){0};
    cw_file_store_init(&store, path);
    return cw_file_store_visit_size(&store, clear);
}

/* Adds the file `name` of folder `at` to *all, if it is a regular file of the user's, and with `clear` if it
 * has gone. */
static void add(int at, const char *name, bool clear, struct cw_file_store_size *all)
{
    struct stat st;

    if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
        (clear && unlinkat(at, name, 0) != 0))
        return;
    all->files++;
    all->bytes += (uint64_t)st.st_size;
}

struct cw_file_store_size cw_cache_files_history(const struct cw_cache_files *c, bool clear)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"}; /* of SQLite */
    struct cw_file_store_size all = {0};
    char name[sizeof c->history + 16];
    int at = cw_cache_folder_open(AT_FDCWD, c->folder, OTHERS_WRITE);

    for (size_t i = 0; at >= 0 && i < sizeof ends / sizeof *ends; i++) {
        snprintf(name, sizeof name, "%s%s", c->history, ends[i]);
        add(at, name, clear, &all);
    }
    if (at >= 0)
        close(at);
    return all;
}

/* ---- requests */

/* Holds the lock for an instant where no builder does: one that starts in it finds its requests again at the
 * next run. */
static bool is_locked(int at)
{
    int fd = openat(at, LOCK, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

    if (fd >= 0)
        close(fd);
    return locked;
}

struct cw_cache_requests cw_cache_files_requests(const struct cw_cache_files *c)
{
    static struct cw_requests r; /* large */
    struct cw_cache_requests found = {0};
    int at;

    cw_requests_init(&r, c->folder);
    r.of_all = true;
    at = cw_file_store_open(&r.store, false);
    if (at < 0)
        return found;
    found.at_work = is_locked(at);
    found.waiting = (unsigned)cw_requests_count(&r);
    close(at);
    return found;
}

struct cw_file_store_size cw_cache_files_requests_of(const struct cw_cache_files *c, const char *program,
                                                     bool (*each)(const struct cw_request *q, void *context),
                                                     void *context)
{
    static struct cw_requests r; /* large */
    struct cw_file_store_size gone = {0};
    char(*names)[CW_FILE_STORE_NAME_BYTES];
    size_t n = 0;
    int at;

    cw_requests_init(&r, c->folder);
    names = cw_file_store_list(&r.store, &n);
    at = cw_file_store_open(&r.store, false);
    for (size_t i = 0; at >= 0 && i < n; i++) {
        struct cw_request q;

        if (!cw_requests_read(&r, names[i], &q))
            continue;
        if ((!program || (q.program && strcmp(q.program, program) == 0)) && each(&q, context))
            add(at, names[i], true, &gone);
        cw_requests_finish(&q);
    }
    if (at >= 0)
        close(at);
    free(names);
    return gone;
}

struct cw_file_store_size cw_cache_files_requests_clear(const struct cw_cache_files *c)
{
    static struct cw_requests r; /* large */
    struct cw_file_store_size all;
    int at;

    cw_requests_init(&r, c->folder);
    all = cw_file_store_visit_size(&r.store, true);
    at = cw_file_store_open(&r.store, false);
    if (at < 0)
        return all;
    add(at, LOG, true, &all);
    add(at, OLD_LOG, true, &all);
    close(at);
    return all;
}

static void each_record(const struct cw_cache_files *c,
                        void (*each)(const struct cw_run_record *record, void *context), void *context)
{
    char path[PATH_MAX];

    if (cw_cache_files_path(c, CW_CACHE_PROGRAMS, path))
        cw_run_records_each(path, each, context);
}

/* ---- texts */

static const char *time_text(double ns, char text[16])
{
    return ns > 0 ? cw_quantity_ns((uint64_t)ns, text) : "-";
}

static const char *gain_text(const struct cw_run_record *r, char text[16])
{
    if (r->state == CW_RUN_WATCHING || !(r->bare_ns > 0) || !(r->run_ns > 0))
        return "-";
    snprintf(text, 16, "%.2fx", r->bare_ns / r->run_ns);
    return text;
}

static const char *age_text(int64_t used_s, char text[24])
{
    int64_t age = (int64_t)time(NULL) - used_s;
    bool hours = age >= 3600, days = age >= 86400;

    if (age < 60)
        return "just now";
    snprintf(text, 24, "%d %s ago",
             (int)(age / (days    ? 86400
                          : hours ? 3600
                                  : 60)),
             days    ? "d"
             : hours ? "h"
                     : "min");
    return text;
}

/* The arguments behind the program's name on one line, malloc'ed; NULL: out of memory. */
static char *arguments_text(const struct cw_run_record *r)
{
    size_t at = strnlen(r->arguments, r->arguments_bytes), n;
    char *text;

    at += at < r->arguments_bytes;
    n = r->arguments_bytes - at;
    text = malloc(n + sizeof "(none)");
    if (!text)
        return NULL;
    memcpy(text, r->arguments + at, n);
    for (size_t i = 0; i < n; i++)
        text[i] = text[i] ? text[i] : ' ';
    n -= n && text[n - 1] == ' ';
    strcpy(text + n, n ? "" : "(none)");
    cw_printable_clean(text, strlen(text)); /* JSON takes no bytes that are no characters */
    return text;
}

/* ---- all programs */

struct row {
    char *program, *file;
    struct cw_run_record latest; /* strings are not to be used */
    uint64_t runs, bytes;
};

struct rows {
    struct row *row;
    size_t n;
    bool failed;
};

static struct row *row_of(struct rows *all, const char *program)
{
    struct row *more;

    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->row[i].program, program) == 0)
            return &all->row[i];
    more = realloc(all->row, (all->n + 1) * sizeof *more);
    if (!more)
        return NULL;
    all->row = more;
    more[all->n] = (struct row){.program = strdup(program)};
    return more[all->n].program ? &more[all->n++] : NULL;
}

/* Records of one file come one after the other, the newest file first. */
static void add_row(const struct cw_run_record *r, void *context)
{
    struct rows *all = context;
    struct row *row = row_of(all, r->program);
    bool is_first = row && !row->file, is_new = row && (is_first || strcmp(row->file, r->file) != 0);

    if (!row) {
        all->failed = true;
        return;
    }
    if (is_new) {
        free(row->file);
        row->file = strdup(r->file);
        row->runs += r->runs;
        row->bytes += r->bytes;
        all->failed |= !row->file;
    }
    if (is_first || (r->used_s == row->latest.used_s && r->ago < row->latest.ago))
        row->latest = *r;
}

static void finish_rows(struct rows *all)
{
    for (size_t i = 0; i < all->n; i++) {
        free(all->row[i].program);
        free(all->row[i].file);
    }
    free(all->row);
}

void cw_cache_programs_print(const struct cw_cache_files *c)
{
    struct rows all = {0};
    int width = sizeof "program" - 1;
    char bare[16], run[16], gain[16], age[24], bytes[16];

    each_record(c, add_row, &all);
    for (size_t i = 0; i < all.n; i++)
        width = (int)strlen(all.row[i].program) > width ? (int)strlen(all.row[i].program) : width;
    if (!all.n)
        puts("no program was run yet: clweave run -- ./app, or clweave learn -- ./app");
    else
        printf("%-*s %6s %10s %10s %7s  %-8s  %-10s  %10s\n", width, "program", "runs", "bare", "run", "gain",
               "state", "used", "size");
    for (size_t i = 0; i < all.n; i++) {
        const struct row *r = &all.row[i];

        printf("%-*s %6llu %10s %10s %7s  %-8s  %-10s  %10s\n", width, r->program,
               (unsigned long long)r->runs, time_text(r->latest.bare_ns, bare),
               time_text(r->latest.run_ns, run), gain_text(&r->latest, gain),
               cw_run_records_state(r->latest.state), age_text(r->latest.used_s, age),
               cw_quantity_bytes(r->bytes, bytes));
    }
    if (all.failed)
        cw_cli_complain("cache: out of memory");
    finish_rows(&all);
}

/* ---- one program */

struct search {
    const char *program; /* NULL: all */
    char *file;          /* of the latest record */
    unsigned records;
    json_t *list; /* NULL: print */
};

static void print_record(const struct cw_run_record *r, struct search *s)
{
    char a[16], b[16], age[24], *arguments = arguments_text(r);

    if (!s->file || strcmp(s->file, r->file) != 0) {
        free(s->file);
        s->file = strdup(r->file);
        printf("%s%s%s%s: %llu runs, used %s; they took %s in all, %s more than bare\n",
               s->records++ ? "\n" : "", r->program, *r->settings ? " with " : "", r->settings,
               (unsigned long long)r->runs, age_text(r->used_s, age), time_text(r->lived_ns, a),
               r->lost_ns > 0 ? time_text(r->lost_ns, b) : "nothing");
    }
    printf("\n  arguments: %s\n", arguments ? arguments : "?");
    printf("    %s; bare %s, run %s", cw_run_records_state(r->state), time_text(r->bare_ns, a),
           time_text(r->run_ns, b));
    printf(", gain %s, beginning costs %s", gain_text(r, a), time_text(r->cost_ns, b));
    printf("; %llu runs ago\n", (unsigned long long)r->ago);
    free(arguments);
}

static bool print_request(const struct cw_request *q, void *context)
{
    static const char *const words[CW_REQUEST_KINDS] = {[CW_REQUEST_PROGRAM] = "a program for a helper",
                                                        [CW_REQUEST_STAND_IN] = "the program's own build",
                                                        [CW_REQUEST_MODELS] = "models of kernels",
                                                        [CW_REQUEST_LAUNCH] = "code of a launch"};
    const char *device = q->device ? q->device : "?";
    unsigned *n = context;

    printf("%s  request: %s for %.*s", (*n)++ ? "" : "\n", words[q->kind], (int)strcspn(device, ";"), device);
    if (q->units)
        printf(", %u compute units", q->units);
    if (q->failed)
        printf(", failed %u time%s", q->failed, q->failed == 1 ? "" : "s");
    putchar('\n');
    return false;
}

static json_t *record_json(const struct cw_run_record *r)
{
    char *arguments = arguments_text(r);
    json_t *o = json_pack("{s:s, s:s, s:s, s:s*, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:s, s:I, s:I}",
                          "program", r->program, "record", r->file, "settings", r->settings, "arguments",
                          arguments, "runs", (json_int_t)r->runs, "runs_ago", (json_int_t)r->ago, "bare_ns",
                          r->bare_ns, "run_ns", r->run_ns, "cost_ns", r->cost_ns, "lived_ns", r->lived_ns,
                          "lost_ns", r->lost_ns, "state", cw_run_records_state(r->state), "used_s",
                          (json_int_t)r->used_s, "bytes", (json_int_t)r->bytes);

    free(arguments);
    return o;
}

static void take_record(const struct cw_run_record *r, void *context)
{
    struct search *s = context;

    if (s->program && strcmp(s->program, r->program) != 0)
        return;
    if (s->list)
        json_array_append_new(s->list, record_json(r));
    else
        print_record(r, s);
}

json_t *cw_cache_programs_json(const struct cw_cache_files *c, const char *program)
{
    struct search s = {.program = program, .list = json_array()};

    each_record(c, take_record, &s);
    return s.list;
}

bool cw_cache_programs_known(const struct cw_cache_files *c, const char *program)
{
    struct rows all = {0};
    const char **names, *nearest;
    bool known = false;

    each_record(c, add_row, &all);
    names = calloc(all.n + 1, sizeof *names);
    for (size_t i = 0; names && i < all.n; i++) {
        names[i] = all.row[i].program;
        known |= strcmp(names[i], program) == 0;
    }
    nearest = names && !known ? cw_cli_nearest(program, names) : NULL;
    if (!known && nearest)
        cw_cli_complain("cache: no run of '%s' is known; did you mean '%s'?", program, nearest);
    else if (!known)
        cw_cli_complain("cache: no run of '%s' is known; clweave cache list names the programs", program);
    free(names);
    finish_rows(&all);
    return known;
}

bool cw_cache_programs_show(const struct cw_cache_files *c, const char *program, bool json)
{
    struct search s = {.program = program};

    if (!cw_cache_programs_known(c, program))
        return false;
    if (json) {
        json_t *list = cw_cache_programs_json(c, program);

        json_dumpf(list, stdout, JSON_INDENT(1));
        putchar('\n');
        json_decref(list);
        return true;
    }
    each_record(c, take_record, &s);
    free(s.file);
    cw_cache_files_requests_of(c, program, print_request, &(unsigned){0});
    return true;
}
