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
    X(cw_reason_keeps, "bytes that keep their value may be left out")                                        \
    X(cw_reason_wait, "an asynchronous copy that is not seen to be waited for")                              \
    X(cw_reason_several, "the pointer is one of several")                                                    \
    X(cw_reason_math, "written by a mathematical function")                                                  \
    X(cw_reason_binary, "only its binary is known")                                                          \
    X(cw_reason_half, "numbers of half precision")                                                           \
    X(cw_reason_operation, "an operation that devices may do differently")                                   \
    X(cw_reason_conversion, "a floating-point number becomes an integer, which may not hold it")             \
    X(cw_reason_rounding, "a conversion that rounds in another direction")                                   \
    X(cw_reason_function, "a function that devices round differently is called")                             \
    X(cw_reason_division, "a division of single precision, which devices round differently")                 \
    X(cw_reason_fused, "sums and products, which compilers may fuse")                                        \
    X(cw_reason_bits, "bits of computed floating-point numbers become integers")                             \
    X(cw_reason_by_zero, "an integer division by a number that may be 0 or -1")                              \
    X(cw_reason_atomic, "an atomic operation whose result depends on the order of work-items")               \
    X(cw_reason_volatile, "volatile memory is read")                                                         \
    X(cw_reason_address, "an address becomes a number, or a number an address")                              \
    X(cw_reason_device, "it asks about sub-groups, images or other things of the device")                    \
    X(cw_reason_printf, "it prints")                                                                         \
    X(cw_reason_24, "a product of 24 bits, which devices compute differently for larger numbers")

#define X(id, text) extern const char id[];
CW_REASON_LIST(X)
#undef X

/* The reason that reads like the n bytes at `text`; NULL when there is none. Thread-safe. */
const char *cw_reason_find(const char *text, size_t n);

#endif
