/* quiet.c - a program that looks for traces of clweave beside it: children, signals, descriptors, threads'
 * limits. Prints the same bare and under run mode while a helper of clweave's is at work, which the test
 * makes slow. With an argument it ends in that moment: "exit", "_exit", "abort", "kill", "exec". */
#include "common.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t child_signals;

static void count(int signal)
{
    (void)signal;
    child_signals++;
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

static int any_child(void)
{
    int status;

    return waitpid(-1, &status, WNOHANG) < 0 && errno == ECHILD ? 0 : 1;
}

/* Returns when the helper has written its process id into the file QUIET_HELPER names, at once where that is
 * not set. */
static void wait_for_helper(void)
{
    const char *path = getenv("QUIET_HELPER");
    struct stat file;

    while (path && (stat(path, &file) != 0 || file.st_size == 0))
        rm_sleep_ms(1);
}

static void end(const char *how)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (!strcmp(how, "exit"))
        exit(0);
    if (!strcmp(how, "_exit"))
        _exit(0);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "kill"))
        raise(SIGKILL);
    execl("/bin/echo", "echo", "another program", (char *)NULL);
}

/* A child of the program's own is found, and no other. */
static void own_child(int number)
{
    int status;
    pid_t child = fork();

    if (child == 0)
        _exit(number);
    printf("child %d: %d\n", number, wait(&status) == child ? WEXITSTATUS(status) : -1);
}

int main(int argc, char **argv)
{
    struct app a;
    struct rusage before, after;
    cl_program program;
    cl_kernel k;
    cl_int err;
    cl_mem x;
    int fds, now, found = 0, more = 0;
    const char *source = RM_SOURCE;

    app_open(&a, "quiet", 0, RM_SOURCE "kernel void other(global int *x) { x[0] = 7; }\n");
    x = app_buffer(&a, CL_MEM_READ_WRITE, 64 * sizeof(int), NULL);
    k = app_kernel(&a, "add");
    rm_warm(&a, k, x); /* what the vendor opens and runs (PoCL starts a linker), it has */
    signal(SIGCHLD, count);
    fds = descriptors();
    getrusage(RUSAGE_CHILDREN, &before);
    program = clCreateProgramWithSource(a.context, 1, &source, NULL, &err);
    APP_CHECK(clBuildProgram(program, 0, NULL, "-DN=3", NULL, NULL));
    wait_for_helper();
    for (int i = 0; i < 60; i++) {
        found += any_child();
        now = descriptors(); /* one that was open for a moment at first may be gone */
        more += now > fds ? now - fds : 0;
        if (i == 30 && argc > 1)
            end(argv[1]);
        if (i % 10 == 5)
            own_child(i);
        rm_sleep_ms(20);
    }
    getrusage(RUSAGE_CHILDREN, &after);
    printf("children found %d, descriptors more %d, signals %d, seconds of children %ld\n", found, more,
           (int)child_signals, (long)(after.ru_utime.tv_sec - before.ru_utime.tv_sec));
    APP_CHECK(clReleaseProgram(program));
    APP_CHECK(clReleaseKernel(k));
    APP_CHECK(clReleaseMemObject(x));
    signal(SIGCHLD, SIG_IGN); /* who starts a child after this finds it gone */
    return app_close(&a);
}
