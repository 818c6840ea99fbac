/* staging_count.h - counts for the summary. Any thread. */
#ifndef CW_RUN_STAGING_COUNT_H
#define CW_RUN_STAGING_COUNT_H

#include <stdbool.h>
#include <stddef.h>

/* A transfer of so many bytes has taken `ns` through the pool; the vendor takes `vendor_ns`, 0: not known. */
void cw_run_staging_count(bool write, size_t bytes, double ns, double vendor_ns);

void cw_run_staging_count_after_fork(void);

/* Writes the gain of staged transfers, as part of the last line; returns its length, 0: there was none. */
int cw_run_staging_count_verdict(char *text, unsigned size);

#endif
