#include "name_table.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash(const char *name, size_t length) /* FNV-1a */
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (size_t k = 0; k < length; k++)
        h = (h ^ (unsigned char)name[k]) * UINT64_C(1099511628211);
    return h ^ h >> 32;
}

void cw_name_table_finish(struct cw_name_table *t)
{
    for (uint32_t k = 0; k < t->count; k++)
        free(t->name[k]);
    free(t->name);
    free(t->bucket);
    *t = (struct cw_name_table){0};
}

static int is_name(const struct cw_name_table *t, uint32_t number, const char *name, size_t length)
{
    return strlen(t->name[number]) == length && memcmp(t->name[number], name, length) == 0;
}

/* The bucket of `name`, of hash `h`, or the free one where it belongs. There is a free one. */
static uint32_t place(const struct cw_name_table *t, const char *name, size_t length, uint64_t h)
{
    uint32_t at = (uint32_t)h & (t->buckets - 1);

    while (t->bucket[at].number &&
           (t->bucket[at].hash != h >> 32 || !is_name(t, t->bucket[at].number - 1, name, length)))
        at = (at + 1) & (t->buckets - 1);
    return at;
}

uint32_t cw_name_table_find(const struct cw_name_table *t, const char *name, size_t length)
{
    uint32_t at = t->buckets ? place(t, name, length, hash(name, length)) : 0;

    return t->buckets && t->bucket[at].number ? t->bucket[at].number - 1 : CW_NAME_NONE;
}

/* As many buckets again; the names stay where they are. */
static int grow(struct cw_name_table *t)
{
    uint32_t buckets = t->buckets ? 2 * t->buckets : 64;
    struct cw_name_bucket *bucket = calloc(buckets, sizeof *bucket);
    char **name = realloc(t->name, buckets * sizeof *name);

    if (name)
        t->name = name;
    if (!bucket || !name || buckets == 0) {
        free(bucket);
        return -1;
    }
    for (uint32_t k = 0; k < t->buckets; k++)
        if (t->bucket[k].number) {
            uint32_t at = t->bucket[k].low & (buckets - 1);
            while (bucket[at].number)
                at = (at + 1) & (buckets - 1);
            bucket[at] = t->bucket[k];
        }
    free(t->bucket);
    t->bucket = bucket;
    t->buckets = buckets;
    return 0;
}

uint32_t cw_name_table_add(struct cw_name_table *t, const char *name, size_t length)
{
    uint64_t h = hash(name, length);
    uint32_t at;
    char *copy;

    if (2 * (uint64_t)t->count >= t->buckets && grow(t) != 0)
        return CW_NAME_NONE;
    at = place(t, name, length, h);
    if (t->bucket[at].number)
        return t->bucket[at].number - 1;
    copy = strndup(name, length);
    if (!copy)
        return CW_NAME_NONE;
    t->name[t->count] = copy;
    t->bucket[at] = (struct cw_name_bucket){++t->count, (uint32_t)(h >> 32), (uint32_t)h};
    return t->count - 1;
}
