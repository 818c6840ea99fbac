/* program_models.h - the models of a program's kernels (kernels/footprint/model.h): from the store of
 * earlier runs, or from clweave-footprint, which is started so that the host does not notice
 * (io/quiet_child.h).
 *
 * The models are those of the program that the vendor has built, or there are none: build options that are
 * not understood, a vendor's macro that cannot be handed on, an #include, a variable that adds build flags:
 * all refused. */
#ifndef CW_PROGRAM_MODELS_H
#define CW_PROGRAM_MODELS_H

#include <limits.h>
#include <stdint.h>

#include "../../../sched/status.h"
#include "../../io/file_store.h"
#include "../source/vendor_macros.h"
#include "../footprint/reach.h"

struct cw_model_set; /* footprint/model_file.h */
struct cw_rw_rows;

/* The vendor. `identity`: platform, device and driver with their versions; their answers are kept under it.
 * `ask` fills values[0..n-1] for names[0..n-1] as a build with `options` sees them before its source begins,
 * those of `options` left out; false: it cannot be asked. NULL: the host cannot ask. */
struct cw_models_vendor {
    const char *identity;
    bool (*ask)(void *data, const char *options, char *const *names, size_t n, struct cw_macro_value *values);
    void *data;
};

/* How to get models; constant after cw_program_models_init, but for the store's own state. */
struct cw_models_source {
    char helper[PATH_MAX]; /* "": there is none */
    char path[PATH_MAX + 8], clang[PATH_MAX + 16],
        temporary[PATH_MAX + 8]; /* of its environment: "PATH=..." */
    struct cw_file_store store;
    /* asks the vendor in its place where it can (vendor_macros.h); NULL: none. The caller's */
    const struct cw_helper_tool *asker;
    bool flags_added; /* the environment changes the vendor's builds */
};

/* Finds the helper: CLWEAVE_FOOTPRINT, else beside the library or program that this function is in, else in
 * bin/ or libexec/clweave/ next to its folder. `folder`: of the store, "" for none. Reads the environment. */
void cw_program_models_init(struct cw_models_source *s, const char *folder);

/* For cw_rewrite_in.rows (rewrite.h), with the models of that source as its context: clang's reading of the
 * kernels bears out the form for rows with this key. */
bool cw_program_models_bear_out(void *set, const char *kernel, const struct cw_rw_rows *form, uint64_t key);

#define CW_MODELS_NO_HELPER                                                                                  \
    "clweave-footprint, which reads kernels, is not beside clweave: it is built where LLVM 14, 15 or 16 "    \
    "with its clang is "                                                                                     \
    "installed (make deps), and CLWEAVE_FOOTPRINT can name it"

/* Explains why a helper that was found may have printed nothing. Returns CW_ERR_IO. */
enum cw_status cw_program_models_no_answer(const char *helper, struct cw_error *err);

/* For a helper that is stuck: its own limit is 10 s of processor time, 200 s in all. */
#define CW_MODELS_MILLISECONDS 240000u

/* Gets the models of a program; *set is the caller's to finish when CW_OK. *kept (NULL allowed): they came
 * from the store. Takes up to CW_MODELS_MILLISECONDS; the calling thread has all signals blocked.
 * CW_ERR_NOTFOUND: there is no helper, or no clang; CW_ERR_IO: it does not start or dies; CW_ERR_VERSION: it
 * is another build's; CW_ERR_UNSUPPORTED: the vendor's build is not known for certain, or the helper has
 * refused, with its words; else as cw_quiet_child_run and cw_model_set_read. Thread-safe. */
enum cw_status cw_program_models_get(struct cw_models_source *s, const char *source, const char *options,
                                     const struct cw_models_vendor *vendor, struct cw_model_set *set,
                                     bool *stored, struct cw_error *err);

/* The version of LLVM that the helper was built with, as "19"; it needs the clang of this version. */
const char *cw_program_models_llvm(void);

/* The models of a program, for callers that only evaluate launches (footprint/reach.h). */

struct cw_program_reach;

/* As cw_program_models_get; NULL: none, err says why. */
struct cw_program_reach *cw_program_reach_create(struct cw_models_source *s, const char *source,
                                                 const char *options, const struct cw_models_vendor *vendor,
                                                 struct cw_error *err);
void cw_program_reach_destroy(struct cw_program_reach *p); /* after its reachers; NULL is fine */

/* As cw_reacher_create, for the kernel of this name; NULL also when there is none. */
struct cw_reacher *cw_program_reach_kernel(const struct cw_program_reach *p, const char *kernel,
                                           uint32_t pieces);

/* The model itself, which lives as long as `p`; NULL: there is none. */
const struct cw_model *cw_program_reach_model(const struct cw_program_reach *p, const char *kernel);

/* The kernel's model says whether it may touch memory that is no argument's, and hand on where its buffers
 * lie. False: there is no model. */
bool cw_program_reach_says(const struct cw_program_reach *p, const char *kernel, bool *elsewhere,
                           bool *addresses);

#endif
