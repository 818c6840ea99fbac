/* staging_choice.h - which of two ways a transfer takes, by their measured times, and when the pool pays.
 *
 * Transfers of one direction and one power of two of bytes are a class. In a class the two ways are the
 * arms of a bandit (sched/arms.h); their cost is the time per byte. Pure; one thread at a time. */
#ifndef CW_RUN_STAGING_CHOICE_H
#define CW_RUN_STAGING_CHOICE_H

#include "../../../sched/arms.h"

#include <stddef.h>

enum cw_run_staging_way { CW_RUN_STAGING_VENDOR, CW_RUN_STAGING_STAGED, CW_RUN_STAGING_WAYS };
enum { CW_RUN_STAGING_CLASSES = 48 }; /* by log2 of the bytes */

struct cw_run_staging_choice {
    struct cw_arm arm[2][CW_RUN_STAGING_CLASSES][CW_RUN_STAGING_WAYS]; /* [writes] */
    double missed_ns; /* by which staging would have shortened the transfers so far, about */
};

/* The way of the next transfer. */
enum cw_run_staging_way cw_run_staging_choice_next(const struct cw_run_staging_choice *c, bool write,
                                                   size_t bytes);

/* The quicker way as measured; STAGED where one of the two was never measured. */
enum cw_run_staging_way cw_run_staging_choice_best(const struct cw_run_staging_choice *c, bool write,
                                                   size_t bytes);

/* The time that the vendor takes for as many bytes, by transfers of this and nearby classes; 0: not known. */
double cw_run_staging_choice_vendor_ns(const struct cw_run_staging_choice *c, bool write, size_t bytes);

/* The vendor's way is the better one by some measurements: the next transfers need not be measured. */
bool cw_run_staging_choice_settled(const struct cw_run_staging_choice *c, bool write, size_t bytes);

/* A transfer has taken `ns` that way. */
void cw_run_staging_choice_measured(struct cw_run_staging_choice *c, bool write, size_t bytes,
                                    enum cw_run_staging_way way, double ns);

/* A transfer of so many bytes from or to pageable memory went the vendor's way as there is no pool. True:
 * the pool, of `pool_bytes`, would have paid by now. */
bool cw_run_staging_choice_missed(struct cw_run_staging_choice *c, size_t bytes, size_t pool_bytes);

/* One transfer of so many bytes gains as much as the pool, of `pool_bytes`, costs: it may wait for it. */
bool cw_run_staging_choice_pays_alone(size_t bytes, size_t pool_bytes);

/* The threads that take part in a transfer on so many processors, the calling thread among them; 0: staging
 * gains nothing. */
unsigned cw_run_staging_choice_threads(unsigned processors);

/* The bytes of a piece, at most `chunk`, and the threads for a transfer, at most `threads`. */
size_t cw_run_staging_choice_piece(size_t bytes, size_t chunk, unsigned *threads);

#endif
