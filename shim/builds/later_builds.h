/* later_builds.h - results that only later runs use are asked for, and made by the builder
 * (analyzer/compile/requests.h), which this process starts and does not wait for.
 *
 * A request is a small file. The builder is started after the first request, and once more at the end where
 * others have come, by a thread of run mode, so that the host does not notice (analyzer/io/quiet_child.h).
 * Where there can be none the requests wait for a later process that can start one. */
#ifndef CW_LATER_BUILDS_H
#define CW_LATER_BUILDS_H

#include <stdbool.h>
#include <stddef.h>

#include "../../analyzer/compile/requests.h"
#include "../../analyzer/io/identity.h"

struct cw_options;

/* `folder`: that holds the stores, "" for none: then nothing is asked for, and with --learn off. Once,
 * before the others. */
void cw_later_builds_start(const struct cw_options *options, const char *folder);

/* Asks for a result; of *q the members from `program` on are not read. False: it is not going to be made, as
 * it has failed too often, or nothing may be asked for. Takes less than a millisecond; any thread, lock not
 * held. */
bool cw_later_builds_ask(const struct cw_request *q);

/* A builder is at work now: times are not those of a machine at rest. Lock not held. */
bool cw_later_builds_is_at_work(void);

/* At exit, lock not held: starts the builder where that is still to be done, and does not wait for it; under
 * CLWEAVE_BUILDER=wait, for tests, waits until all is made. */
void cw_later_builds_stop(void);
void cw_later_builds_after_fork(void);

/* Binaries of helpers' programs, kept between runs: PoCL takes 50 to 140 ms to build a
 * program that it has built before, 1 ms when it gets its own binary. Plans of priority groups stand there,
 * too (groups/group_cache.c).
 *
 * Kept in a file store (analyzer/io/file_store.h), which compares all that the code depends on: source,
 * options, device, driver, and the environment variables that PoCL listens to. Thread-safe and quiet. */

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
