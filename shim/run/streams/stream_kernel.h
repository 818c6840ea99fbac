/* stream_kernel.h - programs and kernels of streamed contexts. */
#ifndef CW_STREAM_KERNEL_H
#define CW_STREAM_KERNEL_H

#include "stream_object.h"

void cw_stream_kernel_free_program(void *object);
void cw_stream_kernel_free(void *object);

/* It may touch shared virtual memory from now on. */
void cw_stream_kernel_points(cl_kernel kernel);

#endif
