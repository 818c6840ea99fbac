/* one_compiler.c - run mode asks PoCL's compiler which macros it defines, once for all of its drivers for
 * processors, and by compiling only: the drivers define the same (their devices' names differ in the driver's
 * alone), and an object file, unlike a built program much cheaper, holds the names of its kernels. */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const macros[] = {"__OPENCL_VERSION__",
                                     "__OPENCL_C_VERSION__",
                                     "CL_VERSION_1_2",
                                     "CL_VERSION_2_0",
                                     "CL_VERSION_3_0",
                                     "__ENDIAN_LITTLE__",
                                     "__IMAGE_SUPPORT__",
                                     "__FAST_RELAXED_MATH__",
                                     "__EMBEDDED_PROFILE__",
                                     "FP_FAST_FMAF",
                                     "FP_FAST_FMA",
                                     "cl_khr_fp64",
                                     "cl_khr_fp16",
                                     "cl_khr_byte_addressable_store",
                                     "cl_khr_global_int32_base_atomics",
                                     "cl_khr_local_int32_base_atomics",
                                     "cl_khr_int64_base_atomics",
                                     "cl_khr_int64_extended_atomics",
                                     "cl_khr_3d_image_writes",
                                     "cl_khr_subgroups",
                                     "cl_khr_spir",
                                     "__opencl_c_fp64",
                                     "__opencl_c_int64",
                                     "__opencl_c_images",
                                     "__opencl_c_generic_address_space",
                                     "__opencl_c_subgroups",
                                     "__SPIR__",
                                     "__SPIRV__",
                                     "__CPU__",
                                     "__GPU__",
                                     "__NV_CL_C_VERSION",
                                     "__AMD__",
                                     "__APPLE__",
                                     "__x86_64__",
                                     "__AVX__",
                                     "__AVX2__",
                                     "__SSE4_2__",
                                     "__clang__",
                                     "__clang_major__",
                                     "__POCL__",
                                     "POCL_VERSION",
                                     "__CHAR_BIT__",
                                     "INT_MAX",
                                     "M_PI"};

enum { MACROS = sizeof macros / sizeof *macros };

static void question(char *text)
{
    text += sprintf(text, "#define J_(a, b, c) a##b##c\n#define J(a, b, c) J_(a, b, c)\n");
    for (int i = 0; i < MACROS; i++)
        text += sprintf(text, "#ifdef %s\nkernel void J(macro_%d_, %s, _e)(global int *a) {}\n#endif\n",
                        macros[i], i, strcmp(macros[i], "M_PI") ? macros[i] : "0");
    sprintf(text, "kernel void J(las, t_o, ne)(global int *a) {}\n");
}

/* The word that begins with "macro_<i>_" in the object file, up to "_e". */
static void find(const char *object, size_t bytes, int i, char word[64])
{
    char head[32];
    const char *at, *end;

    snprintf(head, sizeof head, "macro_%d_", i);
    at = memmem(object, bytes, head, strlen(head));
    end = at ? memmem(at, bytes - (size_t)(at - object), "_e", 2) : NULL;
    snprintf(word, 64, "%.*s", end ? (int)(end - at) : 0, at ? at : "");
}

/* The object file that `d` makes of `text`, `*bytes` of it, for free(). */
static char *compile(cl_context context, cl_device_id d, const char *text, size_t *bytes)
{
    cl_int err;
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    size_t all[2] = {0};
    unsigned char *each[2] = {NULL, NULL};

    APP_CHECK(clCompileProgram(p, 1, &d, "-w", 0, NULL, NULL, NULL, NULL));
    APP_CHECK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof all, all, NULL));
    for (int k = 0; k < 2; k++)
        each[k] = calloc(1, all[k] + 1);
    APP_CHECK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof each, each, NULL));
    clReleaseProgram(p);
    *bytes = all[0] > all[1] ? all[0] : all[1];
    free(all[0] > all[1] ? each[1] : each[0]);
    return (char *)(all[0] > all[1] ? each[0] : each[1]);
}

int main(void)
{
    static char text[1 << 14], name[2][256];
    char *object[2], word[2][64];
    size_t bytes[2];
    struct vendor v;
    int differ = 0, known = 0;

    vendor_open(&v, "pthread basic", NULL, NULL);
    question(text);
    for (int i = 0; i < 2; i++) {
        cl_device_id d = v.devices[vendor_find(&v, i ? "basic" : "pthread")];
        APP_CHECK(clGetDeviceInfo(d, CL_DEVICE_NAME, sizeof name[i], name[i], NULL));
        object[i] = compile(v.context, d, text, &bytes[i]);
    }
    for (int i = 0; i < MACROS; i++) {
        find(object[0], bytes[0], i, word[0]);
        find(object[1], bytes[1], i, word[1]);
        differ += strcmp(word[0], word[1]) != 0;
        known += *word[0] != '\0';
    }
    printf("%d of %d macros are defined\n", known, (int)MACROS);
    vendor_expect(!strcmp(strchr(name[0], '-'), strchr(name[1], '-')),
                  "the devices' names differ in the driver's only");
    vendor_expect(memmem(object[0], bytes[0], "last_one", 8) && memmem(object[1], bytes[1], "last_one", 8) &&
                      known > 10,
                  "an object file holds the names of its kernels");
    vendor_expect(differ == 0, "PoCL's drivers for processors define the same macros");
    free(object[0]);
    free(object[1]);
    vendor_close(&v);
    return vendor_status();
}
