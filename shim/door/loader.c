#include "door.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "log.h"

bool cw_loader_is_self(const void *address)
{
    Dl_info self, other;
    return dladdr((const void *)cw_loader_is_self, &self) && dladdr(address, &other) &&
           self.dli_fbase == other.dli_fbase;
}

/* Whether the library that `handle` stands for can serve: it has OpenCL's first function, and that is neither
 * ours (we may be installed under the name libOpenCL.so) nor another copy of this library. */
static bool usable(void *handle)
{
    const void *first = dlsym(handle, "clGetPlatformIDs");
    if (!first || cw_loader_is_self(first))
        return false;
    char name[sizeof CW_LAYER_NAME] = "";
    Dl_info a, b;
    cl_int (*info)(cl_uint, size_t, void *, size_t *);
    *(void **)&info = dlsym(handle, "clGetLayerInfo");
    if (!info || !dladdr(first, &a) || !dladdr(*(void **)&info, &b) || a.dli_fbase != b.dli_fbase)
        return true;
    return info(CL_LAYER_NAME, sizeof name, name, NULL) != CL_SUCCESS || strcmp(name, CW_LAYER_NAME) != 0;
}

static void take(struct cw_dispatch *functions, void *handle)
{
    void *f;
#define CW_API(ret, name, since, fail, handle_, params, args)                                                \
    f = dlsym(handle, #name);                                                                                \
    functions->name = f && !cw_loader_is_self(f) ? *(__typeof__(&name) *)&f : cw_missing.name;
#include "api.inc"
}

/* dl_iterate_phdr callback: the first loaded library called libOpenCL<anything>, ours left out. */
static int is_opencl(struct dl_phdr_info *info, size_t size, void *path)
{
    (void)size;
    Dl_info self;
    if (dladdr((const void *)cw_loader_is_self, &self) && info->dlpi_addr == (ElfW(Addr))self.dli_fbase)
        return 0;
    const char *slash = strrchr(info->dlpi_name, '/');
    if (strncmp(slash ? slash + 1 : info->dlpi_name, "libOpenCL", 9) != 0)
        return 0;
    return snprintf(path, PATH_MAX, "%s", info->dlpi_name) < PATH_MAX;
}

/* In the order in which the program itself would have found it: the library that it is linked with, then (a
 * module loaded with RTLD_LOCAL, maybe with a loader of its own) a loaded one, then the system's. */
bool cw_loader_resolve(struct cw_dispatch *functions)
{
    static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so", NULL};
    char loaded[PATH_MAX];
    if (usable(RTLD_NEXT)) {
        take(functions, RTLD_NEXT);
        return true;
    }
    void *handle =
        dl_iterate_phdr(is_opencl, loaded) ? dlopen(loaded, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD) : NULL;
    if (handle && usable(handle)) {
        take(functions, handle);
        return true;
    }
    for (const char *const *n = names; *n; n++) {
        handle = dlopen(*n, RTLD_LAZY | RTLD_LOCAL);
        if (handle && usable(handle)) {
            take(functions, handle);
            return true;
        }
        if (handle)
            dlclose(handle);
    }
    *functions = cw_missing;
    cw_log_warning(
        "found no OpenCL library (libOpenCL.so.1); is an OpenCL loader such as ocl-icd installed?");
    return false;
}
