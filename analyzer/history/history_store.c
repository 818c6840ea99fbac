#include "history_store.h"
#include "history.h"
#include "../io/folders.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION     2          /* 1: kernels had keys of 64 bits */
#define APPLICATION 0x636c7776 /* "clwv", shown by file(1) */
#define TEXT_OF(x)  #x
#define TEXT(x)     TEXT_OF(x)

static const char schema[] = "PRAGMA application_id = " TEXT(
    APPLICATION) ";"
                 "PRAGMA user_version = " TEXT(
                     VERSION) ";"
                              "CREATE TABLE launch(kernel BLOB NOT NULL, shape INTEGER NOT NULL, device "
                              "TEXT NOT NULL, size REAL NOT NULL,"
                              " count REAL NOT NULL, mean_ns REAL NOT NULL, squares REAL NOT NULL, save "
                              "INTEGER NOT NULL,"
                              " PRIMARY KEY(kernel, shape, device)) WITHOUT ROWID;"
                              "CREATE TABLE saves(n INTEGER NOT NULL);"
                              "INSERT INTO saves VALUES(0);";

static const char known[] =
    "SELECT count, mean_ns, squares FROM launch WHERE kernel = ?1 AND shape = ?2 AND device = ?3";
static const char replace[] =
    "INSERT OR REPLACE INTO launch VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, (SELECT n FROM saves))";

static const char prune[] =
    "DELETE FROM launch WHERE save < (SELECT save FROM launch ORDER BY save DESC LIMIT 1 OFFSET " TEXT(
        CW_HISTORY_ROWS) ")";

static const char rows[] = "SELECT kernel, shape, device, size, count, mean_ns, squares FROM launch";

/* ---- one visit */

struct visit {
    char path[PATH_MAX];
    sqlite3 *db;
    struct cw_error *err;
    sigset_t signals;
    bool pending; /* SIGXFSZ was pending before */
    int saved_errno;
};

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void block_signals(struct visit *v)
{
    sigset_t all, pending;

    v->saved_errno = errno;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &v->signals);
    sigpending(&pending);
    v->pending = sigismember(&pending, SIGXFSZ);
}

static void unblock_signals(struct visit *v)
{
    sigset_t limit;

    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    if (!v->pending)
        sigtimedwait(&limit, NULL, &(struct timespec){0}); /* the library's own one, if there is one */
    pthread_sigmask(SIG_SETMASK, &v->signals, NULL);
    errno = v->saved_errno;
}

/* The status for SQLite's answer `code`. */
static enum cw_status failed(struct visit *v, int code)
{
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return cw_error_set(v->err, CW_ERR_NOMEM, "out of memory for the performance history");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR: /* a table or a column is not there: not a history file */
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
        return cw_error_set(v->err, CW_ERR_FORMAT, "the performance history %.300s is damaged (%s)", v->path,
                            sqlite3_errstr(code));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return cw_error_set(v->err, CW_ERR_IO,
                            "the performance history %.300s has been locked by another process for %d ms",
                            v->path, CW_HISTORY_WAIT_MS);
    default:
        return cw_error_set(v->err, CW_ERR_IO, "cannot use the performance history %.300s: %s", v->path,
                            sqlite3_errstr(code));
    }
}

static enum cw_status execute(struct visit *v, const char *sql)
{
    int code = sqlite3_exec(v->db, sql, NULL, NULL, NULL);

    return code == SQLITE_OK ? CW_OK : failed(v, code);
}

/* The number that a statement of one row answers. */
static enum cw_status ask(struct visit *v, const char *sql, int *answer)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(v->db, sql, -1, &statement, NULL);

    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
        if (code == SQLITE_ROW)
            *answer = sqlite3_column_int(statement, 0);
    }
    sqlite3_finalize(statement);
    return code == SQLITE_ROW ? CW_OK : failed(v, code);
}

static enum cw_status open_database(struct visit *v)
{
    int code = sqlite3_open_v2(
        v->path, &v->db,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOFOLLOW, NULL);

    if (code != SQLITE_OK)
        return failed(v, code);
    sqlite3_busy_timeout(v->db, CW_HISTORY_WAIT_MS);
    sqlite3_db_config(v->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(v->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    /* A database that has come to use a write-ahead log is changed back. In exclusive mode, which ends with
     * the next statement that reads, SQLite keeps the index of that log in private memory and not in a mapped
     * file. */
    return execute(v, "PRAGMA mmap_size = 0; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE;"
                      "PRAGMA locking_mode = NORMAL; PRAGMA user_version; PRAGMA synchronous = OFF;"
                      "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON");
}

/* 0 for an empty file. Errors: CW_ERR_VERSION, CW_ERR_FORMAT and so on. */
static enum cw_status check_version(struct visit *v, int *version)
{
    int application = 0;
    enum cw_status status = ask(v, "PRAGMA user_version", version);

    if (status == CW_OK)
        status = ask(v, "PRAGMA application_id", &application);
    if (status != CW_OK || (*version == 0 && application == 0))
        return status;
    if (application != APPLICATION || *version < 1)
        return cw_error_set(v->err, CW_ERR_INVALID, "%.300s is a database, but no performance history",
                            v->path);
    if (*version > VERSION)
        return cw_error_set(
            v->err, CW_ERR_VERSION,
            "the performance history %.300s is of a newer clweave (version %d, this one reads %d)", v->path,
            *version, VERSION);
    return CW_OK;
}

static void close_database(struct visit *v)
{
    sqlite3_close(v->db);
    v->db = NULL;
}

/* ---- load */

struct rows {
    struct cw_history_entry *entry;
    size_t count, capacity;
};

static bool append(struct rows *r, const struct cw_history_entry *e)
{
    if (r->count == r->capacity) {
        size_t n = r->capacity ? 2 * r->capacity : 256;
        struct cw_history_entry *more = realloc(r->entry, n * sizeof *more);
        if (!more)
            return false;
        r->entry = more;
        r->capacity = n;
    }
    r->entry[r->count++] = *e;
    return true;
}

static enum cw_status read_row(struct visit *v, struct cw_history *h, sqlite3_stmt *s, struct rows *r)
{
    const void *kernel = sqlite3_column_blob(s, 0);
    const char *device = (const char *)sqlite3_column_text(s, 2);
    struct cw_history_entry e = {
        .shape = (uint64_t)sqlite3_column_int64(s, 1),
        .size = sqlite3_column_double(s, 3),
        .stored = {sqlite3_column_double(s, 4), sqlite3_column_double(s, 5), sqlite3_column_double(s, 6)}};

    if (!device || !kernel || sqlite3_column_bytes(s, 0) != sizeof e.kernel)
        return CW_OK;
    memcpy(&e.kernel, kernel, sizeof e.kernel);
    e.device = cw_history_device(h, device);
    if (e.device == CW_HISTORY_NO_DEVICE || r->count >= 4 * CW_HISTORY_ROWS)
        return CW_OK;
    return append(r, &e) ? CW_OK : failed(v, SQLITE_NOMEM);
}

static enum cw_status read_rows(struct visit *v, struct cw_history *h, struct rows *r)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(v->db, rows, -1, &statement, NULL);
    enum cw_status status = code == SQLITE_OK ? CW_OK : failed(v, code);

    while (status == CW_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = read_row(v, h, statement, r);
    if (status == CW_OK && code != SQLITE_DONE)
        status = failed(v, code);
    sqlite3_finalize(statement);
    return status;
}

static enum cw_status history_file(const char *path, bool create, char *real, size_t size,
                                   struct cw_error *err);

enum cw_status cw_history_load(struct cw_history *h, const char *path, struct cw_error *err)
{
    struct visit v = {.err = err};
    struct rows r = {0};
    enum cw_status status;
    int version = 0;

    if (pthread_mutex_trylock(&one_at_a_time) != 0)
        return cw_error_set(err, CW_ERR_IO, "the performance history is being saved by another thread");
    block_signals(&v);
    status = history_file(path, false, v.path, sizeof v.path, err);
    if (status == CW_OK)
        status = open_database(&v);
    if (status == CW_OK)
        status = check_version(&v, &version);
    if (status == CW_OK && version == VERSION)
        status = read_rows(&v, h, &r);
    close_database(&v);
    for (size_t k = 0; k < r.count && status == CW_OK; k++)
        cw_history_merge(h, &r.entry[k]);
    free(r.entry);
    unblock_signals(&v);
    pthread_mutex_unlock(&one_at_a_time);
    return status == CW_ERR_NOTFOUND ? CW_OK : status;
}

/* ---- save */

/* The statements of one save. */
struct writer {
    sqlite3_stmt *known, *replace;
};

static void bind_key(sqlite3_stmt *s, const struct cw_history *h, const struct cw_history_entry *e)
{
    sqlite3_bind_blob(s, 1, &e->kernel, sizeof e->kernel, SQLITE_STATIC);
    sqlite3_bind_int64(s, 2, (sqlite3_int64)e->shape);
    sqlite3_bind_text(s, 3, cw_history_device_name(h, e->device), -1, SQLITE_STATIC);
}

/* Merges the fresh samples of `e` into its row, which other processes may have written since it was loaded.
 * Returns SQLite's answer, SQLITE_DONE when all went well. */
static int write_row(const struct writer *w, const struct cw_history *h, const struct cw_history_entry *e)
{
    struct cw_history_stat all = e->fresh;
    int code;

    bind_key(w->known, h, e);
    code = sqlite3_step(w->known);
    if (code == SQLITE_ROW) {
        struct cw_history_stat before = {sqlite3_column_double(w->known, 0),
                                         sqlite3_column_double(w->known, 1),
                                         sqlite3_column_double(w->known, 2)};
        if (cw_history_stat_sensible(&before)) {
            cw_history_stat_merge(&before, &all);
            all = before;
        }
    }
    sqlite3_reset(w->known);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return code;
    bind_key(w->replace, h, e);
    sqlite3_bind_double(w->replace, 4, e->size);
    sqlite3_bind_double(w->replace, 5, all.count);
    sqlite3_bind_double(w->replace, 6, all.mean_ns);
    sqlite3_bind_double(w->replace, 7, all.squares);
    code = sqlite3_step(w->replace);
    sqlite3_reset(w->replace);
    return code;
}

static enum cw_status write_rows(struct visit *v, const struct cw_history *h,
                                 const struct cw_history_entry *entry, size_t count)
{
    struct writer w = {0};
    int code = sqlite3_prepare_v2(v->db, known, -1, &w.known, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(v->db, replace, -1, &w.replace, NULL);
    for (size_t k = 0; k < count && (code == SQLITE_OK || code == SQLITE_DONE); k++)
        code = write_row(&w, h, &entry[k]);
    sqlite3_finalize(w.known);
    sqlite3_finalize(w.replace);
    return code == SQLITE_OK || code == SQLITE_DONE ? CW_OK : failed(v, code);
}

static enum cw_status save_once(struct visit *v, const struct cw_history *h,
                                const struct cw_history_entry *entry, size_t count)
{
    enum cw_status status = open_database(v);
    int version = 0;

    if (status == CW_OK)
        status = execute(v, "BEGIN IMMEDIATE");
    if (status == CW_OK)
        status = check_version(v, &version);
    if (status == CW_OK && version && version < VERSION)
        status = execute(v, "DROP TABLE launch; DROP TABLE saves");
    if (status == CW_OK && version < VERSION)
        status = execute(v, schema);
    if (status == CW_OK)
        status = execute(v, "UPDATE saves SET n = n + 1");
    if (status == CW_OK)
        status = write_rows(v, h, entry, count);
    if (status == CW_OK)
        status = execute(v, prune);
    if (status == CW_OK)
        status = execute(v, "COMMIT");
    close_database(v); /* rolls back uncommitted changes */
    return status;
}

/* Renames the damaged file, and begins a new one. */
static enum cw_status begin_anew(struct visit *v, const struct cw_history *h,
                                 const struct cw_history_entry *entry, size_t count)
{
    char damaged[PATH_MAX + 16];
    struct cw_error again = {0}, *first = v->err;
    enum cw_status status;

    snprintf(damaged, sizeof damaged, "%s.damaged", v->path);
    if (rename(v->path, damaged) != 0)
        return CW_ERR_FORMAT; /* the message is there */
    v->err = &again;
    status = history_file(v->path, true, damaged, sizeof damaged, &again);
    if (status == CW_OK)
        status = save_once(v, h, entry, count);
    v->err = first;
    if (status == CW_OK && first) {
        first->status = CW_OK;
        snprintf(first->text + strlen(first->text), sizeof first->text - strlen(first->text),
                 "; it was renamed to *.damaged and a new one begun");
    }
    return status;
}

enum cw_status cw_history_save(struct cw_history *h, const char *path, struct cw_error *err)
{
    struct cw_error error = {0};
    struct visit v = {.err = &error};
    struct cw_history_entry *entry = NULL;
    enum cw_status status = CW_OK;
    size_t count;

    if (pthread_mutex_trylock(&one_at_a_time) != 0)
        return cw_error_set(err, CW_ERR_IO, "the performance history is being loaded by another thread");
    block_signals(&v);
    count = cw_history_take_fresh(h, &entry);
    if (count == SIZE_MAX)
        status = failed(&v, SQLITE_NOMEM);
    if (count && status == CW_OK) {
        status = history_file(path, true, v.path, sizeof v.path, &error);
        if (status == CW_OK)
            status = save_once(&v, h, entry, count);
        if (status == CW_ERR_FORMAT)
            status = begin_anew(&v, h, entry, count);
    }
    free(entry);
    unblock_signals(&v);
    pthread_mutex_unlock(&one_at_a_time);
    if (err && err->status == CW_OK)
        *err = error;
    return status;
}

/* ---- the file */

#define OTHERS_WRITE 022
#define OTHERS       077

enum cw_status cw_history_path(char *path, size_t size, struct cw_error *err)
{
    static const char name[] = "/history.db";
    char folder[PATH_MAX];
    enum cw_status status = cw_cache_folder(folder, sizeof folder, err);

    if (status != CW_OK)
        return status;
    if ((size_t)snprintf(path, size, "%s%s", folder, name) >= size)
        return cw_error_set(err, CW_ERR_LIMIT, "the path of the home folder is too long");
    return CW_OK;
}

/* A descriptor of the folder, after its checks; -1 on error. */
static int open_folder(const char *folder, struct cw_error *err)
{
    int fd = cw_cache_folder_open(AT_FDCWD, folder, OTHERS_WRITE);

    if (fd < 0 && errno == EPERM)
        cw_error_set(err, CW_ERR_INVALID, "%s must belong to you, and only you may be able to write to it",
                     folder);
    else if (fd < 0)
        cw_error_set(err, errno == ENOENT ? CW_ERR_NOTFOUND : CW_ERR_IO, "cannot open %s: %s", folder,
                     strerror(errno));
    return fd;
}

static enum cw_status check_file(int fd, const char *path, struct cw_error *err)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return cw_error_set(err, CW_ERR_IO, "cannot open %s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink != 1 || (st.st_mode & OTHERS_WRITE))
        return cw_error_set(err, CW_ERR_INVALID,
                            "%s must be a regular file of yours with one name that only you can write to",
                            path);
    if ((st.st_mode & OTHERS) && fchmod(fd, 0600) != 0)
        return cw_error_set(err, CW_ERR_IO, "cannot make %s private: %s", path, strerror(errno));
    return CW_OK;
}

/* Writes the real path of `path` (no link in it) to real[0 .. size - 1], and sees to it that the folder
 * belongs to the user and only the user can write to it, and that the file is a regular file of the user's,
 * of mode 0600, with one name. create: make it when it is not there. Errors: CW_ERR_NOTFOUND (the file is not
 * there), CW_ERR_INVALID (one of these does not hold), CW_ERR_LIMIT (too long), CW_ERR_IO. Thread-safe. */
static enum cw_status history_file(const char *path, bool create, char *real, size_t size,
                                   struct cw_error *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char folder[PATH_MAX], resolved[PATH_MAX];
    enum cw_status status = CW_OK;
    int at, fd;

    if ((size_t)(name - path) >= sizeof folder)
        return cw_error_set(err, CW_ERR_LIMIT, "the path of the history is too long");
    snprintf(folder, sizeof folder, "%.*s", name == path ? 1 : (int)(name - path), name == path ? "." : path);
    if (!realpath(folder, resolved))
        return cw_error_set(err, errno == ENOENT && !create ? CW_ERR_NOTFOUND : CW_ERR_IO,
                            "cannot open %s: %s", folder, strerror(errno));
    if ((size_t)snprintf(real, size, "%s/%s", resolved, name) >= size)
        return cw_error_set(err, CW_ERR_LIMIT, "the path of the history is too long");
    at = open_folder(resolved, err);
    if (at < 0)
        return err ? err->status : CW_ERR_IO;
    fd = openat(at, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (create ? O_CREAT : 0),
                0600);
    if (fd >= 0)
        status = check_file(fd, real, err);
    else if (errno == ELOOP || errno == EISDIR)
        status = cw_error_set(err, CW_ERR_INVALID, "%s must be a regular file, not a link or a folder", real);
    else if (errno == ENOENT)
        status = CW_ERR_NOTFOUND;
    else
        status = cw_error_set(err, CW_ERR_IO, "cannot open %s: %s", real, strerror(errno));
    if (fd >= 0)
        close(fd);
    close(at);
    return status;
}
