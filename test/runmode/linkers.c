/* linkers.c - programs whose own kernels are compiled, and which then take away the means of a compiler
 * that the vendor starts: it may not be started, not be found, or its exit status is lost. PoCL ends a
 * process then, and the bare program does not ask it. Each case is a child process; the one before the last
 * takes nothing away. linkers [CASE]: that one alone. */
#include "common.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS  1024
#define WIDE   5184 /* more than a work-group may have */
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

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        printf("no filter can be set\n");
}

static void small_files(void)
{
    if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 20, 1 << 20}) != 0)
        printf("no limit can be set\n");
}

static void nothing(void)
{
}

static const struct {
    const char *name;
    void (*take)(void);
    bool widths; /* also launches without a local size, of widths that are new */
} cases[] = {
    {"children are ignored", ignored, false},
    {"a handler awaits all children", awaited, false},
    {"another PATH", no_path, false},
    {"no other programs", filtered, false},
    {"nothing", nothing, false},
    {"small files, other widths", small_files, true},
};

/* Of prime widths: the vendor has one code for all of them, parts of them end in work-groups of all sizes.
 * What is taken away is so while the first of them run. */
static void work_widths(struct rm_pair *p, void (*take)(void))
{
    static const size_t known[] = {5003, 5009, 5003, 5009, 5003, 5009, 5003, 5009};
    static const size_t other[] = {5011, 5021, 5023, 5039, 5051, 5059, 5077, 5081};

    for (size_t r = 0; r < 2; r++) {
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            app_args(p->slow, "mi", p->x, 3000);
            app_run(p->a.queue, p->slow, r ? other[i] : known[i], 0, 0, NULL, NULL);
        }
        APP_CHECK(clFlush(p->a.queue));
        rm_sleep_ms(1);
        if (r)
            take();
        APP_CHECK(clFinish(p->a.queue));
    }
}

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
    static int words[WIDE];
    struct rm_pair p;

    rm_pair_open(&p, cases[i].name, words, cases[i].widths ? WIDE : WORDS);
    work(&p, 20);
    if (cases[i].widths)
        work_widths(&p, cases[i].take);
    else
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

        if (only >= 0 ? i != only : cases[i].widths) /* by itself only: it must not meet builds for later
                                                        runs, which write files */
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
