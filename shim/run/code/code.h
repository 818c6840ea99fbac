/* code.h - the code that launches need: programs of helper devices, compiled kernels, builds that the end of
 * the process waits for. The vendor's compiler (builds/) makes it. */
#ifndef CW_RUN_CODE_H
#define CW_RUN_CODE_H

#include "../../builds/isolated_compiler.h"
#include "../../builds/source.h"
#include "../core/instruction.h"

/* ---- program_source.c: the source of a program's record, and the properties that it shows. */

/* Notes in the record which properties of its kernels the text shows (builds/source.h). Lock held. */
void cw_program_source_parse(struct cw_run_program *p);
/* Forgets the findings of cw_program_source_parse(): the text changes. Lock held. */
void cw_program_source_forget(struct cw_run_program *p);
/* The text that a linked program is made of is known to compile: it is the source from now on. Lock held. */
void cw_program_source_trust(struct cw_run_program *p);

/* The text that the vendor has built of, trusted or not; NULL: not known. */
static inline const char *cw_run_program_text(const struct cw_run_program *p)
{
    return p->source ? p->source : p->linked;
}

/* ---- helper_build.c: programs of our own on a device, built from source or from the binary that an earlier
 * run has kept. */

/* Built of the binary of `recipe` that an earlier run has kept, or of its source, for a place of `c`; NULL:
 * there is nothing, or it does not build. The place has its queue; between cw_pending_builds_begin() and
 * _ends(). The caller's, to drop. */
cl_program cw_helper_build_load(struct cw_run_context *c, const struct cw_run_context_device *place,
                                const struct cw_run_recipe *recipe);
cl_program cw_helper_build_build(struct cw_run_context *c, const struct cw_run_context_device *place,
                                 const struct cw_run_recipe *recipe);

/* cw_run_global_lock_release_later() for one of them. NULL is ignored. Lock held. */
void cw_helper_build_drop(struct cw_run_context *c, const struct cw_run_context_device *place,
                          cl_program program);

/* The record of a context goes: threads that still build for it note nothing in it. Lock held. */
void cw_helper_build_disown(const struct cw_run_context *c);
void cw_helper_build_after_fork(void);

/* Asks for that binary, for later loads (builds/later_builds.h). False: there is going to be none. Any
 * thread. */
bool cw_helper_build_ask(const struct cw_run_context_device *place, const struct cw_run_recipe *recipe);

/* ---- helper_program.c: a helper program: a helper device's own build of a program. */

/* The helper program of `p` on a helper's `place`; worker held, lock not held. The first only loads from the
 * helper cache, the second builds. */
bool cw_helper_program_load(struct cw_run_program *p, struct cw_run_context_device *place);
/* It is in that state on the worker. Lock not held. */
bool cw_helper_program_is(const struct cw_run_program *p, uint32_t worker, enum cw_run_copy_state state);
cl_program cw_helper_program_of(struct cw_run_program *p,
                                struct cw_run_context_device *place); /* NULL: cannot be built */
/* Asks for its binary, which a later load finds (builds/later_builds.h). False: there is going to be none.
 * Worker held, lock not held. */
bool cw_helper_program_ask(const struct cw_run_recipe *program, const struct cw_run_context_device *place);
/* cw_isolated_launch_knows() for a launch of such a copy's kernel. Worker held. */
bool cw_helper_program_knows(const struct cw_run_launch *l, const struct cw_run_context_device *place,
                             const struct cw_run_ndrange *r);

/* cw_isolated_launch_ahead() for a launch of such a copy's kernel. Worker held. */
cl_int cw_helper_program_ahead(const struct cw_run_launch *l, const struct cw_run_context_device *place,
                               const struct cw_run_ndrange *r);

/* ---- isolated_launch.c: code for launches, from the isolated compiler (builds/isolated_compiler.h). */

/* cw_isolated_compiler_ahead_of() for a launch of `kernel` of that program over `r` on `place`, with the
 * arguments of `l`; behind them stand `extra` more, of the sizes in `more`. Any thread, lock not held. */
cl_int cw_isolated_launch_ahead(const struct cw_run_context_device *place,
                                const struct cw_run_recipe *program, const char *kernel,
                                const struct cw_run_ndrange *r, const struct cw_run_launch *l,
                                const uint32_t *more, uint32_t extra);

/* cw_isolated_compiler_knows_of() for the same. */
bool cw_isolated_launch_knows(const struct cw_run_context_device *place, const struct cw_run_recipe *program,
                              const char *kernel, const struct cw_run_ndrange *r,
                              const struct cw_run_launch *l, const uint32_t *more, uint32_t extra);

/* ---- compiler_kinds.c: the launches of a kernel whose code the vendor has compiled and loaded, by kind:
 * launches of one kind may share the code. */

/* Of its kernel: its own, rewritten, rewritten for rows; all that parts of it may need, however long they
 * are. */
enum cw_run_form { CW_RUN_WHOLE, CW_RUN_TILE, CW_RUN_ROWS, CW_RUN_ANY_PART };

/* By worker number: of which kinds of launches of a kernel code has been loaded. NULL: memory is out. */
struct cw_run_kinds *cw_compiler_kinds_new(void);
void cw_compiler_kinds_free(struct cw_run_kinds *kinds);

/* True when code for a launch like `l` has been loaded on `worker` before. Worker held. */
bool cw_compiler_kinds_has(const struct cw_run_launch *l, const size_t *global, const size_t *local,
                           uint32_t worker, enum cw_run_form form);

/* The same of a worker whose lists others may change: of a launch that is to run elsewhere. */
bool cw_compiler_kinds_has_there(const struct cw_run_launch *l, const size_t *global, const size_t *local,
                                 uint32_t worker, enum cw_run_form form);

/* The vendor has taken it. Worker held. */
void cw_compiler_kinds_loaded(const struct cw_run_launch *l, const size_t *global, const size_t *local,
                              uint32_t worker, enum cw_run_form form);

/* ---- pending_launches.c: launches for which the vendor may compile, and the end of the process.
 *
 * The end waits for compilations (isolated_compiler.h), not for kernels. Where the two come in one call
 * they cannot be told apart, and the end waits until the call has had some seconds of processor time: on a
 * busy machine a compiler takes much longer than it works. */

/* cw_run_instruction_begin for a launch with i->first. Worker held. */
cl_int cw_pending_launches_begin(const struct cw_run_instruction *i, cl_event *event);

/* The process ends: none begins from here on, and those of other threads are waited for. Lock not held. */
void cw_pending_launches_stop(void);

#endif
