/* empty_contexts.c - clCreateContextFromType for a type that no device is of gives an error and a context all
 * the same, without devices; releasing that aborts the process when one other context is alive, as it counts
 * as a user of the compiler that it never was. Run mode keeps contexts of its own, so it keeps such a one
 * from being freed (api/context.c). */
#include "common.h"

#include <signal.h>
#include <sys/resource.h>

static int release_one(void *others)
{
    struct vendor v;
    cl_int err;
    cl_context_properties properties[3] = {CL_CONTEXT_PLATFORM, 0, 0};
    cl_context empty;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    vendor_open(&v, "basic", NULL, "");
    properties[1] = (cl_context_properties)v.platform;
    empty = clCreateContextFromType(properties, CL_DEVICE_TYPE_GPU, NULL, NULL, &err);
    if (err != CL_DEVICE_NOT_FOUND || !empty)
        return 1;
    if (!others)
        APP_CHECK(clReleaseContext(v.context));
    clReleaseContext(empty);
    return 0;
}

int main(void)
{
    bool yes = true;
    int alone = vendor_in_child(release_one, NULL, 60), beside = vendor_in_child(release_one, &yes, 300);
    vendor_expect(alone == 0, "a context without devices, released on its own: status %d", alone);
    vendor_expect(beside == 128 + SIGABRT, "the same beside another context: status %d", beside);
    return vendor_status();
}
