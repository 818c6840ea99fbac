/* answer.h - compiles the kernel that a question names (compile/compile_area.h). */
#ifndef CW_COMPILE_ANSWER_H
#define CW_COMPILE_ANSWER_H

#include <CL/cl.h>
#include <stdbool.h>

#include "compile_area.h"
#include "requests.h"

/* The device of that description (cw_vendor_describe_driver), or a part of it with so many compute units; 0:
 * the whole one. NULL: there is none. One thread. */
cl_device_id cw_answer_device(const char *words, uint32_t units);

/* COMPILED: the vendor has; a->module says where to. CLOSED: only a new process can say. REFUSED. Programs
 * stay built for later questions. One thread. */
enum cw_compile_state cw_answer_request(struct cw_compile_area *a);

/* Kernels that the vendor compiles for a launch are not run.
 *
 * PoCL's drivers for processors load compiled modules with dlopen() and find the kernel in it with dlsym().
 * This program has functions of these names, which the dynamic linker finds before libc's: while a dry run of
 * a kernel lasts, its module is really loaded, but the function found in it is one that does nothing. All
 * other calls go on to libc's unchanged. */

/* Launches of `kernel` do nothing until the end, in all threads. `kernel` stays. */
void cw_dry_run_begin(const char *kernel);

/* True when the kernel was loaded meanwhile. Its module's path is in `module` then, if it fits. */
bool cw_dry_run_end(char *module, unsigned size);

/* Makes the result that a request names (requests.h), by calls of OpenCL in this process. */

enum cw_fulfilled {
    CW_FULFIL_MADE,    /* the result is in its store */
    CW_FULFIL_FAILED,  /* no such device, it does not build, the vendor does not take its own binary */
    CW_FULFIL_DIFFERS, /* of a stand-in: it gives other answers, which the store says from now on */
    CW_FULFIL_KINDS
};

/* The process has the request's environment, and has not called OpenCL. One thread. */
enum cw_fulfilled cw_fulfil(const struct cw_requests *r, const struct cw_request *q);

/* Do two builds of a program give a host the same answers? */

#endif
