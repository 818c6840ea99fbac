/* trouble.c - programs whose surroundings are against them: each argument is one kind of trouble, in the
 * middle of a window of commands. Prints, and ends, as bare; without an argument: signals. */
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS 1024

extern char **environ;
static struct app a;
static cl_kernel add, mul;
static cl_mem x[4];
static sig_atomic_t signals;
static int enough;

/* Chains on four buffers, not waited for: what is enqueued is a window when the trouble comes. */
static void enqueue(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        cl_kernel k = i % 3 ? add : mul;
        app_args(k, "mi", x[i % 4], i + 3);
        app_run(a.queue, k, WORDS, 64, 0, NULL, NULL);
    }
}

static void look(const char *when)
{
    static uint32_t host[WORDS];

    a.hash = 0;
    for (int i = 0; i < 4; i++)
        app_read(&a, x[i], 0, sizeof host, host);
    printf("%s: %016llx\n", when, (unsigned long long)a.hash);
    fflush(stdout);
}

static void open_all(void)
{
    static uint32_t host[WORDS];

    app_open(&a, "trouble", 0, RM_SOURCE);
    add = app_kernel(&a, "add"), mul = app_kernel(&a, "mul");
    for (int i = 0; i < 4; i++)
        x[i] = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof host, host);
    enqueue(2); /* one of each, which the vendor sees; helpers have nothing yet */
    look("warm");
}

static void alarmed(int number)
{
    (void)number;
    __atomic_add_fetch(&signals, 1, __ATOMIC_RELEASE);
    errno = EINTR;
}

/* One signal to the process, whoever takes it, is handled before the next one is sent. */
static void *send_signals(void *unused)
{
    sigset_t own;

    sigemptyset(&own);
    sigaddset(&own, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &own, NULL);
    while (!__atomic_load_n(&enough, __ATOMIC_ACQUIRE)) {
        sig_atomic_t before = __atomic_load_n(&signals, __ATOMIC_ACQUIRE);

        kill(getpid(), SIGALRM);
        RM_WAIT(__atomic_load_n(&signals, __ATOMIC_ACQUIRE) != before);
    }
    return unused;
}

/* The program's handler interrupts it wherever it is: in calls that run kernels, that wait, that enqueue. */
static void by_signals(void)
{
    static const uint32_t same[WORDS];
    struct sigaction s = {.sa_handler = alarmed};
    pthread_t sender;

    sigaction(SIGALRM, &s, NULL);
    pthread_create(&sender, NULL, send_signals, NULL);
    for (int i = 0; i < 20 || __atomic_load_n(&signals, __ATOMIC_ACQUIRE) < 20; i++) {
        enqueue(100);
        if (i < 20)
            look("signals");
    }
    APP_CHECK(clFinish(a.queue));
    __atomic_store_n(&enough, 1, __ATOMIC_RELEASE);
    pthread_join(sender, NULL);
    for (int i = 0; i < 4; i++) /* how many rounds there were is not the same each time */
        APP_CHECK(clEnqueueWriteBuffer(a.queue, x[i], CL_TRUE, 0, sizeof same, same, 0, NULL, NULL));
    printf("signals: none lost, enough\n");
}

static void no_files(void)
{
    struct rlimit few = {64, 64};
    int got[64], n = 0;

    setrlimit(RLIMIT_NOFILE, &few);
    while (n < 64 && (got[n] = open("/dev/null", O_RDONLY)) >= 0)
        n++;
    for (int i = 0; i < 20; i++)
        enqueue(100), look("no files");
    while (n)
        close(got[--n]);
    enqueue(100);
    look("files again");
}

static void no_file_size(void)
{
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
    for (int i = 0; i < 20; i++)
        enqueue(100), look("no file size");
}

/* Hardly more than there is. */
static void no_memory(void)
{
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    rlim_t bytes;

    if (!f || fscanf(f, "%llu", &pages) != 1)
        exit(1);
    fclose(f);
    bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (16u << 20);
    setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes});
    for (int i = 0; i < 20; i++)
        enqueue(100), look("no memory");
}

/* $FULL is a file on a small disk, where the vendor's and our files are, too. */
static void no_disk(void)
{
    static const char block[65536];
    const char *name = getenv("FULL");
    int fd = name ? open(name, O_WRONLY | O_CREAT, 0600) : -1;
    size_t bytes = sizeof block;

    while (fd >= 0 && bytes)
        bytes = write(fd, block, bytes) > 0 ? bytes : bytes / 2;
    for (int i = 0; i < 20; i++)
        enqueue(100), look("no disk");
    if (fd >= 0)
        close(fd);
}

/* What daemons do. */
static void closed_files(void)
{
    enqueue(100);
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    for (int fd = 3; fd < 10;
         fd++) /* theirs from now on: whoever writes there writes into the program's files */
        if (open("/dev/null", O_RDONLY) != fd)
            printf("descriptor %d is not free\n", fd);
    for (int i = 0; i < 20; i++)
        enqueue(100), look("closed files");
}

/* No command runs before the environment is gone: PoCL's threads read it, and are not locked out. */
static void no_environment(void)
{
    cl_int err = CL_SUCCESS;
    cl_event gate = clCreateUserEvent(a.context, &err);

    APP_CHECK(err);
    APP_CHECK(clEnqueueBarrierWithWaitList(a.queue, 1, &gate, NULL));
    enqueue(100);
    clearenv();
    APP_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    clReleaseEvent(gate);
    for (int i = 0; i < 20; i++)
        enqueue(100), look("no environment");
}

/* A child in the middle of a window. Where nothing of the vendor needs its threads it works on. */
static void child(bool works)
{
    int status = 0;
    pid_t pid;

    enqueue(100);
    pid = fork();
    if (pid == 0) {
        cl_uint units = 0;

        APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
        if (works) {
            look("child");
            enqueue(50);
            look("child again");
            exit(units ? 4 : 5);
        }
        _exit(units ? 3 : 5);
    }
    if (waitpid(pid, &status, 0) != pid)
        printf("no child: %s\n", strerror(errno));
    printf("child: %d\n", status);
    look("parent");
    enqueue(100);
    look("parent again");
}

static void by_fork(void)
{
    child(false);
}

static void by_working_fork(void)
{
    child(true);
}

/* No handler of fork hears of this one. */
static void by_spawn(void)
{
    char *const echo[] = {(char *)"echo", (char *)"spawned", NULL};
    int status = 0;
    pid_t pid = 0;

    enqueue(100);
    if (posix_spawn(&pid, "/bin/echo", NULL, NULL, echo, environ) || waitpid(pid, &status, 0) != pid)
        printf("no child: %s\n", strerror(errno));
    printf("spawned: %d\n", status);
    look("parent");
}

/* A launch that the vendor refuses when its turn comes, and natively managed ones behind it (they have an
 * offset). Run mode has said by then that it is enqueued: the error is its event's, and what is behind it
 * runs. */
static void refused(void)
{
    const size_t size = WORDS / 2, offset = WORDS / 2;
    cl_event e[2];

    app_args(add, "mi", x[0], 5);
    app_args(mul, "mi", x[1], 5);
    app_run(a.queue, add, WORDS, 64, 0, NULL, &e[0]);
    APP_CHECK(clEnqueueNDRangeKernel(a.queue, mul, 1, &offset, &size, NULL, 0, NULL, &e[1]));
    app_run(a.queue, add, WORDS, 64, 0, NULL, NULL);
    APP_CHECK(clFinish(a.queue));
    printf("refused: %d, behind it %d\n", rm_status(e[0]), rm_status(e[1]));
    app_release_events(e, 2);
    look("refused");
    if (clEnqueueNDRangeKernel(a.queue, mul, 1, &offset, &size, NULL, 0, NULL, NULL) != CL_SUCCESS)
        printf("refused: another\n");
    look("refused");
}

/* Until it is killed: programs that are new each time, launches. */
static void endless(void)
{
    for (;;) {
        enqueue(100);
        look("endless");
    }
}

static void ends(const char *how)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    fflush(stdout);
    enqueue(200);
    if (!strcmp(how, "exit"))
        exit(9);
    if (!strcmp(how, "_exit"))
        _exit(9);
    if (!strcmp(how, "quick_exit"))
        quick_exit(9);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "exec"))
        execl("/bin/echo", "echo", "another program", (char *)NULL);
    if (!strcmp(how, "term"))
        raise(SIGTERM);
    if (!strcmp(how, "kill"))
        raise(SIGKILL);
    if (!strcmp(how, "crash"))
        raise(SIGSEGV);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*meet)(void);
    } troubles[] = {{"signals", by_signals},
                    {"files", no_files},
                    {"closed", closed_files},
                    {"size", no_file_size},
                    {"memory", no_memory},
                    {"disk", no_disk},
                    {"environment", no_environment},
                    {"fork", by_fork},
                    {"endless", endless},
                    {"refused", refused},
                    {"working_fork", by_working_fork},
                    {"spawn", by_spawn}};
    const char *what = argc > 1 ? argv[1] : "signals";

    if (!strcmp(what, "environment_first"))
        clearenv();
    open_all();
    for (size_t i = 0; i < sizeof troubles / sizeof *troubles; i++)
        if (!strcmp(what, troubles[i].name))
            troubles[i].meet();
    ends(what);
    look("end");
    app_release_mems(x, 4);
    clReleaseKernel(add), clReleaseKernel(mul);
    return app_close(&a);
}
