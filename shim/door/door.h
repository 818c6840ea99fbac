/* door.h - how the parts of the two doors fit together; nothing here is for modes (they use dispatch.h).
 *
 *   exports.c    exported symbols: door (a), LD_PRELOAD
 *   loader.c     finds the real OpenCL library behind the exported symbols
 *   layer.c      clInitLayer and friends: door (b), OPENCL_LAYERS; and our name in that variable
 *   door.c   the first door that is used opens: selects the mode, starts it, makes the table of entries
 *   extension.c  wrappers for the pointers that clGetExtensionFunctionAddress* returns
 *   nested.c     whose call is it that comes in while another one is under way?
 *   missing.c    the error that a missing function returns */
#ifndef CW_DOOR_H
#define CW_DOOR_H

#include "dispatch.h"

#include <CL/cl_icd.h>

#define CW_LAYER_NAME "clweave"

/* Every function fails, by its failure kind. */
extern const struct cw_dispatch cw_missing;

/* ---- door.c */

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

/* The same table, and the running mode's hooks of extension functions (NULL: none). The door must be open. */
const struct cw_dispatch *cw_door_entries(void);
const struct cw_ext_hooks *cw_door_hooks_ext(void);

/* The pointer that the program gets for a function that no mode hooks, as the running mode says. */
void *cw_door_unseen(const char *name, void *vendor);

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

/* ---- nested.c */

/* True if the call that `return_address` returns to was made by the application (a callback), false if by a
 * vendor's library or the loader's. For calls at depth > 0 only: it is slow. */
bool cw_nested_by_application(const void *return_address);

/* ---- loader.c */

/* Finds the real OpenCL library and fills `functions` completely (cw_missing where it lacks one). Returns
 * false, with all of cw_missing, when there is none. May load a library. */
bool cw_loader_resolve(struct cw_dispatch *functions);

/* True if `address` lies in this library. */
bool cw_loader_is_self(const void *address);

/* ---- layer.c */

/* True once a loader has taken us in as a layer. */
bool cw_layer_active(void);

/* Answers a clGet...Info call with `value`. */
cl_int cw_layer_answer(const void *value, size_t bytes, size_t capacity, void *to, size_t *bytes_ret);

/* ---- extension.c */

/* Entries for the two address queries. */
void *cw_extension_address(const char *name);
void *cw_extension_address_for_platform(cl_platform_id platform, const char *name);

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

#endif
