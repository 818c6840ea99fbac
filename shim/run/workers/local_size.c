/* local_size.c - asking a device which local size it chooses. */
#include "worker.h"
#include "../../door/thread.h"

#include <stdlib.h>
#include <string.h>

#include "../../door/door.h"
#include "../../builds/isolated_compiler.h"
#include "../core/thread.h"
#include "../core/global_lock.h"
#include "../core/state.h"

#define RANGES 64 /* that are remembered; others stay at home */
#define SOURCE                                                                                               \
    "kernel void cw_sizes(global ulong *out) {\n"                                                            \
    "    if (get_global_id(0) + get_global_id(1) + get_global_id(2) == 0)\n"                                 \
    "        for (int d = 0; d < 3; d++)\n"                                                                  \
    "            out[d] = get_local_size(d);\n"                                                              \
    "}\n"

enum state { SEEN, WANTED, KNOWN, UNKNOWN };

struct size_of_range {
    cl_device_id device;
    cl_uint dims;
    size_t global[3], local[3];
    enum state state;
    bool again; /* it was asked for in vain: once more, as it may have lacked what is there then */
};

/* The objects for asking a device; of the last one that was asked. */
struct probe {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem out;
    bool again; /* it was made twice: without `out` it stays as it is */
};

static struct {
    struct size_of_range range[RANGES];
    uint32_t n, wanted;
    bool started, quit;
    pthread_t thread;
    pthread_cond_t wake;
} sizes = {.wake = PTHREAD_COND_INITIALIZER};

static void probe_close(struct probe *p)
{
    if (p->out)
        cw_next.clReleaseMemObject(p->out);
    if (p->kernel)
        cw_next.clReleaseKernel(p->kernel);
    if (p->program)
        cw_next.clReleaseProgram(p->program);
    if (p->queue)
        cw_next.clReleaseCommandQueue(p->queue);
    if (p->context)
        cw_next.clReleaseContext(p->context);
    *p = (struct probe){0};
}

/* Apart (builds/isolated_compiler.h). */
static void probe_make(void *probe)
{
    struct probe *p = probe;
    cl_device_id device = p->device;
    const char *source = SOURCE;
    cl_int err;

    p->context = cw_next.clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    p->queue = p->context ? cw_next.clCreateCommandQueue(p->context, device, 0, &err) : NULL;
    p->program = p->queue ? cw_next.clCreateProgramWithSource(p->context, 1, &source, NULL, &err) : NULL;
    if (p->program && cw_next.clBuildProgram(p->program, 1, &device, "", NULL, NULL) == CL_SUCCESS)
        p->kernel = cw_next.clCreateKernel(p->program, "cw_sizes", &err);
    p->out = p->kernel
                 ? cw_next.clCreateBuffer(p->context, CL_MEM_WRITE_ONLY, 3 * sizeof(cl_ulong), NULL, &err)
                 : NULL;
}

static void probe_free(void *probe)
{
    probe_close(probe);
    free(probe);
}

static bool probe_open(struct probe *p, cl_device_id device)
{
    bool again = p->device == device;
    struct probe *made;

    if (again && (p->out || p->again))
        return p->out;
    probe_close(p);
    p->device = device;
    made = calloc(1, sizeof *made);
    if (!made)
        return false;
    made->device = device;
    if (!cw_isolated_compiler_call(device, probe_make, made, probe_free)) {
        p->device = NULL;
        return false;
    }
    *p = *made;
    p->again = again;
    free(made);
    return p->out;
}

/* Whether the vendor has its code for the range. */
static bool probe_compiled(const struct probe *p, const struct size_of_range *r)
{
    static const struct cw_run_recipe program = {SOURCE, ""};
    static const struct cw_compile_arg arg = {CW_COMPILE_MEMORY, sizeof(cl_mem)};
    struct cw_compile_range range = {.dims = r->dims};

    for (cl_uint d = 0; d < r->dims; d++)
        range.global[d] = r->global[d];
    return cw_isolated_compiler_ahead_of(p->device, &program, "cw_sizes", &range, &arg, 1) == CL_SUCCESS;
}

static bool ask(struct probe *p, struct size_of_range *r)
{
    cl_device_id parent = NULL;
    cl_ulong got[3] = {0};

    /* another sub-device may have its handle one day */
    if (cw_next.clGetDeviceInfo(r->device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL) !=
            CL_SUCCESS ||
        parent)
        return false;
    if (!probe_open(p, r->device) || !probe_compiled(p, r) ||
        cw_next.clSetKernelArg(p->kernel, 0, sizeof p->out, &p->out) != CL_SUCCESS ||
        cw_next.clEnqueueNDRangeKernel(p->queue, p->kernel, r->dims, NULL, r->global, NULL, 0, NULL, NULL) !=
            CL_SUCCESS ||
        cw_next.clEnqueueReadBuffer(p->queue, p->out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL) !=
            CL_SUCCESS)
        return false;
    for (cl_uint d = 0; d < r->dims; d++) {
        r->local[d] = got[d];
        if (!got[d] ||
            r->global[d] % got[d]) /* the last work-groups are smaller there: that cannot be asked for */
            return false;
    }
    return true;
}

static struct size_of_range *next_wanted(void)
{
    for (uint32_t i = 0; i < sizes.n; i++)
        if (sizes.range[i].state == WANTED)
            return &sizes.range[i];
    return NULL;
}

static void *work(void *unused)
{
    struct probe probe = {0};
    struct size_of_range *r, asked;

    (void)unused;
    cw_door_depth = 1; /* calls that come in here are the vendor's */
    cw_run_global_lock_take();
    while (!sizes.quit) {
        r = cw_run.ending ? NULL : next_wanted();
        if (!r) {
            pthread_cond_wait(&sizes.wake, &cw_run.lock);
            continue;
        }
        asked = *r;
        cw_run_global_lock_give();
        cw_exit_register(); /* as in workers/worker.c, prepare() */
        asked.state = ask(&probe, &asked) ? KNOWN : asked.again ? UNKNOWN : SEEN;
        asked.again = true;
        cw_next.clReleaseDevice(asked.device);
        cw_exit_register();
        cw_run_global_lock_take();
        *r = asked;
    }
    cw_run_global_lock_give();
    probe_close(&probe);
    return NULL;
}

static struct size_of_range *find(cl_device_id device, cl_uint dims, const size_t *global)
{
    for (uint32_t i = 0; i < sizes.n; i++)
        if (sizes.range[i].device == device && sizes.range[i].dims == dims &&
            !memcmp(sizes.range[i].global, global, dims * sizeof *global))
            return &sizes.range[i];
    return NULL;
}

bool cw_run_local_size_of(const struct cw_run_queue *q, cl_uint dims, const size_t *global, size_t *local)
{
    const struct cw_context_devices *devices = q->context->devices;
    const struct cw_cl_device *home = q->context->places[q->home].device;
    struct size_of_range *r = find(home->device, dims, global);

    if (r && r->state == KNOWN) {
        memcpy(local, r->local, dims * sizeof *local);
        return true;
    }
    if (sizes.quit || cw_run.off || home->dsp || devices->n == devices->homes) /* there are no helpers */
        return false;
    if (!r && sizes.n < RANGES) {
        r = &sizes.range[sizes.n++];
        *r = (struct size_of_range){.device = home->device, .dims = dims};
        memcpy(r->global, global, dims * sizeof *global);
        return false;
    }
    if (!r || r->state != SEEN)
        return false;
    if (!sizes.started)
        sizes.started = cw_run_thread_create(&sizes.thread, work, NULL);
    if (!sizes.started || cw_next.clRetainDevice(home->device) != CL_SUCCESS)
        return false;
    r->state = WANTED;
    pthread_cond_signal(&sizes.wake);
    return false;
}

void cw_run_local_size_stop(void)
{
    bool started;

    cw_run_global_lock_take();
    sizes.quit = true;
    started = sizes.started;
    sizes.started = false;
    pthread_cond_signal(&sizes.wake);
    cw_run_global_lock_give();
    if (started)
        pthread_join(sizes.thread, NULL);
}
