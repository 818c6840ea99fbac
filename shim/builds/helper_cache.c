#include "later_builds.h"

#include <stdlib.h>
#include <string.h>

#include "../../analyzer/io/file_store.h"

extern char **environ;

static struct cw_file_store store;
static struct cw_identity environment; /* the variables that PoCL listens to */

/* Whether the variable tells PoCL how to compile: the cache's folder and the choice of devices do not. */
static bool matters(const char *variable)
{
    return !strncmp(variable, "POCL_", 5) && strncmp(variable, "POCL_CACHE_DIR=", 15) &&
           strncmp(variable, "POCL_DEVICES=", 13);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted: their order in the process does not matter. */
static void read_environment(void)
{
    size_t n = 0, most = 0;
    char **variable;

    cw_identity_finish(&environment);
    for (char **e = environ; e && *e; e++)
        most += matters(*e);
    variable = malloc((most + 1) * sizeof *variable);
    if (!variable)
        return;
    for (char **e = environ; e && *e && n < most; e++)
        if (matters(*e))
            variable[n++] = *e;
    qsort(variable, n, sizeof *variable, by_text);
    cw_identity_begin(&environment, "environment");
    for (size_t i = 0; i < n; i++)
        cw_identity_text(&environment, variable[i]);
    free(variable);
}

void cw_helper_cache_start(const char *folder)
{
    cw_file_store_init(&store, folder);
    read_environment();
}

void cw_run_helper_cache_identity(struct cw_identity *id, const char *kind, const char *device)
{
    cw_identity_begin(id, kind);
    cw_identity_text(id, device);
    cw_identity_add(id, environment.bytes, environment.length);
    id->failed |= environment.failed;
}

void *cw_helper_cache_read(const struct cw_identity *id, size_t *bytes)
{
    return cw_file_store_read(&store, id, bytes);
}

void cw_helper_cache_write(const struct cw_identity *id, const void *data, size_t bytes)
{
    cw_file_store_write(&store, id, data, bytes);
}
