/* later_builds.h - results that only later runs use are asked for, and made by the builder
 * (analyzer/compile/builder.h), which this process starts and does not wait for.
 *
 * A request is a small file. The builder is started after the first request, and once more at the end where
 * others have come, by a thread of run mode, so that the host does not notice (analyzer/io/quiet_child.h).
 * Where there can be none the requests wait for a later process that can start one. */
#ifndef CW_LATER_BUILDS_H
#define CW_LATER_BUILDS_H

#include "../../analyzer/compile/requests.h"

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

#endif
