/* habits.h - ways to use OpenCL that a trace shows, and that cost time or that the specification forbids. */
#ifndef CW_HABITS_H
#define CW_HABITS_H

#include "../record/trace.h"

struct cw_habit {
    uint64_t count;
    uint32_t first; /* a command that shows it; CW_NONE: none */
};

struct cw_habits {
    /* clFinish with nothing of its queue under way since the last wait for all of it, or with a blocking
     * command of the same in-order queue right behind it, which waits for the same */
    struct cw_habit needless_finish;
    /* a clFinish between two launches of one in-order queue, next to each other on their thread: its order
     * alone keeps them apart. The host may have had other reasons */
    struct cw_habit finish_between;
    /* launches in work-groups of one item that the program asked for, of more than one item */
    struct cw_habit single_items;
    /* commands that wait for an event of another queue that was not flushed between its command and them:
     * they may wait for ever */
    struct cw_habit unflushed;
    /* polls (clGetEventInfo, callbacks) that saw the end of a command whose queue was not flushed between
     * that command and them: another vendor may never begin it */
    struct cw_habit polled;
    /* commands under way, as far as the trace says, when the program ended by itself: no host wait is behind
     * them, and no end of them was seen. None for parts of traces */
    struct cw_habit unawaited;
    /* transfers of CW_HABITS_PAGEABLE_BYTES and more between a device with a memory of its own and host
     * memory that is no mapped buffer */
    struct cw_habit pageable;
    uint64_t pageable_bytes;
};

enum { CW_HABITS_PAGEABLE_BYTES = 1 << 20 };

/* Fills `h`, from the trace's edges too. CW_ERR_NOMEM. O(commands + edges + waits), and per transfer the
 * number of maps under way. Thread-safety: reads `t` only. */
enum cw_status cw_habits_find(struct cw_habits *h, const struct cw_trace *t, struct cw_error *err);

#endif
