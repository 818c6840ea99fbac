/* Requests for the builder: read back as they were written, bounded, never a link's or a damaged file's, each
 * once, failures remembered, whole beside other writers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../analyzer/compile/requests.h"
#include "../../analyzer/io/folders.h"

static char folder[256];

static void run(const char *format, ...)
{
    char command[2048];
    va_list args;

    va_start(args, format);
    assert_in_range(vsnprintf(command, sizeof command, format, args), 1, sizeof command - 1);
    va_end(args);
    assert_int_equal(system(command), 0);
}

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s/clweave-requests.XXXXXX", cw_temporary_folder());
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    run("rm -rf %s", folder);
    return 0;
}

static const char *const variables[] = {"POCL_X=1", NULL};

static bool leave(struct cw_requests *r, unsigned number, const char *source)
{
    struct cw_request q = {.kind = CW_REQUEST_STAND_IN,
                           .device = "a device",
                           .units = 2,
                           .source = source,
                           .took_ns = 5,
                           .builds = 7,
                           .program = "app",
                           .environment = variables};
    bool good;

    cw_identity_begin(&q.result, "result");
    cw_identity_number(&q.result, number);
    good = cw_requests_write(r, &q);
    cw_identity_finish(&q.result);
    return good;
}

static void test_round_trip(void **state)
{
    struct cw_requests r;
    struct cw_request q;
    char name[CW_FILE_STORE_NAME_BYTES];
    struct stat st;
    char path[512];

    (void)state;
    cw_requests_init(&r, folder);
    assert_false(cw_requests_next(&r, name));
    assert_true(leave(&r, 1, "kernel"));
    assert_true(leave(&r, 1, "kernel"));
    assert_int_equal(cw_requests_count(&r), 1);
    assert_true(cw_requests_next(&r, name));
    snprintf(path, sizeof path, "%s/requests/%s", folder, name);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_true(cw_requests_read(&r, name, &q));
    assert_int_equal(q.kind, CW_REQUEST_STAND_IN);
    assert_int_equal(q.units, 2);
    assert_int_equal(q.took_ns, 5);
    assert_int_equal(q.builds, 7);
    assert_string_equal(q.device, "a device");
    assert_string_equal(q.source, "kernel");
    assert_null(q.options);
    assert_string_equal(q.program, "app");
    assert_string_equal(q.environment[0], "POCL_X=1");
    assert_null(q.environment[1]);
    cw_requests_finish(&q);
    cw_requests_done(&r, name);
    assert_int_equal(cw_requests_count(&r), 0);
}

/* What has failed is not tried again by the same process, nor for ever by others. */
static void test_failures(void **state)
{
    struct cw_requests r;
    char name[CW_FILE_STORE_NAME_BYTES], other[CW_FILE_STORE_NAME_BYTES];

    (void)state;
    for (int i = 0; i < CW_REQUESTS_TRIES; i++) {
        cw_requests_init(&r, folder);
        assert_true(leave(&r, 1, "kernel"));
        assert_true(cw_requests_next(&r, name));
        cw_requests_failed(&r, name);
        assert_false(cw_requests_next(&r, other));
    }
    cw_requests_init(&r, folder);
    assert_false(leave(&r, 1, "kernel"));
    assert_int_equal(cw_requests_count(&r), 0);
    assert_true(leave(&r, 2, "kernel"));
    assert_true(cw_requests_next(&r, other));
    assert_string_not_equal(name, other);
}

static time_t later_s;

/* For requests.c: the clock is played. */
time_t time(time_t *now)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += later_s;
    if (now)
        *now = t.tv_sec;
    return t.tv_sec;
}

/* A day after that a program that asks again gets one more try. */
static void test_one_more_try(void **state)
{
    struct cw_requests r;
    char name[CW_FILE_STORE_NAME_BYTES];

    (void)state;
    for (int i = 0; i <= CW_REQUESTS_TRIES; i++) {
        cw_requests_init(&r, folder);
        if (i == CW_REQUESTS_TRIES)
            later_s += CW_REQUESTS_REST_S;
        assert_int_equal(cw_requests_count(&r), i < CW_REQUESTS_TRIES && i > 0);
        assert_true(leave(&r, 1, "kernel"));
        assert_true(cw_requests_next(&r, name));
        cw_requests_failed(&r, name);
    }
    cw_requests_init(&r, folder);
    assert_false(leave(&r, 1, "kernel"));
    assert_int_equal(cw_requests_count(&r), 0);
}

static void test_bounds(void **state)
{
    struct cw_requests r;
    char name[CW_FILE_STORE_NAME_BYTES];
    size_t bytes = CW_REQUESTS_BYTES / 8;
    char *source = malloc(bytes + 1);
    struct cw_request q;

    (void)state;
    cw_requests_init(&r, folder);
    for (unsigned i = 0; i < 2 * CW_REQUESTS_FILES; i++)
        assert_true(leave(&r, i, "kernel"));
    assert_in_range(cw_requests_count(&r), CW_REQUESTS_FILES / 2, CW_REQUESTS_FILES + 1);
    assert_true(cw_requests_next(&r, name)); /* the oldest have gone */
    assert_true(cw_requests_read(&r, name, &q));
    cw_requests_finish(&q);
    memset(source, ' ', bytes);
    source[bytes] = '\0';
    for (unsigned i = 0; i < 12; i++)
        assert_true(leave(&r, 1000 + i, source));
    assert_in_range(cw_requests_count(&r), 5, 9);
    free(source);
}

static void test_damaged(void **state)
{
    struct cw_requests r;
    char name[CW_FILE_STORE_NAME_BYTES], other[CW_FILE_STORE_NAME_BYTES];
    struct cw_request q;

    (void)state;
    cw_requests_init(&r, folder);
    assert_true(leave(&r, 1, "kernel"));
    assert_true(cw_requests_next(&r, name));
    for (unsigned at = 0; at < 200; at += 3) { /* in the head, the identity, the contents */
        run("printf x | dd of=%s/requests/%s bs=1 seek=%u conv=notrunc 2> /dev/null", folder, name, at);
        assert_false(cw_requests_read(&r, name, &q));
    }
    assert_int_equal(cw_requests_count(&r), 0);
    assert_false(cw_requests_next(&r, other));
    assert_true(leave(&r, 1, "kernel")); /* it takes the place of the damaged one */
    assert_true(cw_requests_read(&r, name, &q));
    cw_requests_finish(&q);
    run("truncate -s 100 %s/requests/%s", folder, name);
    assert_false(cw_requests_read(&r, name, &q));
    run("mv %s/requests/%s %s/elsewhere; ln -s %s/elsewhere %s/requests/%s", folder, name, folder, folder,
        folder, name);
    assert_false(cw_requests_read(&r, name, &q));
    assert_true(leave(&r, 1, "kernel")); /* the link goes, its file stays */
    run("test -f %s/requests/%s -a ! -L %s/requests/%s -a \"$(stat -c %%s %s/elsewhere)\" = 100", folder,
        name, folder, name, folder);
    assert_false(cw_requests_read(&r, "../elsewhere", &q));
    assert_false(cw_requests_read(&r, "lock", &q));
}

/* The folder is a link, or another may write to it: nothing is written. */
static void test_folder(void **state)
{
    struct cw_requests r;

    (void)state;
    run("mkdir %s/other; ln -s other %s/requests", folder, folder);
    cw_requests_init(&r, folder);
    assert_false(leave(&r, 1, "kernel"));
    run("test -z \"$(ls %s/other)\"; rm %s/requests; mkdir -m 777 %s/requests", folder, folder, folder);
    cw_requests_init(&r, folder);
    assert_false(leave(&r, 1, "kernel"));
    assert_int_equal(cw_requests_count(&r), 0);
    cw_requests_init(&r, "/nowhere/at/all");
    assert_false(leave(&r, 1, "kernel"));
    cw_requests_init(&r, "");
    assert_false(leave(&r, 1, "kernel"));
}

static void test_many_writers(void **state)
{
    struct cw_requests r;
    char name[CW_FILE_STORE_NAME_BYTES];
    int status, writers = 8, taken = 0;
    struct cw_request q;

    (void)state;
    for (int w = 0; w < writers; w++)
        if (fork() == 0) {
            cw_requests_init(&r, folder);
            for (unsigned i = 0; i < 20; i++)
                if (!leave(&r, i, "kernel"))
                    _exit(1);
            _exit(0);
        }
    cw_requests_init(&r, folder);
    for (int i = 0; i < 200; i++) /* the builder, beside them */
        if (cw_requests_next(&r, name) && cw_requests_read(&r, name, &q)) {
            assert_string_equal(q.source, "kernel");
            cw_requests_finish(&q);
            taken++;
        }
    while (wait(&status) > 0)
        assert_int_equal(status, 0);
    assert_true(taken >= 0);
    assert_int_equal(cw_requests_count(&r), 20);
}

static void test_environment(void **state)
{
    char *all[] = {"A=1",        "PATH=/bin", "LD_PRELOAD=x",         "POCL_WORK=2", "CLWEAVE_MODE=run",
                   "HOME=/root", "POCLX=3",   "CLWEAVE_CLANG=/clang", NULL};
    const char **list = cw_requests_environment(all);

    (void)state;
    assert_string_equal(list[0], "POCL_WORK=2");
    assert_string_equal(list[1], "HOME=/root");
    assert_string_equal(list[2], "CLWEAVE_CLANG=/clang");
    assert_null(list[3]);
    free(list);
}

/* What a file says chooses no program and no library: a request is for a builder of its environment alone. */
static void test_other_environment(void **state)
{
    char *same[] = {"PATH=/other", "POCL_X=1", NULL}, *more[] = {"POCL_X=1", "OCL_ICD_VENDORS=/evil", NULL},
         *other[] = {"POCL_X=2", NULL}, *none[] = {NULL};
    const struct cw_request q = {.environment = variables};
    struct cw_requests r;
    char name[CW_FILE_STORE_NAME_BYTES];

    (void)state;
    assert_true(cw_requests_is_for(&q, same));
    assert_false(cw_requests_is_for(&q, more));
    assert_false(cw_requests_is_for(&q, other));
    assert_false(cw_requests_is_for(&q, none));
    cw_requests_init(&r, folder);
    assert_true(leave(&r, 1, "kernel"));
    assert_int_equal(cw_requests_count(&r), 1);
    setenv("POCL_X", "2", 1);
    assert_false(cw_requests_next(&r, name));
    assert_int_equal(cw_requests_count(&r), 0);
    r.of_all = true;
    assert_int_equal(cw_requests_count(&r), 1);
    setenv("POCL_X", "1", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, begin, end),
        cmocka_unit_test_setup_teardown(test_failures, begin, end),
        cmocka_unit_test_setup_teardown(test_one_more_try, begin, end),
        cmocka_unit_test_setup_teardown(test_bounds, begin, end),
        cmocka_unit_test_setup_teardown(test_damaged, begin, end),
        cmocka_unit_test_setup_teardown(test_folder, begin, end),
        cmocka_unit_test_setup_teardown(test_many_writers, begin, end),
        cmocka_unit_test(test_environment),
        cmocka_unit_test_setup_teardown(test_other_environment, begin, end),
    };

    for (char **v = environ; *v;)
        if (cw_requests_environment((char *[]){*v, NULL})[0])
            unsetenv(strndupa(*v, strcspn(*v, "=")));
        else
            v++;
    setenv("POCL_X", "1", 1); /* as the requests' */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
