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

static void work(const struct app *a, cl_kernel slow, cl_kernel add, cl_mem x, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        app_args(slow, "mi", x, 3000);
        app_run(a->queue, slow, WORDS, 64, 0, NULL, NULL);
        app_args(add, "mi", x, r);
        app_run(a->queue, add, WORDS, 64, 0, NULL, NULL);
        if (r % 20 == 19) {
            APP_CHECK(clFinish(a->queue));
            rm_sleep_ms(5); /* what is built beside it has time */
        }
    }
}

static int run(int i)
{
    static int words[WORDS];
    struct app a;
    cl_kernel slow, add;
    cl_mem x;

    app_open(&a, cases[i].name, 0, RM_SOURCE);
    slow = app_kernel(&a, "slow");
    add = app_kernel(&a, "add");
    x = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof words, words);
    work(&a, slow, add, x, 20);
    cases[i].take();
    work(&a, slow, add, x, ROUNDS);
    app_read(&a, x, 0, sizeof words, words);
    APP_CHECK(clReleaseMemObject(x));
    APP_CHECK(clReleaseKernel(slow));
    APP_CHECK(clReleaseKernel(add));
    return app_close(&a);
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
