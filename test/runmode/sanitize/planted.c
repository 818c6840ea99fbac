/* planted.c - one error of each kind that the sanitizers are there for, so that a test which sees none is
 * known to look. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int shared;
static volatile int most = INT_MAX;
static void *volatile lost;

static void *add(void *unused)
{
    (void)unused;
    for (int i = 0; i < 1000; i++)
        shared++;
    return NULL;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    pthread_t thread;

    lost = malloc(100);
    if (!strcmp(what, "address"))
        return ((volatile char *)lost)[100 + argc - 2];
    if (!strcmp(what, "leak"))
        lost = NULL;
    if (!strcmp(what, "undefined"))
        return most + argc == 0;
    if (strcmp(what, "thread"))
        return 0;
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
    return 0;
}
