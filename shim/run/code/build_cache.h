/* build_cache.h - builds that are answered from the build cache.
 *
 * PoCL takes 30 to 170 ms to build a program that it has built before, 1 ms when it gets its own binary. So
 * where a program of one plain source is built again, in another run, with the same options for the same
 * device and driver, its kernels are made of a stand-in: a program of the vendor's made of the binary. The
 * program's own handle stays the same. It or the stand-in answers the queries to which both give the same
 * answer (analyzer/compile/answer.h has compared them). At any other query the vendor builds the
 * program after all.
 *
 * The cache holds a small file per question (analyzer/compile/requests.h): the compiler's identity, PoCL's
 * environment, options and source, all of it compared, and how often it was built. In the second run that
 * builds it the builder is asked for the binary (builds/later_builds.h). Left alone: several devices, DSPs,
 * #include, printf, notifications, programs made of binaries or linked, and everything while commands are
 * recorded.
 *
 * Lock of run mode not held, unless said. */
#ifndef CW_BUILD_CACHE_H
#define CW_BUILD_CACHE_H

#include "../core/types.h"

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

#endif
