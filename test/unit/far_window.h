/* far_window.h - windows on a host with two far devices. Include it in one file of a test program. */
#ifndef CW_TEST_FAR_WINDOW_H
#define CW_TEST_FAR_WINDOW_H

#include "run_window.h"

#define MB 1000000.0

/* A host and two far devices: home works on the host's memory. The links carry 5 GB/s and answer after 20
 * us. */
static const struct cw_plan_space three_spaces[] = {
    {.capacity = 0},
    {.in = {20000, 5, 0}, .out = {20000, 5, 0}, .capacity = 1u << 30},
    {.in = {20000, 5, 0}, .out = {20000, 5, 0}, .capacity = 1u << 20}};
static const struct cw_plan_device far_slots[] = {{.name = "home", .class_name = "cpu"},
                                                  {.name = "far 1", .class_name = "far", .space = 1},
                                                  {.name = "far 2", .class_name = "far", .space = 2}};
/* Those that charge transfers when they choose a device. weave searches too long for programs that run. */
static const char *const aware[] = {"heft", "dmda", "peft", "cpop", "hdgeft", "dscls"};
#define AWARE (sizeof aware / sizeof *aware)

enum { HOST = 1, FAR_1 = 2, FAR_2 = 4 }; /* sets of memories */

/* A window whose tasks have at most one piece each. */
struct far_window {
    struct window x;
    uint32_t piece_start[TASKS_MAX + 1];
    struct cw_plan_piece piece[TASKS_MAX];
    double pred_bytes[4 * TASKS_MAX];
};

/* Chains as of make_chains() that run `speed` times as fast on the far devices. The first task of each reads
 * `bytes` bytes that lie in `spaces`; as many go from task to task. */
static inline void make_far(struct far_window *f, uint32_t tasks, uint32_t stride, double cost, double speed,
                            double bytes, uint64_t spaces)
{
    uint32_t pieces = 0;

    make_chains(&f->x, tasks, 3, stride, cost, 0);
    for (uint32_t i = 0; i < tasks; i++) {
        f->x.cost[3 * i + 1] = f->x.cost[3 * i + 2] = cost / speed;
        f->piece_start[i] = pieces;
        if (!stride || i < stride)
            f->piece[pieces++] = (struct cw_plan_piece){.root = i,
                                                        .root_bytes = (uint64_t)bytes,
                                                        .bytes = (uint64_t)bytes,
                                                        .spaces = spaces,
                                                        .launches = 1};
    }
    f->piece_start[tasks] = pieces;
    for (uint32_t e = 0; e < f->x.pred_start[tasks]; e++)
        f->pred_bytes[e] = bytes;
    f->x.w.pred_bytes = f->pred_bytes;
    f->x.w.piece_start = f->piece_start;
    f->x.w.piece = f->piece;
}

static inline struct cw_run_planner *far_planner(const char *policy, bool always,
                                                 const struct cw_plan_space *space)
{
    struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;

    rules.always = always;
    rules.spaces = 3;
    rules.space = space;
    return planner_of(far_slots, 3, policy, &rules);
}

/* How many tasks leave home under `policy`; `always`: by the policy's choice alone. plan: finished by the
 * caller or NULL. */
static inline uint32_t moved_by(const char *policy, bool always, const struct far_window *f,
                                struct cw_run_plan *plan)
{
    struct cw_run_planner *planner = far_planner(policy, always, three_spaces);
    struct cw_run_plan own = {0}, *p = plan ? plan : &own;
    uint32_t moved;

    assert_int_equal(cw_run_plan_make(planner, &f->x.w, p, NULL), CW_OK);
    assert_int_not_equal(p->verdict, CW_RUN_FAILED);
    check_plan(p, &f->x, far_slots, 3, 8000);
    moved = p->moved;
    cw_run_planner_destroy(planner);
    cw_run_plan_finish(&own);
    return moved;
}

#endif
