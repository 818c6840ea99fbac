/* log_record.c - a record in the making (log_write.h). */
#include <errno.h>
#include <stdlib.h>

#include "log_write.h"

static void begin(struct cw_rec *r, uint64_t seq)
{
    r->seq = seq;
    r->flags = 0;
    r->status = 0;
    r->lost = false;
    r->p = r->body = r->inline_bytes;
    r->end = r->inline_bytes + CW_REC_INLINE;
}

void cw_log_rec_begin(struct cw_rec *r)
{
    begin(r, cw_log_sequence());
}

void cw_log_rec_begin_plain(struct cw_rec *r, const struct cw_thread *t)
{
    begin(r, t->seq);
}

void cw_log_rec_begin_timed(struct cw_rec *r)
{
    cw_log_rec_begin(r);
    r->begin_ns = cw_now_ns();
}

bool cw_log_rec_space(struct cw_rec *r, size_t bytes)
{
    size_t used = (size_t)(r->p - r->body), size = (size_t)(r->end - r->body);
    int saved = errno;
    uint8_t *grown;

    if (r->lost)
        return false;
    if (size - used >= bytes)
        return true;
    size = used + bytes > 2 * size ? used + bytes : 2 * size;
    grown = realloc(r->body == r->inline_bytes ? NULL : r->body, size);
    errno = saved;
    if (!grown) {
        r->lost = true;
        return false;
    }
    if (r->body == r->inline_bytes)
        memcpy(grown, r->inline_bytes, used);
    r->body = grown;
    r->p = grown + used;
    r->end = grown + size;
    return true;
}

void cw_log_rec_bytes(struct cw_rec *r, const void *bytes, size_t n)
{
    if (!n || ((size_t)(r->end - r->p) < n && !cw_log_rec_space(r, n)))
        return;
    memcpy(r->p, bytes, n);
    r->p += n;
}

void cw_log_rec_string(struct cw_rec *r, const char *s)
{
    size_t n = s ? strlen(s) : 0;

    cw_rec_u(r, n);
    cw_log_rec_bytes(r, s, n);
}

void cw_log_rec_drop(struct cw_rec *r)
{
    if (r->body != r->inline_bytes)
        free(r->body);
    r->p = r->body = r->inline_bytes;
}
