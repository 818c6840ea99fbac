/* interrupted.c - programs that end in a handler of a signal, as on Ctrl-C, while they wait for commands or
 * read: by exit(), which the C standard does not promise and which works bare. (Not while they enqueue: a
 * handler inside malloc() may hang in exit(), bare too.) Each case is a child process. */
#include "common.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS (1 << 14)

static int delay_ms;
static atomic_int waits; /* begun */

static void leave(int number)
{
    (void)number;
    exit(44);
}

static void *interrupt(void *unused)
{
    (void)unused;
    for (int now = waits; waits == now;)
        rm_sleep_ms(1);
    rm_sleep_ms(delay_ms); /* it has only begun */
    kill(getpid(), SIGINT);
    return NULL;
}

static void wait_for_commands(struct app *a, cl_mem x)
{
    (void)x;
    APP_CHECK(clFinish(a->queue));
}

static void read_some(struct app *a, cl_mem x)
{
    int word;

    app_read(a, x, 0, sizeof word, &word);
}

static const struct {
    const char *name;
    void (*wait)(struct app *, cl_mem);
    int rounds; /* of commands for each wait */
} cases[] = {
    {"waiting", wait_for_commands, 4}, {"reading", read_some, 4}, {"reading the last", read_some, 1}};

static void run(int i)
{
    static int words[WORDS];
    pthread_t thread;
    struct rm_pair p;

    rm_pair_open(&p, cases[i].name, words, WORDS);
    signal(SIGINT, leave);
    for (int n = 0;; n++) {
        for (int r = 0; r < cases[i].rounds; r++)
            rm_pair_run(&p, n > 2 ? 3000 : 1, r);
        waits++;
        cases[i].wait(&p.a, p.x);
        if (n == 2) /* what compiles is over */
            pthread_create(&thread, NULL, interrupt, NULL), pthread_detach(thread);
    }
}

int main(void)
{
    for (int n = 0; n < 6; n++) {
        int i = n % (int)(sizeof cases / sizeof *cases), status = -1;
        pid_t child;

        delay_ms = 3 + 2 * n;
        fflush(stdout);
        child = fork();
        if (child == 0)
            run(i);
        waitpid(child, &status, 0);
        printf("%s: exit status %d, signal %d\n", cases[i].name, WEXITSTATUS(status), WTERMSIG(status));
    }
    return 0;
}
