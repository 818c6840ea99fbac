/* door.h - how the parts of the two doors fit together; nothing here is for modes (they use dispatch.h).
 *
 *   exports.c  exported symbols: door (a), LD_PRELOAD; clInitLayer and its like: door (b), OPENCL_LAYERS
 *   loader.c   finds the real OpenCL library behind the exported symbols
 *   door.c     the first door that is used opens: selects the mode, starts it, makes the table of entries;
 *              wrappers for the pointers that clGetExtensionFunctionAddress* returns; whose call it is that
 *              comes in while another one is under way
 *   missing.c  the error that a missing function returns */
#ifndef CW_DOOR_H
#define CW_DOOR_H

#include "dispatch.h"

#include <stdbool.h>
#include <CL/cl_icd.h>

#define CW_LAYER_NAME "clweave"

/* Every function fails, by its failure kind. */
extern const struct cw_dispatch cw_missing;

/* The mode that CLWEAVE_MODE names: off when it is unset, empty or unknown (the latter is logged by
 * cw_door_open only, so that processes without OpenCL stay silent). Off also in a set-uid process, which has
 * other rights than the user who has set the variables: none of this library's is read there (secure_getenv).
 * Never NULL. */
const struct cw_mode *cw_door_mode(void);

/* True if the mode hooks anything, that is if the doors have work to do. */
bool cw_door_wanted(void);

/* Opens: sets cw_next to `next`, starts the mode, fills the table of entries. Only the first call does so;
 * every call returns the same table, whose members are NULL where nothing is hooked. Thread-safe. */
const struct cw_dispatch *cw_door_open(const struct cw_dispatch *next);

/* Depth of hooks on this thread: a call that comes in at depth > 0 was made by the vendor, or by a callback
 * of the application inside a vendor's call. */
#define CW_DOOR_OWN_CALL                                                                                     \
    0x10000u /* added while this library makes a call through the loader: nothing is hooked */
extern __thread unsigned cw_door_depth __attribute__((tls_model("initial-exec")));

/* While a hook calls a function of the application's: cw_door_depth + 1 at that moment, else 0. Calls at that
 * depth are the application's, wherever they return to: a compiler may have made a jump of the callback's
 * last call. */
extern __thread unsigned cw_door_callback __attribute__((tls_model("initial-exec")));

/* CW_DOOR_ENTER; counts the depth for the rest of the block. It is a cleanup function that puts it back,
 * because C++ exceptions and thread cancellation may unwind through a hook, out of a callback. */
#define CW_DOOR_ENTER __attribute__((cleanup(cw_door_leave), unused)) unsigned before = cw_door_depth++
static inline void cw_door_leave(const unsigned *before)
{
    cw_door_depth = *before;
}

/* ---- loader.c */

/* Finds the real OpenCL library and fills `functions` completely (cw_missing where it lacks one). Returns
 * false, with all of cw_missing, when there is none. May load a library. */
bool cw_loader_resolve(struct cw_dispatch *functions);

/* True if `address` lies in this library. */
bool cw_loader_is_self(const void *address);

/* The layer interface (cl_loader_layers), and declarations that CL/cl_layer.h lacks. */

#define CL_LAYER_API_VERSION     0x4240
#define CL_LAYER_NAME            0x4241
#define CL_LAYER_API_VERSION_100 100

cl_int clGetLayerInfo(cl_uint param_name, size_t param_value_size, void *param_value,
                      size_t *param_value_size_ret);
cl_int clInitLayer(cl_uint num_entries, const cl_icd_dispatch *target_dispatch, cl_uint *num_entries_ret,
                   const cl_icd_dispatch **layer_dispatch_ret);
cl_int clInitLayerWithProperties(cl_uint num_entries, const cl_icd_dispatch *target_dispatch,
                                 cl_uint *num_entries_ret, const cl_icd_dispatch **layer_dispatch_ret,
                                 const cl_bitfield *properties);
cl_int clDeinitLayer(void);

/* ---- our name in OPENCL_LAYERS. */

/* True in a process that has this library preloaded, as opposed to loaded as a layer: then its constructors
 * run before any thread of the program. */
bool cw_layer_preloaded(void);

/* Repairs the variable: ocl-icd cuts the string in place, at each colon up to the layer that
 * it is loading, so that children would inherit the first element only. Called by clInitLayer, when
 * everything up to our own element has been cut; changes nothing when nothing was. */
void cw_layer_env_repair(void);

/* ---- walks the calling thread's stack.
 *
 * libunwind is loaded privately at the first walk, never linked: preloaded into a program, a linked libunwind
 * would replace the _Unwind_* functions that the program's C++ exceptions use, and would cost every process
 * that never makes an OpenCL call 0.1 ms. It reads the stack by process_vm_readv(), so that it uses no
 * descriptor of the process; where the kernel refuses that, glibc's backtrace() walks. */

/* Stores at most `max` return addresses in `frames`, innermost first (the first lie in this library), and
 * returns how many; 0 when the stack cannot be walked. Thread-safe; preserves errno. */
int cw_unwind(void **frames, int max);

#endif
