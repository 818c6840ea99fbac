#include "farm_outside.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PORT_MAX = 65535, NUMBER = 16, HOST_BYTES = 256 };

/* ---- the address */

/* Whether `host` is an address of this machine: a socket can be bound to it. */
static enum cw_status check_host(const char *host, struct cw_error *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    int wrong = getaddrinfo(host, NULL, &hints, &found);
    bool here = false;

    if (wrong)
        return cw_error_set(err, CW_ERR_NOTFOUND, "--manager: %s: %s", host, gai_strerror(wrong));
    for (struct addrinfo *a = found; a && !here; a = a->ai_next) {
        int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, 0);

        here = fd >= 0 && bind(fd, a->ai_addr, a->ai_addrlen) == 0;
        if (fd >= 0)
            close(fd);
    }
    freeaddrinfo(found);
    return here ? CW_OK
                : cw_error_set(err, CW_ERR_NOTFOUND,
                               "--manager: %s is not an address of this machine; the farm listens here, and "
                               "other machines join with 'clweave farm worker'",
                               host);
}

static enum cw_status check_port(uint32_t *port, struct cw_error *err)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
    socklen_t length = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    bool free_port;

    if (fd < 0)
        return cw_error_set(err, CW_ERR_IO, "--manager: cannot make a socket: %s", strerror(errno));
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    free_port = bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 1) == 0 &&
                getsockname(fd, (struct sockaddr *)&a, &length) == 0;
    if (!free_port)
        cw_error_set(err, CW_ERR_IO, "--manager: cannot listen on port %u: %s; another port may be free",
                     *port, strerror(errno));
    close(fd);
    *port = ntohs(a.sin_port);
    return free_port ? CW_OK : CW_ERR_IO;
}

enum cw_status cw_farm_outside_address(const char *word, char **host, uint32_t *port, struct cw_error *err)
{
    const char *colon = strrchr(word, ':'), *number = colon ? colon + 1 : word;
    char own[HOST_BYTES] = "localhost", *end;
    unsigned long n = strtoul(number, &end, 10);
    enum cw_status status = CW_OK;

    *host = NULL;
    if (end == number || *end || *number == '-' || n > PORT_MAX || colon == word)
        return cw_error_set(err, CW_ERR_INVALID, "--manager: '%s' is neither HOST:PORT nor PORT", word);
    gethostname(own, sizeof own - 1);
    *host = colon ? strndup(word, (size_t)(colon - word)) : strdup(own);
    *port = (uint32_t)n;
    if (!*host)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    if (colon)
        status = check_host(*host, err);
    if (status == CW_OK)
        status = check_port(port, err);
    if (status != CW_OK) {
        free(*host);
        *host = NULL;
    }
    return status;
}

/* ---- the program */

enum cw_status cw_farm_outside_prepare(struct cw_farm_outside *o, const struct cw_farm_plan *p,
                                       struct cw_error *err)
{
    size_t bytes = 0, done = 0;
    char *packed = cw_farm_plan_pack(p, &bytes);

    o->plan = packed ? memfd_create("plan", MFD_CLOEXEC) : -1;
    while (o->plan >= 0 && done < bytes) {
        ssize_t n = pwrite(o->plan, packed + done, bytes - done, (off_t)done);

        if (n <= 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    free(packed);
    if (packed && done == bytes)
        return CW_OK;
    return cw_error_set(err, CW_ERR_NOMEM, "out of memory for the plan");
}

void cw_farm_outside_finish(struct cw_farm_outside *o)
{
    if (o->plan >= 0)
        close(o->plan);
    o->plan = -1;
}

_Noreturn void cw_farm_outside_exec(const struct cw_farm_outside *o, int link, uint32_t epoch)
{
    char number[CW_FARM_OUTSIDE_WITH][NUMBER];
    const char **argv = calloc(CW_FARM_OUTSIDE_WITH + (size_t)o->withs + 1, sizeof *argv);

    if (!argv)
        _exit(1);
    snprintf(number[CW_FARM_OUTSIDE_LINK], NUMBER, "%d", link);
    snprintf(number[CW_FARM_OUTSIDE_PLAN], NUMBER, "%d", o->plan);
    snprintf(number[CW_FARM_OUTSIDE_EPOCH], NUMBER, "%u", epoch);
    snprintf(number[CW_FARM_OUTSIDE_PORT], NUMBER, "%u", o->port);
    snprintf(number[CW_FARM_OUTSIDE_BLOCK], NUMBER, "%u", o->block);
    for (int w = CW_FARM_OUTSIDE_LINK; w <= CW_FARM_OUTSIDE_BLOCK; w++)
        argv[w] = number[w];
    argv[CW_FARM_OUTSIDE_SELF] = CW_FARM_OUTSIDE_PROGRAM;
    argv[CW_FARM_OUTSIDE_VERSION] = o->version;
    argv[CW_FARM_OUTSIDE_FOLDER] = o->folder;
    argv[CW_FARM_OUTSIDE_JOIN] = o->join;
    argv[CW_FARM_OUTSIDE_PASSWORD] = o->password ? o->password : "";
    for (uint32_t k = 0; k < o->withs; k++)
        argv[CW_FARM_OUTSIDE_WITH + k] = o->with[k];
    fcntl(link, F_SETFD, 0);
    fcntl(o->plan, F_SETFD, 0);
    execv(o->program, (char *const *)(uintptr_t)argv);
    _exit(1);
}
