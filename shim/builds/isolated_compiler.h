/* isolated_compiler.h - the vendor's compiler is called without the program's descriptors, and compiles
 * kernels in another process.
 *
 * A bare program has no compiler at work beside it, so changes of its descriptors, children and limits do
 * it no harm. PoCL's front end reads and writes files while it builds a program: it is called on
 * a thread that has a table of descriptors to itself, in which nothing of the program's is held open, and
 * none of which the program can close or meet. The vendor compiles kernels at their first launch, and a child
 * links them. A process of run mode does that (analyzer/compile/compile_client.h) before
 * the launch, which then only loads the code. Other vendors are called as they are. */
#ifndef CW_ISOLATED_COMPILER_H
#define CW_ISOLATED_COMPILER_H

#include <stdbool.h>

#include "../../analyzer/compile/compile_area.h"
#include "../door/dispatch.h"

/* Compilations by the vendor beside the program, and the end of the process.
 *
 * exit() destroys the statics of the vendor's compiler: a compilation that still runs then crashes. A bare
 * program that has waited for its work, or whose device compiles and runs kernels inside the enqueue, cannot
 * meet that; under run mode workers compile behind its back. So the end waits for compilations, which are
 * finite, but not for kernels, which may run for ever (api/process_end.c). */

/* Around calls that compile. False: the process ends, nothing may be compiled any more. Any thread. */
bool cw_pending_builds_begin(void);
void cw_pending_builds_end(void);

/* The process ends: none begins from here on. Those of other threads: code/code.h waits for them.
 * Any thread. */
void cw_pending_builds_forbid(void);
bool cw_pending_builds_are_forbidden(void);

/* Another thread is in such a call. Any thread. */
bool cw_pending_builds_any(void);

/* Sets the folder for notes of the code that earlier runs have compiled; "": none. Called once, before all
 * others. */
void cw_isolated_compiler_start(const char *folder);

/* Runs body(data) on such a thread, where the device's vendor allows it, else on one that shares the
 * program's descriptors, and waits. True: it has returned. False: it does not run, as the process ends or
 * has no memory, disk or descriptors for a compiler (builds/isolated_compiler.h), or as the caller is within
 * dlopen() or dlclose(); or it is left to itself, as a thread that waits is there (door/dynamic_loader.h).
 * Then release(data) is called, on either thread, when the body does not use `data` any more. Between
 * cw_pending_builds_begin() and _ends(), or on a thread whose end the process waits for. Any thread, lock not
 * held. */
bool cw_isolated_compiler_call(cl_device_id device, void (*body)(void *), void *data,
                               void (*release)(void *data));

/* The process ends: no body begins from here on, and those that have been left to themselves are waited for.
 * Not from within dlopen() or dlclose(): they may need the loader's lock. Lock not held. */
void cw_isolated_compiler_stop(void);

/* False: as above; the vendor is not to load code. Some 50 us. Any thread, lock not held. */
bool cw_isolated_compiler_may_load(cl_device_id device);

/* Runs body(data), which opens the library's own files and prints nothing, on such a thread where there can
 * be one, and waits. */
void cw_isolated_compiler_files(void (*body)(void *), void *data);

/* May a launch have code compiled for it on this device at all? About 4 us. Any thread. */
bool cw_isolated_compiler_space(cl_device_id device);

/* Compute units of a sub-device; 0: it is a whole device. */
uint32_t cw_isolated_compiler_units(cl_device_id device);

struct cw_run_recipe { /* of a program to compile */
    const char *source, *options;
};

/* Has the code compiled that launching `kernel` of that program over `r` needs; `arg`: of the launch.
 * CL_SUCCESS: it may be launched; if no compiler could be asked there is room for the vendor to compile it
 * then. CL_OUT_OF_RESOURCES otherwise. `kernel` NULL: the program is built, and no kernel is compiled. Any
 * thread, lock not held. */
cl_int cw_isolated_compiler_ahead_of(cl_device_id device, const struct cw_run_recipe *program,
                                     const char *kernel, const struct cw_compile_range *r,
                                     const struct cw_compile_arg *arg, uint32_t args);

/* The same, but only loads code that an earlier process has compiled, or the builder. Where there is none it
 * asks the builder for it and returns false; true, too, where the builder cannot be asked. */
bool cw_isolated_compiler_knows_of(cl_device_id device, const struct cw_run_recipe *program,
                                   const char *kernel, const struct cw_compile_range *r,
                                   const struct cw_compile_arg *arg, uint32_t args);

/* Builds the program in clweave-compile; the vendor's cache has the result then. CL_SUCCESS: it may be built
 * here, as the vendor's compiler has not died of it; where clweave-compile could not be asked there is room
 * for it. Otherwise as above. */
cl_int cw_isolated_compiler_build_ahead(cl_device_id device, const struct cw_run_recipe *program);

/* May the vendor be asked to compile or to load code for us? A vendor that finds no
 * descriptor, no disk, no memory or no linker for that may end the process (PoCL 3.1 aborts when it cannot
 * load a kernel that it has compiled), and the bare program would not have asked. */

/* True for a compiler that runs no linker and has a table of descriptors to itself
 * (builds/isolated_compiler.h): the process may write files of a compiler's size, there is room for them
 * where the vendor keeps them, neither memory nor processor time is limited (door/thread.h), and nothing has
 * been forbidden since it began. */
bool cw_compiler_resources_isolated(void);

/* True when the process finds a linker in its PATH, may start it and learns how it ended, may open at least
 * as many files as a compiler does, write files of a compiler's size where there is room for them, and
 * neither memory nor processor time is limited. Changes that the program makes while the vendor compiles are
 * not seen. About 5 us; opens nothing. Any thread. */
bool cw_compiler_resources_suffice(void);

#endif
