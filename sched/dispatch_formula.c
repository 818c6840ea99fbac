/* dispatch_formula.c - a tree of masters in queueing theory; see dispatch.h. */
#include <math.h>

#include "dispatch.h"

double cw_dispatch_formula(const struct cw_dispatch_options *o)
{
    double masters = 1, lowest = o->workers, think = o->block * o->task_s + 2 * o->latency_s, waiting = 0,
           x = 0;

    for (uint32_t l = 1; l < o->levels; l++)
        lowest = ceil(lowest / o->fan_out);
    if (o->levels > 1)
        masters = ceil((double)o->workers / o->fan_out);
    for (double n = 1; n <= ceil(o->workers / masters);
         n++) { /* one server and a delay, a customer more each time */
        double response = o->message_s * (1 + waiting);
        x = n / (response + think);
        waiting = x * response;
    }
    x *= masters * o->block;
    for (double count = masters, below = ceil(o->workers / masters); count > 1; below *= o->fan_out) {
        double above = count == lowest || ceil(count / o->fan_out) < 1 ? 1 : ceil(count / o->fan_out);
        if (o->levels == 2)
            above = 1;
        x = fmin(x, above * o->block * below / o->message_s);
        count = above;
    }
    return x;
}
