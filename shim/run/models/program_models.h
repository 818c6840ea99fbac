/* program_models.h - models of the program's kernels (kernels/footprint), made beside the vendor's build by
 * a thread of run mode.
 *
 * A launch uses the model that exists when it is enqueued; only modelled time waits for one (models/reach.h).
 * Without one a kernel touches all of its buffers. */
#ifndef CW_RUN_PROGRAM_MODELS_H
#define CW_RUN_PROGRAM_MODELS_H

#include "../../../analyzer/kernels/footprint/model_file.h"
#include "../core/types.h"

/* Of one program as it was built once. Immutable but for the count. */
struct cw_run_models {
    _Atomic uint32_t refs;
    struct cw_model_set set;
};

/* Called once by start(), or never: then there are no models. `folder`: where they are kept between runs, ""
 * for nowhere. */
void cw_run_program_models_start(const char *folder);

/* `p` is going to be built of `source` with `options`: has its models made, and put into p->models. Lock
 * held; does nothing for a source that is not managed anyhow. */
void cw_run_program_models_want(struct cw_run_program *p, const char *source, const char *options);

/* The same for all programs that have been built already, when helpers begin late (tuning/activation.c). Lock
 * held. */
void cw_run_program_models_begin(void);

/* The same for a program that has no record in run mode. take(program, number, m) gets the models, in another
 * thread with the lock held; false: it does not take over `m`. The caller gives up the lock after it has
 * noted the number that this returns; 0: there will be none. Lock held. */
uint64_t cw_run_program_models_get(const void *program, const char *source, const char *options,
                                   const cl_device_id *devices, size_t n,
                                   bool (*take)(const void *program, uint64_t number,
                                                struct cw_run_models *m));

/* Cancels earlier requests for models: p->models is NULL, and stays it. Lock held. */
void cw_run_program_models_forget(struct cw_run_program *p);

/* They are there, or will never be. Lock held. */
bool cw_run_program_models_settled(const struct cw_run_program *p);

/* Has the builder make those of a program that is built of `source` with `options` for the devices of its
 * context, for later runs. Lock not held. */
void cw_run_program_models_ask(const char *source, const char *options, const cl_device_id *devices,
                               size_t n);

/* Those of a program with models_came set have come, or the history has (tuning/perf_model.c): groups and
 * tiles are to hear of it (windows/window.c). Lock held. */
extern bool cw_run_program_models_came;

/* Those of some program are being made. Lock held. */
bool cw_run_program_models_are_made(void);

/* With everything managed, and for modelled time: waits until they are there, or cannot be. Lock held, given
 * up meanwhile. */
void cw_run_program_models_wait(const struct cw_run_program *p);
void cw_run_program_models_wait_for(uint64_t number); /* of cw_run_program_models_get() */

/* NULL is ignored. */
void cw_run_program_models_release(struct cw_run_models *m);

/* For the summary, a line or nothing; like snprintf. Lock held. */
int cw_run_program_models_describe(char *text, unsigned size);

/* At the end of the process, no lock held: ends the helper and our thread. `join`: asks the builder for the
 * analyses that are not over (builds/later_builds.h), and waits for the thread, which ends at once unless the
 * vendor's compiler works for it in this process. */
void cw_run_program_models_stop(bool join);
void cw_run_program_models_after_fork(void);

#endif
