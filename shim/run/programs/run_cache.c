#include "run_cache.h"

#include <string.h>

#include "../../../analyzer/io/file_store.h"

extern char **environ;

static struct cw_file_store store;
static uint64_t environment; /* a hash of what PoCL listens to */

/* What tells PoCL how to compile; where it keeps things and which devices there are does not matter. */
static bool matters(const char *variable)
{
    return !strncmp(variable, "POCL_", 5) && strncmp(variable, "POCL_CACHE_DIR=", 15) &&
           strncmp(variable, "POCL_DEVICES=", 13);
}

void cw_run_cache_start(const char *folder)
{
    cw_file_store_init(&store, folder);
    environment = 0;
    for (char **e = environ; e && *e; e++)
        if (matters(*e))
            environment += cw_file_store_hash(CW_FILE_STORE_HASH, *e, strlen(*e)); /* in any order */
}

uint64_t cw_run_cache_key(const char *device, uint64_t program)
{
    uint64_t h = cw_file_store_hash(CW_FILE_STORE_HASH, &program, sizeof program);

    h = cw_file_store_hash(h, device, strlen(device) + 1);
    return cw_file_store_hash(h, &environment, sizeof environment);
}

void *cw_run_cache_read(uint64_t key, size_t *bytes)
{
    return cw_file_store_read(&store, key, bytes);
}

void cw_run_cache_write(uint64_t key, const void *data, size_t bytes)
{
    cw_file_store_write(&store, key, data, bytes);
}
