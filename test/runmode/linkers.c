/* linkers.c - programs whose own kernels are compiled, and which then take away what a compiler needs that the vendor starts: it
 * may not be started, not be found, or nobody learns how it ended. PoCL ends a process then, and the bare program does not ask it.
 * Each case is a child process; the last one takes nothing away. linkers [CASE]: that one alone. */
#include "common.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS  1024
#define ROUNDS 100

static void ignored(void)
{
    signal(SIGCHLD, SIG_IGN);
}

static void await_all(int number)
{
    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
}

static void awaited(void)
{
    signal(SIGCHLD, await_all);
}

static void no_path(void)
{
    setenv("PATH", "/nonexistent", 1);
}

static void filtered(void)
{
    struct sock_filter no_programs[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_execve, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof no_programs / sizeof *no_programs, no_programs};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        printf("no filter can be set\n");
}

static void nothing(void)
{
}

static const struct {
    const char *name;
    void (*take)(void);
} cases[] = {
    {"children are ignored", ignored}, {"a handler awaits all children", awaited}, {"another PATH", no_path},
    {"no other programs", filtered},   {"nothing", nothing},
};

static void work(struct rm_pair *p, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        rm_pair_run(p, 3000, r);
        if (r % 20 == 19) {
            APP_CHECK(clFinish(p->a.queue));
            rm_sleep_ms(5); /* what is built beside it has time */
        }
    }
}

static int run(int i)
{
    static int words[WORDS];
    struct rm_pair p;

    rm_pair_open(&p, cases[i].name, words, WORDS);
    work(&p, 20);
    cases[i].take();
    work(&p, ROUNDS);
    return rm_pair_close(&p, words);
}

int main(int argc, char **argv)
{
    int only = argc > 1 ? atoi(argv[1]) : -1;

    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        int status = -1;
        pid_t child;

        if (only >= 0 && i != only)
            continue;
        fflush(stdout);
        child = fork();
        if (child == 0)
            exit(run(i));
        waitpid(child, &status, 0);
        printf("%s: exit status %d, signal %d\n", cases[i].name, WEXITSTATUS(status), WTERMSIG(status));
    }
    return 0;
}
