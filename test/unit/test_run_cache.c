/* Binaries of helpers' programs between runs: a read gives the written bytes, or nothing. */
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
#include "../../analyzer/io/folders.h"
#include "../../sched/random.h"
#include "../../shim/builds/later_builds.h"

static char parent[200], folder[220], file[300];
static unsigned char data[5000];

/* What entry `number` stands for. */
static struct cw_identity identity(uint64_t number)
{
    struct cw_identity id;

    cw_identity_begin(&id, "test");
    cw_identity_number(&id, number);
    return id;
}

static void *get(uint64_t number, size_t *bytes)
{
    struct cw_identity id = identity(number);
    void *got = cw_helper_cache_read(&id, bytes);

    cw_identity_finish(&id);
    return got;
}

static void put(uint64_t number, const void *from, size_t bytes)
{
    struct cw_identity id = identity(number);

    cw_helper_cache_write(&id, from, bytes);
    cw_identity_finish(&id);
}

static void name_file(char *name, size_t size, uint64_t number)
{
    struct cw_identity id = identity(number);
    struct cw_key key = cw_identity_key(&id);

    snprintf(name, size, "%s/%016llx%016llx", folder, (unsigned long long)key.half[0],
             (unsigned long long)key.half[1]);
    cw_identity_finish(&id);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(parent, sizeof parent, "%s/clweave-cache.XXXXXX", cw_temporary_folder());
    if (!mkdtemp(parent))
        return -1;
    snprintf(folder, sizeof folder, "%s/kernels", parent);
    name_file(file, sizeof file, 77);
    cw_helper_cache_start(folder);
    for (size_t k = 0; k < sizeof data; k++)
        data[k] = (unsigned char)(k * k >> 3);
    return 0;
}

static int drop_folder(void **state)
{
    char command[240];

    (void)state;
    cw_identity_one_key = false;
    snprintf(command, sizeof command, "rm -rf '%s'", parent);
    return system(command);
}

/* True when key 77 gives `data`, false when it gives nothing; anything else fails. */
static bool hit(void)
{
    size_t bytes = 0;
    void *got = get(77, &bytes);

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
    put(77, data, sizeof data);
    assert_true(hit());
    assert_int_equal(stat(folder, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    put(77, data, sizeof data);
    assert_true(hit());
    put(78, data, 0);
    assert_null(get(78, &(size_t){0}));
}

static void test_damaged(void **state)
{
    uint64_t random = 3;

    (void)state;
    for (int n = 0; n < 300; n++) {
        int fd;
        unsigned char c;
        off_t at = (off_t)cw_random_below(&random, sizeof data + 64);
        unlink(file);
        put(77, data, sizeof data);
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
    put(77, data, sizeof data);
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
    unlink(folder);
    assert_int_equal(rename(moved, folder), 0);
    assert_true(hit());
    snprintf(moved, sizeof moved, "%s.other", parent); /* the folder above */
    assert_int_equal(rename(parent, moved), 0);
    assert_int_equal(symlink(moved, parent), 0);
    assert_false(hit());
    unlink(parent);
    assert_int_equal(rename(moved, parent), 0);
    assert_true(hit());
    assert_int_equal(chmod(parent, 01777), 0);
    assert_false(hit());
    assert_int_equal(chmod(parent, 0755), 0);
    assert_true(hit());
    cw_helper_cache_start("");
    put(77, data, sizeof data);
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
    put(77, data, 100);
    for (uint64_t key = 1000; key < 1000 + CW_FILE_STORE_FILES; key++)
        put(key, data, 100);
    snprintf(name, sizeof name, "%s/README", folder);
    assert_int_equal(rename(file, name), 0);
    assert_int_equal(utimensat(AT_FDCWD, name, old, 0), 0);
    for (uint64_t key = 2000; key < 2100; key++) {
        name_file(name, sizeof name, key);
        assert_int_equal(utimensat(AT_FDCWD, name, old, 0), 0);
    }
    got = get(2099, &bytes); /* used again: young */
    assert_non_null(got);
    free(got);
    put(77, data, 100);
    assert_int_equal(files(), CW_FILE_STORE_FILES + 2);
    cw_helper_cache_start(folder);
    put(78, data, 100);
    assert_int_equal(files(), CW_FILE_STORE_FILES / 4 * 3 + 2);
    assert_null(get(2098, &bytes));
    got = get(2099, &bytes);
    assert_non_null(got);
    free(got);
    snprintf(name, sizeof name, "%s/README", folder);
    assert_int_equal(access(name, F_OK), 0);
}

/* What earlier versions have left, under names of 16 digits, is not read, and goes with the oldest. */
static void test_old_files(void **state)
{
    struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    char name[300];

    (void)state;
    put(77, data, sizeof data);
    snprintf(name, sizeof name, "%s/%016llx", folder, 77ull);
    assert_int_equal(rename(file, name), 0);
    assert_int_equal(utimensat(AT_FDCWD, name, old, 0), 0);
    assert_false(hit());
    for (uint64_t key = 1000; key < 1000 + CW_FILE_STORE_FILES; key++)
        put(key, data, 100);
    cw_helper_cache_start(folder);
    put(78, data, 100);
    assert_int_not_equal(access(name, F_OK), 0);
}

/* All keys are the same: what is read is what was written for the same thing, or nothing. */
static void test_one_key(void **state)
{
    unsigned char other[100] = {1};
    size_t bytes;
    void *got;

    (void)state;
    cw_identity_one_key = true;
    put(77, data, sizeof data);
    assert_true(hit());
    assert_null(get(78, &bytes));
    put(78, other, sizeof other);
    assert_int_equal(files(), 1);
    assert_false(hit());
    got = get(78, &bytes);
    assert_int_equal(bytes, sizeof other);
    assert_memory_equal(got, other, bytes);
    free(got);
}

static struct cw_identity of_device(const char *kind, const char *device)
{
    struct cw_identity id;

    cw_run_helper_cache_identity(&id, kind, device);
    return id;
}

static bool same(const struct cw_identity *plain, const char *kind, const char *device)
{
    struct cw_identity id = of_device(kind, device);
    bool so = cw_identity_same(plain, &id);

    assert_int_equal(so, cw_key_same(cw_identity_key(plain), cw_identity_key(&id)));
    cw_identity_finish(&id);
    return so;
}

static void test_environment(void **state)
{
    struct cw_identity plain = of_device("test", "basic/3.1");

    (void)state;
    assert_true(same(&plain, "test", "basic/3.1"));
    assert_false(same(&plain, "test", "basic/3.2"));
    assert_false(same(&plain, "tes", "tbasic/3.1"));
    setenv("POCL_CACHE_DIR", "/somewhere", 1);
    setenv("POCL_DEVICES", "basic", 1);
    cw_helper_cache_start(folder);
    assert_true(same(&plain, "test", "basic/3.1"));
    setenv("POCL_A", "1", 1);
    setenv("POCL_B", "2", 1);
    cw_helper_cache_start(folder);
    assert_false(same(&plain, "test", "basic/3.1"));
    cw_identity_finish(&plain);
    plain = of_device("test", "basic/3.1");
    unsetenv("POCL_A"); /* in another order */
    setenv("POCL_A", "1", 1);
    cw_helper_cache_start(folder);
    assert_true(same(&plain, "test", "basic/3.1"));
    setenv("POCL_A", "2", 1); /* each is changed, and their sum is the same */
    setenv("POCL_B", "1", 1);
    cw_helper_cache_start(folder);
    assert_false(same(&plain, "test", "basic/3.1"));
    unsetenv("POCL_A");
    unsetenv("POCL_B");
    cw_identity_finish(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_damaged, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_others, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_bounded, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_old_files, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_one_key, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_environment, make_folder, drop_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
