/* helper_tool.h - a program of clweave that stands beside this library or tool, and the environment that it
 * is run with (quiet_child.h). */
#ifndef CW_HELPER_TOOL_H
#define CW_HELPER_TOOL_H

#include <limits.h>
#include <stdbool.h>

struct cw_helper_tool {
    char path[PATH_MAX];
    const char *environment[]; /* NULL-ended */
};

/* Writes the path of program `name` of the installation that `file` (a library or program of clweave) belongs
 * to: beside it, or in libexec/clweave or bin above it. False: it is not there. */
bool cw_helper_tool_beside(const char *file, const char *name, char path[PATH_MAX]);

/* Finds `name` in the installation that this code was loaded from and copies the environment, which no
 * thread may change meanwhile, but for the variables that load this library into programs and that configure
 * it. NULL: it is not there, or memory is out. Never freed. */
struct cw_helper_tool *cw_helper_tool_find(const char *name);

#endif
