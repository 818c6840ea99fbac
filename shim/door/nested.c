/* nested.c - a call that comes in while another hooked call of the same thread is under way comes from one of
 * two: the vendor, whose internal calls must not be seen (it resolved cl* to an exported symbol), or a
 * callback of the application, whose calls must. The caller's module decides. */
#include <dlfcn.h>
#include <pthread.h>

#include "door.h"
#include "unwind.h"

#define MAX_VENDORS 16

/* Bases of the modules that are not the application: the vendors' and the loader's. Filled once. */
static const void *vendors[MAX_VENDORS];
static unsigned num_vendors;
static const void *loader_base;

static const void *module_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Runs inside a nested call, when the loader and its vendors are up. The vendor's own clIcdGetPlatformIDsKHR
 * lies in the vendor's library; one that has none is not behind a loader, so it is the library that we call
 * itself. */
static void find_vendors(void)
{
    cl_platform_id platforms[MAX_VENDORS];
    cl_uint n = 0;
    loader_base = module_of(*(const void **)&cw_next.clGetPlatformIDs);
    if (cw_next.clGetPlatformIDs(MAX_VENDORS, platforms, &n) != CL_SUCCESS)
        return;
    for (cl_uint i = 0; i < n && i < MAX_VENDORS; i++) {
        void *f = cw_next.clGetExtensionFunctionAddressForPlatform(platforms[i], "clIcdGetPlatformIDsKHR");
        if (f)
            vendors[num_vendors++] = module_of(f);
    }
}

static bool is_vendor(const void *module)
{
    for (unsigned i = 0; i < num_vendors; i++)
        if (vendors[i] == module)
            return true;
    return false;
}

/* The module of the innermost frame that is neither ours nor the loader's; NULL if the stack shows none. */
static const void *outer_module(void)
{
    const void *self = module_of((const void *)cw_nested_by_application);
    void *frames[64];
    int n = cw_unwind(frames, 64);
    for (int i = 0; i < n; i++) {
        const void *module = module_of((const char *)frames[i] - 1);
        if (module != self && module != loader_base)
            return module;
    }
    return NULL;
}

bool cw_nested_by_application(const void *return_address)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (cw_door_depth >= CW_DOOR_OWN_CALL)
        return false;
    if (cw_door_depth + 1 == cw_door_callback)
        return true;
    cw_door_depth += CW_DOOR_OWN_CALL;
    pthread_once(&once, find_vendors);
    cw_door_depth -= CW_DOOR_OWN_CALL;
    const void *module = module_of(return_address);
    if (module == loader_base || cw_loader_is_self(return_address))
        module = outer_module();
    return module && module != loader_base && !is_vendor(module);
}
