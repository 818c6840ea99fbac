#include "dsp_clock.h"
#include "../door/door.h"

#include <string.h>

enum {
    CORES = 2,
    MEGAHERTZ = 500,
    MACROS = 4,                    /* 32-bit workers of a SIMD instruction */
    LOCAL_BYTES = 1536 * 1024 * 4, /* six blocks of 256 K words of 4 bytes, per core */
    VENDOR_ID = 0x11042            /* above all PCI ids, below Khronos' */
};

static const char name[] = CW_DSP_NAME, vendor[] = "CETC38 (emulated by clweave)";

/* Numbers that differ from PoCL's answer; `size` is that of the specification's type. */
static const struct {
    cl_device_info what;
    size_t size;
    cl_ulong value;
} numbers[] = {
    {CL_DEVICE_TYPE, sizeof(cl_device_type), CL_DEVICE_TYPE_ACCELERATOR},
    {CL_DEVICE_VENDOR_ID, sizeof(cl_uint), VENDOR_ID},
    {CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint), CORES},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof(cl_uint), MEGAHERTZ},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, sizeof(cl_uint), 4 * MACROS},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, sizeof(cl_uint), 2 * MACROS},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, sizeof(cl_uint), MACROS},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, sizeof(cl_uint), MACROS / 2},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, sizeof(cl_uint), MACROS},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, sizeof(cl_uint), MACROS / 2},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, sizeof(cl_uint), 4 * MACROS},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, sizeof(cl_uint), 2 * MACROS},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, sizeof(cl_uint), MACROS},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, sizeof(cl_uint), MACROS / 2},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof(cl_uint), MACROS},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, sizeof(cl_uint), MACROS / 2},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, sizeof(cl_device_mem_cache_type), CL_NONE},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof(cl_ulong), 0},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, sizeof(cl_uint), 0},
    {CL_DEVICE_LOCAL_MEM_TYPE, sizeof(cl_device_local_mem_type), CL_LOCAL},
    {CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong), LOCAL_BYTES},
};

cl_int cw_dsp_info(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *size_ret)
{
    if (what == CL_DEVICE_NAME)
        return cw_layer_answer(name, sizeof name, size, value, size_ret);
    if (what == CL_DEVICE_VENDOR)
        return cw_layer_answer(vendor, sizeof vendor, size, value, size_ret);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].what == what) {
            /* little or big endian: a cl_uint is not the first half of a cl_ulong everywhere */
            cl_uint narrow = (cl_uint)numbers[i].value;
            const void *from = numbers[i].size == sizeof narrow ? (const void *)&narrow : &numbers[i].value;
            return cw_layer_answer(from, numbers[i].size, size, value, size_ret);
        }
    return cw_next.clGetDeviceInfo(device, what, size, value, size_ret);
}
