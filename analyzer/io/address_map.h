/* address_map.h - which allocation an address lies in.
 *
 * Ranges of addresses that do not meet, each with the caller's pointer. They lie in order of address in
 * small blocks, and the first addresses of the blocks in one array: two binary searches
 * find an address, O(log n), and a change moves the entries of one block. Not thread-safe. */
#ifndef CW_IO_ADDRESS_MAP_H
#define CW_IO_ADDRESS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cw_address_block;

struct cw_address_map { /* zeroed: empty */
    uint64_t *first;    /* per block: its first address */
    struct cw_address_block **block;
    size_t blocks, capacity;
};

void cw_address_map_finish(struct cw_address_map *m);
/* Adds the bytes [start, start + bytes). False, and nothing is added: there are none, some of them are in the
 * map, or memory is out. */
bool cw_address_map_add(struct cw_address_map *m, uint64_t start, uint64_t bytes, void *value);
/* Of the range that begins at `start`, which leaves the map; NULL: none does. */
void *cw_address_map_remove(struct cw_address_map *m, uint64_t start);
/* Of the first range that has any of the bytes [start, start + bytes); NULL: none has. `from`: gets the
 * range's own start, if it is not NULL. */
void *cw_address_map_find(const struct cw_address_map *m, uint64_t start, uint64_t bytes, uint64_t *from);

#endif
