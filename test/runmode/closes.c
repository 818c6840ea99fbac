/* closes.c - a program that closes all descriptors above 2 again and again, as programs do that do not trust
 * inherited ones, and keeps a file open between: threads and processes beside it lose nothing by that, and
 * write nothing into the file. Standard output is pointed elsewhere and back meanwhile. closes [ROUNDS
 * [always|full]]: a thread closes them all the time; none is free. */
#include "common.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORDS 1024
#define TEXT  "nobody else writes here"

/* Closes all of them, and opens a file with TEXT in it. */
static int own_file(void)
{
    char name[] = "/tmp/clweave-closes.XXXXXX";
    int fd;

    closefrom(3);
    fd = mkstemp(name);
    if (fd < 0 || unlink(name) != 0 || write(fd, TEXT, sizeof TEXT) != sizeof TEXT)
        printf("no file\n");
    return fd;
}

static void look(int fd)
{
    char text[2 * sizeof TEXT] = "";
    struct stat file;

    if (fstat(fd, &file) != 0 || file.st_size != sizeof TEXT ||
        pread(fd, text, sizeof TEXT, 0) != sizeof TEXT || strcmp(text, TEXT) != 0)
        printf("the file has changed\n");
}

/* As daemons do, or programs that run others: the number is free for a moment. */
static void point_elsewhere_and_back(void)
{
    int kept = fcntl(STDOUT_FILENO, F_DUPFD, 100), null;

    fflush(stdout);
    close(STDOUT_FILENO);
    null = open("/dev/null", O_WRONLY);
    if (null != STDOUT_FILENO)
        dup2(null, STDOUT_FILENO);
    printf("not to be seen\n");
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    if (null != STDOUT_FILENO)
        close(null);
}

static void *close_always(void *unused)
{
    (void)unused;
    for (;;) {
        closefrom(3);
        usleep(20);
    }
    return NULL;
}

/* What a program does to its descriptors from its second round on. */
static void disturb(const char *how)
{
    const struct rlimit few = {256, 256};
    pthread_t thread;

    if (!strcmp(how, "always")) {
        pthread_create(&thread, NULL, close_always, NULL);
    } else if (setrlimit(RLIMIT_NOFILE, &few) == 0) {
        while (dup(STDIN_FILENO) >= 0) {
        }
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : NULL;
    int rounds = argc > 1 ? atoi(argv[1]) : 120;
    static int words[WORDS];
    struct rm_pair p;
    int fd = -1;

    rm_pair_open(&p, "closes", words, WORDS);
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < 10; i++)
            rm_pair_run(&p, 500, r);
        APP_CHECK(clFinish(p.a.queue));
        if (how && r == 1)
            disturb(how);
        if (fd >= 0)
            look(fd);
        if (!how && r % 5 == 0) {
            point_elsewhere_and_back();
            fd = own_file();
        }
        rm_sleep_ms(4); /* helpers' programs have time, as much as with longer kernels */
    }
    return rm_pair_close(&p, words);
}
