/* gpu_state.h - whether a GPU is idle, by NVIDIA's management library (NVML, libnvidia-ml.so.1).
 *
 * The library is loaded when it is first needed, and stays: the declarations in gpu_state.c are all that is
 * known of it. GPUs of other vendors, and machines without it, have no such answer. */
#ifndef CW_GPU_STATE_H
#define CW_GPU_STATE_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

/* True: no process uses the GPU `device`, and 1 % of its memory at most is in use. `why` says so, or why
 * not, or why that is not known, in a few words. `info`: clGetDeviceInfo, by which the vendor says where on
 * the PCI bus the GPU is. Opens no GPU. Takes .1 s where the driver sleeps. Any thread. */
bool cw_gpu_state_is_idle(__typeof__(clGetDeviceInfo) *info, cl_device_id device, char *why, size_t size);

#endif
