/* learn.c - see tuning/learn.h. */
#include "learn.h"

#include "../../../analyzer/history/history_runs.h"
#include "activation.h"

static struct {
    enum cw_run_learn_mode mode;
    double spent_ns;
    double begun_ns; /* expected time of the `begun` builds, which have not ended */
    unsigned begun, builds;
    bool owes;
} learn;

void cw_run_learn_init(enum cw_run_learn_mode mode)
{
    learn.mode = mode;
}

/* The first one in a process wakes up the vendor's compiler. */
static double price(unsigned builds)
{
    return builds ? (learn.builds ? CW_RUNS_NEXT_NS : CW_RUNS_BUILD_NS) + (builds - 1) * CW_RUNS_NEXT_NS : 0;
}

bool cw_run_learn_may(unsigned builds)
{
    return !builds || learn.mode == CW_RUN_LEARN_ALL ||
           (learn.mode == CW_RUN_LEARN_AUTO && cw_run_activation_allows(price(builds)));
}

bool cw_run_learn_begins(enum cw_run_learn what)
{
    unsigned builds = what == CW_RUN_LEARN_BUILD;

    if (!cw_run_learn_may(builds))
        return false;
    learn.begun_ns += price(builds);
    learn.begun++;
    learn.builds += builds;
    return true;
}

void cw_run_learn_ended(double ns)
{
    if (learn.begun) /* each is thought to have taken as long as the others */
        learn.begun_ns -= learn.begun_ns / learn.begun--;
    learn.spent_ns += ns;
}

double cw_run_learn_spent(void)
{
    return learn.spent_ns + learn.begun_ns;
}
