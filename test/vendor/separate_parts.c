/* separate_parts.c - the object that counts the maps of a sub-buffer, and whether copies of a sub-buffer heed
 * the content size of its parent: PoCL takes the parent for both until 6, the sub-buffer itself from 7.0 on
 * (CW_VENDOR_SEPARATE_PARTS). Commands under way count at the parent until 6; from 7.0 on at the sub-buffers
 * that they use, those on the parent at all of them. */
#include "common.h"

#include <stdlib.h>
#include <string.h>

typedef cl_int(CL_API_CALL *set_size)(cl_mem buffer, cl_mem size);

static struct app a;

static cl_uint maps(cl_mem m)
{
    cl_uint n = 0;

    APP_CHECK(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof n, &n, NULL));
    return n;
}

/* Of the part's 256 bytes from 256 on those that a copy takes, with 300 bytes of content in the whole. */
static int copied(cl_mem whole, cl_mem part, set_size set)
{
    uint64_t content[2] = {300, 0};
    cl_mem to = app_buffer(&a, 0, 1024, NULL);
    cl_mem size = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof content, content);
    const char one = 1, none = 0;
    char bytes[1024];
    int n = 0;

    APP_CHECK(clEnqueueFillBuffer(a.queue, whole, &one, 1, 0, 1024, 0, NULL, NULL));
    APP_CHECK(clEnqueueFillBuffer(a.queue, to, &none, 1, 0, 1024, 0, NULL, NULL));
    APP_CHECK(clEnqueueMigrateMemObjects(a.queue, 1, &size, 0, 0, NULL, NULL));
    APP_CHECK(set(whole, size));
    APP_CHECK(clEnqueueCopyBuffer(a.queue, part, to, 0, 0, 256, 0, NULL, NULL));
    APP_CHECK(clEnqueueReadBuffer(a.queue, to, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL));
    for (size_t i = 0; i < sizeof bytes; i++)
        n += bytes[i];
    APP_CHECK(clReleaseMemObject(to));
    APP_CHECK(clReleaseMemObject(whole));
    APP_CHECK(clReleaseMemObject(size));
    return n;
}

static cl_uint references(cl_mem m)
{
    cl_uint n = 0;

    APP_CHECK(clGetMemObjectInfo(m, CL_MEM_REFERENCE_COUNT, sizeof n, &n, NULL));
    return n;
}

/* References of `whole` * 10 + those of `part` that a held command on `of` adds. */
static cl_uint adds(cl_mem of, cl_mem whole, cl_mem part)
{
    cl_int err;
    cl_event gate = clCreateUserEvent(a.context, &err);
    cl_uint before = 10 * references(whole) + references(part), after;
    const char none = 0;

    APP_CHECK(err);
    APP_CHECK(clEnqueueFillBuffer(a.queue, of, &none, 1, 0, 64, 1, &gate, NULL));
    after = 10 * references(whole) + references(part);
    APP_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    APP_CHECK(clFinish(a.queue));
    APP_CHECK(clReleaseEvent(gate));
    return after - before;
}

int main(void)
{
    cl_platform_id platform;
    char name[256], version[256];
    cl_mem whole, part;
    set_size set;
    bool separate;
    cl_int err;
    void *p;

    app_open(&a, "separate_parts", 0, NULL);
    APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    APP_CHECK(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL));
    APP_CHECK(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL));
    if (strcmp(name, "Portable Computing Language") || strncmp(version, "OpenCL 3.0 PoCL ", 16))
        vendor_skip("no PoCL of OpenCL 3.0");
    separate = atof(version + 16) >= 7;
    whole = app_buffer(&a, 0, 1024, NULL);
    part = app_sub_buffer(whole, 0, 256, 256);
    p = clEnqueueMapBuffer(a.queue, part, CL_TRUE, CL_MAP_READ, 0, 256, 0, NULL, NULL, &err);
    APP_CHECK(err);
    vendor_expect(maps(part) == separate && maps(whole) == !separate, "a map of a sub-buffer counts at %s",
                  separate ? "it" : "its parent");
    APP_CHECK(clEnqueueUnmapMemObject(a.queue, part, p, 0, NULL, NULL));
    vendor_expect(adds(part, whole, part) == (separate ? 1 : 10) &&
                      adds(whole, whole, part) == (separate ? 1 : 10),
                  "commands count at %s", separate ? "the sub-buffers" : "the parent");
    *(void **)&set = clGetExtensionFunctionAddressForPlatform(platform, "clSetContentSizeBufferPoCL");
    if (set)
        vendor_expect(copied(whole, part, set) == (separate ? 256 : 44),
                      "%s has the content size of its whole", separate ? "no part" : "a part");
    APP_CHECK(clReleaseMemObject(part));
    return vendor_status();
}
