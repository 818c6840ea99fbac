/* protobuf_out.h - writes messages in the wire format of Protocol Buffers into a buffer that grows.
 *
 * A message is a list of fields: a key (number and wire type), then a varint, eight bytes, or a length with
 * so many bytes. A message in a message is written between cw_protobuf_out_begin and _end; its length has
 * four bytes always, so it may have up to 2^28 - 1 bytes.
 *
 * When memory is out, `failed` is set and nothing more is written. Thread-safety: a buffer belongs to one
 * thread. */
#ifndef CW_PROTOBUF_OUT_H
#define CW_PROTOBUF_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed one is empty. */
struct cw_protobuf_out {
    uint8_t *bytes;
    size_t used, capacity;
    bool failed;
};

void cw_protobuf_out_finish(struct cw_protobuf_out *o);

void cw_protobuf_out_u64(struct cw_protobuf_out *o, uint32_t field,
                         uint64_t value); /* uint, int, bool, enum */
void cw_protobuf_out_fixed64(struct cw_protobuf_out *o, uint32_t field, uint64_t value);
void cw_protobuf_out_text(struct cw_protobuf_out *o, uint32_t field, const char *text);

/* Begins a message in the one that is being written; returns what its end needs. */
size_t cw_protobuf_out_begin(struct cw_protobuf_out *o, uint32_t field);
void cw_protobuf_out_end(struct cw_protobuf_out *o, size_t begun);

#endif
