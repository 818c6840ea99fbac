/* common.c - see common.h. */
#include "common.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int changed;

void vendor_skip(const char *why)
{
    printf("%s\n", why);
    exit(77);
}

void vendor_expect(bool as_written, const char *fmt, ...)
{
    va_list values;
    va_start(values, fmt);
    fputs(as_written ? "as written down: " : "CHANGED: ", stdout);
    vprintf(fmt, values);
    putchar('\n');
    fflush(stdout);
    va_end(values);
    changed |= !as_written;
}

int vendor_status(void)
{
    return changed;
}

static unsigned words_in(const char *s)
{
    unsigned n = 0;
    for (bool between = true; *s; s++) {
        n += between && *s != ' ';
        between = *s == ' ';
    }
    return n;
}

static cl_platform_id find_pocl(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    char version[256];
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
        vendor_skip("there is no OpenCL platform");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        APP_CHECK(clGetPlatformInfo(platforms[i], CL_PLATFORM_VERSION, sizeof version, version, NULL));
        if (strstr(version, "PoCL 3.1") || strstr(version, "pocl 3.1"))
            return platforms[i];
    }
    vendor_skip("no platform is PoCL 3.1");
}

void vendor_open(struct vendor *v, const char *devices, const char *source, const char *options)
{
    cl_int err;
    *v = (struct vendor){0};
    setenv("POCL_DEVICES", devices, 1);
    v->platform = find_pocl();
    APP_CHECK(clGetDeviceIDs(v->platform, CL_DEVICE_TYPE_ALL, VENDOR_MOST_DEVICES, v->devices, &v->count));
    if (v->count != words_in(devices))
        vendor_skip("PoCL does not make the devices that POCL_DEVICES names");
    v->context = clCreateContext(NULL, v->count, v->devices, NULL, NULL, &err);
    APP_CHECK(err);
    if (!source)
        return;
    v->program = clCreateProgramWithSource(v->context, 1, &source, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clBuildProgram(v->program, 0, NULL, options, NULL, NULL));
}

void vendor_close(struct vendor *v)
{
    if (v->program)
        APP_CHECK(clReleaseProgram(v->program));
    APP_CHECK(clReleaseContext(v->context));
}

cl_uint vendor_find(const struct vendor *v, const char *driver)
{
    char name[256];
    for (cl_uint i = 0; i < v->count; i++) {
        APP_CHECK(clGetDeviceInfo(v->devices[i], CL_DEVICE_NAME, sizeof name, name, NULL));
        if (strncmp(name, driver, strlen(driver)) == 0)
            return i;
    }
    fprintf(stderr, "no device's name begins with %s\n", driver);
    exit(1);
}

cl_command_queue vendor_queue(const struct vendor *v, cl_uint i)
{
    cl_int err;
    cl_command_queue q = clCreateCommandQueueWithProperties(v->context, v->devices[i], NULL, &err);
    APP_CHECK(err);
    return q;
}

cl_kernel vendor_kernel(const struct vendor *v, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(v->program, name, &err);
    APP_CHECK(err);
    return k;
}

cl_mem vendor_buffer(const struct vendor *v, size_t bytes, void *host)
{
    cl_int err;
    cl_mem m = clCreateBuffer(v->context, host ? CL_MEM_USE_HOST_PTR : CL_MEM_READ_WRITE, bytes, host, &err);
    APP_CHECK(err);
    return m;
}

int vendor_in_child(int (*body)(void *), void *data, unsigned limit_s)
{
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        vendor_skip("cannot start a child process");
    if (child == 0)
        exit(body(data));
    int status = 0;
    for (unsigned waited_ms = 0; waitpid(child, &status, WNOHANG) == 0; waited_ms += 10) {
        if (waited_ms >= limit_s * 1000) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return VENDOR_HUNG;
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        exit(77);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

cl_int vendor_event_status(cl_event e)
{
    cl_int status = CL_QUEUED;
    APP_CHECK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}
