/* reason.h - why a command is native, in words for --summary, each with a remedy; "": none is needed, or none
 * is known. */
#ifndef CW_RUN_REASON_H
#define CW_RUN_REASON_H

/* Run mode could manage the command and leaves it to the vendor, as that is quicker. */
#define CW_RUN_CHOICES(X)                                                                                    \
    X(CW_RUN_R_LONG, "long kernel, no gain from managing", "several such kernels at a time")                 \
    X(CW_RUN_R_UNBEGUN, "before helpers began", "run it again, or --learn all")                              \
    X(CW_RUN_R_BYPASS, "nothing gained of late, so left as it was",                                          \
      "more independent commands between waits")                                                             \
    X(CW_RUN_R_BEHIND, "transfer right behind native commands", "what helps those")                          \
    X(CW_RUN_R_GPU, "no launch that other GPUs would shorten", "launches of half a millisecond and more")

#define CW_RUN_OBSTACLES(X)                                                                                  \
    X(CW_RUN_R_FIRST, "first launch of its kind", "")                                                        \
    X(CW_RUN_R_GATED, "behind a user event", "set user events before commands wait for them")                \
    X(CW_RUN_R_SOURCE, "kernel that cannot be read or has side effects",                                     \
      "no printf, and no addresses in memory")                                                               \
    X(CW_RUN_R_UNREAD, "printf, volatile, addresses or the like in its source, which is not analysed yet",   \
      "run it again")                                                                                        \
    X(CW_RUN_R_POLLS, "kernel that may wait for what others write", "")                                      \
    X(CW_RUN_R_BINARY, "kernel of a binary that is not read, or not yet",                                    \
      "run it again; PoCL's own binaries")                                                                   \
    X(CW_RUN_R_ARGUMENT, "pointer to unknown memory, pipe, queue or shared memory as argument",              \
      "buffers or clSVMAlloc instead")                                                                       \
    X(CW_RUN_R_WATCHED, "atomic or volatile accesses to memory that the host may watch, or behind them",     \
      "no CL_MEM_SVM_ATOMICS where that is not needed")                                                      \
    X(CW_RUN_R_MEMORY, "image, sampler or buffer of a kind that is not managed", "")                         \
    X(CW_RUN_R_KIND, "command on shared memory, native kernel or extension", "buffers instead")              \
    X(CW_RUN_R_CHECK, "left to the vendor to check", "")                                                     \
    X(CW_RUN_R_DEVICE, "context or queue that is not managed",                                               \
      "PoCL's CPU device; on NVIDIA --set streams=auto, --set staging=auto")                                 \
    X(CW_RUN_R_OFF, "run mode switched off", "more memory and threads")

#define CW_RUN_REASONS(X) CW_RUN_CHOICES(X) CW_RUN_OBSTACLES(X)

/* Choices are first. */
enum cw_run_reason {
#define X(id, text, remedy) id,
    CW_RUN_REASONS(X)
#undef X
        CW_RUN_REASON_COUNT
};

enum {
#define X(id, text, remedy) +1
    CW_RUN_CHOICE_COUNT = 0 CW_RUN_CHOICES(X)
#undef X
};

#endif
