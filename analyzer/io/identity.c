/* identity.c - see identity.h. */
#include "identity.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL /* nothing of it is exported, or another library's */
#include <xxhash.h>

bool cw_identity_one_key;

void cw_identity_begin(struct cw_identity *id, const char *kind)
{
    *id = (struct cw_identity){0};
    cw_identity_text(id, kind);
}

void cw_identity_finish(struct cw_identity *id)
{
    free(id->bytes);
    *id = (struct cw_identity){.failed = true};
}

static bool reserve(struct cw_identity *id, size_t n)
{
    size_t capacity = id->capacity ? id->capacity : 256;
    unsigned char *more;

    if (n > SIZE_MAX / 4 - id->length)
        return false;
    while (capacity - id->length < n)
        capacity *= 2;
    more = capacity == id->capacity ? id->bytes : realloc(id->bytes, capacity);
    if (!more)
        return false;
    id->bytes = more;
    id->capacity = capacity;
    return true;
}

static void append(struct cw_identity *id, const void *bytes, size_t n)
{
    id->failed = id->failed || !reserve(id, n);
    if (id->failed || !n)
        return;
    memcpy(id->bytes + id->length, bytes, n);
    id->length += n;
}

void cw_identity_add(struct cw_identity *id, const void *bytes, size_t n)
{
    const uint64_t length = n;

    append(id, &length, sizeof length);
    append(id, bytes, n);
}

void cw_identity_text(struct cw_identity *id, const char *text)
{
    cw_identity_add(id, text, text ? strlen(text) + 1 : 0);
}

void cw_identity_number(struct cw_identity *id, uint64_t number)
{
    cw_identity_add(id, &number, sizeof number);
}

const void *cw_identity_field(const struct cw_identity *id, unsigned number, size_t *n)
{
    const unsigned char *at = id->bytes;
    size_t length = id->failed ? 0 : id->length;
    uint64_t field;

    for (;; number--) {
        if (length < sizeof field)
            return NULL;
        memcpy(&field, at, sizeof field);
        at += sizeof field;
        length -= sizeof field;
        if (field > length)
            return NULL;
        if (number == 0)
            break;
        at += field;
        length -= field;
    }
    *n = field;
    return at;
}

bool cw_identity_same(const struct cw_identity *a, const struct cw_identity *b)
{
    return !a->failed && !b->failed && a->length == b->length && !memcmp(a->bytes, b->bytes, a->length);
}

struct cw_key cw_identity_key_of_bytes(const void *bytes, size_t n)
{
    XXH128_hash_t h = XXH3_128bits(bytes, n);

    return (struct cw_key){{h.low64, h.high64 | 1}}; /* never nothing's */
}

struct cw_key cw_identity_key(const struct cw_identity *id)
{
    return id->failed            ? (struct cw_key){{0}}
           : cw_identity_one_key ? (struct cw_key){{1, 1}}
                                 : cw_identity_key_of_bytes(id->bytes, id->length);
}

/* ---- sets */

static uint32_t find(const struct cw_identity_set *s, const struct cw_identity *id, struct cw_key key)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (cw_key_same(s->item[i].key, key) && cw_identity_same(&s->item[i].id, id))
            return i;
    return CW_IDENTITY_NONE;
}

uint32_t cw_identity_set_find(const struct cw_identity_set *s, const struct cw_identity *id)
{
    return find(s, id, cw_identity_key(id));
}

uint32_t cw_identity_set_add(struct cw_identity_set *s, const struct cw_identity *id)
{
    struct cw_key key = cw_identity_key(id);
    struct cw_identity copy = {0};
    uint32_t i = find(s, id, key);

    if (i != CW_IDENTITY_NONE || id->failed)
        return i;
    if (s->n == s->capacity) {
        uint32_t capacity = s->n ? 2 * s->n : 16;
        struct cw_identity_item *more = realloc(s->item, capacity * sizeof *more);

        if (!more)
            return CW_IDENTITY_NONE;
        s->item = more;
        s->capacity = capacity;
    }
    append(&copy, id->bytes, id->length);
    if (copy.failed)
        return CW_IDENTITY_NONE;
    s->item[s->n] = (struct cw_identity_item){copy, key};
    return s->n++;
}

void cw_identity_set_finish(struct cw_identity_set *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        free(s->item[i].id.bytes);
    free(s->item);
    *s = (struct cw_identity_set){0};
}
