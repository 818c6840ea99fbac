/* compile_area.h - the memory that a process and its compiler share (compile_client.h): pages of memory, and
 * the side that may write to them.
 *
 * The state says whose they are. IDLE: the asker's, which writes a question and makes it ASKED. ASKED: the
 * compiler's, until it makes it COMPILED or REFUSED. Then the asker's again, which reads the answer. CLOSED,
 * from either side and for ever: the compiler is gone, or goes. A thread that waits for a change waits on the
 * word itself (futex). */
#ifndef CW_COMPILE_AREA_H
#define CW_COMPILE_AREA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cw_compile_state {
    CW_COMPILE_STARTS,
    CW_COMPILE_IDLE,
    CW_COMPILE_ASKED,
    CW_COMPILE_COMPILED,
    CW_COMPILE_REFUSED,
    CW_COMPILE_CLOSED
};

#define CW_COMPILE_BYTES  (4u << 20) /* of the whole, mostly never touched */
#define CW_COMPILE_MODULE 4096
#define CW_COMPILE_STACK                                                                                     \
    (8u                                                                                                      \
     << 20) /* bytes at most, of the compiler's first thread, which builds programs                       \
                */
#define CW_COMPILE_VERSION (2u << 16 | (uint32_t)sizeof(struct cw_compile_area))

/* An argument of the launch; `kind`: enum cw_compile_kind. */
enum cw_compile_kind {
    CW_COMPILE_VALUE,
    CW_COMPILE_MEMORY,
    CW_COMPILE_LOCAL,
    CW_COMPILE_IMAGE,
    CW_COMPILE_SAMPLER
};
struct cw_compile_arg {
    uint32_t kind, size; /* bytes; of an image: its type, CL_MEM_OBJECT_IMAGE2D and so on */
};

struct cw_compile_range {
    uint32_t dims, has_local;
    uint64_t offset[3], global[3], local[3]; /* work-items */
};

struct cw_compile_area {
    _Atomic uint32_t state;
    uint32_t version;    /* CW_COMPILE_VERSION, before it is IDLE: two builds may differ */
    uint32_t units;      /* compute units of the device; 0: of the whole one */
    uint32_t only_build; /* 1: the program is built, and no kernel of it is compiled */
    struct cw_compile_range range;
    uint32_t args, arg_at;                                /* struct cw_compile_arg[args] from there on */
    uint32_t device_at, source_at, options_at, kernel_at; /* texts with a NUL at their end, within the area */
    char module[CW_COMPILE_MODULE]; /* the answer: the file that the code is in; "": not known */
    char capacity[];
};

struct cw_compile_question {
    const char *device; /* as cw_vendor_describe_driver() says it */
    uint32_t units;     /* compute units, of a sub-device; 0: of a whole one */
    const char *source, *options;
    bool only_build; /* of the rest nothing counts but range.dims, 1 */
    const char *kernel;
    struct cw_compile_range range;
    uint32_t args;
    const struct cw_compile_arg *arg;
};

/* Puts a question into an area that is the asker's. False: it does not fit. */
bool cw_compile_area_fill(struct cw_compile_area *a, const struct cw_compile_question *q);

/* Waits for at most `ms` milliseconds while the state is `state`; returns the state at its end. */
uint32_t cw_compile_area_wait(struct cw_compile_area *a, uint32_t state, unsigned ms);

/* Changes it from `from`, and wakes the waiting threads. False: it was another. */
bool cw_compile_area_change(struct cw_compile_area *a, uint32_t from, uint32_t to);

#endif
