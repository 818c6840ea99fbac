/* selection_options.c - see selection_options.h. */
#include "selection_options.h"

bool cw_selection_options_check(const struct cw_selection *s)
{
    struct cw_error err = {0};

    if (cw_selection_check(s, &err) == CW_OK)
        return true;
    cw_cli_fail(&err);
    return false;
}
