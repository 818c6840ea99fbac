/* context_devices.c - the places where commands of one context may run. */
#include "device_board.h"
#include "../door/lock_order.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_env.h"
#include "gpu_lease.h"
#include "dsp_clock.h"
#include "../door/log.h"
#include "../../analyzer/kernels/footprint/model.h"

/* A DSP of the board works 1.1 times as fast as the host's CPU (paper, section 5). */
#define DSP_SPEED 1.1

enum { ROOTS_MAX = 16, DEPTH_MAX = 8, FAR_HOMES = 32 };

/* Of a device's own memory, for the buffers of run mode. */
#define GPU_SHARE .9

static struct cw_device_list chosen;
static bool offered; /* other GPUs, though the user did not ask for them */

/* Sub-devices that we made, per root device; they live as long as the process. */
static struct root {
    /* our parts of a part would be the very processors of the part */
    cl_device_id root, sub[CW_HELPERS_MAX];
    cl_uint n;
} roots[ROOTS_MAX];
static unsigned n_roots;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&lock, DEVICES)

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

void cw_context_devices_configure(const struct cw_device_list *list)
{
    chosen = *list;
    if (!list->given)
        chosen = (struct cw_device_list){.basic = CW_HELPERS_ALL, .dsp = CW_HELPERS_ALL};
    if (list->far == CW_HELPERS_ALL)
        chosen.far = cw_device_env_processors();
    chosen.far = least(chosen.far, CW_FAR_MAX);
}

void cw_context_devices_offer_gpus(void)
{
    offered = true;
}

bool cw_context_devices_gpus_are_offered(void)
{
    return offered;
}

static unsigned gpus_wanted(void)
{
    return offered ? CW_HELPERS_ALL : chosen.gpu;
}

_Static_assert(sizeof((struct cw_cl_device *)NULL)->lease == CW_GPU_LEASE_NAME, "a name in gpu_lease.h");

void cw_context_devices_after_fork(void)
{
    cw_gpu_lease_after_fork();
    pthread_mutex_init(&lock, NULL);
}

/* ---- facts about a device */

static cl_ulong number(cl_device_id d, cl_device_info what)
{
    cl_ulong v = 0; /* little-endian hosts: also holds a cl_uint */

    return cw_next.clGetDeviceInfo(d, what, sizeof v, &v, NULL) == CL_SUCCESS ? v : 0;
}

static bool is_own(const struct cw_board *b, cl_device_id d)
{
    for (unsigned i = 0; b && i < b->n_own; i++)
        if (b->own[i] == d)
            return true;
    return false;
}

static bool is_pocl_cpu(const struct cw_board *b, cl_device_id d)
{
    return is_own(b, d) && number(d, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU;
}

/* A CPU of PoCL or, of any depth, a sub-device of one. */
static bool is_on_pocl_cpu(const struct cw_board *b, cl_device_id d)
{
    for (int depth = 0; d && depth < DEPTH_MAX; depth++) {
        if (is_pocl_cpu(b, d))
            return true;
        d = (cl_device_id)(uintptr_t)number(d, CL_DEVICE_PARENT_DEVICE);
    }
    return false;
}

/* PoCL's target of code generation: the device's name without the driver's. */
static void target(cl_device_id d, char text[256])
{
    static const char *const drivers[] = {"cpu-minimal-", "cpu-tbb-", "cpu-", "basic-", "pthread-", "tbb-"};
    char name[256] = "";
    size_t skip = 0;

    cw_next.clGetDeviceInfo(d, CL_DEVICE_NAME, sizeof name, name, NULL);
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers && !skip; i++)
        if (!strncmp(name, drivers[i], strlen(drivers[i])))
            skip = strlen(drivers[i]);
    snprintf(text, 256, "%s", name + skip);
}

static bool same_code(cl_device_id a, cl_device_id b)
{
    char ta[256], tb[256];

    target(a, ta);
    target(b, tb);
    return number(a, CL_DEVICE_PLATFORM) == number(b, CL_DEVICE_PLATFORM) && !strcmp(ta, tb);
}

/* ---- sub-devices */

/* Sub-devices of a CPU of so many units: as chosen; else those for which there are no `basic` devices. */
static cl_uint parts_of(cl_uint units, const struct cw_board *b)
{
    cl_uint most = cw_device_env_processors();

    if (chosen.given)
        return chosen.sub < units ? chosen.sub : units < CW_HELPERS_MAX ? units : CW_HELPERS_MAX;
    most = most < CW_HELPERS_MAX ? most : CW_HELPERS_MAX - 1; /* home has a worker, too */
    units = units < most ? units : most;
    return b->filtered && !cw_board_dsps_wanted && b->n_hidden < units ? units - b->n_hidden : 0;
}

/* Divides `root` into about so many equal sub-devices; their units are rounded down, so there may be more,
 * and up where more than CW_HELPERS_MAX would come out. Returns their number, `parts` at most. */
static cl_uint divide(cl_device_id root, cl_uint parts, cl_device_id sub[CW_HELPERS_MAX])
{
    cl_uint units = (cl_uint)number(root, CL_DEVICE_MAX_COMPUTE_UNITS), n = 0, each;
    cl_int error;

    if (parts < 2)
        return 0;
    each = units / parts;
    each += units / each > CW_HELPERS_MAX;
    cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, (cl_device_partition_property)each,
                                              0};
    error = cw_next.clCreateSubDevices(root, equally, 0, NULL, &n);
    if (error == CL_SUCCESS && n <= CW_HELPERS_MAX)
        error = cw_next.clCreateSubDevices(root, equally, n, sub, NULL);
    if (error != CL_SUCCESS || n > CW_HELPERS_MAX) {
        cw_log_warning("the CPU cannot be divided into %u sub-devices (error %d): none of them helps", parts,
                       error);
        return 0;
    }
    return n < parts ? n : parts;
}

/* The entry of made->root, which `adds` makes of `made` where there is none. NULL: there is none. */
static const struct root *known(const struct root *made, bool adds)
{
    unsigned k = 0;

    pthread_mutex_lock(&lock);
    while (k < n_roots && roots[k].root != made->root)
        k++;
    if (adds && k == n_roots && k < ROOTS_MAX)
        roots[n_roots++] = *made;
    adds = k < n_roots;
    pthread_mutex_unlock(&lock);
    return adds ? &roots[k] : NULL;
}

/* The sub-devices of `root`, made at the first call. */
static cl_uint sub_devices(cl_device_id root, cl_uint parts, const cl_device_id **sub)
{
    struct root made = {.root = root};
    const struct root *r = known(&made, false);

    if (!r) {
        made.n = divide(root, parts, made.sub);
        r = known(&made, true);
        for (cl_uint i = 0; i < made.n; i++)
            if (!r || r->sub[i] != made.sub[i]) /* another thread was first */
                cw_next.clReleaseDevice(made.sub[i]);
    }
    *sub = r ? r->sub : NULL;
    return r ? r->n : 0;
}

/* ---- sub-devices of the program's, kept alive */

struct held {
    struct held *next;
    cl_device_id device;
    cl_uint count;
};
static struct held *held_list;

static struct held **held_at(cl_device_id device)
{
    struct held **h = &held_list;

    while (*h && (*h)->device != device)
        h = &(*h)->next;
    return h;
}

void cw_context_devices_hold(cl_device_id device)
{
    struct held **h;
    bool counted;

    if (!number(device, CL_DEVICE_PARENT_DEVICE) || cw_next.clRetainDevice(device) != CL_SUCCESS)
        return;
    pthread_mutex_lock(&lock);
    h = held_at(device);
    if (!*h && (*h = calloc(1, sizeof **h)))
        (*h)->device = device;
    counted = *h;
    if (counted)
        (*h)->count++;
    pthread_mutex_unlock(&lock);
    if (!counted)
        cw_next.clReleaseDevice(device);
}

void cw_context_devices_let_go(cl_device_id device)
{
    struct held **h, *over = NULL;
    bool ours;

    pthread_mutex_lock(&lock);
    h = held_at(device);
    ours = *h && (*h)->count;
    if (ours && !--(*h)->count) {
        over = *h;
        *h = over->next;
    }
    pthread_mutex_unlock(&lock);
    if (ours)
        cw_next.clReleaseDevice(device);
    free(over);
}

cl_uint cw_context_devices_held(cl_device_id device)
{
    struct held **h;
    cl_uint count;

    if (!__atomic_load_n(&held_list, __ATOMIC_RELAXED))
        return 0;
    pthread_mutex_lock(&lock);
    h = held_at(device);
    count = *h ? (*h)->count : 0;
    pthread_mutex_unlock(&lock);
    return count;
}

/* ---- the list */

static const char *class_of(cl_device_id d)
{
    cl_ulong type = number(d, CL_DEVICE_TYPE);

    return type & CL_DEVICE_TYPE_CPU ? "cpu" : type & CL_DEVICE_TYPE_GPU ? "gpu" : "other";
}

/* Precisions in which every operation that OpenCL C wants correctly rounded comes to one result. */
static unsigned floats_of(cl_device_id d)
{
    const cl_ulong all = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST;

    return ((number(d, CL_DEVICE_SINGLE_FP_CONFIG) & all) == all ? CW_MODEL_SINGLE : 0u) |
           ((number(d, CL_DEVICE_DOUBLE_FP_CONFIG) & all) == all ? CW_MODEL_DOUBLE : 0u);
}

static struct cw_cl_device *add(struct cw_context_devices *s, enum cw_device_kind kind, cl_device_id d)
{
    struct cw_cl_device *device = &s->device[s->n++];
    cl_device_id first = s->device[0].device ? s->device[0].device : d;
    int dsp = cw_device_board_dsp(d);

    *device = (struct cw_cl_device){.kind = dsp >= 0 ? CW_DEVICE_KIND_DSP : kind,
                                    .traits = cw_device_traits(d),
                                    .floats = floats_of(d),
                                    .compute_units = (cl_uint)number(d, CL_DEVICE_MAX_COMPUTE_UNITS),
                                    .platform = (cl_platform_id)(uintptr_t)number(d, CL_DEVICE_PLATFORM),
                                    .device = d,
                                    .class_name = dsp >= 0 ? "dsp" : class_of(d)};
    device->same_code = first == d || same_code(d, first);
    if (dsp >= 0) {
        device->dsp = cw_dsp_at((unsigned)dsp);
        device->speed = DSP_SPEED;
        snprintf(device->name, sizeof device->name, "dsp%d", dsp);
    }
    return device;
}

/* Devices of the program's platforms that have memories of their own. */
static cl_device_id own[FAR_HOMES];
static struct cw_far_memory own_memory[FAR_HOMES];

/* Sets the device's memory to one of its own, with a number behind those of far helpers; `far` NULL: as large
 * as the vendor says. There may be too many. */
static void give_memory(struct cw_cl_device *device, const struct cw_far_memory *far)
{
    double bytes = far ? 0 : (double)number(device->device, CL_DEVICE_GLOBAL_MEM_SIZE);
    uint32_t i = 0;

    pthread_mutex_lock(&lock);
    while (i < FAR_HOMES && own[i] && own[i] != device->device)
        i++;
    if (i < FAR_HOMES && !own[i] && !far)
        own_memory[i].capacity = (uint64_t)(GPU_SHARE * bytes);
    if (i < FAR_HOMES)
        own[i] = device->device;
    pthread_mutex_unlock(&lock);
    device->memory = i < FAR_HOMES ? CW_FAR_MAX + 1 + i : 0;
    device->far = !device->memory ? NULL : far ? far : &own_memory[i];
}

static void add_homes(struct cw_context_devices *s, const cl_device_id *devices, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct cw_cl_device *device = add(s, CW_DEVICE_KIND_HOME, devices[i]);
        device->home = true;
        if (device->kind == CW_DEVICE_KIND_DSP)
            continue;
        device->speed = 1;
        device->pace = chosen.pace;
        if (chosen.far_home)
            give_memory(device, &chosen.far_item[0].memory);
        snprintf(device->name, sizeof device->name, i ? "%s%zu" : "%s", device->class_name, i);
    }
    s->homes = n;
}

static void add_helpers(struct cw_context_devices *s, const struct cw_board *b, cl_device_id cpu)
{
    const cl_device_id *sub = NULL;
    bool whole = cpu && is_pocl_cpu(b, cpu);
    double units = cpu ? (double)number(cpu, CL_DEVICE_MAX_COMPUTE_UNITS) : 1;
    cl_uint parts = whole ? parts_of((cl_uint)units, b) : 0;
    cl_uint n_sub = parts ? sub_devices(cpu, parts, &sub) : 0;
    unsigned far = least(chosen.far, b->n_hidden), near = least(b->n_hidden - far, chosen.basic);

    for (cl_uint i = 0; i < n_sub; i++) {
        struct cw_cl_device *device = add(s, CW_DEVICE_KIND_SUBDEVICE, sub[i]);
        device->speed = device->compute_units / units;
        snprintf(device->name, sizeof device->name, "sub%u", i);
    }
    for (unsigned i = 0; cpu && i < near; i++) {
        struct cw_cl_device *device = add(s, CW_DEVICE_KIND_BASIC, b->hidden[i]);
        device->speed = 1 / units;
        snprintf(device->name, sizeof device->name, "basic%u", i);
    }
    for (unsigned i = 0; cpu && i < far; i++) {
        struct cw_cl_device *device = add(s, CW_DEVICE_KIND_BASIC, b->hidden[b->n_hidden - far + i]);
        const struct cw_far_devices *item = cw_device_list_far_of(&chosen, i);
        device->speed = (item->speed > 0 ? item->speed : 1) / (chosen.pace > 0 ? 1 : units);
        device->pace = cw_device_list_far_pace(&chosen, item);
        device->memory = i + 1;
        device->far = &item->memory;
        snprintf(device->name, sizeof device->name, "far%u", i);
    }
    for (unsigned i = 0; i < b->n_dsp && i < chosen.dsp; i++) {
        bool is_home = false;
        for (size_t k = 0; k < s->homes; k++)
            is_home |= s->device[k].device == b->dsp[i];
        if (!is_home)
            add(s, CW_DEVICE_KIND_DSP, b->dsp[i]);
    }
}

/* CL_DEVICE_UUID_KHR, in hexadecimal digits; "": the vendor tells none. */
static void name_gpu(cl_device_id device, char name[CW_GPU_LEASE_NAME])
{
    unsigned char uuid[16];

    *name = '\0';
    if (cw_next.clGetDeviceInfo(device, 0x106A, sizeof uuid, uuid, NULL) != CL_SUCCESS)
        return;
    for (size_t i = 0; i < sizeof uuid; i++)
        snprintf(name + 2 * i, CW_GPU_LEASE_NAME - 2 * i, "%02x", uuid[i]);
}

/* A GPU helps, unless other processes use it. */
static void add_gpu(struct cw_context_devices *s, cl_device_id id, double speed)
{
    char name[CW_GPU_LEASE_NAME];
    struct cw_cl_device *device;

    name_gpu(id, name);
    if (*name && !cw_gpu_lease_help(name))
        return;
    device = add(s, CW_DEVICE_KIND_GPU, id);
    memcpy(device->lease, name, sizeof device->lease);
    device->speed = speed;
    snprintf(device->name, sizeof device->name, "gpu%zu", s->n - s->homes - 1);
    give_memory(device, NULL);
    s->n -= !device->memory;
}

/* Other GPUs of the home's platform and name. */
static void add_gpus(struct cw_context_devices *s)
{
    const struct cw_cl_device *home = &s->device[0];
    cl_device_id device[CW_HELPERS_MAX];
    cl_uint n = 0;

    if (cw_next.clGetDeviceIDs(home->platform, CL_DEVICE_TYPE_GPU, CW_HELPERS_MAX, device, &n) != CL_SUCCESS)
        return;
    n = least(n, CW_HELPERS_MAX);
    for (cl_uint i = 0; i < n && s->n - s->homes < gpus_wanted(); i++)
        if (device[i] != home->device && same_code(device[i], home->device))
            add_gpu(s, device[i], 1);
}

/* ---- devices of other platforms: for kernels of which every device makes the same bits, and, under
 * --set numerics=relaxed, for all */

/* Theoretical peak in single precision, relative to others: units times clock times what a unit begins in one
 * clock, which OpenCL does not tell. A guess until launches are measured. */
static double peak(cl_device_id d)
{
    enum { CPU_WORKERS = 8, GPU_WORKERS = 128 };
    cl_ulong clock = number(d, CL_DEVICE_MAX_CLOCK_FREQUENCY); /* MHz; 0: the vendor does not know */

    return (double)number(d, CL_DEVICE_MAX_COMPUTE_UNITS) * (double)(clock ? clock : 1000) *
           (number(d, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU ? GPU_WORKERS : CPU_WORKERS);
}

/* Pointers and numbers lie in memory as they do at home. */
static bool has_layout(cl_device_id d, cl_device_id home)
{
    return number(d, CL_DEVICE_ADDRESS_BITS) == number(home, CL_DEVICE_ADDRESS_BITS) &&
           number(d, CL_DEVICE_ENDIAN_LITTLE) == number(home, CL_DEVICE_ENDIAN_LITTLE);
}

/* PoCL's CPU beside a GPU of the program's: it works on the host's memory. */
static void add_cpu(struct cw_context_devices *s, const struct cw_board *b)
{
    const struct cw_cl_device *home = &s->device[0];

    for (unsigned i = 0; b && chosen.cpu && i < b->n_own; i++) {
        struct cw_cl_device *device;

        if (!is_pocl_cpu(b, b->own[i]) || !has_layout(b->own[i], home->device))
            continue;
        device = add(s, CW_DEVICE_KIND_CPU, b->own[i]);
        device->speed = peak(device->device) / peak(home->device);
        snprintf(device->name, sizeof device->name, "cpu");
        return;
    }
}

/* GPUs of other platforms beside a CPU of the program's. */
static void add_other_gpus(struct cw_context_devices *s, cl_device_id cpu)
{
    enum { PLATFORMS = 16 };
    cl_platform_id platform[PLATFORMS];
    cl_device_id device[CW_HELPERS_MAX];
    cl_uint platforms = 0, n;
    size_t first = s->n;

    if (!chosen.gpu || !cpu || cw_next.clGetPlatformIDs(PLATFORMS, platform, &platforms) != CL_SUCCESS)
        return;
    for (cl_uint k = 0; k < least(platforms, PLATFORMS); k++) {
        n = 0;
        if (platform[k] == s->device[0].platform ||
            cw_next.clGetDeviceIDs(platform[k], CL_DEVICE_TYPE_GPU, CW_HELPERS_MAX, device, &n) != CL_SUCCESS)
            continue;
        for (cl_uint i = 0; i < least(n, CW_HELPERS_MAX) && s->n - first < chosen.gpu; i++)
            if (cw_device_traits(device[i]) & CW_VENDOR_OWN_MEMORY && has_layout(device[i], cpu))
                add_gpu(s, device[i], peak(device[i]) / peak(cpu));
    }
}

/* Helpers of a GPU of the program's. */
static void help_gpu(struct cw_context_devices *s, const struct cw_board *b)
{
    char name[CW_GPU_LEASE_NAME];

    if (s->homes != 1 || !(gpus_wanted() || chosen.cpu) ||
        !cw_device_has(&s->device[0], CW_VENDOR_OWN_MEMORY))
        return;
    name_gpu(s->device[0].device, name);
    if (*name)
        cw_gpu_lease_use(name);
    add_gpus(s);
    add_cpu(s, b);
    if (s->n > s->homes)
        give_memory(&s->device[0], NULL);
    if (!s->device[0].memory)
        s->n = s->homes;
}

/* Said once. */
static void miss_gpus(const struct cw_context_devices *s)
{
    static bool said;
    char name[256] = "";

    for (size_t i = s->homes; i < s->n; i++)
        if (s->device[i].kind == CW_DEVICE_KIND_GPU || s->device[i].kind == CW_DEVICE_KIND_CPU)
            return;
    if (!chosen.gpu || __atomic_test_and_set(&said, __ATOMIC_RELAXED))
        return;
    cw_next.clGetDeviceInfo(s->device[0].device, CL_DEVICE_NAME, sizeof name, name, NULL);
    cw_log_warning(
        "--devices gpu: nothing helps %s: no other GPU that may help it is there and free, or contexts "
        "of several devices and other vendors than NVIDIA get no such help",
        name);
}

struct cw_context_devices *cw_context_devices_create(const cl_device_id *devices, size_t n_devices)
{
    const struct cw_board *b = cw_device_board();
    cl_device_id cpu = NULL;
    struct cw_context_devices *s;
    bool pocl = true;
    int saved = errno;

    if (!n_devices)
        return NULL;
    s = calloc(1, sizeof *s + (n_devices + 4 * CW_HELPERS_MAX) * sizeof *s->device);
    if (!s)
        return NULL;
    add_homes(s, devices, n_devices);
    for (size_t i = 0; i < n_devices; i++) {
        /* a program that takes sub-devices has its reasons: helpers only where they are asked for */
        bool is_cpu = is_pocl_cpu(b, devices[i]) || (chosen.given && is_on_pocl_cpu(b, devices[i]));
        if (is_cpu && !cpu)
            cpu = devices[i];
        pocl &= is_cpu || s->device[i].dsp;
    }
    if (b && pocl) {
        add_helpers(s, b, cpu);
        add_other_gpus(s, cpu);
    } else {
        help_gpu(s, b);
    }
    miss_gpus(s);
    errno = saved;
    return s;
}
