/* policy.h - the table of scheduling policies and how one is chosen, configured and run.
 *
 * A policy is one const struct cw_policy in a file of its own (policy_<name>.c) and one line of
 * policy_list.inc. README.md of this folder shows how to add one. The same objects plan a whole graph offline
 * (replay) and a window of enqueued commands online (run): a policy sees a struct cw_plan, never where it
 * came from, and reads neither clock nor randomness but the plan's seed.
 *
 * Thread-safety: policies are immutable, their functions re-entrant; configurations belong to their owner. */
#ifndef CW_POLICY_H
#define CW_POLICY_H

#include "api.h"
#include "plan.h"

CW_API_BEGIN

/* The values of all options of all policies; policy_options.inc explains each. */
struct cw_policy_options {
#define CW_POLICY_FLAG                                               bool
#define CW_POLICY_SWITCH                                             bool
#define CW_POLICY_COUNT                                              uint64_t
#define CW_POLICY_NUMBER                                             double
#define CW_POLICY_SHARE                                              double
#define CW_POLICY_OPTION(field, kind, initial, name, argument, help) CW_POLICY_##kind field;
#include "policy_options.inc"
#undef CW_POLICY_OPTION
#undef CW_POLICY_FLAG
#undef CW_POLICY_SWITCH
#undef CW_POLICY_COUNT
#undef CW_POLICY_NUMBER
#undef CW_POLICY_SHARE
};

/* Numbers of the options, and a bit for each: CW_TAKES(insertion) | CW_TAKES(guard). */
enum cw_policy_option_id {
#define CW_POLICY_OPTION(field, kind, initial, name, argument, help) CW_POLICY_OPTION_##field,
#include "policy_options.inc"
#undef CW_POLICY_OPTION
    CW_POLICY_OPTION_COUNT
};
#define CW_TAKES(field) (UINT64_C(1) << CW_POLICY_OPTION_##field)

struct cw_policy {
    const char *name;   /* lower case, as typed */
    const char *title;  /* one line for lists and --help */
    const char *source; /* where it is defined: paper, equation */
    uint64_t takes;     /* CW_TAKES(...) of its options */
    bool offline;       /* searches for seconds: not for programs that run */
    bool dynamic;       /* decides while things happen: plans by cw_dynamic_plan and nothing else */
    bool quadratic;     /* looks at every ready task for each: run mode gives it short windows */
    bool commanding;    /* its devices are an order, no guess: run mode does not ask whether a plan pays */
    bool earliest;      /* a task on its own goes where it finishes first: run mode need not ask for that */

    /* Places every task of plan->graph that is not placed yet.
     *   plan      valid and possibly partly filled; the policy may set its fields `insertion` and `tie_rank`
     *   o         only the fields that `takes` names are meant for it
     * Must be deterministic in (plan, *o), leave tasks placed before where they are, and finish in time at
     * most quadratic in tasks unless its header says so. On failure the plan may hold any part of a schedule.
     * Returns CW_OK or the error of a plan function. */
    enum cw_status (*plan)(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err);

    /* Which devices may share a task under these options. NULL: CW_SHARE_NEVER. */
    enum cw_sharing (*sharing)(const struct cw_policy_options *o);
};

/* A policy with its options filled in. Plain data, copy it freely. */
struct cw_policy_config {
    const struct cw_policy *policy;
    uint64_t seed;
    struct cw_policy_options options;
};

/* All policies, ended by NULL, in the order of policy_list.inc. */
extern const struct cw_policy *const cw_policies[];

/* The policy called `name`, or NULL. */
const struct cw_policy *cw_policy_find(const char *name);

/* Sets `config` to `policy` with its defaults and seed 0. */
void cw_policy_config_init(struct cw_policy_config *config, const struct cw_policy *policy);

/* Reads "hdgeft" or "hdgeft:share-idle,overhead=3". Errors: CW_ERR_NOTFOUND (unknown policy: the message
 * lists all and names the nearest), and those of cw_policy_set. */
enum cw_status cw_policy_parse(struct cw_policy_config *config, const char *text, struct cw_error *err);

/* Sets one option. value NULL means "on" for flags and switches; they take on, off, yes, no, true, false, 1,
 * 0. Errors: CW_ERR_NOTFOUND (this policy has no such option: the message lists those it has), CW_ERR_INVALID
 * (bad value). */
enum cw_status cw_policy_set(struct cw_policy_config *config, const char *name, const char *value,
                             struct cw_error *err);

/* CW_ERR_UNSUPPORTED when a running program cannot wait for `policy` (its `offline`). */
enum cw_status cw_policy_check_online(const struct cw_policy *policy, struct cw_error *err);

/* Runs the policy on an empty plan. *schedule is the caller's, NULL on failure. Errors: CW_ERR_INVALID for a
 * share in the options that is not from 0 to 1, those of cw_plan_init and of the policy's plan(). */
enum cw_status cw_policy_run(const struct cw_policy_config *config, const struct cw_graph *g,
                             const struct cw_platform *p, struct cw_schedule **schedule,
                             struct cw_error *err);

/* Which devices may share a task under `config`. */
enum cw_sharing cw_policy_sharing(const struct cw_policy_config *config);

/* True when `config`'s policy takes the option called `name`. */
bool cw_policy_takes(const struct cw_policy *policy, const char *name);

CW_API_END

#endif
