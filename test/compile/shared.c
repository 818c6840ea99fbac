/* shared.c - one compiler for many processes: stands for clweave-compile, beside a copy of the library.
 *
 * usage: shared serve NUMBER    serves at compiler.NUMBER in PoCL's cache, until it is killed
 *        shared                 as libclweave.so starts clweave-compile
 *
 * Each clweave-compile reads PoCL's built-in functions first, once for each kind of device (0.8 s). Here it
 * hands the area that its host shares with it (compile/compile_area.h) on to a server, which has read them.
 * Where there is no server for this cache or these settings of PoCL's, or the server cannot say, it becomes
 * clweave-compile-alone, which lies beside it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../../analyzer/compile/answer.h"
#include "../../analyzer/io/identity.h"
#include "../../analyzer/io/quiet_child.h"

enum { PATIENCE_MS = 2000, QUEUE = 64, SERVERS = 2, MOST_KNOWN = 1 << 14 };

extern char **environ;

/* False: the path is too long. */
static bool address(struct sockaddr_un *to, unsigned number)
{
    const char *folder = getenv("POCL_CACHE_DIR");
    size_t room = sizeof to->sun_path;

    to->sun_family = AF_UNIX;
    return folder && (size_t)snprintf(to->sun_path, room, "%s/compiler.%u", folder, number) < room;
}

union control {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
};

/* ---- the server */

struct client {
    int socket;
    struct cw_compile_area *area;
};

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* guards all below, and OpenCL */
static struct cw_identity_set asked;
static char *module[MOST_KNOWN]; /* by number in `asked`; NULL: it is not known */

/* As far as PoCL distinguishes launches (shim/builds/isolated_compiler.c). */
static struct cw_identity identity_of(const struct cw_compile_area *a)
{
    const char *base = (const char *)a;
    const struct cw_compile_range *r = &a->range;
    uint64_t deep = r->dims > 2 ? r->local[2] * r->local[2] : 0;
    bool small = r->global[0] < USHRT_MAX && (r->dims < 2 || r->global[1] < USHRT_MAX) && deep < USHRT_MAX;
    struct cw_identity id;

    cw_identity_begin(&id, "question");
    cw_identity_number(&id, a->units);
    cw_identity_number(&id, a->only_build);
    cw_identity_number(&id, r->has_local << 2 | (r->offset[0] || r->offset[1] || r->offset[2]) << 1 | small);
    cw_identity_add(&id, r->has_local ? r->local : r->global, sizeof r->local);
    cw_identity_text(&id, base + a->device_at);
    cw_identity_text(&id, base + a->source_at);
    cw_identity_text(&id, base + a->options_at);
    cw_identity_text(&id, base + a->kernel_at);
    return id;
}

/* Of code that was loaded here the vendor does not say again where it is. */
static enum cw_compile_state answer(struct cw_compile_area *a)
{
    struct cw_identity id = identity_of(a);
    uint32_t n = cw_identity_set_add(&asked, &id);
    enum cw_compile_state state = CW_COMPILE_COMPILED;

    cw_identity_finish(&id);
    if (n < MOST_KNOWN && module[n]) {
        strcpy(a->module, module[n]);
        return state;
    }
    state = cw_answer_request(a);
    if (n < MOST_KNOWN && state == CW_COMPILE_COMPILED)
        module[n] = strdup(a->module);
    return state;
}

/* True: to the end. */
static bool serve_area(struct cw_compile_area *a)
{
    for (;;) {
        if (cw_compile_area_wait(a, CW_COMPILE_IDLE, PATIENCE_MS) == CW_COMPILE_IDLE &&
            cw_compile_area_change(a, CW_COMPILE_IDLE, CW_COMPILE_CLOSED))
            return true;
        if (atomic_load(&a->state) == CW_COMPILE_ASKED) {
            pthread_mutex_lock(&turn);
            enum cw_compile_state state = answer(a);
            pthread_mutex_unlock(&turn);
            if (state == CW_COMPILE_CLOSED)
                return false;
            cw_compile_area_change(a, CW_COMPILE_ASKED, state);
        }
        for (uint32_t s; (s = atomic_load(&a->state)) == CW_COMPILE_COMPILED || s == CW_COMPILE_REFUSED;)
            if (cw_compile_area_wait(a, s, PATIENCE_MS) == s &&
                cw_compile_area_change(a, s, CW_COMPILE_CLOSED))
                return true;
        if (atomic_load(&a->state) == CW_COMPILE_CLOSED)
            return true;
    }
}

static void *attend(void *data)
{
    struct client *c = data;

    c->area->version = CW_COMPILE_VERSION;
    cw_compile_area_change(c->area, CW_COMPILE_STARTS, CW_COMPILE_IDLE);
    if (serve_area(c->area) && send(c->socket, "", 1, MSG_NOSIGNAL) < 0)
        perror("shared"); /* it was killed */
    munmap(c->area, CW_COMPILE_BYTES);
    close(c->socket);
    free(c);
    return NULL;
}

/* NULL: it sends none. */
static struct cw_compile_area *receive_area(int from)
{
    union control control;
    char byte;
    struct iovec data = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    void *area = MAP_FAILED;
    struct cmsghdr *head;
    int fd;

    if (recvmsg(from, &message, 0) != 1 || !(head = CMSG_FIRSTHDR(&message)) ||
        head->cmsg_type != SCM_RIGHTS || head->cmsg_len != CMSG_LEN(sizeof fd))
        return NULL;
    memcpy(&fd, CMSG_DATA(head), sizeof fd);
    area = mmap(NULL, CW_COMPILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return area == MAP_FAILED ? NULL : area;
}

static int serve(unsigned number)
{
    struct sockaddr_un at;
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    setenv("POCL_DEVICES", "pthread basic", 1);
    if (!address(&at, number) || bind(listener, (struct sockaddr *)&at, sizeof at) != 0 ||
        listen(listener, QUEUE) != 0) {
        perror("shared");
        return 1;
    }
    for (;;) {
        struct client *c = malloc(sizeof *c);
        pthread_t thread;

        if (!c)
            return 1;
        c->socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        c->area = c->socket >= 0 ? receive_area(c->socket) : NULL;
        if (c->area && pthread_create(&thread, NULL, attend, c) == 0) {
            pthread_detach(thread);
            continue;
        }
        if (c->socket >= 0)
            close(c->socket);
        free(c);
    }
}

/* ---- its client */

/* PoCL has other settings than the server's. */
static bool is_special(void)
{
    for (char **v = environ; *v; v++)
        if (!strncmp(*v, "POCL_", 5) && strncmp(*v, "POCL_CACHE_DIR=", 15) &&
            strncmp(*v, "POCL_DEVICES=", 13))
            return true;
    return false;
}

static bool send_area(int to)
{
    int fd = open(CW_QUIET_CHILD_FILE, O_RDWR | O_CLOEXEC);
    struct iovec data = {"", 1};
    union control control = {
        .head = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)}};
    const struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};

    memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
    return fd >= 0 && sendmsg(to, &message, MSG_NOSIGNAL) == 1 && close(fd) == 0;
}

/* A server has served until the end. */
static bool was_served(void)
{
    struct sockaddr_un at;
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char byte;

    return !is_special() && address(&at, (unsigned)getpid() % SERVERS) &&
           connect(s, (struct sockaddr *)&at, sizeof at) == 0 && send_area(s) && recv(s, &byte, 1, 0) == 1;
}

static int become_alone(char **argv)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof "-alone");

    if (n < 0)
        return 2;
    strcpy(path + n, "-alone");
    execv(path, argv);
    perror(path);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "serve"))
        return serve((unsigned)atoi(argv[2]));
    if (argc == 1 && was_served())
        return 0;
    return become_alone(argv);
}
