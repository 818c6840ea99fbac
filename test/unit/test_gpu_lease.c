/* GPUs and processes: shim/device/gpu_lease.h. */
#include "../../shim/device/gpu_lease.h"
#include "../../analyzer/io/folders.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int to_child[2], to_parent[2];

/* 0: the other process has ended. */
static char hear(int fd)
{
    char c = 0;

    return read(fd, &c, 1) == 1 ? c : 0;
}

static void say(int fd, char c)
{
    assert_int_equal(write(fd, &c, 1), 1);
}

/* Does as the parent says: use GPU b, help with c; ends. */
static void obey(void)
{
    for (;;)
        switch (hear(to_child[0])) {
        case 'u':
            cw_gpu_lease_use("bb");
            say(to_parent[1], 'y');
            break;
        case 'h':
            say(to_parent[1], cw_gpu_lease_help("cc") ? 'y' : 'n');
            break;
        default:
            _exit(0);
        }
}

static char ask(char what)
{
    say(to_child[1], what);
    return hear(to_parent[0]);
}

static void processes(void **state)
{
    pid_t child;

    (void)state;
    cw_gpu_lease_use("aa");
    assert_true(cw_gpu_lease_help("bb"));
    assert_true(cw_gpu_lease_help("bb"));
    assert_false(cw_gpu_lease_is_lost("bb"));
    assert_int_equal(pipe(to_child) | pipe(to_parent), 0);
    child = fork();
    if (!child) {
        cw_gpu_lease_after_fork();
        obey();
    }
    /* a GPU that helps another process does not help this one */
    assert_int_equal(ask('h'), 'y');
    assert_false(cw_gpu_lease_help("cc"));
    /* a program takes its own GPU in any case; the one that it helped finds out */
    assert_int_equal(ask('u'), 'y');
    usleep(150000);
    assert_true(cw_gpu_lease_is_lost("bb"));
    assert_false(cw_gpu_lease_help("bb"));
    say(to_child[1], 'e');
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(cw_gpu_lease_help("bb") && !cw_gpu_lease_is_lost("bb"));
    assert_true(cw_gpu_lease_help("cc"));
}

/* Another program has both kinds of lock on both files of a GPU, for as long as it likes. */
static void held(void **state)
{
    static const char *const kinds[] = {"used", "helps"};
    char path[300];
    int status;
    pid_t child;

    (void)state;
    assert_int_equal(pipe(to_child) | pipe(to_parent), 0);
    child = fork();
    if (!child) {
        close(to_child[1]); /* it ends with its parent */
        for (int i = 0; i < 2; i++) {
            struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
            snprintf(path, sizeof path, "%s/clweave-%u-gpu-ff-%s", getenv("XDG_RUNTIME_DIR"),
                     (unsigned)geteuid(), kinds[i]);
            int fd = open(path, O_RDWR | O_CREAT, 0600);
            if (fd < 0 || flock(fd, LOCK_EX) || fcntl(fd, F_OFD_SETLK, &all))
                _exit(1);
        }
        say(to_parent[1], 'y');
        _exit(hear(to_child[0]) != 'e');
    }
    assert_int_equal(hear(to_parent[0]), 'y');
    alarm(60); /* ends a test that waits */
    cw_gpu_lease_use("ff");
    assert_false(cw_gpu_lease_help("ff"));
    alarm(0);
    say(to_child[1], 'e');
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    /* the next context gets the lease, and the GPU helps */
    cw_gpu_lease_use("ff");
    assert_true(cw_gpu_lease_help("ff"));
}

/* Nothing is leased, so nothing is refused. */
static void no_folder(void **state)
{
    (void)state;
    setenv("XDG_RUNTIME_DIR", "/nowhere", 1);
    cw_gpu_lease_use("dd");
    assert_true(cw_gpu_lease_help("ee"));
    assert_false(cw_gpu_lease_is_lost("ee"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(processes), cmocka_unit_test(held),
                                       cmocka_unit_test(no_folder)};
    char folder[256], path[300];
    int failed;

    snprintf(folder, sizeof folder, "%s/clweave-lease-XXXXXX", cw_temporary_folder());
    if (!mkdtemp(folder))
        return 1;
    setenv("XDG_RUNTIME_DIR", folder, 1);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (const char *name = "aabbccff"; *name; name += 2)
        for (int helps = 0; helps < 2; helps++) {
            snprintf(path, sizeof path, "%s/clweave-%u-gpu-%.2s-%s", folder, (unsigned)geteuid(), name,
                     helps ? "helps" : "used");
            unlink(path);
        }
    return rmdir(folder) || failed;
}
