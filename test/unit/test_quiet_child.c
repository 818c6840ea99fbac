/* A helper program runs without its host noticing: no signal, nothing to wait for, no descriptor; and ends
 * in every case. The helpers are shell scripts. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../analyzer/io/quiet_child.h"
#include "../../analyzer/io/folders.h"

static const char *const env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", NULL};
static volatile sig_atomic_t child_signals;

static void count(int signal)
{
    (void)signal;
    child_signals++;
}

struct job {
    struct cw_quiet_child child;
    struct cw_quiet_output out;
    struct cw_error err;
    enum cw_status status;
    const char *argv[4];
    atomic_bool over;
    pthread_t thread;
};

static void *body(void *data)
{
    struct job *j = data;

    j->status = cw_quiet_child_run(&j->child, &j->out, &j->err);
    j->over = true;
    return NULL;
}

static void start(struct job *j)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    assert_int_equal(pthread_create(&j->thread, NULL, body, j), 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void begin(struct job *j, const char *script, const char *input, unsigned ms)
{
    *j = (struct job){.argv = {"/bin/sh", "-c", script, NULL}};
    j->child = (struct cw_quiet_child){.argv = j->argv,
                                       .env = env,
                                       .input = input,
                                       .input_bytes = strlen(input),
                                       .max_bytes = 1 << 20,
                                       .milliseconds = ms};
    start(j);
}

/* The file is mapped in place of the 8192 bytes at `shared`. */
static void begin_shared(struct job *j, const char *script, void *shared, _Atomic uint32_t *is_shared)
{
    *j = (struct job){.argv = {"/bin/sh", "-c", script, NULL}};
    j->child = (struct cw_quiet_child){.kind = CW_QUIET_SERVER,
                                       .argv = j->argv,
                                       .env = env,
                                       .max_bytes = 1 << 20,
                                       .milliseconds = 60000,
                                       .shared = shared,
                                       .shared_bytes = 8192,
                                       .is_shared = is_shared};
    start(j);
}

static void end(struct job *j)
{
    pthread_join(j->thread, NULL);
}

static void says(const struct job *j, const char *text)
{
    if (j->status != CW_OK)
        print_message("%s\n", j->err.text);
    assert_int_equal(j->status, CW_OK);
    assert_int_equal(j->out.bytes, strlen(text));
    assert_memory_equal(j->out.data, text, strlen(text));
}

static int descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    int n = 0;

    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

/* Waits until file `name` exists: the helper has come that far. */
static void wait_for(const char *name)
{
    while (access(name, F_OK) != 0)
        usleep(1000);
}

static void test_input_and_output(void **state)
{
    struct job j;

    (void)state;
    begin(&j, "cat " CW_QUIET_CHILD_FILE "; cat " CW_QUIET_CHILD_FILE "; echo unheard >&2", "kernel\n",
          600000);
    end(&j);
    says(&j, "kernel\nkernel\n");
    cw_quiet_output_finish(&j.out);
}

/* While the helper runs and when it ends the host sees nothing of it. */
static void test_unseen(void **state)
{
    char folder[128], script[500], name[200];
    struct rusage before, after;
    int fds = descriptors(), status;
    struct job j;

    (void)state;
    snprintf(folder, sizeof folder, "%s/clweave-quiet.XXXXXX", cw_temporary_folder());
    assert_non_null(mkdtemp(folder));
    snprintf(script, sizeof script,
             "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; : > %s/begun; "
             "while [ -e %s/begun ]; do sleep 0.01; done; echo done",
             folder, folder);
    snprintf(name, sizeof name, "%s/begun", folder);
    signal(SIGCHLD, count);
    child_signals = 0;
    getrusage(RUSAGE_CHILDREN, &before);
    begin(&j, script, "", 60000);
    wait_for(name);
    assert_int_equal(descriptors(), fds);
    errno = 0;
    assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(wait(&status), -1);
    assert_int_equal(unlink(name), 0);
    end(&j);
    says(&j, "done\n");
    cw_quiet_output_finish(&j.out);
    getrusage(RUSAGE_CHILDREN, &after);
    assert_int_equal(waitpid(-1, &status, WNOHANG | __WALL), -1);
    assert_int_equal(child_signals, 0);
    signal(SIGCHLD, SIG_DFL);
    assert_true(after.ru_utime.tv_sec * 1000000 + after.ru_utime.tv_usec <
                before.ru_utime.tv_sec * 1000000 + before.ru_utime.tv_usec + 20000);
    rmdir(folder);
}

/* A child of the host's own is found by wait() and nothing else is. */
static void test_own_children(void **state)
{
    struct job j;
    int status;
    pid_t pid;

    (void)state;
    begin(&j, "sleep 0.3; echo ok", "", 600000);
    pid = fork();
    if (pid == 0)
        _exit(7);
    assert_int_equal(wait(&status), pid);
    assert_int_equal(WEXITSTATUS(status), 7);
    end(&j);
    says(&j, "ok\n");
    cw_quiet_output_finish(&j.out);
}

/* What is left behind by a helper never becomes the host's, even if the host adopts orphans. */
static void test_orphans(void **state)
{
    struct job j;
    int status;

    (void)state;
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    begin(&j, "(sleep 0.2; echo late) & echo early", "", 600000);
    end(&j);
    says(&j, "early\nlate\n");
    cw_quiet_output_finish(&j.out);
    begin(&j, "sleep 0.1 > /dev/null & echo only", "", 600000);
    end(&j);
    says(&j, "only\n");
    cw_quiet_output_finish(&j.out);
    assert_int_equal(waitpid(-1, &status, WNOHANG | __WALL), -1);
    prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

/* Signals that the host ignores or blocks, its environment and session are not the helper's. */
static void test_nothing_inherited(void **state)
{
    int niceness = getpriority(PRIO_PROCESS, 0) + 10;
    char expected[32];
    struct job j;

    (void)state;
    niceness = niceness > 19 ? 19 : niceness;
    setenv("LD_PRELOAD_OF_HOST", "x", 1);
    signal(SIGTERM, SIG_IGN);
    begin(&j,
          "nice; env | grep -c OF_HOST; ls /proc/self/fd | wc -l; sh -c 'kill -TERM $$; echo alive' || true",
          "", 600000);
    end(&j);
    signal(SIGTERM, SIG_DFL);
    snprintf(expected, sizeof expected, "%d\n0\n5\n", niceness);
    says(&j, expected); /* 0 1 2 3, and the one that ls has opened */
    cw_quiet_output_finish(&j.out);
}

static void fails(const char *script, unsigned ms, enum cw_status expected)
{
    struct job j;

    begin(&j, script, "", ms);
    end(&j);
    assert_int_equal(j.status, expected);
    assert_int_equal(j.out.bytes, 0);
    assert_true(*j.err.text);
    cw_quiet_output_finish(&j.out);
}

static void test_bad_helpers(void **state)
{
    struct job j;

    (void)state;
    fails("sleep 100000", 200, CW_ERR_LIMIT);
    fails("trap '' TERM INT HUP; while :; do :; done", 200, CW_ERR_LIMIT);
    fails("head -c 1000000000 /dev/zero", 600000, CW_ERR_LIMIT);
    fails("yes", 600000, CW_ERR_LIMIT);
    begin(&j, "echo half; kill -SEGV $$", "", 600000); /* a crash is seen by what was said */
    end(&j);
    says(&j, "half\n");
    cw_quiet_output_finish(&j.out);
    begin(&j, "exec /nonexistent/helper", "", 600000);
    end(&j);
    says(&j, "");
    cw_quiet_output_finish(&j.out);
}

/* A fork of the host has a life of its own, and does not keep the helper from ending. */
static void test_fork_of_host(void **state)
{
    struct job j;
    pid_t pid;

    (void)state;
    begin(&j, "sleep 0.2; echo ok", "", 600000);
    pid = fork();
    if (pid == 0) {
        cw_quiet_child_after_fork();
        execlp("sleep", "sleep", "100000", (char *)NULL);
        _exit(1);
    }
    end(&j);
    says(&j, "ok\n");
    cw_quiet_output_finish(&j.out);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* When the host ends, in whatever way, so does everything of ours. */
static void test_host_dies(void **state)
{
    char folder[128], script[500], name[200], text[32] = "";
    struct job j;
    int status, fd;
    pid_t pid, helper;

    (void)state;
    snprintf(folder, sizeof folder, "%s/clweave-quiet.XXXXXX", cw_temporary_folder());
    assert_non_null(mkdtemp(folder));
    snprintf(script, sizeof script, "echo $$ > %s/new; mv %s/new %s/pid; sleep 1000", folder, folder, folder);
    snprintf(name, sizeof name, "%s/pid", folder);
    pid = fork();
    if (pid == 0) {
        begin(&j, script, "", 1000000);
        pause();
    }
    wait_for(name);
    fd = open(name, O_RDONLY);
    assert_true(read(fd, text, sizeof text - 1) > 0);
    close(fd);
    helper = atoi(text);
    assert_int_equal(kill(helper, 0), 0);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    while (kill(helper, 0) == 0) {
        char path[40], state_[200] = "";
        snprintf(path, sizeof path, "/proc/%d/stat", (int)helper); /* a zombie is dead enough */
        FILE *f = fopen(path, "r");
        if (!f || !fgets(state_, sizeof state_, f) || strstr(state_, ") Z ")) {
            if (f)
                fclose(f);
            break;
        }
        fclose(f);
        usleep(5000);
    }
    unlink(name);
    rmdir(folder);
}

/* Last: afterwards nothing starts any more. */
static void test_kill(void **state)
{
    struct job j;

    (void)state;
    begin(&j, "sleep 1000", "", 1000000);
    usleep(200000);
    cw_quiet_child_kill(CW_QUIET_ONCE, true);
    end(&j);
    assert_int_equal(j.status, CW_ERR_IO);
    cw_quiet_output_finish(&j.out);
    begin(&j, "sleep 1000", "", 1000000);
    end(&j);
    assert_int_equal(j.status, CW_ERR_IO);
    assert_non_null(strstr(j.err.text, "this process ends"));
    cw_quiet_output_finish(&j.out);
}

/* Memory that a helper shares with its host stays whole, even if the helper cuts its file short: the host
 * would die. */
static void test_shared_stays(void **state)
{
    char *shared = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    _Atomic uint32_t is_shared = 0;
    struct job j;

    (void)state;
    assert_ptr_not_equal(shared, MAP_FAILED);
    begin_shared(&j,
                 "printf new 1<> " CW_QUIET_CHILD_FILE "; truncate -s 0 " CW_QUIET_CHILD_FILE
                 " && echo cut; echo end",
                 shared, &is_shared);
    end(&j);
    says(&j, "end\n");
    assert_int_equal(is_shared, 1);
    assert_memory_equal(shared, "new", 3);
    assert_int_equal(shared[8191], 0);
    cw_quiet_output_finish(&j.out);
    munmap(shared, 8192);
}

/* A detached one goes on when its host has gone on, or has ended before it could begin; the host sees neither
 * it nor its end. */
static void test_detached(void **state)
{
    static const char *const scripts[] = {"(sleep .3; echo > done) > /dev/null 2>&1 &",
                                          "sleep .3; (echo > done) > /dev/null 2>&1 &"};
    char folder[128], script[256], done[160];
    struct sigaction counting = {.sa_handler = count}, before;

    (void)state;
    snprintf(folder, sizeof folder, "%s/clweave-detached.XXXXXX", cw_temporary_folder());
    assert_non_null(mkdtemp(folder));
    snprintf(done, sizeof done, "%s/done", folder);
    sigaction(SIGCHLD, &counting, &before);
    for (int ends = 0; ends < 2; ends++) {
        _Atomic uint32_t begun = 0;
        struct job j = {.argv = {"/bin/sh", "-c", script, NULL}};
        int status = -1, lost = child_signals;
        pid_t host = ends ? fork() : 0;

        snprintf(script, sizeof script, "cd %s; %s", folder, scripts[ends]);
        j.child = (struct cw_quiet_child){.kind = CW_QUIET_DETACHED,
                                          .argv = j.argv,
                                          .env = env,
                                          .input = "",
                                          .max_bytes = 1,
                                          .milliseconds = 60000,
                                          .begun = &begun};
        if (!ends || host == 0) {
            start(&j);
            while (!begun)
                usleep(100);
            if (ends)
                _exit(0);
            end(&j);
            assert_int_equal(j.status, CW_OK);
            assert_true(waitpid(-1, &status, WNOHANG) < 0 && errno == ECHILD);
            assert_int_equal(child_signals, lost);
            cw_quiet_output_finish(&j.out);
        } else {
            assert_int_equal(waitpid(host, &status, 0), host);
            assert_int_equal(status, 0);
        }
        while (access(done, F_OK) != 0)
            usleep(1000);
        assert_true(waitpid(-1, &status, WNOHANG) < 0 && errno == ECHILD);
        unlink(done);
    }
    sigaction(SIGCHLD, &before, NULL);
    rmdir(folder);
}

/* One that is stopped may never go on: that is no matter of its time. */
static void test_stopped(void **state)
{
    _Atomic uint32_t is_shared = 0;
    struct job j;
    void *shared;

    (void)state;
    begin(&j, "kill -STOP $$", "", 60000);
    end(&j);
    assert_int_equal(j.status, CW_ERR_IO);
    begin(&j, "kill -STOP $PPID; sleep 60", "", 60000); /* the process that attends to it */
    while (!cw_quiet_child_is_stopped(CW_QUIET_ONCE))
        usleep(1000);
    cw_quiet_child_kill(CW_QUIET_ONCE, false);
    end(&j);
    assert_int_equal(j.status, CW_ERR_IO);
    shared = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(shared != MAP_FAILED);
    begin_shared(&j, "kill -STOP $$", shared, &is_shared);
    end(&j);
    assert_int_equal(j.status, CW_ERR_IO);
    assert_false(cw_quiet_child_is_stopped(CW_QUIET_SERVER));
    munmap(shared, 8192);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_input_and_output),  cmocka_unit_test(test_unseen),
        cmocka_unit_test(test_own_children),      cmocka_unit_test(test_orphans),
        cmocka_unit_test(test_nothing_inherited), cmocka_unit_test(test_bad_helpers),
        cmocka_unit_test(test_fork_of_host),      cmocka_unit_test(test_host_dies),
        cmocka_unit_test(test_shared_stays),      cmocka_unit_test(test_detached),
        cmocka_unit_test(test_stopped),           cmocka_unit_test(test_kill),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
