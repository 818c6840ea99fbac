/* vendor_traits.c - the table of vendors. */
#include "vendor_traits.h"

#include <string.h>

#include "../../analyzer/kernels/source/cl_language.h"

#define POCL "Portable Computing Language"
#define POCL_CPU                                                                                             \
    (CW_VENDOR_ZERO_COPY_HOST_PTR | CW_VENDOR_HOST_PTR_COHERENT | CW_VENDOR_OFFSET_KINDS_ABORT |             \
     CW_VENDOR_COMPILES_IN_PROCESS | CW_VENDOR_HIDDEN_DEVICES | CW_VENDOR_CALLS_BACK_FIRST)

static const struct cw_vendor_traits rows[] = {
    {"emulated DSP", POCL, 0, CW_VENDOR_DRESSED, POCL_CPU | CW_VENDOR_IN_CALL},
    {"PoCL basic", POCL, CL_DEVICE_TYPE_CPU, CW_VENDOR_BASIC, POCL_CPU | CW_VENDOR_IN_CALL},
    {"PoCL CPU", POCL, CL_DEVICE_TYPE_CPU, CW_VENDOR_ANY, POCL_CPU | CW_VENDOR_USER_EVENTS},
    {"NVIDIA", "NVIDIA CUDA", CL_DEVICE_TYPE_GPU, CW_VENDOR_ANY,
     CW_VENDOR_WAIT_LISTS | CW_VENDOR_USER_EVENTS | CW_VENDOR_STREAMS | CW_VENDOR_FUSES_IN_BACKEND |
         CW_VENDOR_PINNED | CW_VENDOR_MIGRATES_SLOWLY | CW_VENDOR_OWN_MEMORY},
    {"unknown", NULL, 0, CW_VENDOR_ANY, 0},
};
enum { ROWS = sizeof rows / sizeof *rows };

bool cw_vendor_traits_is_basic(const char *device)
{
    return !strncmp(device, "basic", 5) || !strncmp(device, "cpu-minimal", 11);
}

static bool is_of(const struct cw_vendor_traits *row, const char *platform)
{
    return !row->platform || !strcmp(row->platform, platform);
}

static bool fits(const struct cw_vendor_traits *row, const struct cw_vendor_device *d)
{
    return is_of(row, d->platform) && (!row->type || row->type & d->type) &&
           (row->form != CW_VENDOR_DRESSED || d->dressed) &&
           (row->form != CW_VENDOR_BASIC || cw_vendor_traits_is_basic(d->device));
}

const struct cw_vendor_traits *cw_vendor_traits_find(const struct cw_vendor_device *d)
{
    uint32_t i = 0;

    while (i < ROWS - 1 && !fits(&rows[i], d))
        i++;
    return &rows[i];
}

uint32_t cw_vendor_traits_of(const struct cw_vendor_device *d)
{
    int language = cw_cl_language_default(d->platform, d->platform_version, d->device_version);
    double pocl = cw_cl_language_pocl_version(d->platform, d->platform_version);

    return cw_vendor_traits_find(d)->traits | (language == CW_CL_LANGUAGE_3 ? CW_VENDOR_LANGUAGE_3 : 0) |
           (pocl >= 7 ? CW_VENDOR_SEPARATE_PARTS : 0);
}

bool cw_vendor_traits_some(const char *platform, enum cw_vendor_trait trait)
{
    for (uint32_t i = 0; i < ROWS; i++)
        if (rows[i].traits & trait && is_of(&rows[i], platform))
            return true;
    return false;
}
