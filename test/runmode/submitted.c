/* submitted.c - callbacks for each state of a command, which ask about its event: each is called once, and
 * sees no state before its own. */
#include "common.h"

#include <stdatomic.h>

enum { COMMANDS = 100, BUFFERS = 4, STATES = 3, ITEMS = 4096 };

static atomic_uint called[COMMANDS][STATES], early, nested, returned;

static void CL_CALLBACK nested_called(cl_event e, cl_int status, void *unused)
{
    (void)e, (void)status, (void)unused;
    nested++;
    returned++;
}

static void CL_CALLBACK state_called(cl_event e, cl_int status, void *data)
{
    atomic_uint *times = data;
    cl_int state = (cl_int)((times - called[0]) % STATES);

    ++*times;
    early += rm_status(e) > state || status > state;
    if (state == CL_COMPLETE)
        APP_CHECK(clSetEventCallback(e, CL_COMPLETE, nested_called, NULL));
    returned++;
}

int main(void)
{
    struct app a;
    cl_kernel kernel;
    cl_mem x[BUFFERS];
    cl_event e[COMMANDS];
    unsigned once = 0;

    app_open(&a, "submitted", 0, RM_SOURCE);
    kernel = app_kernel(&a, "slow");
    for (int i = 0; i < BUFFERS; i++)
        x[i] = app_buffer(&a, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_int), NULL);
    for (int i = 0; i < COMMANDS; i++) {
        app_args(kernel, "mi", x[i % BUFFERS], 100);
        app_run(a.queue, kernel, ITEMS, 0, 0, NULL, &e[i]);
        for (int state = CL_COMPLETE; state < STATES; state++)
            APP_CHECK(clSetEventCallback(e[i], state, state_called, &called[i][state]));
    }
    APP_CHECK(clFinish(a.queue));
    RM_WAIT(returned >= COMMANDS * (STATES + 1));
    for (int i = 0; i < COMMANDS; i++)
        for (int state = 0; state < STATES; state++)
            once += called[i][state] == 1;
    printf("called once %u, early %u, nested %u\n", once, early, nested);
    for (int i = 0; i < COMMANDS; i++)
        clReleaseEvent(e[i]);
    return app_close(&a);
}
