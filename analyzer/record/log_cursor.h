/* log_cursor.h - bounds-checked reading of a log's numbers. A cursor that meets something impossible becomes
 * `bad` and answers zeros from then on, so that decoders check once per record. */
#ifndef CW_LOG_CURSOR_H
#define CW_LOG_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "log_format.h"

struct cw_cursor {
    const uint8_t *p, *end;
    bool bad;
};

static inline uint64_t cw_cursor_u(struct cw_cursor *c)
{
    uint64_t v = 0;
    unsigned shift = 0;

    while (c->p < c->end && shift < 64) {
        uint8_t byte = *c->p++;

        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return v;
        shift += 7;
    }
    c->bad = true;
    c->p = c->end;
    return 0;
}

static inline int64_t cw_cursor_s(struct cw_cursor *c)
{
    return cw_log_unzigzag(cw_cursor_u(c));
}

/* A number that must fit in 32 bits. */
static inline uint32_t cw_cursor_u32(struct cw_cursor *c)
{
    uint64_t v = cw_cursor_u(c);

    if (v > UINT32_MAX)
        c->bad = true;
    return c->bad ? 0 : (uint32_t)v;
}

/* The count of things that follow, each at least one byte long. */
static inline uint32_t cw_cursor_count(struct cw_cursor *c)
{
    uint64_t v = cw_cursor_u(c);

    if (v > (uint64_t)(c->end - c->p))
        c->bad = true;
    return c->bad ? 0 : (uint32_t)v;
}

/* The next n bytes; NULL when there are not that many. */
static inline const uint8_t *cw_cursor_bytes(struct cw_cursor *c, uint64_t n)
{
    const uint8_t *p = c->p;

    if (c->bad || n > (uint64_t)(c->end - c->p)) {
        c->bad = true;
        return NULL;
    }
    c->p += n;
    return p;
}

#endif
