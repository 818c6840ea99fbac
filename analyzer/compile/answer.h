/* answer.h - compiles the kernel that a question names (compile/compile_area.h). */
#ifndef CW_COMPILE_ANSWER_H
#define CW_COMPILE_ANSWER_H

#include "compile_area.h"

/* COMPILED: the vendor has; a->module says where to. CLOSED: only a new process can say. REFUSED. Programs
 * stay built for later questions. One thread. */
enum cw_compile_state cw_answer_request(struct cw_compile_area *a);

#endif
