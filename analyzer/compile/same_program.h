/* same_program.h - do two builds of a program give a host the same answers? */
#ifndef CW_SAME_PROGRAM_H
#define CW_SAME_PROGRAM_H

#include <CL/cl.h>
#include <stdbool.h>

/* True when all queries about either, built for `device`, and about their kernels have the same answers, but
 * for those that tell a binary from a source. Makes kernels, and releases them. */
bool cw_same_program(cl_program one, cl_program other, cl_device_id device);

#endif
