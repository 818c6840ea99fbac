/* missing - looks every function up in the process, as a program that dlsyms does, calls it, and expects the
 * error of a function that the OpenCL library lacks: CL_INVALID_OPERATION, or NULL with it in *errcode_ret.
 *
 *   missing [NAME...]   the functions NAME are there, and are not called */
#include "calls.h"

#include <dlfcn.h>

static int bad;

static void expect(const char *name, bool right)
{
    if (!right)
        printf("%s: not the error of a missing function\n", name), bad++;
}

#define EXPECT_CODE(name, call)    expect(#name, (call) == CL_INVALID_OPERATION)
#define EXPECT_ERRCODE(name, call) expect(#name, !(call) && *errcode_ret == CL_INVALID_OPERATION)
#define EXPECT_NULLPTR(name, call) expect(#name, !(call))
#define EXPECT_NOTHING(name, call) call
#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    static __typeof__(&name) p_##name;                                                                       \
    static void try_##name params                                                                            \
    {                                                                                                        \
        FILL_ALL(CW_UNPAREN args);                                                                           \
        EXPECT_##fail(name, p_##name args);                                                                  \
    }
#include "../../shim/door/api.inc"

static bool listed(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], name))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    int calls = 0;
    region_map();
#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    *(void **)&p_##name = dlsym(RTLD_DEFAULT, #name);                                                        \
    if (!p_##name)                                                                                           \
        printf("%s: not exported\n", #name), bad++;                                                          \
    else if (!listed(#name, argc, argv))                                                                     \
        try_##name(ZEROS args), calls++;
#include "../../shim/door/api.inc"
    cl_uint n = 77;
    cl_int e = p_clGetPlatformIDs(0, NULL, &n);
    printf("%d calls, %d wrong; clGetPlatformIDs: %d, %u platforms\n", calls, bad, e, n);
    return bad != 0;
}
