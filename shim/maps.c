#include <errno.h>
#include <stdlib.h>

#include "recorder.h"

#define BUCKETS 256

struct node {
    struct node *next;
    cl_mem memory;
    struct cw_map map;
};
static struct node *buckets[BUCKETS]; /* newest first */
static _Atomic uint32_t map_lock;

static void lock_maps(void)
{
    while (atomic_exchange_explicit(&map_lock, 1, memory_order_acquire))
        ;
}

static void unlock_maps(void)
{
    atomic_store_explicit(&map_lock, 0, memory_order_release);
}

static struct node **bucket_of(cl_mem memory)
{
    return &buckets[((uintptr_t)memory * 0x9e3779b97f4a7c15u) >> 56];
}

void cw_map_add(cl_mem memory, const struct cw_map *map)
{
    struct node **bucket = bucket_of(memory), *n;
    int saved = errno;

    n = malloc(sizeof *n);
    errno = saved;
    if (!n) {
        cw_log_stop("out of memory");
        return;
    }
    n->memory = memory;
    n->map = *map;
    lock_maps();
    n->next = *bucket;
    *bucket = n;
    unlock_maps();
}

bool cw_map_take(cl_mem memory, const void *address, struct cw_map *map)
{
    struct node **link, *n;

    lock_maps();
    for (link = bucket_of(memory); (n = *link); link = &n->next)
        if (n->memory == memory && n->map.address == address) {
            *link = n->next;
            break;
        }
    unlock_maps();
    if (n)
        *map = n->map;
    free(n);
    return n != NULL;
}

void cw_map_forget(cl_mem memory)
{
    struct node **link, *n, *dead = NULL;

    lock_maps();
    for (link = bucket_of(memory); (n = *link);)
        if (n->memory == memory) {
            *link = n->next;
            n->next = dead;
            dead = n;
        } else {
            link = &n->next;
        }
    unlock_maps();
    while ((n = dead)) {
        dead = n->next;
        free(n);
    }
}

void cw_map_after_fork(void)
{
    unlock_maps();
}
