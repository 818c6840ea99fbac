/* link_fit.h - the time of copies over one way between two memories, learnt from those that were made: a
 * latency and a rate, by least squares over ns = latency + bytes / rate. Each copy weighs by its time
 * relative to itself, so that small ones say the latency and large ones the rate, and one whose thread
 * lost the processor says little. Where all are of about one size, they say how many times the guess a
 * copy takes. Past copies fade: about CW_LINK_FIT_MEMORY count.
 *
 * Pure; not thread-safe. */
#ifndef CW_RUN_LINK_FIT_H
#define CW_RUN_LINK_FIT_H

#include <stdbool.h>
#include <stdint.h>

#define CW_LINK_FIT_LEAST  4 /* copies; before these the guess holds */
#define CW_LINK_FIT_MEMORY 64

/* One way between a memory and the host's. */
struct cw_plan_link {
    double latency_ns;   /* >= 0, finite */
    double bytes_per_ns; /* > 0; INFINITY: any number of bytes takes the latency */
    double error_share;  /* one standard error of a transfer's time, as a share of it: >= 0, finite */
};

struct cw_link_fit {
    struct cw_plan_link guess;
    double w, wx, wy, wxx, wxy; /* internal: sums over copies; x: bytes, y: ns, w: 1 / y^2 */
    double n, quick; /* internal: copies, and the guess's time over that of each; summed likewise */
    uint32_t copies; /* added so far */
};

/* Begins with a guess: all as in struct cw_plan_link, not both the latency 0 and the rate infinite. */
void cw_link_fit_begin(struct cw_link_fit *f, const struct cw_plan_link *guess);

/* A copy of so many bytes took `ns`, waiting for others left out. Ignored: ns <= 0 or no number. */
void cw_link_fit_add(struct cw_link_fit *f, uint64_t bytes, double ns);

/* What is known of the way: latency >= 0, rate > 0. The error is the scatter of the copies' times about
 * these, at least half of the guess's. */
struct cw_plan_link cw_link_fit_link(const struct cw_link_fit *f);

/* The two differ by so much that plans should be made by the newer one. */
bool cw_link_fit_differs(const struct cw_plan_link *a, const struct cw_plan_link *b);

#endif
