#include <errno.h>
#include <stdlib.h>

#include "../door/lock.h"
#include "recorder.h"

struct cw_map_node {
    struct cw_map_node *next; /* an earlier one */
    struct cw_map map;
};
static struct cw_map_node *svm; /* of shared virtual memory */
static cw_lock map_lock;

static struct cw_map_node **maps_of(struct cw_object *memory)
{
    return memory ? &memory->maps : &svm;
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

void cw_maps_add(struct cw_object *memory, const struct cw_map *map)
{
    struct cw_map_node **list = maps_of(memory), *n, *other;
    int saved = errno;

    n = malloc(sizeof *n);
    errno = saved;
    if (!n) {
        cw_log_stop("out of memory");
        return;
    }
    n->map = *map;
    cw_lock_take(&map_lock);
    for (other = *list; other; other = other->next)
        if (other->map.address == map->address) {
            join(&n->map, &other->map);
            join(&other->map, &n->map);
        }
    n->next = *list;
    *list = n;
    cw_lock_free(&map_lock);
}

bool cw_maps_take(struct cw_object *memory, const void *address, struct cw_map *map)
{
    struct cw_map_node **link, *n;

    cw_lock_take(&map_lock);
    for (link = maps_of(memory); (n = *link); link = &n->next)
        if (n->map.address == address) {
            *link = n->next;
            break;
        }
    cw_lock_free(&map_lock);
    if (n)
        *map = n->map;
    free(n);
    return n != NULL;
}

void cw_maps_free(struct cw_object *memory)
{
    struct cw_map_node *list, *n;

    cw_lock_take(&map_lock); /* a thread that uses what another one releases may be at the list */
    list = *maps_of(memory);
    *maps_of(memory) = NULL;
    cw_lock_free(&map_lock);
    while ((n = list)) {
        list = n->next;
        free(n);
    }
}

void cw_maps_after_fork(void)
{
    cw_lock_free(&map_lock);
}
