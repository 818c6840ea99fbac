/* svm_ranges.h - which SVM allocation a kernel's pointer argument points into. */
#ifndef CW_SVM_RANGES_H
#define CW_SVM_RANGES_H

#include "../record/trace.h"

/* The SVM allocations of a trace by address, without those that lie inside another: addresses are used again
 * after a free, and a trace does not say which of the allocations lived when. So starts and ends both ascend.
 */
struct cw_svm_ranges {
    uint32_t *memory; /* ids */
    size_t count;
};

/* `ranges` is the caller's; finish it even after a failure. False when memory is out. O(n log n). */
bool cw_svm_ranges_init(struct cw_svm_ranges *ranges, const struct cw_trace *t);
void cw_svm_ranges_finish(struct cw_svm_ranges *ranges);

/* The allocations that hold `address`: ranges->memory[*first .. *first + result). Usually one; several where
 * overlapping ones lived at different times, of which any may be meant; 0: none. O(log n + result). */
size_t cw_svm_ranges_find(const struct cw_svm_ranges *ranges, const struct cw_trace *t, uint64_t address,
                          size_t *first);

#endif
