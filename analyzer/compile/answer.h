/* answer.h - compiles the kernel that a question names (compile/compile_area.h). */
#ifndef CW_COMPILE_ANSWER_H
#define CW_COMPILE_ANSWER_H

#include <CL/cl.h>

#include "compile_area.h"

/* The device of that description (cw_vendor_describe_driver), or a part of it with so many compute units; 0:
 * the whole one. NULL: there is none. One thread. */
cl_device_id cw_answer_device(const char *words, uint32_t units);

/* COMPILED: the vendor has; a->module says where to. CLOSED: only a new process can say. REFUSED. Programs
 * stay built for later questions. One thread. */
enum cw_compile_state cw_answer_request(struct cw_compile_area *a);

#endif
