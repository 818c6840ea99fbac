/* answer.h - compiles what is asked for (kernel/compile_area.h). */
#ifndef CW_COMPILE_ANSWER_H
#define CW_COMPILE_ANSWER_H

#include "../kernel/compile_area.h"

/* True when the vendor has compiled it; a->module says where to. Programs stay built for later questions. One thread. */
bool cw_compile_answer(struct cw_compile_area *a);

#endif
