/* reason.h - the words in a model, as a closed list: a model that is read back points to the same strings.
 *
 * A model compares its reasons by address, and keeps them longer than its maker, so every reason that a
 * reader of kernels gives stands here. To add one: a line in CW_REASON_LIST. */
#ifndef CW_FOOTPRINT_REASON_H
#define CW_FOOTPRINT_REASON_H

#include <stddef.h>

#define CW_REASON_LIST(X)                                                                                    \
    X(cw_reason_irreducible, "a goto into a loop")                                                           \
    X(cw_reason_image, "an image")                                                                           \
    X(cw_reason_large, "the kernel is too large")                                                            \
    X(cw_reason_pointers, "a pointer changes its buffer in a loop")                                          \
    X(cw_reason_program_scope, "a variable of program scope")                                                \
    X(cw_reason_join, "several conditions lead to it")                                                       \
    X(cw_reason_exits, "the loop around it can be left early")                                               \
    X(cw_reason_switch, "a switch decides about it")                                                         \
    X(cw_reason_origin, "a pointer whose origin is not known (loaded from memory, made from an integer)")    \
    X(cw_reason_assembly, "inline assembly")                                                                 \
    X(cw_reason_call, "a function whose body is not known is called")                                        \
    X(cw_reason_pipe, "a pipe: packets go by in the order of work-items")                                    \
    X(cw_reason_enqueue, "it enqueues kernels itself")                                                       \
    X(cw_reason_indirect, "a function is called through a pointer")                                          \
    X(cw_reason_length, "a memory copy of unknown length")                                                   \
    X(cw_reason_padding, "padding may be left out")                                                          \
    X(cw_reason_wait, "an asynchronous copy that is not seen to be waited for")                              \
    X(cw_reason_several, "the pointer is one of several")                                                    \
    X(cw_reason_math, "written by a mathematical function")

#define X(id, text) extern const char id[];
CW_REASON_LIST(X)
#undef X

/* The reason that reads like the n bytes at `text`; NULL when there is none. Thread-safe. */
const char *cw_reason_find(const char *text, size_t n);

#endif
