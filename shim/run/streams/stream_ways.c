/* stream_ways.c - see streams/stream_ways.h. */
#include "stream_ways.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/io/file_store.h"
#include "../../door/lock.h"
#include "../core/state.h"

#define WAY_BITS UINT64_C(3) /* of a word; the others are what the spans begin with */

static struct {
    struct cw_file_store store;
    struct cw_identity program;
    pthread_once_t once;
    bool recorded, changed;
    cw_lock lock; /* of what follows, and of `changed` */
    uint32_t n;
    uint64_t word[CW_STREAM_WAYS_MOST]; /* the first n; the latest decision last */
} ways = {.once = PTHREAD_ONCE_INIT};

void cw_stream_ways_start(const struct cw_identity *program, const char *folder)
{
    ways.recorded = *folder && !program->failed;
    ways.program = *program;
    if (ways.recorded)
        cw_file_store_init(&ways.store, folder);
}

static void read_record(void)
{
    size_t bytes = 0;
    uint64_t *words = cw_file_store_read(&ways.store, &ways.program, &bytes);

    if (words && bytes <= sizeof ways.word && bytes % sizeof *words == 0) {
        memcpy(ways.word, words, bytes);
        ways.n = (uint32_t)(bytes / sizeof *words);
    }
    ways.store.trimmed = words; /* one file more or less is not worth a look at all of them */
    free(words);
}

void cw_stream_ways_load(void)
{
    if (ways.recorded)
        pthread_once(&ways.once, read_record);
}

/* Its number, or n. Lock held. */
static uint32_t find(uint64_t begin)
{
    uint32_t i = 0;

    while (i < ways.n && (ways.word[i] | WAY_BITS) != (begin | WAY_BITS))
        i++;
    return i;
}

enum cw_stream_way cw_stream_ways_of(uint64_t begin)
{
    enum cw_stream_way way = CW_STREAM_WAYS;
    uint32_t i;

    if (!ways.recorded)
        return way;
    cw_lock_take(&ways.lock);
    i = find(begin);
    if (i < ways.n && (ways.word[i] & WAY_BITS) < CW_STREAM_WAYS)
        way = (enum cw_stream_way)(ways.word[i] & WAY_BITS);
    cw_lock_free(&ways.lock);
    return way;
}

void cw_stream_ways_decided(uint64_t begin, enum cw_stream_way way)
{
    uint64_t word = (begin & ~WAY_BITS) | way;
    uint32_t i;

    if (!ways.recorded)
        return;
    cw_lock_take(&ways.lock);
    i = find(begin);
    ways.changed |= i == ways.n || ways.word[i] != word;
    if (i == CW_STREAM_WAYS_MOST) /* the oldest goes */
        i = 0;
    if (i < ways.n)
        memmove(&ways.word[i], &ways.word[i + 1], (--ways.n - i) * sizeof word);
    ways.word[ways.n++] = word;
    cw_lock_free(&ways.lock);
}

void cw_stream_ways_stop(void)
{
    if (ways.changed && !cw_run.forked)
        cw_file_store_write(&ways.store, &ways.program, ways.word, ways.n * sizeof *ways.word);
}
