/* builtin.h - OpenCL C built-in functions by their mangled names (Itanium ABI, as clang declares them). */
#ifndef CW_FOOTPRINT_BUILTIN_H
#define CW_FOOTPRINT_BUILTIN_H

#include "model.h"

#include <stddef.h>

enum cw_builtin_kind {
    CW_BUILTIN_UNKNOWN,   /* not a known function of OpenCL C: may do anything */
    CW_BUILTIN_PURE,      /* touches no buffer */
    CW_BUILTIN_WORK_ITEM, /* `op`, argument 0 = dimension */
    CW_BUILTIN_WORK_DIM,
    CW_BUILTIN_GLOBAL_LINEAR_ID,
    CW_BUILTIN_LOCAL_LINEAR_ID,
    CW_BUILTIN_MIN,
    CW_BUILTIN_MAX,
    CW_BUILTIN_CLAMP,
    CW_BUILTIN_MUL24,
    CW_BUILTIN_MAD24,
    CW_BUILTIN_VLOAD,
    CW_BUILTIN_VSTORE,
    CW_BUILTIN_VLOAD_HALF,
    CW_BUILTIN_VSTORE_HALF,
    CW_BUILTIN_ATOMIC, /* argument 0 = pointer */
    CW_BUILTIN_COPY,   /* async_work_group_copy(dst, src, n, event) */
    CW_BUILTIN_COPY_STRIDED,
    CW_BUILTIN_WAIT,        /* wait_group_events(n, events): touches no buffer */
    CW_BUILTIN_OUT_POINTER, /* stores one value through its last argument */
    CW_BUILTIN_BARRIER,
    CW_BUILTIN_PRINTF,
    CW_BUILTIN_READ_IMAGE,  /* (image, sampler, coordinates), or without the sampler; further ones: a level of
                               detail, a sample */
    CW_BUILTIN_WRITE_IMAGE, /* (image, coordinates, colour): one pixel; a level of detail is a fourth */
    CW_BUILTIN_IMAGE_SIZE,  /* get_image_width and the like; channels, too */
};

struct cw_builtin {
    enum cw_builtin_kind kind;
    enum cw_expr_op op; /* WORK_ITEM */
    int elements;       /* VLOAD, VSTORE and the _HALF: 1, 2, 3, 4, 8, 16 */
    int element_stride; /* elements between consecutive vectors: elements, or 4 for vloada_half3 */
    bool is_signed;     /* of the first integer parameter */
    const char *name;   /* static, for reports; ATOMIC: the name without a suffix such as _explicit */
    const char *params; /* the mangled parameter list, inside of `mangled` */
};

/* How the ATOMIC function `b` merges: NONE unless it is one of add, sub, inc, dec, and, or, xor, min, max on
 * integers. */
enum cw_merge cw_builtin_merge(const struct cw_builtin *b);

/* The built-in that `mangled` names; kind UNKNOWN when it is no known one. */
struct cw_builtin cw_builtin_find(const char *mangled);

/* The function's name in a mangled one, into `name` of `size` bytes; false when it has none. */
bool cw_builtin_plain_name(const char *mangled, char *name, size_t size);

/* Size in bytes of the first pointer's target in a mangled parameter list, 0 when it is not a built-in scalar
 * or vector. (Vectors of three take the room of four.) */
int cw_builtin_pointee_bytes(const char *params);

/* The static name of an atomic operation that reads like the n bytes at `name`: that of a built-in,
 * "atomicrmw" and "cmpxchg" (LLVM's instructions), "" (none). NULL when there is no such operation. */
const char *cw_builtin_atomic(const char *name, size_t n);

#endif
