/* helper_cache.h - binaries of helpers' programs, kept between runs: PoCL takes 50 to 140 ms to build a
 * program that it has built before, 1 ms when it gets its own binary. Plans of priority groups stand there,
 * too (groups/group_kept.h).
 *
 * Kept in a file store (analyzer/io/file_store.h), which compares all that the code depends on: source,
 * options, device, driver, and the environment variables that PoCL listens to. Thread-safe and quiet. */
#ifndef CW_HELPER_CACHE_H
#define CW_HELPER_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "../../analyzer/io/identity.h"

/* Sets the folder; "" for no cache. Called once, before all others. The folder is made when something is
 * written. */
void cw_helper_cache_start(const char *folder);

/* Begins *id, the caller's to finish: `kind` (identity.h), `device` (all that tells its compiler and driver
 * from others), PoCL's environment. */
void cw_run_helper_cache_identity(struct cw_identity *id, const char *kind, const char *device);

/* The bytes stored for `id`, malloc'ed for the caller; NULL: none. */
void *cw_helper_cache_read(const struct cw_identity *id, size_t *bytes);

void cw_helper_cache_write(const struct cw_identity *id, const void *data, size_t bytes);

#endif
