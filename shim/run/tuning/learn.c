/* learn.c - see tuning/learn.h. */
#include "learn.h"
#include "../core/thresholds.h"

#include "../../door/clock.h"
#include "../../history/history_runs.h"

static struct {
    enum cw_run_learn_mode mode;
    double lived_ns, spent_ns; /* by earlier runs */
    uint64_t started_ns;
    double learnt_ns, stayed_ns, owed_ns;
    double begun_ns; /* expected time of the `begun` builds, which have not ended */
    unsigned begun, builds;
} learn;

void cw_run_learn_init(enum cw_run_learn_mode mode, double lived_ns, double learnt_ns)
{
    learn.mode = mode;
    learn.lived_ns = lived_ns;
    learn.spent_ns = learnt_ns;
    learn.started_ns = cw_now_ns();
}

/* The first one in a process wakes up the vendor's compiler. */
static double price(unsigned builds)
{
    return builds ? (learn.builds ? CW_RUNS_NEXT_NS : CW_RUNS_BUILD_NS) + (builds - 1) * CW_RUNS_NEXT_NS : 0;
}

static double lived(void)
{
    return (double)(cw_now_ns() - learn.started_ns);
}

static bool may_spend(double ns)
{
    double spent = learn.spent_ns + learn.learnt_ns + learn.begun_ns;

    return learn.mode == CW_RUN_LEARN_ALL || (learn.mode == CW_RUN_LEARN_RENT &&
                                              cw_history_runs_can_learn(learn.lived_ns + lived(), spent, ns));
}

static void owe(double ns)
{
    if (learn.mode == CW_RUN_LEARN_RENT && ns > learn.owed_ns)
        learn.owed_ns = ns;
}

bool cw_run_learn_may(unsigned builds)
{
    return !builds || may_spend(price(builds));
}

bool cw_run_learn_asks(unsigned builds)
{
    bool may = cw_run_learn_may(builds);

    if (!may)
        owe(CW_RUNS_BUILD_NS + (builds - 1) * CW_RUNS_NEXT_NS); /* in a later process */
    return may;
}

bool cw_run_learn_stays(double ns)
{
    bool may = may_spend(ns);

    if (!may)
        owe(ns);
    return may;
}

void cw_run_learn_stayed(double ns)
{
    learn.learnt_ns += ns;
    learn.stayed_ns += ns;
}

bool cw_run_learn_begins(enum cw_run_learn what)
{
    unsigned builds = what == CW_RUN_LEARN_BUILD;

    if (!cw_run_learn_asks(builds))
        return false;
    learn.begun_ns += builds ? price(1) : CW_RUN_LEARN_KEPT_NS;
    learn.begun++;
    learn.builds += builds;
    return true;
}

void cw_run_learn_ended(double ns)
{
    if (learn.begun) /* each is thought to have taken as long as the others */
        learn.begun_ns -= learn.begun_ns / learn.begun--;
    learn.learnt_ns += ns;
}

struct cw_run_learnt cw_run_learn_is_done(void)
{
    return (struct cw_run_learnt){lived(), learn.learnt_ns, learn.stayed_ns, learn.owed_ns};
}
