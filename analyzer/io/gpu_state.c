/* gpu_state.c - see gpu_state.h. */
#include "gpu_state.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define MOST_USED 100 /* so small a part of its memory an idle GPU uses at most */

/* ---- NVML: structures and functions as its documentation has them; each returns 0 or an error */

typedef struct nvmlDevice_st *nvmlDevice_t;

struct pci {
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem;
    char name[32];
};

struct memory {
    unsigned long long total, free, used;
};

enum { TOO_SMALL = 7 }; /* there are more processes than there was room for */

#define FUNCTIONS(X)                                                                                         \
    X(nvmlInit_v2, (void))                                                                                   \
    X(nvmlShutdown, (void))                                                                                  \
    X(nvmlDeviceGetCount_v2, (unsigned *))                                                                   \
    X(nvmlDeviceGetHandleByIndex_v2, (unsigned, nvmlDevice_t *))                                             \
    X(nvmlDeviceGetPciInfo_v3, (nvmlDevice_t, struct pci *))                                                 \
    X(nvmlDeviceGetMemoryInfo, (nvmlDevice_t, struct memory *))                                              \
    X(nvmlDeviceGetComputeRunningProcesses_v3, (nvmlDevice_t, unsigned *, void *))                           \
    X(nvmlDeviceGetGraphicsRunningProcesses_v3, (nvmlDevice_t, unsigned *, void *))

struct nvml {
#define MEMBER(name, params) int(*name) params;
    FUNCTIONS(MEMBER)
};

static bool load(struct nvml *n, char *why, size_t size)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL), *function;

    snprintf(why, size, "not known whether it is idle: libnvidia-ml.so.1 is not there");
    if (!library)
        return false;
#define FIND(name, params)                                                                                   \
    if (!(function = dlsym(library, #name))) {                                                               \
        snprintf(why, size, "not known whether it is idle: libnvidia-ml.so.1 has no " #name);                \
        return false;                                                                                        \
    }                                                                                                        \
    memcpy(&n->name, &function, sizeof function);
    FUNCTIONS(FIND)
    return true;
}

/* ---- the GPU's place */

/* cl_khr_pci_bus_info, or cl_nv_device_attribute_query. */
static bool find_place(__typeof__(clGetDeviceInfo) *info, cl_device_id device, struct pci *place)
{
    enum { KHR = 0x410F, NV_BUS = 0x4008, NV_NUMBER = 0x4009, NV_DOMAIN = 0x400A };
    cl_uint at[4] = {0}, number = 0;

    if (info(device, KHR, sizeof at, at, NULL) != CL_SUCCESS) {
        if (info(device, NV_BUS, sizeof at[1], &at[1], NULL) != CL_SUCCESS ||
            info(device, NV_NUMBER, sizeof number, &number, NULL) != CL_SUCCESS)
            return false;
        at[2] = number >> 3; /* the function is below */
        if (info(device, NV_DOMAIN, sizeof at[0], &at[0], NULL) != CL_SUCCESS)
            at[0] = 0;
    }
    *place = (struct pci){.domain = at[0], .bus = at[1], .device = at[2]};
    return true;
}

static bool find_gpu(const struct nvml *n, const struct pci *place, nvmlDevice_t *gpu)
{
    struct pci pci;
    unsigned count = 0;

    if (n->nvmlDeviceGetCount_v2(&count))
        return false;
    for (unsigned i = 0; i < count; i++)
        if (!n->nvmlDeviceGetHandleByIndex_v2(i, gpu) && !n->nvmlDeviceGetPciInfo_v3(*gpu, &pci) &&
            pci.domain == place->domain && pci.bus == place->bus && pci.device == place->device)
            return true;
    return false;
}

/* ---- the answer */

static bool look(const struct nvml *n, nvmlDevice_t gpu, char *why, size_t size)
{
    unsigned computing = 0, drawing = 0;
    struct memory m = {0};
    int a = n->nvmlDeviceGetComputeRunningProcesses_v3(gpu, &computing, NULL);
    int b = n->nvmlDeviceGetGraphicsRunningProcesses_v3(gpu, &drawing, NULL);
    int c = n->nvmlDeviceGetMemoryInfo(gpu, &m);

    if ((a && a != TOO_SMALL) || (b && b != TOO_SMALL) || c || !m.total) {
        snprintf(why, size, "not known whether it is idle: NVML answers with errors %d, %d, %d", a, b, c);
        return false;
    }
    if (a || b || computing || drawing) {
        snprintf(why, size, "in use: %u processes", computing + drawing);
        return false;
    }
    if (m.used > m.total / MOST_USED) {
        snprintf(why, size, "in use: %.0f %% of its memory", 100. * (double)m.used / (double)m.total);
        return false;
    }
    snprintf(why, size, "idle");
    return true;
}

bool cw_gpu_state_is_idle(__typeof__(clGetDeviceInfo) *info, cl_device_id device, char *why, size_t size)
{
    struct nvml n;
    struct pci place;
    nvmlDevice_t gpu;
    bool idle = false;
    int error;

    if (!find_place(info, device, &place)) {
        snprintf(why, size, "not known whether it is idle: its vendor does not say where it is");
        return false;
    }
    if (!load(&n, why, size))
        return false;
    error = n.nvmlInit_v2();
    if (error) {
        snprintf(why, size, "not known whether it is idle: NVML does not start (error %d)", error);
        return false;
    }
    if (find_gpu(&n, &place, &gpu))
        idle = look(&n, gpu, why, size);
    else
        snprintf(why, size, "not known whether it is idle: NVML has no GPU at %04x:%02x:%02x", place.domain,
                 place.bus, place.device);
    n.nvmlShutdown();
    return idle;
}
