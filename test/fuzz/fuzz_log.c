/* fuzz_log.c - the binary log (record/log_format.h): the reader, the conversion to JSON, and all that
 * reads traces.
 *
 * A log has a header of 64 KiB and chunks of as much, so the input is what is in them: a byte of flags, then
 * the records of one chunk (they name their threads and segments themselves). */
#include "../../analyzer/record/log_format.h"
#include "../../analyzer/record/log_read.h"
#include "../../analyzer/graph/trace_read.h"
#include "../../analyzer/record/trace_write.h"
#include "use_trace.h"

enum {
    COMPLETE = 1,
    STOPPED = 2,
    CAPTURED = 4,
    OWN_CHUNK = 8,  /* the first bytes are the chunk's header */
    OWN_HEADER = 16 /* the first bytes are the log's header */
};

/* The log that the input stands for, malloc'ed. */
static char *make_log(const uint8_t *data, size_t size, size_t *bytes)
{
    uint8_t flags = size ? data[0] : 0;
    size_t records = size ? size - 1 : 0;
    uint32_t units = (uint32_t)((records + sizeof(struct cw_log_chunk)) / CW_LOG_CHUNK_BYTES) + 1;
    struct cw_log_header head = {.version = CW_LOG_VERSION, .chunk_bytes = CW_LOG_CHUNK_BYTES};
    struct cw_log_chunk chunk = {.magic = CW_LOG_CHUNK_MAGIC, .units = units, .committed = records};
    char *log;

    memcpy(head.magic, CW_LOG_MAGIC, sizeof head.magic);
    head.complete = !!(flags & COMPLETE);
    head.stopped = !!(flags & STOPPED);
    head.capture_data = !!(flags & CAPTURED);
    snprintf(head.program, sizeof head.program, "program");
    *bytes = (1 + (size_t)units) * CW_LOG_CHUNK_BYTES;
    log = calloc(1, *bytes);
    FUZZ_PROMISE(log, "out of memory");
    memcpy(log, &head, sizeof head);
    memcpy(log + CW_LOG_CHUNK_BYTES, &chunk, sizeof chunk);
    if (records)
        memcpy(log + CW_LOG_CHUNK_BYTES + sizeof chunk, data + 1, records);
    if (flags & OWN_CHUNK && records)
        memcpy(log + CW_LOG_CHUNK_BYTES, data + 1, records < sizeof chunk ? records : sizeof chunk);
    if (flags & OWN_HEADER && records)
        memcpy(log, data + 1, records < sizeof head ? records : sizeof head);
    return log;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t bytes;
    char *log = make_log(data, size, &bytes);
    const char *path = fuzz_file(log, bytes);
    struct cw_error err = {0};
    struct cw_log_follow follow;
    struct cw_trace t;

    free(log);
    (void)cw_log_read_header(path, &(struct cw_log_header){0});
    cw_trace_init(&t);
    if (cw_trace_load(&t, path, &err) == CW_OK) {
        (void)cw_trace_write(&t, fuzz_nowhere(), &err);
        fuzz_use_trace(&t);
    } else {
        FUZZ_PROMISE(err.status != CW_OK && err.text[0], "no message: status %d", (int)err.status);
    }
    cw_trace_finish(&t);
    err = (struct cw_error){0};
    if (cw_log_follow_open(&follow, path, &err) == CW_OK)
        (void)cw_log_follow_poll(&follow, &err);
    else
        FUZZ_PROMISE(err.text[0], "top: no message");
    for (uint32_t i = 0; i < follow.devices.count; i++)
        (void)cw_log_follow_depth(&follow, i);
    cw_log_follow_close(&follow);
    return 0;
}
