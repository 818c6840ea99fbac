/* dispatch.h - the table that every OpenCL call goes through, and how a mode hooks into it.
 *
 * Include this before any CL header: it asks for the deprecated prototypes, which the table is typed by.
 *
 * A call comes in by an exported symbol (exports.c, LD_PRELOAD) or by the loader's layer table (exports.c,
 * OPENCL_LAYERS). If the mode hooks that function, the mode's hook is called, once per call whichever doors
 * it passed; if not, the call goes straight on. Hooks, and everything else in this library, reach OpenCL
 * through cw_next only: a plain clFlush(...) in this library would be our own exported symbol. */
#ifndef CW_DISPATCH_H
#define CW_DISPATCH_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_egl.h>
#include <CL/cl_ext.h>
#include <CL/cl_gl.h>
#include <stdbool.h>

struct cw_options;

#define CW_UNPAREN(...) __VA_ARGS__
#define CW_LIKELY(x)    __builtin_expect(!!(x), 1)
#define CW_UNLIKELY(x)  __builtin_expect(!!(x), 0)

/* One pointer per function that loaders export. */
struct cw_dispatch {
#define CW_API(ret, name, since, fail, handle, params, args) __typeof__(&name) name;
#include "api.inc"
};

/* One hook per extension function that has no place in loaders' tables. A hook gets the vendor's own function
 * as its first parameter, because platforms may have different ones: `next(args...)` makes the call. */
struct cw_ext_hooks {
#define CW_EXT(ret, name, since, fail, handle, params, args)                                                 \
    ret (*name)(__typeof__(&name) next, CW_UNPAREN params);
#include "api.inc"
};

/* Ids of all rows, CW_ID_clFlush ...: the CW_API_COUNT core rows first, then the extension rows. */
enum cw_api_id {
#define CW_API(ret, name, since, fail, handle, params, args) CW_ID_##name,
#include "api.inc"
#define CW_EXT(ret, name, since, fail, handle, params, args) CW_ID_##name,
#include "api.inc"
    CW_ID_COUNT,
    CW_API_COUNT = sizeof(struct cw_dispatch) / sizeof(void (*)(void))
};

/* The function's name, "clFlush". Static; thread-safe. */
const char *cw_door_api_name(enum cw_api_id id);

/* The functions behind this library: the loader's, or the next layer's. Complete (no NULL: a function that
 * the loader lacks fails with the error of a missing function) before a mode's start() runs, and constant
 * from then on. */
extern struct cw_dispatch cw_next;

/* The mode that CLWEAVE_MODE selects. */
struct cw_mode {
    const char *name;
    const struct cw_dispatch *hooks;      /* NULL members (or a NULL table) are not hooked and cost nothing */
    const struct cw_ext_hooks *ext_hooks; /* likewise */

    /* Called once, before start(), when the program's first call came by the exported symbols and the loader
     * may not have started yet; by the other door never. Must make no OpenCL call through the loader. NULL:
     * nothing to do. */
    void (*before_loader)(void);

    /* Called once, before the first hooked call, on the thread that makes it; cw_next is complete. May run
     * inside the loader's own initialisation, so it must make no OpenCL call. Returns false when the mode
     * cannot work; it has then said why (cw_log_error), and the library passes everything through. NULL:
     * nothing to do. */
    bool (*start)(const struct cw_options *options);

    /* The program asks for the vendor's own function `name`, which the mode does not hook or of which no row
     * of api.inc knows: returns the pointer that it gets, mostly `vendor`, whose calls pass unseen. Called
     * before it can be used; may make OpenCL calls through cw_next, and block. NULL: nothing to do. */
    void *(*unseen)(const char *name, void *vendor);

    /* Called at a normal exit, if start() succeeded, from the library's destructor: calls may still follow on
     * other threads and from later destructors. NULL: nothing to do. */
    void (*stop)(void);
};

extern const struct cw_mode cw_mode_off, cw_mode_trace, cw_mode_run;

#endif
