/* capture_wait.c - the wait of a release for the commands of a queue, which bare does not have. Where a
 * kernel may wait in a loop for the program's next call, it is bounded. */
#include "capture.h"

#include <string.h>
#include <time.h>

enum { MOST_MS = 5000, LATER_MS = 50 /* once that was not enough */ };

static _Atomic bool may_poll, has_given_up;

static bool has_any(const char *text, size_t n, const char *const *words)
{
    while (*words && !memmem(text, n, *words, strlen(*words)))
        words++;
    return *words;
}

void cw_capture_program(cl_uint count, const char **strings, const size_t *lengths)
{
    static const char *const reads[] = {"volatile", "atom", "fence", "barrier", NULL};

    for (cl_uint i = 0; i < count; i++)
        if (!strings || has_any(strings[i], lengths && lengths[i] ? lengths[i] : strlen(strings[i]), reads))
            may_poll = true;
}

static bool is_over(cl_event event)
{
    cl_int status = CL_COMPLETE;

    return cw_traced.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) !=
               CL_SUCCESS ||
           status <= CL_COMPLETE;
}

bool cw_capture_finish(cl_command_queue queue)
{
    int left = has_given_up ? LATER_MS : MOST_MS;
    cl_event event;

    if (!may_poll) {
        cw_traced.clFinish(queue);
        return true;
    }
    if (cw_traced.clEnqueueMarkerWithWaitList(queue, 0, NULL, &event) != CL_SUCCESS)
        return false;
    cw_traced.clFlush(queue);
    for (; left && !is_over(event); left--)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    has_given_up |= !left;
    cw_traced.clReleaseEvent(event);
    return left;
}
