/* name_table.h - numbers for names: the first name is 0, the next new one 1, and so on.
 *
 * Names are bytes without NUL. O(1) a look-up in the mean; any names, hostile ones too, cost O(n) at worst.
 * Thread-safety: a table belongs to one thread. */
#ifndef CW_NAME_TABLE_H
#define CW_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define CW_NAME_NONE UINT32_MAX

struct cw_name_bucket {
    uint32_t number;    /* + 1; 0: free */
    uint32_t hash, low; /* halves of the name's hash */
};

struct cw_name_table {
    char **name; /* by number; owned */
    uint32_t count;
    /* internal */
    struct cw_name_bucket *bucket; /* open addressing */
    uint32_t buckets;
};

/* A zeroed table is empty. */
void cw_name_table_finish(struct cw_name_table *t);

/* The number of `name`, CW_NAME_NONE when it has none. */
uint32_t cw_name_table_find(const struct cw_name_table *t, const char *name, size_t length);

/* The number of `name`, a new one when it has none yet; CW_NAME_NONE when memory is out. */
uint32_t cw_name_table_add(struct cw_name_table *t, const char *name, size_t length);

#endif
