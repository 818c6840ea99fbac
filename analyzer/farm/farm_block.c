#include "farm_outside.h"

#include <stdlib.h>
#include <string.h>

#include "../io/identity.h"

#define MAGIC                                                                                                \
    UINT64_C(0x316b6c6257436677) /* of blocks; all versions of clweave have the head's first 40 bytes */

struct head {
    uint64_t magic;
    char version[24]; /* NUL-padded */
    uint32_t crc, zero;
    uint64_t bytes; /* of the packed plan behind */
};

static uint32_t crc_of(const struct head *h, const void *packed)
{
    struct head bare = *h;

    bare.crc = 0;
    return cw_crc32(cw_crc32(0, &bare, sizeof bare), packed, h->bytes);
}

/* The lines of the tasks as one list: words count through the lists as they do through a line. */
static bool add_lines(const struct cw_farm_plan *p, struct cw_dispatch_range range,
                      struct cw_farm_bytes *text)
{
    bool ok = true;

    for (uint32_t t = range.first; ok && t < range.first + range.count; t++) {
        char *line = cw_farm_plan_line(p, t);

        ok = line && cw_farm_result_add_bytes(text, line, strlen(line)) &&
             cw_farm_result_add_bytes(text, "\n", 1);
        free(line);
    }
    return ok;
}

void *cw_farm_block_pack(const struct cw_farm_plan *p, struct cw_dispatch_range range, const char *version,
                         size_t *bytes)
{
    char name[] = "block", folder[] = ".", out[] = "-";
    struct cw_farm_plan block = {.argv = p->argv,
                                 .argc = p->argc,
                                 .folder = folder,
                                 .out = out,
                                 .timeout_s = p->timeout_s,
                                 .tries = 1,
                                 .lists = 1,
                                 .list[0].name = name};
    struct cw_farm_bytes text = {0}, all = {0};
    struct head h = {.magic = MAGIC};
    void *packed = NULL;
    size_t n = 0;

    if (add_lines(p, range, &text)) {
        block.list[0].text = text.v;
        block.list[0].bytes = text.used;
        packed = cw_farm_plan_pack(&block, &n);
    }
    strncpy(h.version, version, sizeof h.version - 1);
    h.bytes = n;
    h.crc = packed ? crc_of(&h, packed) : 0;
    if (!packed || !cw_farm_result_add_bytes(&all, &h, sizeof h) ||
        !cw_farm_result_add_bytes(&all, packed, n)) {
        free(all.v);
        all = (struct cw_farm_bytes){0};
    }
    free(text.v);
    free(packed);
    *bytes = all.used;
    return all.v;
}

enum cw_status cw_farm_block_unpack(struct cw_farm_plan *p, const void *data, size_t bytes,
                                    const char *version, struct cw_error *err)
{
    struct head h;

    *p = (struct cw_farm_plan){0};
    if (bytes >= sizeof h)
        memcpy(&h, data, sizeof h);
    if (bytes < sizeof h || h.magic != MAGIC || h.version[sizeof h.version - 1])
        return cw_error_set(err, CW_ERR_FORMAT, "it is no block of a farm");
    if (strcmp(h.version, version) != 0)
        return cw_error_set(err, CW_ERR_VERSION,
                            "the farm is of clweave %s, and this worker has clweave %s: install %s here",
                            h.version, version, h.version);
    if (h.bytes != bytes - sizeof h || h.crc != crc_of(&h, (const char *)data + sizeof h))
        return cw_error_set(err, CW_ERR_FORMAT, "the block is damaged");
    return cw_farm_plan_unpack(p, (const char *)data + sizeof h, h.bytes, err);
}

enum cw_status cw_farm_block_results(const char *path, struct cw_dispatch_range range,
                                     struct cw_farm_bytes *results, uint64_t *ns, struct cw_error *err)
{
    struct cw_farm_plan p;
    struct cw_farm_checkpoint c;
    struct cw_farm_bytes one = {0};
    struct cw_farm_result r;
    size_t used = results->used;
    uint64_t spent = 0;
    enum cw_status status = cw_farm_checkpoint_open(&c, path, false, &p, err);

    if (status == CW_OK && (c.tasks != range.count || c.done != range.count))
        status = cw_error_set(err, CW_ERR_FORMAT, "%s has %u of %u results", path, c.done, range.count);
    for (uint32_t t = 0; status == CW_OK && t < range.count; t++) {
        status = cw_farm_checkpoint_read(&c, t, &one, &r, err);
        r.task = range.first + t;
        if (status == CW_OK && !cw_farm_result_add(results, &r))
            status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for results");
        spent += status == CW_OK ? r.ns : 0;
    }
    if (status != CW_OK)
        results->used = used;
    else
        *ns += spent;
    cw_farm_checkpoint_close(&c);
    cw_farm_plan_finish(&p);
    free(one.v);
    return status;
}
