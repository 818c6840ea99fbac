/* What a farm says: words of lines in commands, messages, and addresses of masters that other users'
 * processes take. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../analyzer/farm/farm_link.h"
#include "../../analyzer/farm/farm_tree.h"
#include "farm_plan.h"

/* ---- words and messages */

static void check_command(const char *word, const char *list, uint32_t task, const char *wanted)
{
    struct cw_farm_plan p;
    char got[200] = "", **argv;
    int argc;

    make_plan(&p, list);
    free(p.argv[1]);
    p.argv[1] = strdup(word);
    argv = cw_farm_plan_command(&p, task, &argc);
    for (int a = 1; a < argc; a++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "<%s>", argv[a]);
    assert_string_equal(got, wanted);
    assert_null(argv[argc]);
    free(argv);
    cw_farm_plan_finish(&p);
}

static void test_words(void **state)
{
    (void)state;
    check_command("{}", "a b\n", 0, "<a><b>");
    check_command("{}", "a\nb \t 'c  d'\"e\" ''\r\n", 1, "<b><c  de><>");
    check_command("x{}y", "a b", 0, "<xa by>");
    check_command("{2}{1}{", "\n \n1 2\n", 0, "<21{>");
    check_command("{}{}", "a", 0, "<aa>");
    check_command("{0}{x}", "a", 0, "<{0}{x}>");
    check_command("plain", "a", 0, "<plain>");
}

static void test_wrong_lines(void **state)
{
    static const char *const lists[] = {"a b\n\"c\n", "a b\nc\n", "a b\n\na\n"};
    static const char *const messages[] = {"list:2: a quote is not closed",
                                           "list:2: the command has {2}, and the line 1 word",
                                           "list:3: the command has {2}, and the line 1 word"};

    (void)state;
    for (size_t k = 0; k < 3; k++) {
        struct cw_farm_plan p;
        struct cw_error err = {0};

        make_plan(&p, "");
        free(p.argv[1]);
        free(p.list[0].text);
        p.argv[1] = strdup("-{2}");
        p.list[0].text = strdup(lists[k]);
        p.list[0].bytes = strlen(lists[k]);
        assert_int_equal(cw_farm_plan_check(&p, &err), CW_ERR_FORMAT);
        assert_string_equal(err.text, messages[k]);
        cw_farm_plan_finish(&p);
    }
}

/* Messages in pieces of any size; bytes that are none. */
static void test_messages(void **state)
{
    struct cw_farm_inbox in = {0};
    struct cw_farm_frame f;
    const char *payload;
    int pair[2], found = 0;
    char bytes[200];
    ssize_t n;

    (void)state;
    assert_int_equal(pipe(pair), 0);
    assert_false(cw_farm_link_send(pair[1], CW_FARM_WORK, 7, "ab", 2, NULL, 0)); /* no socket */
    close(pair[0]);
    close(pair[1]);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_true(cw_farm_link_send(pair[1], CW_FARM_WORK, 7, "ab", 2, "cde", 3));
    assert_true(cw_farm_link_send(pair[1], CW_FARM_NO_MORE, 8, NULL, 0, NULL, 0));
    n = read(pair[0], bytes, sizeof bytes);
    for (ssize_t k = 0; k < n; k++) {
        assert_int_equal(write(pair[1], bytes + k, 1), 1);
        assert_int_equal(cw_farm_link_read(pair[0], &in), CW_FARM_FULL);
        while (cw_farm_link_next(&in, &f, &payload) == CW_FARM_FULL) {
            assert_int_equal(f.epoch, 7 + found++);
            assert_true(f.bytes == 0 || (f.bytes == 5 && !memcmp(payload, "abcde", 5)));
        }
    }
    assert_int_equal(found, 2);
    assert_int_equal(write(pair[1], "nothing of the kind, but long enough", 36), 36);
    assert_int_equal(cw_farm_link_read(pair[0], &in), CW_FARM_FULL);
    assert_int_equal(cw_farm_link_next(&in, &f, &payload), CW_FARM_CLOSED);
    close(pair[1]);
    assert_int_equal(cw_farm_link_read(pair[0], &in), CW_FARM_CLOSED);
    close(pair[0]);
    free(in.bytes.v);
}

/* ---- addresses of masters */

/* Another user's process takes the name of `fd`, which is closed, by a socket of that type, and keeps it
 * until `end` is closed. */
static pid_t take_name(int fd, int type, bool listens, int *end)
{
    struct sockaddr_un a;
    socklen_t n = sizeof a;
    int ready[2], stay[2];
    pid_t pid;
    char byte;

    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    close(fd);
    assert_true(pipe(ready) == 0 && pipe(stay) == 0);
    pid = fork();
    if (pid == 0) {
        int taken = socket(AF_UNIX, type, 0);
        bool ok = setuid(65534) == 0 && bind(taken, (struct sockaddr *)&a, n) == 0 &&
                  (!listens || listen(taken, 10) == 0);
        close(stay[1]);
        _exit(!ok || write(ready[1], "", 1) != 1 || read(stay[0], &byte, 1) != 0);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(stay[0]);
    *end = stay[1];
    return pid;
}

/* The master is dead; its successor has another address, at which its children find it. */
static void test_taken_address(void **state)
{
    static const struct {
        int type;
        bool listens;
    } taken[] = {{SOCK_STREAM, true}, {SOCK_STREAM, false}, {SOCK_DGRAM, false}};
    struct cw_error err;
    struct cw_farm_tree *t = cw_farm_tree_make(4, 2, 10, &err);

    (void)state;
    assert_non_null(t);
    for (size_t k = 0; geteuid() == 0 && k < sizeof taken / sizeof *taken; k++) {
        int master = cw_farm_tree_listen(t, 1), end, fd, status;
        pid_t pid, other = take_name(master, taken[k].type, taken[k].listens, &end);

        assert_int_equal(cw_farm_tree_connect(t, 1), -1);
        master = cw_farm_tree_listen(t, 1);
        assert_true(master >= 0);
        assert_true((fd = cw_farm_tree_connect(t, 1)) >= 0);
        close(fd);
        assert_true((fd = cw_farm_tree_accept(master, &pid)) >= 0 && pid == getpid());
        close(fd);
        assert_true(cw_farm_tree_listen(t, 1) == -1 && errno == EADDRINUSE); /* it lives */
        close(master);
        close(end);
        assert_true(waitpid(other, &status, 0) == other && status == 0);
    }
    cw_farm_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_wrong_lines),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_taken_address),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
