/* device.h - the devices that run mode works with: those that the program sees, hidden helpers, the emulated
 * board.
 *
 * A struct cw_cl_device is a device that may run a command: one of the program's own context ("home"), or a
 * helper that the program cannot see. One worker at a time drives it.
 *
 * Under all settings clGetDeviceIDs, contexts, programs and kernels of the program show the
 * same as without clweave, plus, under CLWEAVE_DSP=N, N dressed DSPs after the devices of PoCL. Helpers
 * never become part of a context of the program.
 *
 * Thread-safety: everything here, unless it says otherwise. No function changes errno. */
#ifndef CW_DEVICE_H
#define CW_DEVICE_H

#include "../door/query.h"

#include <stddef.h>
#include <stdint.h>

#include "../../analyzer/plan/platform_file.h"
#include "../../analyzer/settings/device_list.h"
#include "../../analyzer/kernels/source/cl_language.h"
#include "vendor_traits.h"

enum cw_device_kind {
    CW_DEVICE_KIND_HOME,      /* a device of the program's context that is no dressed DSP */
    CW_DEVICE_KIND_SUBDEVICE, /* a sub-device of a home CPU, made by us */
    CW_DEVICE_KIND_BASIC,     /* a hidden PoCL `basic` device: runs kernels inside clEnqueueNDRangeKernel */
    CW_DEVICE_KIND_DSP, /* a dressed DSP: PoCL `basic` underneath, with modelled times; home or helper */
    CW_DEVICE_KIND_GPU, /* another GPU of the home's platform, or one of another platform than the home CPU */
    CW_DEVICE_KIND_CPU  /* a CPU of another platform than the home GPU */
};

struct cw_dsp; /* the model of one emulated DSP: dsp_clock.h */

struct cw_cl_device {
    enum cw_device_kind kind;
    bool home;       /* one of the program's context's own devices */
    uint32_t traits; /* of its vendor: enum cw_vendor_trait, or-ed (vendor_traits.h) */
    bool same_code;  /* same code generator as the context's first device: --set numerics=strict allows it */
    /* enum cw_model_floats, or-ed: precisions in which it computes as IEEE 754 says, denormal numbers too */
    unsigned floats;
    cl_uint compute_units;
    double speed; /* a guess before anything is measured: throughput, the context's first device = 1 */
    cl_platform_id platform; /* the vendor's */
    cl_device_id device;     /* the vendor's; helpers' only for run mode's own contexts */
    const char
        *class_name;    /* "cpu" or "dsp" (policies share tasks within a class); "gpu", "other" for homes */
    char name[24];      /* unique within the list: "cpu", "sub0", "basic1", "dsp3" */
    double pace;        /* wall time of a launch over its processor time (pace.h); 0: not modelled */
    struct cw_dsp *dsp; /* its timing model; NULL: nothing is modelled */
    uint32_t memory; /* 0: it works on the host's bytes; else the number of its own memory, in this process */
    const struct cw_far_memory *far; /* of its own memory: capacity and link; constant. NULL: it has none */
    char lease[40];                  /* a helping GPU: its name in gpu_lease.h; "": none */
};

struct cw_context_devices {
    size_t n, homes; /* device[0 .. homes) are the context's devices in its order */
    struct cw_cl_device device[];
};

static inline bool cw_device_has(const struct cw_cl_device *device, enum cw_vendor_trait trait)
{
    return device->traits & trait;
}

/* The language of a build without -cl-std for a device with these traits (cl_language.h). */
static inline int cw_device_language(uint32_t traits)
{
    return traits & CW_VENDOR_LANGUAGE_3 ? CW_CL_LANGUAGE_3 : CW_CL_LANGUAGE_1;
}

/* Its launches take a modelled time, which the vendor's own do not: run mode runs them all. */
static inline bool cw_device_is_modelled(const struct cw_cl_device *device)
{
    return device->dsp || device->pace > 0;
}

/* The traits of a device by the row of its vendor; makes vendor calls. Under --set staging=force, for tests,
 * the CPU counts as a device with a memory of its own. */
uint32_t cw_device_traits(cl_device_id device);
extern bool cw_device_far; /* constant after cw_device_start */

/* The devices for a context of the program with these devices, as CLWEAVE_DEVICES chooses: the homes, then
 * helpers. Helpers exist where a home is a CPU or DSP of PoCL, and, where they are asked for, beside a home
 * with a memory of its own (CW_VENDOR_OWN_MEMORY); for any other vendor the list is the homes. Makes vendor
 * calls (sub-devices, once per root device, kept for the life of the process). Caller frees with free().
 * NULL: out of memory, or n_devices is 0. */
struct cw_context_devices *cw_context_devices_create(const cl_device_id *devices, size_t n_devices);

/* Contexts to come of one GPU have other GPUs that may help, as with --devices gpu, though the user has not
 * asked for them: run mode opens those that are idle alone. Once, before there is a context. */
void cw_context_devices_offer_gpus(void);
bool cw_context_devices_gpus_are_offered(void);

/* A sub-device of the program's must outlive the objects that run mode makes on it, though its context may
 * not keep it (PoCL 3.1 keeps the root). Nothing happens for other devices. cw_context_devices_held: the
 * number of run mode's references, which the program does not see. */
void cw_context_devices_hold(cl_device_id device);
void cw_context_devices_let_go(cl_device_id device);
cl_uint cw_context_devices_held(cl_device_id device);

/* ---- time: the same calls for every device; where nothing is modelled they read the clock and never wait */

struct cw_hold {
    /* The times that profiling reports, on the clock of cw_device_now_ns; valid after cw_device_end. A
     * kernel's set-up lies between submit, when the device was taken, and start; elsewhere the two are the
     * same. */
    uint64_t submit_ns, start_ns, end_ns;
    uint64_t real_ns; /* CLOCK_MONOTONIC when cw_device_begin was called */
    /* Set by cw_device_begin: the device has died, the command must not run, and cw_device_end is not called.
     * Set by cw_device_end: cw_device_stop has ended the launch. */
    bool failed;
    double cost_ns;      /* modelled cost with set-up, contention left out; 0 where nothing is modelled */
    uint64_t healthy_ns; /* when a DSP without faults would end, waits for the shared DDR included */
    struct cw_work work; /* the work begun; its kernel's name must live until cw_device_end */
};

/* The modelled time of `work` (platform_file.h) on the device, contention left out; NAN: nothing is
 * modelled. */
double cw_device_cost_ns(const struct cw_cl_device *s, const struct cw_work *work);

/* The set-up time of every kernel on `device`, a DSP or the host's CPU, before its first work-item runs; NAN:
 * not modelled. */
double cw_device_set_up_ns(cl_device_id device);

/* Brackets the functional execution of one command on a device. `ready_ns`: when everything that it waited
 * for was done, on the clock of cw_device_now_ns (0: now). cw_device_end returns when the modelled time has
 * passed (real clock; it sleeps, so call it from a worker, no lock held) or at once (virtual clock), and
 * fills *h. Calls for one device must not overlap, so a device's times never do either; transfers of all DSPs
 * share one DDR. */
/* False: the device fails here (--set dsp_fault), nothing has run, nothing may. */
bool cw_device_begin(const struct cw_cl_device *s, const struct cw_work *work, uint64_t ready_ns,
                     struct cw_hold *h);
void cw_device_end(const struct cw_cl_device *s, struct cw_hold *h);

/* When the last native command of `queue` that is known to be over ends, on the clock of cw_device_now_ns;
 * NULL: of any queue. 0: none, or the clock is real. Makes vendor calls. */
uint64_t cw_device_native_end_ns(cl_command_queue queue);

/* The program sees a command of a queue of `home` end then, on the clock of cw_device_now_ns: under the
 * virtual clock, native commands of that device start no earlier. Makes no vendor call. */
void cw_device_shown(const struct cw_cl_device *home, uint64_t end_ns);

/* Stops a DSP whose launch is late, as a host resets a chip that does not answer: the call that holds that
 * launch returns at once, cw_device_begin with false, or cw_device_end with h->failed: then the launch's
 * results may have been written, and no more of them will be. The DSP refuses all launches from then on.
 * False, and nothing happens: the device has no model, or its launch is late only because this host is slow,
 * which is not the DSP's fault. */
bool cw_device_stop(const struct cw_cl_device *s);

/* CLOCK_MONOTONIC (real clock), or the host's modelled time (virtual clock, CLWEAVE_DSP_CLOCK=virtual), which
 * only cw_device_reached moves: call it with a command's end_ns when the program has waited for it. Ignored
 * on the real clock, and when the time has passed already. */
uint64_t cw_device_now_ns(void);
void cw_device_reached(uint64_t ns);
bool cw_device_clock_is_virtual(void);

/* The difference to add to times of cw_device_now_ns for times of the clock that PoCL's profiling uses
 * (CLOCK_MONOTONIC_RAW). The two drift apart, so take it anew for each command, and once for all times of one
 * command. */
int64_t cw_device_profiling_offset_ns(void);

/* ---- for mode_run.c */

struct cw_options;

/* Reads the settings; called by start(), so it makes no OpenCL call. False: a setting is impossible, which
 * has been said; the mode must not start. */
bool cw_device_start(const struct cw_options *options);

/* Called by start() after that: the start of helpers that PoCL has to be asked for may take `ns` of this
 * process's time; on a machine whose processors are more than these helpers, sub-devices of the CPU, which
 * take none, help too. 0: no helpers at all. Not called: a helper per processor. */
void cw_device_afford_helpers(double ns);

/* The time that helpers have cost the process so far, in ns, about: PoCL looks at the machine's topology anew
 * for each device. Any thread. */
double cw_device_helpers_ns(void);

/* The functions that show devices. They must be in the mode's table, in parents and forked children alike. */
#define CW_DEVICE_HOOKS(X)                                                                                   \
    X(clGetDeviceIDs) X(clGetDeviceInfo) X(clCreateContextFromType) X(clCreateSubDevices)
#define CW_DEVICE_DECLARE(name) extern __typeof__(name) cw_device_hook_##name;
CW_DEVICE_HOOKS(CW_DEVICE_DECLARE)

/* The table for native commands of the program, in place of cw_next: the same functions, except that commands
 * on a queue of a dressed DSP, under the virtual clock on every queue, take modelled time, and their events
 * report it. Equal to cw_next when there are no DSPs. Complete before start() returns, constant from then
 * on. */
extern struct cw_dispatch cw_native;

/* The vendor has taken a native command of event `event` (virtual clock): one whose function is not in that
 * table takes the time that the vendor's profiling says, from when the ones before it have ended. No lock
 * held. */
void cw_device_native_seen(cl_event event);

/* Called in the child of a fork: devices stay hidden and dressed, locks are free. */
void cw_device_after_fork(void);

/* Whether some device's time depends on the operations of kernels (cw_work.ops). */
bool cw_device_by_operations(void);

/* Counts them for native launches. Set before the first one; called with no lock held. False: not known. */
typedef bool cw_device_ops(cl_kernel kernel, cl_uint dims, const size_t *global, const size_t *local,
                           struct cw_work_ops *ops);
extern cw_device_ops *cw_device_count_operations;

/* "4 DSPs: 120 commands modelled, 3 overran (worst 1.8 x)" into `text`; false when there is nothing to say.
 */
bool cw_device_describe(char *text, size_t size);

/* Says the same as a warning if the host could not keep up with the model. */
void cw_device_warn(void);

#endif
