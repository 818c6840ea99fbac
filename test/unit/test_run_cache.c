/* Binaries of helpers' programs between runs: what is read is what was written, or nothing. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../analyzer/io/file_store.h"
#include "../../sched/random.h"
#include "../../shim/run/programs/run_cache.h"

static char parent[200], folder[220], file[260];
static unsigned char data[5000];

static int make_folder(void **state)
{
    (void)state;
    snprintf(parent, sizeof parent, "%s/clweave-cache.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(parent))
        return -1;
    snprintf(folder, sizeof folder, "%s/kernels", parent);
    snprintf(file, sizeof file, "%s/%016llx", folder, 77ull);
    cw_run_cache_start(folder);
    for (size_t k = 0; k < sizeof data; k++)
        data[k] = (unsigned char)(k * k >> 3);
    return 0;
}

static int drop_folder(void **state)
{
    char command[240];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", parent);
    return system(command);
}

/* True when key 77 gives `data`, false when it gives nothing; anything else fails. */
static bool hit(void)
{
    size_t bytes = 0;
    void *got = cw_run_cache_read(77, &bytes);

    if (!got)
        return false;
    assert_int_equal(bytes, sizeof data);
    assert_memory_equal(got, data, bytes);
    free(got);
    return true;
}

static void test_round_trip(void **state)
{
    struct stat st;

    (void)state;
    assert_false(hit());
    cw_run_cache_write(77, data, sizeof data);
    assert_true(hit());
    assert_int_equal(stat(folder, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    cw_run_cache_write(77, data, sizeof data);
    assert_true(hit());
    cw_run_cache_write(78, data, 0);
    assert_null(cw_run_cache_read(78, &(size_t){0}));
}

static void test_damaged(void **state)
{
    uint64_t random = 3;

    (void)state;
    for (int n = 0; n < 300; n++) {
        int fd;
        unsigned char c;
        off_t at = (off_t)cw_random_below(&random, sizeof data + 32);
        unlink(file);
        cw_run_cache_write(77, data, sizeof data);
        fd = open(file, O_RDWR);
        assert_true(fd >= 0);
        if (n % 3 == 0) {
            assert_int_equal(ftruncate(fd, at), 0);
        } else {
            assert_int_equal(pread(fd, &c, 1, at), 1);
            c ^= (unsigned char)(1 + cw_random_below(&random, 255));
            assert_int_equal(pwrite(fd, &c, 1, at), 1);
        }
        close(fd);
        assert_false(hit());
    }
}

static void test_others(void **state)
{
    char moved[300];

    (void)state;
    cw_run_cache_write(77, data, sizeof data);
    assert_int_equal(chmod(file, 0644), 0);
    assert_false(hit());
    assert_int_equal(chmod(file, 0600), 0);
    assert_true(hit());
    assert_int_equal(chmod(folder, 0755), 0);
    assert_false(hit());
    assert_int_equal(chmod(folder, 0700), 0);
    snprintf(moved, sizeof moved, "%s/other", parent);
    assert_int_equal(rename(file, moved), 0);
    assert_int_equal(symlink(moved, file), 0);
    assert_false(hit());
    unlink(file);
    assert_int_equal(rename(moved, file), 0);
    assert_int_equal(rename(folder, moved), 0);
    assert_int_equal(symlink(moved, folder), 0);
    assert_false(hit());
    cw_run_cache_start("");
    cw_run_cache_write(77, data, sizeof data);
    assert_false(hit());
}

static int files(void)
{
    DIR *d = opendir(folder);
    int n = -2; /* . and .. */

    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

/* Too many files: the longest unused go, and files of others' names stay. */
static void test_bounded(void **state)
{
    struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    char name[300];
    size_t bytes;
    void *got;

    (void)state;
    cw_run_cache_write(77, data, 100);
    for (uint64_t key = 1000; key < 1000 + CW_FILE_STORE_FILES; key++)
        cw_run_cache_write(key, data, 100);
    snprintf(name, sizeof name, "%s/README", folder);
    assert_int_equal(rename(file, name), 0);
    assert_int_equal(utimensat(AT_FDCWD, name, old, 0), 0);
    for (uint64_t key = 2000; key < 2100; key++) {
        snprintf(name, sizeof name, "%s/%016llx", folder, (unsigned long long)key);
        assert_int_equal(utimensat(AT_FDCWD, name, old, 0), 0);
    }
    got = cw_run_cache_read(2099, &bytes); /* used again: young */
    assert_non_null(got);
    free(got);
    cw_run_cache_write(77, data, 100);
    assert_int_equal(files(), CW_FILE_STORE_FILES + 2);
    cw_run_cache_start(folder);
    cw_run_cache_write(78, data, 100);
    assert_int_equal(files(), CW_FILE_STORE_FILES / 4 * 3 + 2);
    assert_null(cw_run_cache_read(2098, &bytes));
    got = cw_run_cache_read(2099, &bytes);
    assert_non_null(got);
    free(got);
    snprintf(name, sizeof name, "%s/README", folder);
    assert_int_equal(access(name, F_OK), 0);
}

static void test_keys(void **state)
{
    uint64_t plain = cw_run_cache_key("basic/3.1", 5);

    (void)state;
    assert_int_equal(plain, cw_run_cache_key("basic/3.1", 5));
    assert_int_not_equal(plain, cw_run_cache_key("basic/3.2", 5));
    assert_int_not_equal(plain, cw_run_cache_key("basic/3.1", 6));
    setenv("POCL_CACHE_DIR", "/somewhere", 1);
    setenv("POCL_DEVICES", "basic", 1);
    cw_run_cache_start(folder);
    assert_int_equal(plain, cw_run_cache_key("basic/3.1", 5));
    setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-fast-relaxed-math", 1);
    cw_run_cache_start(folder);
    assert_int_not_equal(plain, cw_run_cache_key("basic/3.1", 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_damaged, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_others, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_bounded, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_keys, make_folder, drop_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
