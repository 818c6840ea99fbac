/* cache_model.h - the memory traffic of an order of tiles: one cache, fully associative, least recently used
 * out.
 *
 * The unit is a *piece* of memory (groups_net.h): tiles read and write whole pieces, so that the model counts
 * capacity misses (order and size decide them) and neither lines nor conflicts. A written piece is fetched
 * first, as processors do, and written back when it leaves. LRU and the stack model: Mattson, Gecsei, Slutz,
 * Traiger, IBM Systems Journal 9(2), 1970. */
#ifndef CW_CACHE_MODEL_H
#define CW_CACHE_MODEL_H

#include "groups_net.h"

struct cw_cache_traffic {
    uint64_t fetched_bytes, written_bytes; /* from and to memory; data dirty at the end count as written */
};

/* Runs the tiles of `net`, numbered in program order, in `order` (NULL: program order) through a cache of
 * `bytes` (0: without limit). A piece larger than the cache passes through it. Errors: CW_ERR_NOMEM. O(pieces
 * touched). */
enum cw_status cw_cache_model_run(const struct cw_groups_net *net, const uint32_t *order, uint64_t bytes,
                                  struct cw_cache_traffic *traffic, struct cw_error *err);

#endif
