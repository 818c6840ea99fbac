/* main.c - clweave-compile: compiles kernels for a process that does not want to do so itself
 * (compile/compile_client.h), or is the builder (compile/requests.h). Run by the library only. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../io/quiet_child.h"
#include "answer.h"
#include "requests.h"

enum { PATIENCE_MS = 2000, OWN_OUTPUT = 10 };

static struct cw_compile_area *open_area(void)
{
    int fd = open(CW_QUIET_CHILD_FILE, O_RDWR | O_CLOEXEC);
    struct stat file;
    void *area = fd >= 0 && fstat(fd, &file) == 0 && file.st_size == CW_COMPILE_BYTES
                     ? mmap(NULL, CW_COMPILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                     : MAP_FAILED;

    if (fd >= 0)
        close(fd);
    return area == MAP_FAILED ? NULL : area;
}

/* Messages of the vendor go nowhere; a closed output would tell the asker that this process has ended. */
static bool be_quiet(void)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    return null >= 0 && fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, OWN_OUTPUT) >= 0 &&
           dup2(null, STDOUT_FILENO) >= 0;
}

/* Where memory is short, rather this process than the one that it works for. */
static void be_the_first_to_go(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd >= 0) {
        if (write(fd, "1000", 4) != 4)
            fputs("clweave-compile: cannot be the first to go\n", stderr);
        close(fd);
    }
}

/* The host builds a program once it was built here, on a thread with twice this stack: a source that is
 * nested too deep for the vendor's compiler ends this process, never the host. */
static void limit_the_stack(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur > CW_COMPILE_STACK) {
        limit.rlim_cur = CW_COMPILE_STACK;
        setrlimit(RLIMIT_STACK, &limit);
    }
}

static void allow_devices(void)
{
    setenv("POCL_DEVICES", "pthread basic", 0); /* whichever is asked for */
}

static int serve(void)
{
    struct cw_compile_area *area = open_area();

    if (!area || !be_quiet()) {
        fputs("clweave-compile: started by libclweave.so only, to compile kernels for the process that it is "
              "in\n",
              stderr);
        return 2;
    }
    close(3);
    be_the_first_to_go();
    limit_the_stack();
    allow_devices();
    area->version = CW_COMPILE_VERSION;
    cw_compile_area_change(area, CW_COMPILE_STARTS, CW_COMPILE_IDLE);
    for (;;) {
        if (cw_compile_area_wait(area, CW_COMPILE_IDLE, PATIENCE_MS) == CW_COMPILE_IDLE &&
            cw_compile_area_change(area, CW_COMPILE_IDLE, CW_COMPILE_CLOSED))
            _exit(0);
        if (atomic_load(&area->state) == CW_COMPILE_ASKED)
            cw_compile_area_change(area, CW_COMPILE_ASKED, cw_answer_request(area));
        for (uint32_t s; (s = atomic_load(&area->state)) == CW_COMPILE_COMPILED || s == CW_COMPILE_REFUSED;)
            if (cw_compile_area_wait(area, s, PATIENCE_MS) == s &&
                cw_compile_area_change(area, s, CW_COMPILE_CLOSED))
                _exit(0); /* the host is gone, or stopped: it finds the area closed and starts another
                             compiler */
        if (atomic_load(&area->state) == CW_COMPILE_CLOSED)
            _exit(0);
    }
}

int main(int argc, char **argv)
{
    if (argc >= 3 && !strcmp(argv[1], CW_BUILDER_WORD)) {
        be_the_first_to_go();
        return cw_builder_run(argv[2], argc > 3 && !strcmp(argv[3], CW_BUILDER_WAIT));
    }
    if (argc == 4 && !strcmp(argv[1], CW_BUILDER_CHILD)) {
        limit_the_stack();
        allow_devices();
        return cw_builder_one(argv[2], argv[3]);
    }
    return serve();
}
