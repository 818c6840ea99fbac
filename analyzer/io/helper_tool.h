/* helper_tool.h - a program of clweave that stands beside this library or tool, and the environment that it
 * is run with (quiet_child.h). */
#ifndef CW_HELPER_TOOL_H
#define CW_HELPER_TOOL_H

#include <limits.h>

struct cw_helper_tool {
    char path[PATH_MAX];
    const char *environment[]; /* NULL-ended */
};

/* Finds `name` where this code was loaded from, or in ../bin of that, and copies the environment, which no
 * thread may change meanwhile, but for the variables that load this library into programs and that configure
 * it. NULL: it is not there, or memory is out. Never freed. */
struct cw_helper_tool *cw_helper_tool_find(const char *name);

#endif
