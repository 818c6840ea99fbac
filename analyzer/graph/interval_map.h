/* interval_map.h - for every byte of one memory: which command wrote it last and which have read it since.
 *
 * The bytes [0, 2^64-1) are always covered by disjoint segments in a treap, so an access costs O(log
 * segments) plus the segments that it meets. Reader lists are shared between the parts of a segment that was
 * cut. */
#ifndef CW_INTERVAL_MAP_H
#define CW_INTERVAL_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* Nodes of all maps of a sweep; freed in one go. */
struct cw_interval_pool;
struct cw_segment;
struct cw_reader;

struct cw_interval_map {
    struct cw_segment *root; /* NULL: nothing accessed yet */
};

/* Readers of a segment since its last write, newest first: the last of `command` is the newest. */
enum { CW_READERS = 4 };
struct cw_reader {
    struct cw_reader *next;
    uint32_t lists; /* segments and readers that it is the next of */
    uint32_t count;
    uint32_t command[CW_READERS];
};

/* Called for each segment that an access meets, in ascending order, before the access changes it. writer is
 * CW_NONE when nothing has written there. */
typedef void cw_segment_visit(void *context, uint64_t bytes, uint32_t writer,
                              const struct cw_reader *readers);

struct cw_interval_pool *cw_interval_pool_create(void);
void cw_interval_pool_destroy(struct cw_interval_pool *p);

/* Notes that `command` reads (writes) bytes [lo, hi) and visits the earlier entries there. lo < hi. False
 * when memory is out. */
bool cw_interval_map_read(struct cw_interval_map *m, struct cw_interval_pool *p, uint64_t lo, uint64_t hi,
                          uint32_t command, cw_segment_visit *visit, void *context);
bool cw_interval_map_write(struct cw_interval_map *m, struct cw_interval_pool *p, uint64_t lo, uint64_t hi,
                           uint32_t command, cw_segment_visit *visit, void *context);

#endif
