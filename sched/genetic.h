/* genetic.h - the genetic search of HSCGS (IGA), over the devices of tasks in a given order.
 *
 * Zhao, Li, Wang, Computer Engineering and Design 2014(9), section 3: a genome gives each task a device;
 * decoded, the tasks are placed in the order of the list scheduler that came before, each as early as its
 * device allows. Reconstructed where the paper is silent: fitness is 1 / makespan; a child counts as better
 * than its parents when it is better than both; missing members of a population after the selection are drawn
 * at random.
 *
 * One generation:
 *   preprocess  a share `preprocess` of the population, in random pairs: when more than `similarity` of the
 *               genes are equal, the less fit is dropped
 *   crossover   random pairs, each with probability `crossover`: the genes between two random cuts are
 *               exchanged
 *   mutation    each child, and a copy of each of a pair that was not crossed, with probability `mutation`:
 *               one random gene becomes a random device
 *   selection   all children that are better than their parents (the best, when they are more than the
 *               population); of the other places 20 % by rank and 80 % at random among the rest
 */
#ifndef CW_GENETIC_H
#define CW_GENETIC_H

#include "policy.h"

/* Improves the tasks that `plan` placed after the first `base` ones: keeps their order, searches other
 * devices for them, and leaves the plan with the best that was ever decoded, never worse than it was.
 * Options: generations, population (0: twice the devices), crossover, mutation, preprocess, similarity; it
 * ends early after plan->tries schedules. Draws from plan->seed. O(generations x population) times placing
 * all tasks. Errors: CW_ERR_NOMEM, those of cw_plan_place. */
enum cw_status cw_genetic_improve(struct cw_plan *plan, uint32_t base, const struct cw_policy_options *o,
                                  struct cw_error *err);

/* The options that it takes. */
#define CW_GENETIC_TAKES                                                                                     \
    (CW_TAKES(generations) | CW_TAKES(population) | CW_TAKES(crossover) | CW_TAKES(mutation) |               \
     CW_TAKES(preprocess) | CW_TAKES(similarity))

#endif
