/* The history of launches on disk: everything that can be wrong with the file, its folder, the disk and the
 * memory. */
#include "failing_alloc.h"
#include "history_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../sched/random.h"

static void sql(const char *text)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* Loading fails with `status` and a message that has `word`, and leaves the history empty; saving likewise.
 */
static void refused(enum cw_status status, const char *word)
{
    struct cw_history *h = cw_history_create();
    struct cw_error err = {0};

    assert_int_equal(cw_history_load(h, path, &err), status);
    if (!strstr(err.text, word))
        fail_msg("\"%s\" lacks \"%s\"", err.text, word);
    assert_int_equal(cw_history_entries(h), 0);
    cw_history_destroy(h);
    err = (struct cw_error){0};
    assert_int_equal(save(with_samples(1, 1, 1), &err), status);
    if (!strstr(err.text, word))
        fail_msg("\"%s\" lacks \"%s\"", err.text, word);
}

/* ---- what belongs to others */

static void test_links_and_modes(void **state)
{
    char other[300];

    (void)state;
    saved(1, 1, 1000);
    snprintf(other, sizeof other, "%s/other", folder);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0);
    refused(CW_ERR_INVALID, "link");
    unlink(path);
    assert_int_equal(link(other, path), 0);
    refused(CW_ERR_INVALID, "one name");
    unlink(other);
    assert_int_equal(chmod(path, 0666), 0);
    refused(CW_ERR_INVALID, "only you");
    assert_int_equal(chmod(path, 0644), 0); /* readable by all is made private */
    cw_history_destroy(loaded());
    {
        struct stat st;
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0600);
    }
    assert_int_equal(chmod(folder, 0777), 0);
    refused(CW_ERR_INVALID, "only you");
    assert_int_equal(chmod(folder, 0700), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 12345, 12345), 0);
        refused(CW_ERR_INVALID, "yours");
    }
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    refused(CW_ERR_INVALID, "folder");
    rmdir(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    refused(CW_ERR_INVALID, "regular");
}

/* A write-ahead log has an index that all who use it map: cut short, it would end the program. Not even a
 * database that has been changed to use one is opened in that way: a folder lies where the index would be. */
static void test_write_ahead(void **state)
{
    struct cw_history *h;
    char index[300];

    (void)state;
    saved(1, 1, 1000);
    sql("PRAGMA journal_mode = WAL");
    snprintf(index, sizeof index, "%s-shm", path);
    assert_int_equal(mkdir(index, 0700), 0);
    h = loaded();
    assert_int_equal(cw_history_entries(h), 1);
    cw_history_destroy(h);
    saved(2, 1, 1000);
    h = loaded();
    assert_int_equal(cw_history_entries(h), 2);
    cw_history_destroy(h);
}

static void test_other_databases(void **state)
{
    struct cw_history *h;

    (void)state;
    sql("CREATE TABLE mine(a); INSERT INTO mine VALUES(1); PRAGMA application_id = 7; PRAGMA user_version = "
        "3");
    refused(CW_ERR_INVALID, "no performance history");
    sql("SELECT a FROM mine");
    unlink(path);
    saved(1, 1, 1000);
    sql("PRAGMA user_version = 3");
    refused(CW_ERR_VERSION, "newer");
    sql("PRAGMA user_version = 2");
    h = loaded();
    assert_int_equal(cw_history_entries(h), 1);
    cw_history_destroy(h);
}

/* What was written when kernels had keys of 64 bits counts as nothing, and the next one to save replaces it.
 */
static void test_earlier_version(void **state)
{
    char damaged[260];
    struct cw_history *h;

    (void)state;
    saved(1, 1, 1000);
    sql("DROP TABLE launch; CREATE TABLE launch(kernel INTEGER NOT NULL, shape INTEGER NOT NULL, device TEXT "
        "NOT NULL, size REAL NOT NULL,"
        " count REAL NOT NULL, mean_ns REAL NOT NULL, squares REAL NOT NULL, save INTEGER NOT NULL, PRIMARY "
        "KEY(kernel, shape, device))"
        " WITHOUT ROWID; INSERT INTO launch VALUES(1, 0, 'cpu', 100, 5, 7, 0, 1); PRAGMA user_version = 1");
    h = loaded();
    assert_int_equal(cw_history_entries(h), 0);
    cw_history_destroy(h);
    saved(2, 3, 1000);
    h = loaded();
    assert_int_equal(cw_history_entries(h), 3);
    assert_float_equal(predict(h, 2, 0).mean_ns, 1000, 1e-6);
    cw_history_destroy(h);
    snprintf(damaged, sizeof damaged, "%s.damaged", path);
    assert_int_not_equal(access(damaged, F_OK), 0);
}

/* ---- trouble */

/* Another process holds the file: loading or saving gives up soon and says so. */
static void test_locked(void **state)
{
    int ready[2], status;
    pid_t child;
    char c;

    (void)state;
    saved(1, 1, 1000);
    assert_int_equal(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        sqlite3 *db;
        if (sqlite3_open(path, &db) != SQLITE_OK ||
            sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL) != SQLITE_OK ||
            write(ready[1], "x", 1) != 1)
            _exit(1);
        pause();
    }
    assert_int_equal(read(ready[0], &c, 1), 1);
    refused(CW_ERR_IO, "locked");
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    close(ready[0]);
    close(ready[1]);
    cw_history_destroy(loaded());
}

static void flip_bytes(uint64_t *random, uint64_t flips)
{
    struct stat st;
    int fd = open(path, O_RDWR);

    assert_true(fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0);
    for (uint64_t n = 0; n < flips; n++) {
        char c = (char)cw_random_next(random);
        assert_int_equal(pwrite(fd, &c, 1, (off_t)cw_random_below(random, (uint64_t)st.st_size)), 1);
    }
    if (cw_random_below(random, 4) == 0)
        assert_int_equal(ftruncate(fd, (off_t)cw_random_below(random, (uint64_t)st.st_size)), 0);
    close(fd);
}

/* Whatever is in the file: an answer, no crash, and after a save a good history again or a message. */
static void test_damaged(void **state)
{
    uint32_t bad_loads = 0, begun_anew = 0;
    uint64_t random = 7;

    (void)state;
    for (int n = 0; n < 150; n++) {
        struct cw_history *h;
        struct cw_error err = {0};
        enum cw_status status;
        unlink(path);
        saved(1, 200, 1000);
        flip_bytes(&random, 1 + cw_random_below(&random, n % 2 ? 4 : 400));
        h = cw_history_create();
        status = cw_history_load(h, path, &err);
        if (status != CW_OK) {
            assert_true(*err.text);
            assert_int_equal(cw_history_entries(h), 0);
            bad_loads++;
        }
        cw_history_destroy(h);
        err = (struct cw_error){0};
        status = save(with_samples(9, 5, 1000), &err);
        if (status == CW_OK && strstr(err.text, "damaged")) {
            h = loaded();
            assert_int_equal(cw_history_entries(h), 5);
            cw_history_destroy(h);
            begun_anew++;
        }
        assert_true(status == CW_OK || *err.text);
    }
    print_message("%u unreadable, %u begun anew\n", bad_loads, begun_anew);
    assert_true(bad_loads > 50 && begun_anew > 50);
}

static void test_garbage(void **state)
{
    struct cw_history *h = cw_history_create();
    struct cw_error err = {0};
    FILE *f = fopen(path, "w");

    (void)state;
    for (int n = 0; n < 1000; n++)
        fprintf(f, "this is no database at all\n");
    fclose(f);
    chmod(path, 0600);
    assert_int_equal(cw_history_load(h, path, &err), CW_ERR_FORMAT);
    assert_non_null(strstr(err.text, "damaged"));
    cw_history_destroy(h);
    err = (struct cw_error){0};
    assert_int_equal(save(with_samples(1, 1, 1000), &err), CW_OK);
    assert_non_null(strstr(err.text, "renamed"));
    h = loaded();
    assert_int_equal(cw_history_entries(h), 1);
    cw_history_destroy(h);
}

/* A file-size limit: a message, no SIGXFSZ, and what was there before is there still. The limit is on this
 * process, and cmocka prints, so a child does it. */
static void test_file_size_limit(void **state)
{
    struct cw_history *h;
    int status;
    pid_t child;

    (void)state;
    saved(1, 10, 1000);
    child = fork();
    if (child == 0) {
        struct cw_error err = {0};
        sigset_t pending;
        errno = 77;
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){8192, 8192});
        if (save(with_samples(2, 5000, 1000), &err) != CW_ERR_IO || !*err.text || errno != 77)
            _exit(1);
        sigpending(&pending);
        _exit(sigismember(&pending, SIGXFSZ) ? 2 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    h = loaded();
    assert_int_equal(cw_history_entries(h), 10);
    cw_history_destroy(h);
}

static bool write_text(const char *name, const char *text)
{
    int fd = open(name, O_WRONLY);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0)
        close(fd);
    return good;
}

/* Puts a file system of `size` over the test's folder, for this process only. False: not allowed here. */
static bool mount_small(const char *size)
{
    char options[64], map[64];
    uid_t user = geteuid();

    snprintf(options, sizeof options, "size=%s,mode=0700", size);
    snprintf(map, sizeof map, "%u %u 1", user, user);
    if (unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0 ||
        (user != 0 && !write_text("/proc/self/uid_map", map)))
        return false;
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", folder, "tmpfs", 0, options) == 0;
}

/* A full disk: a message, no signal; the history that was there is whole, and takes small additions when
 * there is room. */
static int on_full_disk(void)
{
    struct cw_error err = {0};
    struct cw_history *h;

    if (!mount_small("128k"))
        return 77;
    saved(1, 10, 1000);
    if (save(with_samples(2, 20000, 1000), &err) != CW_ERR_IO || !*err.text)
        return 1;
    h = cw_history_create();
    if (cw_history_load(h, path, &err) != CW_OK || cw_history_entries(h) != 10)
        return 2;
    cw_history_destroy(h);
    return save(with_samples(3, 10, 1000), NULL) == CW_OK ? 0 : 3;
}

static void test_full_disk(void **state)
{
    pid_t child = fork();
    int status;

    (void)state;
    if (child == 0)
        _exit(on_full_disk());
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        print_message("not tested: no file system of its own may be mounted here\n");
    else
        assert_int_equal(status, 0);
}

/* Killed in the middle of saving, again and again: what others read is always whole. */
static void test_killed_writers(void **state)
{
    (void)state;
    saved(1, 10, 1000);
    for (int n = 0; n < 30; n++) {
        struct cw_history *h;
        int status;
        pid_t child = fork();
        if (child == 0) {
            for (;;)
                save(with_samples(2, 3000, 1000), NULL);
        }
        usleep((useconds_t)(2000 + 1500 * n));
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        h = loaded();
        assert_true(cw_history_entries(h) == 10 || cw_history_entries(h) == 3010);
        assert_float_equal(predict(h, 1, 4).mean_ns, 1000, 0);
        cw_history_destroy(h);
    }
}

static void test_child_saves_nothing(void **state)
{
    struct cw_history *h = with_samples(1, 5, 1000);
    int status;
    pid_t child = fork();

    (void)state;
    if (child == 0)
        _exit(cw_history_save(h, path, NULL) != CW_OK);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(save(h, NULL), CW_OK);
    assert_int_equal(access(path, F_OK), 0);
}

/* Every allocation fails in turn, SQLite's too. */
static void test_every_allocation(void **state)
{
    enum cw_status status = CW_ERR_NOMEM;
    long n;

    (void)state;
    saved(1, 50, 1000);
    for (n = 0; REPLACED && n < 2000; n++) {
        struct cw_history *h = with_samples(1, 50, 1000);
        struct cw_error err = {0};
        countdown = n;
        counting = true;
        live = 0;
        status = cw_history_load(h, path, &err);
        if (status == CW_OK)
            status = cw_history_save(h, path, &err);
        counting = false;
        cw_history_destroy(h);
        if (countdown >= 0)
            break; /* it got through without a failure */
        assert_true(status == CW_OK || *err.text);
    }
    print_message("%ld allocations\n", n);
    assert_true(!REPLACED || (n > 50 && status == CW_OK));
    cw_history_destroy(loaded());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(test_links_and_modes),
        EACH(test_write_ahead),
        EACH(test_other_databases),
        EACH(test_earlier_version),
        EACH(test_locked),
        EACH(test_damaged),
        EACH(test_garbage),
        EACH(test_file_size_limit),
        EACH(test_full_disk),
        EACH(test_killed_writers),
        EACH(test_child_saves_nothing),
        EACH(test_every_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
