/* dsp_info.h - a dressed DSP's answers to clGetDeviceInfo.
 *
 * One HXDSP1042 chip as the paper describes it (Gu, Ning, Zheng 2022): two eC104 cores = compute units at 500
 * MHz, SIMD over four macros of 32-bit units, 1536 K words of 4 bytes of local data memory per core, no
 * cache, and the board's DDR, which is the host's memory. Values that the model lacks (limits, extensions,
 * versions) are PoCL's own answers, as PoCL runs the kernels. */
#ifndef CW_DSP_INFO_H
#define CW_DSP_INFO_H

#include "../door/dispatch.h"

#define CW_DSP_NAME "HXDSP1042 (emulated)"

/* clGetDeviceInfo for a dressed device. Thread-safe. */
cl_int cw_dsp_info(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *size_ret);

#endif
