/* fork_in_callback.c - a child that is forked by a callback, which the vendor runs within the call that asks
 * for it, returns from that call. Exit status 0: the child has ended as it should. */
#include <CL/cl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child = -1;
static int calls;

static void CL_CALLBACK over(cl_event event, cl_int status, void *unused)
{
    (void)event, (void)status, (void)unused;
    if (++calls == 3)
        child = fork();
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_event event;
    cl_int err;
    int status = 1;

    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    event = clCreateUserEvent(context, &err);
    clSetUserEventStatus(event, CL_COMPLETE);
    for (int i = 0; i < 3; i++) {
        clSetEventCallback(event, CL_COMPLETE, over, NULL);
        if (child == 0)
            _exit(0);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    return status ? 1 : 0;
}
