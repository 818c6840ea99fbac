/* run_cache.h - binaries of helpers' programs, kept between runs: PoCL takes 50 to 140 ms to build a program
 * that it has built before, 1 ms when it gets its own binary. Plans of priority groups stand there, too, under keys of their
 * own (tiles/run_group_kept.h).
 *
 * Kept in a file store (analyzer/io/file_store.h). The key covers all that the code depends on: source, options, device,
 * driver, and the environment variables that PoCL listens to. Thread-safe and quiet. */
#ifndef CW_RUN_CACHE_H
#define CW_RUN_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets the folder; "" for no cache. Called once, before all others. The folder is made when something is
 * written. */
void cw_run_cache_start(const char *folder);

/* A hash of `device` (name, driver), `program` and PoCL's environment. */
uint64_t cw_run_cache_key(const char *device, uint64_t program);

/* The bytes stored under `key`, malloc'ed for the caller; NULL: none. */
void *cw_run_cache_read(uint64_t key, size_t *bytes);

void cw_run_cache_write(uint64_t key, const void *data, size_t bytes);

#endif
