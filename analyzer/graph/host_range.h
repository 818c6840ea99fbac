/* host_range.h - which bytes of host memory a transfer reads or writes, and a map shows.
 *
 * An in-order queue may be all that orders two transfers that meet there (a read, then a write of the bytes
 * read), so a reordering has to know. Addresses are those that the program gave or was given. */
#ifndef CW_HOST_RANGE_H
#define CW_HOST_RANGE_H

#include "../record/trace.h"

/* Rows of `bytes` each at start + z * slice_pitch + y * row_pitch, y < rows, z < slices. */
struct cw_host_range {
    uint64_t start, bytes, rows, slices, row_pitch, slice_pitch;
    uint32_t mode; /* enum cw_access_mode: a read of a device writes host memory */
    bool mapped;   /* the range of a map or unmap, which no byte of is accessed by the command itself */
};

/* False when command `k` touches no host memory by itself, or none that is known. The range never wraps round
 * the address space; more than 64 rows are given as one that reaches from the first to the last byte. */
bool cw_host_range(const struct cw_trace *t, const struct cw_command *k, struct cw_host_range *range);

#endif
