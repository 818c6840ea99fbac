/* farm_summary.h - how many tasks a finished table has, and how many of them failed: a table is written
 * when all is done, and its checkpoint may be gone by then. */
#ifndef CW_FARM_SUMMARY_H
#define CW_FARM_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

struct cw_farm_summary {
    uint32_t tasks, failed;
};

/* Reads the table `path`: CSV with the columns `task` (the first) and `status`, JSON with these keys, or a
 * database with a table `farm`.
 * Several rows with the same number in a row are one task. False: it is no such table, or cannot be read.
 * Thread-safe. */
bool cw_farm_summary_read(const char *path, struct cw_farm_summary *s);

#endif
