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
    free(t->slot);
    *t = (struct cw_name_table){0};
}

/* The slot of `name`, or the free one where it belongs. There is a free one. */
static uint32_t place(const struct cw_name_table *t, const char *name, size_t length)
{
    uint32_t at = (uint32_t)hash(name, length) & (t->slots - 1);

    while (t->slot[at] && (strlen(t->name[t->slot[at] - 1]) != length ||
                           memcmp(t->name[t->slot[at] - 1], name, length) != 0))
        at = (at + 1) & (t->slots - 1);
    return at;
}

uint32_t cw_name_table_find(const struct cw_name_table *t, const char *name, size_t length)
{
    uint32_t at = t->slots ? place(t, name, length) : 0;

    return t->slots && t->slot[at] ? t->slot[at] - 1 : CW_NAME_NONE;
}

static int grow(struct cw_name_table *t)
{
    uint32_t slots = t->slots ? 2 * t->slots : 64;
    uint32_t *slot = calloc(slots, sizeof *slot);
    char **name = realloc(t->name, slots * sizeof *name);

    if (name)
        t->name = name;
    if (!slot || !name || slots == 0) {
        free(slot);
        return -1;
    }
    free(t->slot);
    t->slot = slot;
    t->slots = slots;
    for (uint32_t k = 0; k < t->count; k++)
        slot[place(t, t->name[k], strlen(t->name[k]))] = k + 1;
    return 0;
}

uint32_t cw_name_table_add(struct cw_name_table *t, const char *name, size_t length)
{
    uint32_t at;
    char *copy;

    if (2 * (uint64_t)t->count >= t->slots && grow(t) != 0)
        return CW_NAME_NONE;
    at = place(t, name, length);
    if (t->slot[at])
        return t->slot[at] - 1;
    copy = strndup(name, length);
    if (!copy)
        return CW_NAME_NONE;
    t->name[t->count] = copy;
    t->slot[at] = ++t->count;
    return t->count - 1;
}
