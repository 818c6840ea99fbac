#include "farm_link.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define MAGIC 0x6c665743u

enum { READ_BYTES = 1 << 16 };
#define PAYLOAD_MAX (UINT64_C(1) << 30)

bool cw_farm_link_send(int fd, enum cw_farm_kind kind, uint32_t epoch, const void *data, size_t bytes,
                       const void *more, size_t more_bytes)
{
    struct cw_farm_frame f = {MAGIC, kind, epoch, 0, bytes + more_bytes};
    struct iovec part[] = {
        {&f, sizeof f}, {(void *)(uintptr_t)data, bytes}, {(void *)(uintptr_t)more, more_bytes}};
    struct msghdr m = {.msg_iov = part, .msg_iovlen = 3};

    while (m.msg_iovlen) {
        ssize_t n = sendmsg(fd, &m, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        for (; m.msg_iovlen && (size_t)n >= m.msg_iov->iov_len; m.msg_iov++, m.msg_iovlen--)
            n -= (ssize_t)m.msg_iov->iov_len;
        if (m.msg_iovlen) {
            m.msg_iov->iov_base = (char *)m.msg_iov->iov_base + n;
            m.msg_iov->iov_len -= (size_t)n;
        }
    }
    return true;
}

enum cw_farm_received cw_farm_link_read(int fd, struct cw_farm_inbox *in)
{
    char chunk[READ_BYTES];
    ssize_t n = recv(fd, chunk, sizeof chunk, 0);

    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? CW_FARM_EMPTY : CW_FARM_CLOSED;
    if (n == 0)
        return CW_FARM_CLOSED;
    if (in->at) {
        memmove(in->bytes.v, in->bytes.v + in->at, in->bytes.used - in->at);
        in->bytes.used -= in->at;
        in->at = 0;
    }
    return cw_farm_result_add_bytes(&in->bytes, chunk, (size_t)n) ? CW_FARM_FULL : CW_FARM_NOMEM;
}

enum cw_farm_received cw_farm_link_next(struct cw_farm_inbox *in, struct cw_farm_frame *f,
                                        const char **payload)
{
    size_t have = in->bytes.used - in->at;

    if (have < sizeof *f)
        return CW_FARM_EMPTY;
    memcpy(f, in->bytes.v + in->at, sizeof *f);
    if (f->magic != MAGIC || f->bytes > PAYLOAD_MAX)
        return CW_FARM_CLOSED;
    if (f->bytes > have - sizeof *f)
        return CW_FARM_EMPTY;
    *payload = in->bytes.v + in->at + sizeof *f;
    in->at += sizeof *f + f->bytes;
    return CW_FARM_FULL;
}
