/* cl_language.c - see cl_language.h. */
#include "cl_language.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STANDARD "-cl-std="

double cw_cl_language_pocl_version(const char *platform, const char *version)
{
    const char *at = version ? strcasestr(version, " PoCL ") : NULL;
    double number;

    if (!platform || strcmp(platform, "Portable Computing Language"))
        return 0;
    number = at ? strtod(at + 6, NULL) : 0;
    return number > 0 ? number : HUGE_VAL;
}

int cw_cl_language_default(const char *platform, const char *version, const char *device)
{
    double pocl = cw_cl_language_pocl_version(platform, version), opencl = 3;

    if (pocl == 0 || (pocl >= 3 && pocl < 4))
        return CW_CL_LANGUAGE_1;
    if (device)
        sscanf(device, "OpenCL %lf", &opencl);
    return opencl >= 2 ? CW_CL_LANGUAGE_3 : CW_CL_LANGUAGE_1;
}

int cw_cl_language(const char *options, int by_default)
{
    const char *p = options ? strstr(options, STANDARD) : NULL;

    if (!p)
        return by_default;
    for (; p; p = strstr(p + 1, STANDARD))
        if (strncmp(p, STANDARD "CL1", strlen(STANDARD) + 3))
            return CW_CL_LANGUAGE_3;
    return CW_CL_LANGUAGE_1;
}

char *cw_cl_language_options(const char *options, int by_default)
{
    static const char standard[] = " " STANDARD "CL3.0";
    const char *given = options ? options : "";
    bool add = by_default == CW_CL_LANGUAGE_3 && !strstr(given, STANDARD);
    char *text = malloc(strlen(given) + sizeof standard);

    if (text)
        strcpy(stpcpy(text, given), add ? standard : "");
    return text;
}
