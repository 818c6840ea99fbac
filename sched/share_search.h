/* share_search.h - local search over the order and the modes of moldable tasks.
 *
 * Each step moves one task in the order, between its last predecessor and its first successor, or gives it
 * another mode (moldable.h), and decodes the whole. Late acceptance (Burke and Bykov, EJOR 258, 2017): a
 * schedule that is no longer than the one of some steps ago stays.
 *
 * Thread-safety: none. */
#ifndef CW_SHARE_SEARCH_H
#define CW_SHARE_SEARCH_H

#include "moldable.h"

enum { CW_SHARE_SEARCH_LATE = 32 };

struct cw_share_search {
    struct cw_moldable m;
    uint32_t *order, *mode, count; /* the best schedule: arguments of cw_moldable_decode */
    double length;                 /* its makespan; INFINITY before the first start */
    double least;                  /* no schedule is shorter: the search stops there */
    uint64_t random;
    /* internal */
    uint32_t *now_order, *now_mode, *position;
    double now_length, late[CW_SHARE_SEARCH_LATE];
};

/* Makes room. Errors: as cw_moldable_init. */
enum cw_status cw_share_search_init(struct cw_share_search *s, const struct cw_plan *plan,
                                    enum cw_sharing sharing, double overhead, uint64_t seed,
                                    struct cw_error *err);
void cw_share_search_finish(struct cw_share_search *s); /* safe on a zeroed struct */

/* Decodes an order with modes, and keeps it when it is the best so far. */
void cw_share_search_start(struct cw_share_search *s, const uint32_t *order, uint32_t count,
                           const uint32_t *mode);

/* Searches from the best so far until `work` looks at an edge, a task or a device are spent or s->least is
 * reached. Deterministic in the calls made. */
void cw_share_search_run(struct cw_share_search *s, uint64_t work);

/* Places the best schedule in the plan, which must be as it was at cw_share_search_init. Errors: those of
 * cw_plan_place. */
enum cw_status cw_share_search_place(struct cw_share_search *s, struct cw_plan *plan, struct cw_error *err);

#endif
