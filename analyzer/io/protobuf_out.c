#include "protobuf_out.h"

#include <stdlib.h>
#include <string.h>

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2, LENGTH_BYTES = 4 };

void cw_protobuf_out_finish(struct cw_protobuf_out *o)
{
    free(o->bytes);
    *o = (struct cw_protobuf_out){0};
}

/* Where `n` more bytes go; NULL: memory is out. */
static uint8_t *extend(struct cw_protobuf_out *o, size_t n)
{
    if (!o->failed && n > o->capacity - o->used) {
        size_t capacity = 2 * (o->used + n) + 256;
        uint8_t *bytes = realloc(o->bytes, capacity);
        o->failed = !bytes;
        if (bytes) {
            o->bytes = bytes;
            o->capacity = capacity;
        }
    }
    if (o->failed)
        return NULL;
    o->used += n;
    return o->bytes + o->used - n;
}

/* Seven bits a byte, the lowest first; all but the last byte have the highest bit set. */
static void put_varint(struct cw_protobuf_out *o, uint64_t value)
{
    uint8_t bytes[10], *to;
    size_t n = 0;

    do
        bytes[n++] = (uint8_t)(value & 127) | (value > 127 ? 128 : 0);
    while (value >>= 7);
    to = extend(o, n);
    if (to)
        memcpy(to, bytes, n);
}

static void put_key(struct cw_protobuf_out *o, uint32_t field, unsigned type)
{
    put_varint(o, (uint64_t)field << 3 | type);
}

void cw_protobuf_out_u64(struct cw_protobuf_out *o, uint32_t field, uint64_t value)
{
    put_key(o, field, VARINT);
    put_varint(o, value);
}

void cw_protobuf_out_fixed64(struct cw_protobuf_out *o, uint32_t field, uint64_t value)
{
    uint8_t *to;

    put_key(o, field, FIXED64);
    to = extend(o, 8);
    for (int i = 0; to && i < 8; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

void cw_protobuf_out_text(struct cw_protobuf_out *o, uint32_t field, const char *text)
{
    size_t n = strlen(text);
    uint8_t *to;

    put_key(o, field, LENGTH);
    put_varint(o, n);
    to = extend(o, n);
    if (to)
        memcpy(to, text, n);
}

size_t cw_protobuf_out_begin(struct cw_protobuf_out *o, uint32_t field)
{
    put_key(o, field, LENGTH);
    extend(o, LENGTH_BYTES);
    return o->used;
}

void cw_protobuf_out_end(struct cw_protobuf_out *o, size_t begun)
{
    size_t n = o->used - begun;

    if (!o->failed && n >> 7 * LENGTH_BYTES)
        o->failed = true;
    for (int i = 0; !o->failed && i < LENGTH_BYTES; i++)
        o->bytes[begun - LENGTH_BYTES + i] = (uint8_t)(n >> 7 * i & 127) | (i < LENGTH_BYTES - 1 ? 128 : 0);
}
