/* program.h - programs. */
#ifndef CW_RUN_API_PROGRAM_H
#define CW_RUN_API_PROGRAM_H

#include "../core/types.h"

/* The record of a program in a managed context, made for `devices` devices (0: all); NULL: there is none.
 * `source` and `built_with` (NULL: the options of its build) are its own then. Lock held. */
struct cw_run_program *cw_run_program_create(cl_context context, cl_program program, cl_uint devices,
                                             char *source, char *built_with);

/* `program` (NULL: it was not made) is made of these bytes: of a SPIR-V module, or of what is not known. Lock
 * not held. */
void cw_run_program_is_of_module(cl_context context, cl_program program, const void *il, size_t n);

/* Where the text of the program's source is that of a SPIR-V module, it is treated as such. Lock held. */
void cw_run_program_takes_module(struct cw_run_program *p);

/* Waits until no worker prepares a helper's program, for which it reads source and options. Lock held, given
 * up meanwhile. */
void cw_run_program_settle_helpers(void);
/* Waits until no use by run mode keeps the program from being built or compiled again. Lock not held. */
void cw_run_program_settle(cl_program program);
/* A build or compilation begins, of which the program's binary may be from here on: its number, for the
 * record's `built` where it succeeds. The vendor has refused it, as the program has kernels: all is as
 * before. Lock not held. */
uint32_t cw_run_program_build_begins(cl_program program);
void cw_run_program_build_refused(cl_program program, uint32_t number);
/* A program that was linked for `devices` devices (0: all), as one of this source and these options, which
 * are taken over. `doubtful`: only once models have shown that it compiles; then cw_program_source_trust() is
 * called. Lock not held; held. */
void cw_run_program_linked(cl_context context, cl_program program, cl_uint devices, char *source,
                           char *options, bool doubtful);

#endif
