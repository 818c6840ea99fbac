/* plan.h - from a window of enqueued commands to their devices and order, and whether that is worth it.
 *
 * Window: the commands that wait, in program order, with their dependences. The devices are the workers that
 * can run them: the program's own device and its helpers, each on a memory. The policies of sched/ plan the
 * window, the very objects that `clweave replay` uses; then the plan is held against doing nothing (every
 * command on its home device, in program order), and doing nothing wins unless the plan's gain is certain
 * (the profit test, below).
 *
 * Costs. Command i on device p takes cost[i][p] + handoff_ns[p]. When a command waits for one on another
 * device, wake_ns passes between the end of the one and the start of the other. Between devices of one
 * memory data travel nowhere.
 *
 * Memories. Each device works on one; number 0 is the host's. Between two memories an edge's bytes take the
 * latency and bytes / rate of the way to the host and of the way from there, whichever of the two there are.
 * Bytes that lie in memories before the window (pieces) come from the nearest of these. To a policy they are
 * a task of no cost, finished on every device of these memories: a policy needs to know nothing of them. A
 * read by the host is a command that may run on devices of memory 0 only, so bringing data back is charged as
 * well. The profit test also lets each way carry its bytes one after the other.
 *
 * The profit test. A cost is a mean that may be wrong by error_ns (one standard error), and so are the times
 * of transfers. Doing nothing is taken at its best and moved commands at their worst, both CW_RUN_PLAN_SIGMAS
 * errors away from their means, and so are transfers for them; commands that stay at home, and transfers
 * among these, have the same cost in both, since their error is the same. The gain that is left
 * must exceed least_gain_ns + planning_ns x commands, and least_gain_share of the time of doing nothing. So
 * noise brings no profit: two equal devices with costs that scatter stay as they are, and so does a chain
 * that is nowhere faster. Errors are added up and not taken as independent: the commands of a window are
 * often launches of one kernel, and one wrong mean is wrong for all. Policies by which a user says where
 * commands go (chaos, random, cpu-only, gpu-only, dsp-only) skip the test, and so does everything with
 * `always`.
 *
 * Shared commands. A policy that shares tasks (sched/policy.h, `sharing`) may give a command that can be cut
 * to several devices at once: parts, each a range of its work-groups. A part takes set_up_ns of its device
 * and its share of the rest of the command's cost there; commands that wait for it wait for all parts.
 *
 * A command that has been handed to a device already, but on which others here depend, may be part of the
 * window: its cost is finite on that device only and is the rest of its time.
 *
 * Everything here is a pure function of its arguments: no clock, no lock, no message, nothing remembered. */
#ifndef CW_RUN_PLAN_H
#define CW_RUN_PLAN_H

#include "../../../sched/policy.h"
#include "../memory/link_fit.h"

#define CW_RUN_PLAN_SIGMAS 2.0

/* The policy of `run` when the user names none: the shortest plans of all that take n log n time, over
 * chains, diamonds, independent commands, stencils and random graphs (test/bench/window.bench; length against
 * doing nothing, geometric means). Five alike devices: heft 0.377, dmda 0.396, ws 0.396, eager 0.391, peft
 * 0.393. Five devices that differ up to threefold: 0.455, 0.491, 0.592, 0.658, 0.489. dls and lookahead get
 * within 1 % of it at three to six times the planning time (heft: 0.4 us a command). weave, with plans up to
 * 4 % shorter, plans for .1 to 27 ms, in which devices wait (shim/RUN.md, "Which policy"). */
#define CW_RUN_POLICY_DEFAULT "heft"

struct cw_plan_device {
    const char *name;       /* for messages; NULL: "device <index>" */
    const char *class_name; /* "cpu", "gpu", "dsp": for cpu-only and the like; NULL: "device" */
    double handoff_ns;      /* each command's cost there beside its own time: >= 0, finite */
    double set_up_ns;       /* of a launch's cost there, paid again by every part: >= 0, finite */
    uint32_t space;         /* number of the memory that it works on, below rules.spaces; 0: the host's */
};

struct cw_plan_space {           /* a memory */
    struct cw_plan_link in, out; /* from the host's memory and to it; of the host's own: not looked at */
    uint64_t capacity;           /* bytes of the program's buffers that it holds at most; 0: any number */
};

#define CW_RUN_PLAN_SPACES       64
#define CW_RUN_PLAN_SEARCH_SHARE .02 /* of a window's least time: for the genetic search of hscgs */
#define CW_RUN_PLAN_FETCH_OFTEN  3   /* launches for which a fetch is worth sharing its time */

/* Bytes of one root buffer that a command must find in its device's memory and that no earlier command of the
 * window writes. A command of which some bytes are valid here and some there has a piece for each. */
struct cw_plan_piece {
    uint64_t root;       /* the buffer's number */
    uint64_t root_bytes; /* its size: a memory holds a buffer whole or not at all */
    uint64_t bytes;      /* 0: nothing is read, but the buffer must fit in */
    uint64_t spaces;     /* bit s: they are valid in memory s; 0: nowhere, then nothing travels */
    /* expected from now on, this one included, that find the bytes there once they were fetched. From
     * CW_RUN_PLAN_FETCH_OFTEN on each of them bears its share of the fetch, below that this one bears all */
    uint32_t launches;
};

struct cw_run_rules {
    double wake_ns;          /* from the end of a command to the start of a dependent one on another device */
    double planning_ns;      /* cost of planning, per command */
    double least_gain_ns;    /* gains below are not worth the trouble */
    double least_gain_share; /* the same, as a share of the time that doing nothing takes */
    bool home_separate;      /* helpers run on home's cores: commands that may leave home do */
    bool always;             /* no profit test (tests) */
    uint32_t spaces;         /* memories, at most CW_RUN_PLAN_SPACES; 0: one */
    const struct cw_plan_space *space; /* each of them; copied. NULL: all devices are on memory 0 */
};

/* Measured on two cores with PoCL: a sleeping worker answers after 5 to 13 us; planning takes 0.5 us
 * a command. */
#define CW_RUN_RULES_DEFAULT                                                                                 \
    {                                                                                                        \
        .wake_ns = 8000, .planning_ns = 500, .least_gain_ns = 3000, .least_gain_share = 0.03                 \
    }

struct cw_run_window {
    uint32_t tasks; /* >= 1, in program order */
    const uint32_t
        *pred_start;      /* tasks + 1: task i waits for pred[pred_start[i]] to pred[pred_start[i + 1] - 1] */
    const uint32_t *pred; /* each < i; NULL when there are none */
    const double *pred_bytes; /* bytes on each of these edges (flow.h); NULL: none */
    const uint32_t
        *piece_start; /* tasks + 1: task i has piece[piece_start[i]] to piece[piece_start[i + 1] - 1];
                                    NULL: nothing has to be fetched */
    const struct cw_plan_piece *piece;
    const double
        *cost_ns; /* tasks x devices, row by row, >= 0, INFINITY: not allowed there. Finite at home */
    const double
        *error_ns; /* tasks x devices, >= 0: one standard error of each finite cost; NULL: all exact */
    const uint64_t
        *groups;          /* per task: the work-groups that it may be cut into, on every device where its cost
                               is finite; 0 or 1: it stays whole. NULL: all do */
    const uint32_t *home; /* per task: where it runs when nothing is done; NULL: all on device 0 */
    const double *busy_ns; /* per device: how long it is busy with earlier work, from now; NULL: all idle */
    uint64_t seed;         /* for policies that draw random numbers; different windows, different seeds */
};

/* How a window was decided, with words for --summary. */
#define CW_RUN_VERDICT_LIST(X)                                                                               \
    X(CW_RUN_GAIN, "planned: a gain is expected")                                                            \
    X(CW_RUN_ASKED, "planned: the policy asks for no gain")                                                  \
    X(CW_RUN_HOME_ONLY, "left: nothing may run elsewhere")                                                   \
    X(CW_RUN_NO_SPACE, "left: no plan could gain enough")                                                    \
    X(CW_RUN_SMALL_GAIN, "left: the plan would gain too little")                                             \
    X(CW_RUN_FAILED, "left: the policy failed")

enum cw_run_verdict {
#define X(id, text) id,
    CW_RUN_VERDICT_LIST(X)
#undef X
        CW_RUN_VERDICTS
};

/* One device's part of a shared command. */
struct cw_run_plan_part {
    uint32_t device;
    uint64_t first_group, groups;
    double start_ns, finish_ns; /* expected, as those of its command */
};

/* Times are in ns from now. A zeroed struct is an empty plan. */
struct cw_run_plan {
    uint32_t tasks;
    uint32_t
        *order; /* tasks as they start: none stands before one that it waits for, each device runs its own
                        in this order */
    uint32_t *device;     /* per task; where the first part of a shared one runs */
    uint32_t *parts;      /* per task: 1, or how many parts it has */
    uint32_t *first_part; /* of a shared task: into `part`, in the order of their groups */
    struct cw_run_plan_part *part;
    double *start_ns;  /* per task: when it is expected to start, hand-off included */
    double *finish_ns; /* per task */
    enum cw_run_verdict verdict;
    bool planned;       /* the policy's plan; false: nothing is done (program order, everything at home) */
    uint32_t moved;     /* tasks that do not run at home, or not all of them */
    uint32_t shared;    /* tasks that have parts */
    uint32_t reordered; /* tasks that start after one that the program enqueued later */
    double home_ns;     /* when the last task would finish if nothing were done; means, no errors */
    double plan_ns;     /* when it finishes by this plan */
    double gain_ns;     /* the certain part of the gain; 0 when no plan was made */
    double needed_ns;   /* the least gain for a plan */
    uint32_t capacity, part_capacity; /* internal: tasks, parts that the arrays hold */
};

struct cw_run_planner;

/* Makes a planner for `count` >= 1 devices, copied. Errors: CW_ERR_INVALID (no device; a time that is
 * negative or not a number; a memory or a link that there is not), CW_ERR_UNSUPPORTED (a policy that
 * searches for seconds: exact, h2gs, weave), CW_ERR_NOMEM; *planner is then NULL. Thread-safety: a planner
 * is immutable; any number of threads may plan with one. */
enum cw_status cw_run_planner_create(const struct cw_plan_device *devices, uint32_t count,
                                     const struct cw_run_rules *rules, const struct cw_policy_config *config,
                                     struct cw_run_planner **planner, struct cw_error *err);
void cw_run_planner_destroy(struct cw_run_planner *planner); /* NULL allowed */

/* Whether the planner's policy shares commands, so that a window's `groups` are worth finding out. */
bool cw_run_planner_shares(const struct cw_run_planner *planner);

/* The devices, as bits, whose memory can hold all buffers of `piece`: a command that uses these may run on no
 * other but home. */
uint64_t cw_run_planner_holds(const struct cw_run_planner *planner, const struct cw_plan_piece *piece,
                              uint32_t count);

/* How long the bytes of `piece` take to device `p`, one after the other, ns. */
double cw_run_planner_fetch_ns(const struct cw_run_planner *planner, const struct cw_plan_piece *piece,
                               uint32_t count, uint32_t p);

/* How long `bytes` bytes take from device `p` to the host's memory, ns. */
double cw_run_planner_return_ns(const struct cw_run_planner *planner, double bytes, uint32_t p);

/* Plans `window`. The seed of the planner's policy and that of the window are added. `plan` is empty or was
 * used before; its arrays are used again. Its content is always good when CW_OK is returned: should the
 * policy fail (memory), the plan is to do nothing and `verdict` says so. O(policy) + O(tasks x devices +
 * edges + tasks x log tasks). Errors: CW_ERR_INVALID (the window breaks a rule above: a bug of the caller),
 * CW_ERR_NOMEM (no room for the plan itself). Thread-safe; takes no lock. */
enum cw_status cw_run_plan_make(const struct cw_run_planner *planner, const struct cw_run_window *window,
                                struct cw_run_plan *plan, struct cw_error *err);

/* Static words for `v`. */
const char *cw_run_plan_verdict_string(enum cw_run_verdict v);

/* Frees the arrays; safe on a zeroed struct. */
void cw_run_plan_finish(struct cw_run_plan *plan);

#endif
