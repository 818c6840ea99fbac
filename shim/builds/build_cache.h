/* build_cache.h - builds that are answered from the build cache.
 *
 * PoCL takes 30 to 170 ms to build a program that it has built before, 1 ms when it gets its own binary. So
 * where a program of one plain source is built again, in another run, with the same options for the same
 * device and driver, its kernels are made of a stand-in: a program of the vendor's made of the binary. The
 * program's own handle stays the same. It or the stand-in answers the queries to which both give the same
 * answer (builds/build_cache_make.c has compared them). At any other query the vendor builds the program
 * after all.
 *
 * The cache holds a small file per question: the compiler's identity, PoCL's environment, options and source,
 * all of it compared, and how often it was built; the binary from the third run on, made when that process
 * ends: it costs as much as a build from nothing, and a linker. Left alone: several devices, DSPs, #include,
 * printf, notifications, programs made of binaries or linked, and everything while commands are recorded.
 *
 * Lock of run mode not held, unless said. */
#ifndef CW_BUILD_CACHE_H
#define CW_BUILD_CACHE_H

#include "../../analyzer/io/identity.h"
#include "../run/core/types.h"

/* Sets the folder; "": nothing is kept, and nothing answered. Called once, before all others. */
void cw_build_cache_start(const char *folder);

/* True: the build is done as far as the program can tell. `options` may be NULL, which is not the same as "":
 * without options PoCL keeps the answers to clGetKernelArgInfo. */
bool cw_build_cache_take(cl_program program, cl_uint n, const cl_device_id *devices, const char *options);

/* The vendor has built it, in `ns`; next time it may be answered. */
void cw_build_cache_built(cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
                          uint64_t ns);

/* The program to ask the vendor about kernels of `program`: the stand-in, or itself. */
cl_program cw_build_cache_of(cl_program program);
cl_program cw_build_cache_of_record(const struct cw_run_program *p); /* lock held, or the program in use */

/* It is about to be built in another way. False: a stand-in has kernels, for which the vendor refuses that.
 */
bool cw_build_cache_leave(cl_program program);

/* The vendor builds the program itself, if it has not: something is asked that a stand-in may answer
 * otherwise. */
void cw_build_cache_make_real(cl_program program);

/* The program to ask for `name`: the stand-in only where both give the same answer. */
cl_program cw_build_cache_asked(cl_program program, cl_program_info name);

/* The record goes. Lock held. */
void cw_build_cache_free(struct cw_run_program *p);

/* ---- builds/build_cache_make.c */

/* A question that was answered before, or may be. All of it is malloc'ed. */
struct cw_run_kept_question {
    struct cw_identity id;
    cl_context context;
    cl_device_id device;
    char *options, *source; /* options: NULL where the program has given none */
};

#define CW_RUN_KEPT_NEVER UINT64_MAX /* builds, where the binary is not the same */

/* The stored answer to it, or NULL, malloc'ed. */
struct cw_run_kept_answer {
    uint64_t took_ns; /* the quickest of its builds by the vendor */
    uint64_t builds;
    uint64_t bytes; /* of the binary that follows; 0: none yet */
};
struct cw_run_kept_answer *cw_build_cache_read(const struct cw_run_kept_question *q);
const unsigned char *cw_build_cache_binary(const struct cw_run_kept_answer *a);
void cw_build_cache_write(const struct cw_run_kept_question *q, uint64_t builds, uint64_t took_ns,
                          const void *binary, size_t bytes);
void cw_build_cache_finish(struct cw_run_kept_question *q);

/* A program of that binary, built; NULL: the vendor does not take it. */
cl_program cw_build_cache_make_load(const struct cw_run_kept_question *q, cl_context context,
                                    const unsigned char *binary, size_t bytes);

/* The compiler was quiet: it says some things on stderr, which must be heard in each run. */
bool cw_build_cache_make_quiet(cl_program program, cl_device_id device);

/* The process begins. Once, before the others. */
void cw_build_cache_make_start(void);

/* Takes over `q`, and makes its binary when the process ends. `builds` so far, which took `took_ns`. */
void cw_build_cache_make_want(struct cw_run_kept_question *q, uint64_t builds, uint64_t took_ns);

/* At exit: makes the wanted binaries, or some of them. Returns when that is done. */
void cw_build_cache_make_stop(void);

#endif
