/* helper_tool.c - see folders.h. */
#include "folders.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_VARIABLES = 1000 };

static bool is_ours(const char *variable)
{
    static const char *const heads[] = {"LD_PRELOAD=", "OPENCL_LAYERS=", "CLWEAVE_", "CLWV_", NULL};

    for (const char *const *h = heads; *h; h++)
        if (!strncmp(variable, *h, strlen(*h)))
            return true;
    return false;
}

bool cw_helper_tool_beside(const char *file, const char *name, char path[PATH_MAX])
{
    /* a build folder; libraries in lib, lib64 or lib/<machine>, programs in bin */
    static const char *const places[] = {"",        "/../libexec/clweave", "/../../libexec/clweave",
                                         "/../bin", "/../../bin",          NULL};
    const char *slash = strrchr(file, '/');

    for (const char *const *place = places; slash && *place; place++)
        if (snprintf(path, PATH_MAX, "%.*s%s/%s", (int)(slash - file), file, *place, name) < PATH_MAX &&
            access(path, X_OK) == 0)
            return true;
    return false;
}

static bool find(const char *name, char path[PATH_MAX])
{
    char here[PATH_MAX];
    Dl_info info;

    return dladdr((void *)(uintptr_t)cw_helper_tool_find, &info) && info.dli_fname &&
           strchr(info.dli_fname, '/') && realpath(info.dli_fname, here) &&
           cw_helper_tool_beside(here, name, path);
}

struct cw_helper_tool *cw_helper_tool_find(const char *name)
{
    struct cw_helper_tool *t = calloc(1, sizeof *t + (MOST_VARIABLES + 1) * sizeof *t->environment);
    size_t n = 0;

    if (!t || !find(name, t->path)) {
        free(t);
        return NULL;
    }
    for (char **v = environ; v && *v && n < MOST_VARIABLES; v++)
        if (!is_ours(*v) && !(t->environment[n++] = strdup(*v)))
            break;
    return t;
}
