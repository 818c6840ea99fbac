/* selection_options.c - see traces.h. */
#include "traces.h"

bool cw_selection_options_check(const struct cw_selection *s)
{
    struct cw_error err = {0};

    if (cw_selection_check(s, &err) == CW_OK)
        return true;
    cw_cli_fail(&err);
    return false;
}
