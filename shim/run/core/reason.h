/* reason.h - why a command is native. */
#ifndef CW_RUN_REASON_H
#define CW_RUN_REASON_H

#define CW_RUN_REASONS(X)                                                                                    \
    X(CW_RUN_R_FIRST, "first launch of its kind")                                                            \
    X(CW_RUN_R_LONG, "long kernel, no gain from managing")                                                   \
    X(CW_RUN_R_UNBEGUN, "before helpers began")                                                              \
    X(CW_RUN_R_ASIDE, "nothing gained of late, so left as it was")                                           \
    X(CW_RUN_R_BEHIND, "transfer right behind native commands")                                              \
    X(CW_RUN_R_GATED, "behind a user event")                                                                 \
    X(CW_RUN_R_SOURCE, "kernel that cannot be read or has side effects")                                     \
    X(CW_RUN_R_ARGUMENT, "argument that is no plain buffer")                                                 \
    X(CW_RUN_R_KIND, "kind of command that is not managed")                                                  \
    X(CW_RUN_R_CHECK, "left to the vendor to check")                                                         \
    X(CW_RUN_R_DEVICE, "context or queue that is not managed")                                               \
    X(CW_RUN_R_OFF, "run mode switched off")

enum cw_run_reason {
#define X(id, text) id,
    CW_RUN_REASONS(X)
#undef X
        CW_RUN_REASON_COUNT
};

#endif
