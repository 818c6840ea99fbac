/* limited.c - see thread.h. */
#include "thread.h"

#include <stddef.h>
#include <sys/resource.h>

bool cw_limited(void)
{
    static const __rlimit_resource_t amounts[] = {RLIMIT_AS, RLIMIT_DATA, RLIMIT_CPU};
    struct rlimit limit;

    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++)
        if (getrlimit(amounts[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            return true;
    return false;
}
