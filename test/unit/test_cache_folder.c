/* The cache folder is used by the user and on the machine that have filled it, and by no others. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../analyzer/io/folders.h"

static char caches[] = "/tmp/clweave-caches-XXXXXX";

static void run(const char *command)
{
    char line[400];

    snprintf(line, sizeof line, "cd %s && %s", caches, command);
    assert_int_equal(system(line), 0);
}

/* The name of the folder in `caches`. */
static const char *folder(void)
{
    static char path[400];
    struct cw_error err = {0};

    assert_int_equal(cw_cache_folder(path, sizeof path, &err), CW_OK);
    assert_int_equal(strncmp(path, caches, strlen(caches)), 0);
    return path + strlen(caches) + 1;
}

static int begin(void **state)
{
    (void)state;
    memcpy(caches + sizeof caches - 7, "XXXXXX", 6);
    return mkdtemp(caches) ? setenv("XDG_CACHE_HOME", caches, 1) : -1;
}

static int end(void **state)
{
    (void)state;
    run("rm -rf clweave*");
    return rmdir(caches);
}

static void ones_own_stays(void **state)
{
    char moved[sizeof caches + 8], path[400];
    struct cw_error err = {0};

    (void)state;
    assert_string_equal(folder(), "clweave");
    run("test \"$(stat -c %a clweave/machine)\" = 600 && mkdir clweave/kernels");
    assert_string_equal(folder(), "clweave");
    snprintf(moved, sizeof moved, "%s-moved", caches); /* a copy on this machine is as good */
    run("mkdir ../$(basename $PWD)-moved && cp -a clweave ../$(basename $PWD)-moved");
    setenv("XDG_CACHE_HOME", moved, 1);
    assert_int_equal(cw_cache_folder(path, sizeof path, &err), CW_OK);
    assert_string_equal(path + strlen(moved), "/clweave");
    run("rm -r ../$(basename $PWD)-moved");
    setenv("XDG_CACHE_HOME", caches, 1);
}

/* The folder has the name `name`, and gets something in it. */
static bool fills(const char *name)
{
    char path[400];

    snprintf(path, sizeof path, "%s/%s/kernels", caches, name);
    return strcmp(folder(), name) == 0 && (mkdir(path, 0700) == 0 || errno == EEXIST);
}

/* Processes that begin at once with no folder use one. */
static void several_begin_at_once(void **state)
{
    enum { PROCESSES = 8, ROUNDS = 200 };
    pid_t child[PROCESSES];
    int status, start[2];
    char byte;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        assert_int_equal(pipe(start), 0);
        for (int i = 0; i < PROCESSES; i++) {
            child[i] = fork();
            if (child[i] == 0) {
                close(start[1]);
                _exit(read(start[0], &byte, 1) != 0 || !fills("clweave"));
            }
        }
        close(start[0]);
        close(start[1]);
        for (int i = 0; i < PROCESSES; i++)
            assert_true(waitpid(child[i], &status, 0) == child[i] && status == 0);
        run("rm -r clweave");
    }
}

static void an_empty_one_is_taken(void **state)
{
    (void)state;
    run("mkdir -m 700 clweave");
    assert_string_equal(folder(), "clweave");
    run("test -s clweave/machine");
}

static void from_elsewhere(void **state)
{
    char own[100];

    (void)state;
    run("mkdir -m 700 clweave && mkdir -m 700 clweave/requests"); /* nothing says by whom */
    strcpy(own, folder());
    assert_int_equal(strncmp(own, "clweave-", 8), 0);
    run("rm -r clweave*");
    assert_string_equal(folder(), "clweave");
    run("mkdir clweave/kernels && echo 0123456789abcdef > clweave/machine");
    assert_string_equal(folder(), own);
    assert_string_equal(folder(), own);
    run("test \"$(cat clweave/machine)\" = 0123456789abcdef && test -e clweave/kernels"); /* nothing lost */
}

static void both_from_elsewhere(void **state)
{
    char path[400], command[400];
    struct cw_error err = {0};

    (void)state;
    run("mkdir -m 700 clweave && mkdir clweave/kernels");
    snprintf(command, sizeof command, "mkdir %.100s/kernels && echo 0 > %.100s/machine", folder(), folder());
    run(command);
    assert_int_equal(cw_cache_folder(path, sizeof path, &err), CW_ERR_INVALID);
    assert_non_null(strstr(err.text, "another machine"));
}

static void a_link_as_mark(void **state)
{
    (void)state;
    folder();
    run("mkdir clweave/kernels && mv clweave/machine mark && ln -s ../mark clweave/machine");
    assert_int_equal(strncmp(folder(), "clweave-", 8), 0);
    run("rm mark");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ones_own_stays, begin, end),
        cmocka_unit_test_setup_teardown(several_begin_at_once, begin, end),
        cmocka_unit_test_setup_teardown(an_empty_one_is_taken, begin, end),
        cmocka_unit_test_setup_teardown(from_elsewhere, begin, end),
        cmocka_unit_test_setup_teardown(both_from_elsewhere, begin, end),
        cmocka_unit_test_setup_teardown(a_link_as_mark, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
