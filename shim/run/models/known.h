/* known.h - what run mode knows of the kernels of one name of a program, over all their objects: some
 * programs make a kernel for each launch (pyopencl's program.name(...)). Lock held. */
#ifndef CW_RUN_KNOWN_H
#define CW_RUN_KNOWN_H

#include "../core/types.h"

/* One more reference; NULL: memory is out. */
struct cw_run_known *cw_run_known_of(struct cw_run_program *p, const char *name);
void cw_run_known_release(struct cw_run_known *known); /* NULL is ignored */

/* The program is built again, or gone: kernels to come begin anew. */
void cw_run_known_forget(struct cw_run_program *p);

#endif
