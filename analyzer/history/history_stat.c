#include "history.h"

#include <math.h>

#define ONE_SAMPLE   0.3 /* relative deviation assumed beside the measured ones */
#define COUNT_MOST   0x1p53
#define FIRST_COSTLY 4.0 /* a first sample this many times the later ones is forgotten */

bool cw_history_stat_sensible(const struct cw_history_stat *s)
{
    return s->count >= 1 && s->count < COUNT_MOST && s->mean_ns >= 0 && s->mean_ns < CW_HISTORY_LONGEST_NS &&
           s->squares >= 0 && s->squares < COUNT_MOST * CW_HISTORY_LONGEST_NS * CW_HISTORY_LONGEST_NS;
}

/* So that the past weighs no more than CW_HISTORY_MEMORY samples. */
static void fade(struct cw_history_stat *s)
{
    if (s->count > CW_HISTORY_MEMORY) {
        s->squares *= CW_HISTORY_MEMORY / s->count;
        s->count = CW_HISTORY_MEMORY;
    }
}

void cw_history_stat_merge(struct cw_history_stat *into, const struct cw_history_stat *more)
{
    double count = into->count + more->count, apart = more->mean_ns - into->mean_ns;

    if (more->count <= 0)
        return;
    if (into->count < 1.5 && more->mean_ns * FIRST_COSTLY < into->mean_ns) {
        *into = *more;
        fade(into);
        return;
    }
    into->squares += more->squares + apart * apart * (into->count / count) * more->count;
    into->mean_ns += apart * more->count / count;
    into->count = count;
    fade(into);
}

double cw_history_stat_error(const struct cw_history_stat *s)
{
    double assumed = ONE_SAMPLE * s->mean_ns;

    return sqrt((s->squares + assumed * assumed) / s->count / s->count);
}
