#include "device_board.h"
#include "../door/lock_order.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "device_env.h"
#include "../door/clock.h"
#include "../door/log.h"

unsigned cw_board_dsps_wanted;

static struct cw_board board;
static bool found; /* stored last */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&lock, BOARD)
static __thread bool finding __attribute__((tls_model("initial-exec")));

static bool is_basic(cl_device_id d)
{
    char name[256] = "";

    return cw_next.clGetDeviceInfo(d, CL_DEVICE_NAME, sizeof name, name, NULL) == CL_SUCCESS &&
           cw_vendor_traits_is_basic(name);
}

bool cw_device_far;

uint32_t cw_device_traits(cl_device_id device)
{
    char platform[64] = "", name[256] = "", platform_version[256] = "", version[256] = "";
    struct cw_vendor_device d = {.platform = platform,
                                 .device = name,
                                 .platform_version = platform_version,
                                 .device_version = version,
                                 .dressed = cw_device_board_dsp(device) >= 0};
    uint32_t traits;
    cl_platform_id id = NULL;

    cw_next.clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof id, &id, NULL);
    cw_next.clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof d.type, &d.type, NULL);
    cw_next.clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    cw_next.clGetPlatformInfo(id, CL_PLATFORM_NAME, sizeof platform, platform, NULL);
    cw_next.clGetPlatformInfo(id, CL_PLATFORM_VERSION, sizeof platform_version, platform_version, NULL);
    cw_next.clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL);
    traits = cw_vendor_traits_of(&d);
    if (cw_device_far && traits & CW_VENDOR_USER_EVENTS)
        traits = (traits & ~(uint32_t)(CW_VENDOR_ZERO_COPY_HOST_PTR | CW_VENDOR_HOST_PTR_COHERENT)) |
                 CW_VENDOR_PINNED;
    return traits;
}

static cl_platform_id find_pocl(void)
{
    cl_platform_id platforms[32];
    cl_uint n = 0;
    char name[64];

    if (cw_next.clGetPlatformIDs(32, platforms, &n) != CL_SUCCESS)
        return NULL;
    for (cl_uint i = 0; i < n && i < 32; i++)
        if (cw_next.clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL) ==
                CL_SUCCESS &&
            cw_vendor_traits_some(name, CW_VENDOR_HIDDEN_DEVICES))
            return platforms[i];
    return NULL;
}

/* Shares PoCL's devices out: own, hidden, DSPs. */
static void share_out(const cl_device_id *devices, cl_uint n)
{
    unsigned basics = 0, n_dsp = cw_board_dsps_wanted, expected = cw_device_env_basics(),
             n_hidden = expected - n_dsp;

    for (cl_uint i = 0; i < n; i++)
        basics += is_basic(devices[i]);
    if (cw_device_env_state() != CW_DEVICE_ENV_OURS || basics != expected || basics == n ||
        n_dsp > expected) {
        memcpy(board.own, devices, n * sizeof *devices);
        board.n_own = n;
        return;
    }
    for (cl_uint i = 0; i < n; i++) {
        if (!is_basic(devices[i]))
            board.own[board.n_own++] = devices[i];
        else if (board.n_hidden < n_hidden)
            board.hidden[board.n_hidden++] = devices[i];
        else
            board.dsp[board.n_dsp++] = devices[i];
    }
    board.filtered = true;
}

static void explain(void)
{
    static const char *const reasons[] = {
        [CW_DEVICE_ENV_NONE] = "",
        [CW_DEVICE_ENV_OURS] =
            ("PoCL did not give the devices that it was asked for; where several vendors are installed "
             "the loader may have asked it first: OCL_ICD_VENDORS=pocl.icd leaves PoCL alone there"),
        [CW_DEVICE_ENV_USERS] =
            "POCL_DEVICES is set, and holds as it is; unset it to let clweave add devices",
        [CW_DEVICE_ENV_LATE] =
            "the library was loaded as a layer into a process with several threads; preload it",
    };
    const char *reason = !board.platform ? "PoCL is not installed" : reasons[cw_device_env_state()];

    if (board.filtered || !cw_device_env_basics())
        return;
    snprintf(board.why, sizeof board.why, "%s", reason);
    if (cw_board_dsps_wanted)
        cw_log_error("no emulated DSPs: %s", reason);
    else
        cw_log_info("no helper devices of PoCL: %s", reason);
}

static void find(void)
{
    cl_device_id devices[CW_DEVICES_MAX];
    cl_uint n = 0;
    uint64_t begin;

    cw_device_early_end();
    board.platform = find_pocl();
    if (board.platform) {
        cw_device_env_show();
        begin = cw_now_ns();
        if (cw_next.clGetDeviceIDs(board.platform, CL_DEVICE_TYPE_ALL, CW_DEVICES_MAX, devices, &n) !=
            CL_SUCCESS)
            n = 0;
        cw_device_env_hide();
        share_out(devices, n < CW_DEVICES_MAX ? n : CW_DEVICES_MAX);
        /* its own start takes as long as that of a device */
        board.helpers_ns = (double)(cw_now_ns() - begin) * board.n_hidden / (n + 1);
    }
    cw_log_debug("PoCL: %u own devices, %u hidden, %u DSPs", board.n_own, board.n_hidden, board.n_dsp);
    explain();
}

const struct cw_board *cw_device_board(void)
{
    int saved = errno;

    if (CW_LIKELY(__atomic_load_n(&found, __ATOMIC_ACQUIRE)))
        return &board;
    if (finding)
        return NULL;
    pthread_mutex_lock(&lock);
    if (!found) {
        finding = true;
        find();
        finding = false;
        __atomic_store_n(&found, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    errno = saved;
    return &board;
}

double cw_device_helpers_ns(void)
{
    return __atomic_load_n(&found, __ATOMIC_ACQUIRE) ? board.helpers_ns : 0;
}

int cw_device_board_dsp(cl_device_id device)
{
    if (!__atomic_load_n(&found, __ATOMIC_ACQUIRE))
        return -1;
    for (unsigned i = 0; i < board.n_dsp; i++)
        if (board.dsp[i] == device)
            return (int)i;
    return -1;
}

/* A thread that was finding the board in the parent does not exist here; PoCL's own lock has the same fate.
 */
void cw_device_board_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
}
