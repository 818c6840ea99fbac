/* every_call - calls every OpenCL function three times: the null driver succeeds, it fails, it succeeds and
 * the program asks for no events, codes, counts and callbacks.
 *
 *   every_call SENT RESULTS [LIBRARY]
 *
 * SENT gets a line per call as the null driver logs it, RESULTS what came back: the return value and a hash
 * of all memory that a call could write to. With LIBRARY the functions come from dlopen(LIBRARY, RTLD_LOCAL),
 * else from linking. */
#include "calls.h"

#include <dlfcn.h>

static struct cw_dispatch api;
static FILE *sent, *results;

#define RESULT_CODE(call)    fprintf(results, " -> %d", call)
#define RESULT_ERRCODE(call) fprintf(results, " -> %p", (void *)(call))
#define RESULT_NULLPTR(call) fprintf(results, " -> %p", (void *)(call))
#define RESULT_NOTHING(call) (call)

#define CALL(name, fail, platform, function, args)                                                           \
    FILL_ALL(CW_UNPAREN args);                                                                               \
    PRINT_CALL(sent, #name, platform, CW_UNPAREN args);                                                      \
    fprintf(results, "%s", #name);                                                                           \
    RESULT_##fail(function args);                                                                            \
    fprintf(results, " %016llx\n", (unsigned long long)region_hash());

#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    static void call_##name params                                                                           \
    {                                                                                                        \
        CALL(name, fail, 0, api.name, args)                                                                  \
    }
#define CW_EXT(ret, name, since, fail, handle, params, args)                                                 \
    static __typeof__(&name) ext_##name;                                                                     \
    static unsigned platform_##name;                                                                         \
    static void call_##name params                                                                           \
    {                                                                                                        \
        CALL(name, fail, platform_##name, ext_##name, args)                                                  \
    }
#include "../../shim/door/api.inc"

static void call_core(void)
{
#define CW_API(ret, name, since, fail, handle, params, args) call_##name(ZEROS args);
#include "../../shim/door/api.inc"
}

static void call_extensions(void)
{
    cl_platform_id platforms[6];
    cl_uint n = 0;
    api.clGetPlatformIDs(6, platforms, &n);
    for (cl_uint i = 0; i < n; i++) {
        objects.platform = platforms[i];
        api.clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &objects.device, NULL);
#define CW_EXT(ret, name, since, fail, handle, params, args)                                                 \
    *(void **)&ext_##name = api.clGetExtensionFunctionAddressForPlatform(platforms[i], #name);               \
    platform_##name = i;                                                                                     \
    if (CW_ID_##name != CW_ID_clIcdGetPlatformIDsKHR && ext_##name)                                          \
        call_##name(ZEROS args);
#include "../../shim/door/api.inc"
    }
}

static void make_objects(void)
{
    static const char *source = "kernel void k(global int *a, int b) {}";
    cl_int e;
    objects.queue = NULL;
    e = api.clGetPlatformIDs(1, &objects.platform, NULL);
    if (!e)
        e = api.clGetDeviceIDs(objects.platform, CL_DEVICE_TYPE_ALL, 1, &objects.device, NULL);
    if (!e)
        objects.context = api.clCreateContext(NULL, 1, &objects.device, NULL, NULL, &e);
    if (!e)
        objects.queue = api.clCreateCommandQueue(objects.context, objects.device, 0, &e);
    if (!e)
        objects.mem = api.clCreateBuffer(objects.context, 0, 65536, NULL, &e);
    if (!e)
        objects.program = api.clCreateProgramWithSource(objects.context, 1, &source, NULL, &e);
    if (!e)
        e = api.clBuildProgram(objects.program, 0, NULL, NULL, NULL, NULL);
    if (!e)
        objects.kernel = api.clCreateKernel(objects.program, "k", &e);
    if (!e)
        objects.event = api.clCreateUserEvent(objects.context, &e);
    if (!e)
        e = api.clSetUserEventStatus(objects.event, CL_COMPLETE);
    if (!e)
        objects.sampler =
            api.clCreateSampler(objects.context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &e);
    if (e) {
        fprintf(stderr, "every_call: cannot make the objects (%d)\n", e);
        exit(1);
    }
}

static void load(const char *library)
{
#ifdef LINKED
    (void)library;
#define CW_API(ret, name, since, fail, handle, params, args) api.name = name;
#include "../../shim/door/api.inc"
#else
    void *l = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!l) {
        fprintf(stderr, "every_call: %s\n", dlerror());
        exit(1);
    }
#define CW_API(ret, name, since, fail, handle, params, args) *(void **)&api.name = dlsym(l, #name);
#include "../../shim/door/api.inc"
#endif
}

int main(int argc, char **argv)
{
    if (argc < 3 || !(sent = fopen(argv[1], "w")) || !(results = fopen(argv[2], "w")))
        return 2;
    load(argc > 3 ? argv[3] : NULL);
    region_map();
    make_objects();
    const struct objects made = objects;
    void *driver = dlopen(getenv("NULLCL"), RTLD_NOW | RTLD_NOLOAD);
    void (*set_echo)(int) = NULL;
    if (driver)
        *(void **)&set_echo = dlsym(driver, "nullcl_set_echo");
    if (!set_echo) {
        fprintf(stderr, "every_call: the null driver is not there\n");
        return 1;
    }
    for (int pass = 1; pass <= 3; pass++) {
        set_echo(pass == 2 ? 2 : 1);
        no_results = pass == 3;
        objects = made;
        call_core();
        call_extensions();
    }
    set_echo(0);
    return fclose(sent) || fclose(results);
}
