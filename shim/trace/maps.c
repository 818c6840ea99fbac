#include <errno.h>
#include <stdlib.h>

#include "../door/lock.h"
#include "recorder.h"

#define BUCKETS 256

struct node {
    struct node *next;
    cl_mem memory;
    struct cw_map map;
};
static struct node *buckets[BUCKETS]; /* newest first */
static cw_lock map_lock;

static struct node **bucket_of(cl_mem memory)
{
    return &buckets[((uintptr_t)memory * 0x9e3779b97f4a7c15u) >> 56];
}

/* Of several maps of one address it is unknown which one an unmap ends, and bytes written there may come back
 * with any of their unmaps. So each counts with the purposes of all. */
static void join(struct cw_map *map, const struct cw_map *other)
{
    unsigned i;

    map->flags |= other->flags;
    map->bytes = other->bytes > map->bytes ? other->bytes : map->bytes;
    for (i = 0; i < 3; i++)
        map->region[i] = other->region[i] > map->region[i] ? other->region[i] : map->region[i];
}

void cw_maps_add(cl_mem memory, const struct cw_map *map)
{
    struct node **bucket = bucket_of(memory), *n, *other;
    int saved = errno;

    n = malloc(sizeof *n);
    errno = saved;
    if (!n) {
        cw_log_stop("out of memory");
        return;
    }
    n->memory = memory;
    n->map = *map;
    cw_lock_take(&map_lock);
    for (other = *bucket; other; other = other->next)
        if (other->memory == memory && other->map.address == map->address) {
            join(&n->map, &other->map);
            join(&other->map, &n->map);
        }
    n->next = *bucket;
    *bucket = n;
    cw_lock_free(&map_lock);
}

bool cw_maps_take(cl_mem memory, const void *address, struct cw_map *map)
{
    struct node **link, *n;

    cw_lock_take(&map_lock);
    for (link = bucket_of(memory); (n = *link); link = &n->next)
        if (n->memory == memory && n->map.address == address) {
            *link = n->next;
            break;
        }
    cw_lock_free(&map_lock);
    if (n)
        *map = n->map;
    free(n);
    return n != NULL;
}

void cw_maps_forget(cl_mem memory)
{
    struct node **link, *n, *dead = NULL;

    cw_lock_take(&map_lock);
    for (link = bucket_of(memory); (n = *link);)
        if (n->memory == memory) {
            *link = n->next;
            n->next = dead;
            dead = n;
        } else {
            link = &n->next;
        }
    cw_lock_free(&map_lock);
    while ((n = dead)) {
        dead = n->next;
        free(n);
    }
}

void cw_maps_after_fork(void)
{
    cw_lock_free(&map_lock);
}
