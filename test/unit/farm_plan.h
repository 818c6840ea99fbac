/* farm_plan.h - a plan of a farm, as tests of it need one. */
#ifndef TEST_FARM_PLAN_H
#define TEST_FARM_PLAN_H

#include <stdlib.h>
#include <string.h>

#include "../../analyzer/farm/farm_plan.h"

/* `echo {}` for each line of `list`. */
static void make_plan(struct cw_farm_plan *p, const char *list)
{
    struct cw_error err = {0};

    *p = (struct cw_farm_plan){.argc = 2, .lists = 1, .tries = 3, .timeout_s = 1.5};
    p->argv = calloc(3, sizeof *p->argv);
    p->argv[0] = strdup("echo");
    p->argv[1] = strdup("{}");
    p->folder = strdup("/");
    p->out = strdup("-");
    p->list[0].name = strdup("list");
    p->list[0].text = strdup(list);
    p->list[0].bytes = strlen(list);
    assert_int_equal(cw_farm_plan_check(p, &err), CW_OK);
}

#endif
