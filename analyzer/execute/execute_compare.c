/* execute_compare.c - compares results with the capture, and finds the bytes that the program never defined.
 */
#include "execute_state.h"

#include <stdlib.h>
#include <string.h>

struct compare {
    struct cw_exec *x;
    struct cw_execute_expect *expect;
    const uint8_t *captured;
    const uint8_t *got;
    uint64_t bytes;
};

/* Counts the bytes that differ from the reference and remembers the first of them in `d`. */
static void compare_bytes(const struct compare *c, struct cw_execute_difference *d)
{
    const uint8_t *reference = c->expect->first ? c->expect->first : c->captured;
    bool second = c->x->phase == CW_EXEC_SECOND;
    if (!c->expect->first && !memcmp(c->captured, c->got, (size_t)c->bytes))
        return;
    for (uint64_t i = 0; i < c->bytes; i++) {
        if (second && c->got[i] != reference[i]) { /* it follows the fill: it is undefined */
            c->x->r->undefined_bytes++;
            continue;
        }
        if (c->got[i] == (second ? c->captured[i] : reference[i]))
            continue;
        if (d->bytes++ == 0) {
            d->first_offset = i;
            d->expected = second ? c->captured[i] : reference[i];
            d->got = c->got[i];
        }
    }
}

/* True when command `id` writes the byte at `offset` of root object `root`; `any`: any byte of it. */
static bool writes(const struct cw_trace *t, uint32_t id, uint32_t root, uint64_t offset, bool any)
{
    const struct cw_slice s = t->commands.v[id].accesses;
    for (uint32_t i = 0; i < s.count; i++) {
        const struct cw_t_access *a = &t->accesses.v[s.first + i];
        uint64_t base = 0;
        if ((a->mode & CW_ACCESS_WRITE) && cw_trace_memory_root(t, a->memory, &base) == root &&
            (any || (offset >= base + a->offset && offset - base - a->offset < a->bytes)))
            return true;
    }
    return false;
}

static uint32_t find_writer(const struct cw_exec *x, const struct cw_execute_difference *d)
{
    struct cw_execute_part p =
        d->is_memory ? cw_execute_part_whole(x->t, d->id) : cw_execute_part_of(x->t, d->id);
    uint64_t offset = 0;
    uint32_t root = cw_trace_memory_root(x->t, p.memory, &offset);
    for (uint32_t i = x->position; i-- > 0;)
        if (x->runs[x->order[i]] &&
            writes(x->t, x->order[i], root, offset + p.offset + d->first_offset, p.shape != CW_EXEC_LINEAR))
            return x->order[i];
    return CW_NONE;
}

static void note_difference(struct cw_exec *x, struct cw_execute_difference d)
{
    if (d.bytes == 0)
        return;
    d.last_writer = find_writer(x, &d);
    if (x->r->difference_count < CW_EXECUTE_DIFFERENCES)
        x->r->differences[x->r->difference_count] = d;
    x->r->difference_count++;
}

static enum cw_status compare(const struct compare *c, struct cw_execute_difference d, struct cw_error *err)
{
    c->x->r->bytes += c->bytes;
    if (c->x->phase == CW_EXEC_FIRST) {
        if (!memcmp(c->captured, c->got, (size_t)c->bytes))
            return CW_OK;
        c->expect->first = malloc((size_t)c->bytes);
        if (!c->expect->first)
            return cw_error_set(err, CW_ERR_NOMEM, "no memory for %llu bytes", (unsigned long long)c->bytes);
        memcpy(c->expect->first, c->got, (size_t)c->bytes);
        return CW_OK;
    }
    compare_bytes(c, &d);
    note_difference(c->x, d);
    return CW_OK;
}

enum cw_status cw_execute_compare_memory(struct cw_exec *x, uint32_t memory, const uint8_t *got,
                                         uint64_t bytes, struct cw_error *err)
{
    struct compare c = {x, &x->memory_expect[memory], x->data + x->t->memory.v[memory].final.offset, got,
                        bytes};
    x->r->buffers++;
    return compare(&c, (struct cw_execute_difference){.is_memory = true, .id = memory}, err);
}

enum cw_status cw_execute_compare_readback(struct cw_exec *x, uint32_t id, const uint8_t *got, uint64_t bytes,
                                           struct cw_error *err)
{
    uint32_t transfer = x->t->commands.v[id].transfer;
    struct compare c = {x, &x->transfer_expect[transfer], x->data + x->t->transfers.v[transfer].data.offset,
                        got, bytes};
    x->r->readbacks++;
    return compare(&c, (struct cw_execute_difference){.is_memory = false, .id = id}, err);
}

const char *cw_execute_difference_text(const struct cw_trace *t, const struct cw_execute_difference *d,
                                       char *text, size_t size)
{
    char what[120], writer[120] = "no command";
    if (d->is_memory)
        snprintf(what, sizeof what, "memory object %u at its end", d->id);
    else
        cw_execute_command_text(t, d->id, what, sizeof what);
    if (d->last_writer != CW_NONE)
        cw_execute_command_text(t, d->last_writer, writer, sizeof writer);
    snprintf(text, size,
             "%s: %llu bytes differ, the first at offset %llu (0x%02x, was 0x%02x), last written by %s", what,
             (unsigned long long)d->bytes, (unsigned long long)d->first_offset, d->got, d->expected, writer);
    return text;
}
