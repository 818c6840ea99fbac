/* A task of a farm: `farm_task spin MS` works for MS milliseconds of processor time, `farm_task sleep MS`
 * waits for so long. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    double ms = argc > 2 ? atof(argv[2]) : 0, begin = now();
    struct timespec rest = {(time_t)(ms / 1e3), (long)(1e6 * ms) % 1000000000};

    if (argc < 3) {
        fputs("usage: farm_task spin|sleep MS\n", stderr);
        return 2;
    }
    if (strcmp(argv[1], "sleep") == 0)
        nanosleep(&rest, NULL);
    else
        while (now() - begin < ms)
            ;
    return 0;
}
