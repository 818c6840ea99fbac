
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device_board.h"
#include "device_env.h"
#include "../door/log.h"
#include <CL/cl_icd.h> /* after dispatch.h, for its macros */

#define VENDORS "/etc/OpenCL/vendors"

typedef cl_int(CL_API_CALL *get_platforms)(cl_uint, cl_platform_id *, cl_uint *);

static struct _cl_icd_dispatch *table; /* PoCL's; NULL: left alone */
static __typeof__(table->clGetDeviceIDs) real;

/* ---- which libraries the loader will load: ocl-icd's rules */

static const char *vendors_folder(void)
{
    const char *chosen = getenv("OCL_ICD_VENDORS"), *path = getenv("OPENCL_VENDOR_PATH");

    return chosen && *chosen ? chosen : path && *path ? path : VENDORS;
}

/* The library that a vendor's file names: its first line. */
static bool read_icd(const char *folder, const char *name, char library[PATH_MAX])
{
    char path[PATH_MAX];
    FILE *f = snprintf(path, sizeof path, "%s/%s", folder, name) < PATH_MAX ? fopen(path, "re") : NULL;
    bool ok = f && fgets(library, PATH_MAX, f);

    if (f)
        fclose(f);
    if (ok)
        library[strcspn(library, "\n")] = '\0';
    return ok;
}

static bool is_pocl(const char *library)
{
    const char *slash = strrchr(library, '/');

    return !strncmp(slash ? slash + 1 : library, "libpocl", 7);
}

/* PoCL's library, if it is one of several vendors that the loader would sort. */
static bool find_library(char library[PATH_MAX])
{
    const char *folder = vendors_folder(), *sort = getenv("OCL_ICD_PLATFORM_SORT");
    DIR *dir = sort && !strcmp(sort, "none") ? NULL : opendir(folder);
    char other[PATH_MAX];
    unsigned vendors = 0;
    bool found = false;

    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n < 5 || strcmp(e->d_name + n - 4, ".icd") != 0 || !read_icd(folder, e->d_name, other))
            continue;
        vendors++;
        if (!found && is_pocl(other)) {
            memcpy(library, other, sizeof other);
            found = true;
        }
    }
    if (dir)
        closedir(dir);
    return found && vendors > 1;
}

/* ---- answers to the loader */

static bool is_basic(cl_device_id d)
{
    char name[256] = "";

    return table->clGetDeviceInfo(d, CL_DEVICE_NAME, sizeof name, name, NULL) == CL_SUCCESS &&
           cw_vendor_traits_is_basic(name);
}

/* clGetDeviceIDs without the devices that only we have asked for. */
static cl_int CL_API_CALL bare(cl_platform_id platform, cl_device_type type, cl_uint entries,
                               cl_device_id *devices, cl_uint *count)
{
    cl_device_id list[CW_DEVICES_MAX];
    cl_uint n = 0, own = 0;
    cl_int error;

    if ((!entries && devices) || (!devices && !count))
        return real(platform, type, entries, devices, count);
    error =
        real(platform, type == CL_DEVICE_TYPE_DEFAULT ? CL_DEVICE_TYPE_ALL : type, CW_DEVICES_MAX, list, &n);
    if (error != CL_SUCCESS)
        return error;
    for (cl_uint i = 0; i < n && i < CW_DEVICES_MAX; i++)
        if (!is_basic(list[i]))
            list[own++] = list[i];
    if (type == CL_DEVICE_TYPE_DEFAULT && own > 1) /* PoCL: the first of all */
        own = 1;
    if (devices)
        memcpy(devices, list, (own < entries ? own : entries) * sizeof *list);
    if (count)
        *count = own;
    return own ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

/* ---- around the loader's start */

static void *start_of(void *library)
{
    void *(CL_API_CALL * address)(const char *);

    *(void **)&address = dlsym(library, "clGetExtensionFunctionAddress");
    return address ? address("clIcdGetPlatformIDsKHR") : dlsym(library, "clIcdGetPlatformIDsKHR");
}

/* A table in memory that was made read-only after relocation is made writable, and stays so. */
static bool writable(void *at, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)at / page * page;

    return !mprotect((void *)start, (uintptr_t)at + size - start, PROT_READ | PROT_WRITE);
}

void cw_device_early_begin(void)
{
    char library[PATH_MAX];
    cl_platform_id platform = NULL;
    get_platforms get;
    cl_uint n = 0;
    void *handle;

    if (cw_device_env_state() != CW_DEVICE_ENV_OURS || !cw_device_env_basics() || !find_library(library))
        return;
    if ((handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD))) {
        dlclose(handle);
        return; /* the loader was there already */
    }
    if (!(handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL)))
        return;
    *(void **)&get = start_of(handle);
    if (!get || get(1, &platform, &n) != CL_SUCCESS || !platform)
        return;
    table = *(struct _cl_icd_dispatch **)platform;
    real = table->clGetDeviceIDs;
    if (!writable(&table->clGetDeviceIDs, sizeof real)) {
        table = NULL;
        return;
    }
    cw_device_env_show();
    real(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &n);
    cw_device_env_hide();
    table->clGetDeviceIDs = bare;
    cw_log_debug("several vendors: PoCL was started before the loader, with %u devices", n);
}

void cw_device_early_end(void)
{
    if (table)
        table->clGetDeviceIDs = real;
    table = NULL;
}
