/* policy_args.h - the policies of a command line: --policy NAME[:OPTION,...], repeated, or `all`. */
#ifndef CW_POLICY_ARGS_H
#define CW_POLICY_ARGS_H

#include <stdio.h>

#include "../../sched/policy.h"
#include "frame/cli.h"

struct cw_policy_args {
    struct cw_policy_config *config;
    const char **label; /* as asked for: in the list, or a policy's name */
    size_t count;
};

void cw_policy_args_finish(struct cw_policy_args *a); /* safe on a zeroed struct */

/* Adds every word of `list`; an empty list gives `fallback`. `all` stands for every policy. All get `seed`, 0
 * when it is negative. Errors: those of cw_policy_parse; CW_ERR_NOMEM. After an error, too, the caller
 * finishes `a`. */
enum cw_status cw_policy_args_add(struct cw_policy_args *a, const struct cw_cli_list *list,
                                  const char *fallback, int64_t seed, struct cw_error *err);

/* Prints every policy (name, description, source, the options that it takes), then every option. */
void cw_policy_args_print(FILE *f);

#endif
