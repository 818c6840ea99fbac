/* selection_options.h - the rows of every command that takes a part of a trace (graph/selection.h). */
#ifndef CW_SELECTION_OPTIONS_H
#define CW_SELECTION_OPTIONS_H

#include "../graph/selection.h"
#include "frame/cli.h"

/* Of option tables whose values are a `T` with a struct cw_selection `selection`. */
#define CW_SELECTION_ROW(T, name, argument, help)                                                            \
    {                                                                                                        \
#name, 0, CW_CLI_STRING, offsetof(T, selection.name), argument, NULL, help                           \
    }
#define CW_SELECTION_ROWS(T)                                                                                 \
    CW_SELECTION_ROW(                                                                                        \
        T, from, "TIME",                                                                                     \
        "only commands that were enqueued so long behind the start of recording, as 1.5s or 200ms"),         \
        CW_SELECTION_ROW(T, to, "TIME", "only commands that were enqueued before that"),                     \
        CW_SELECTION_ROW(T, commands, "A..B", "only commands A to B, also as A.., ..B and A"),               \
        CW_SELECTION_ROW(T, windows, "A..B",                                                                 \
                         "only windows A to B: window 0 ends with the first call that blocks"),              \
        CW_SELECTION_ROW(                                                                                    \
            T, kernel, "RE",                                                                                 \
            "only launches of kernels whose name the extended regular expression matches, and waits that "   \
            "join several of them")

/* Complains about options that say nothing; false then. */
bool cw_selection_options_check(const struct cw_selection *s);

#endif
