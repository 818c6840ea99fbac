/* vendor_version.c - see vendor_version.h. */
#include "vendor_version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double cw_vendor_version_of_pocl(const char *platform, const char *version)
{
    const char *at = version ? strcasestr(version, " PoCL ") : NULL;
    double number;

    if (!platform || strcmp(platform, "Portable Computing Language"))
        return 0;
    number = at ? strtod(at + 6, NULL) : 0;
    return number > 0 ? number : HUGE_VAL;
}

bool cw_vendor_version_arguments_late(const char *platform, const char *version)
{
    double pocl = cw_vendor_version_of_pocl(platform, version);

    return pocl > 0 && pocl < 5;
}
