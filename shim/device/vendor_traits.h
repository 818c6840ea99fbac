/* vendor_traits.h - the traits of vendors' devices, one row per vendor.
 *
 * No other file of shim/ compares a platform's name; for the tool kernels/source/vendor_compiler.c does, and
 * analyzer/kernels/source/cl_language.c has the facts of a vendor's versions.
 * A device that no row fits has the last row, which has no traits: its commands are native. Each trait
 * rests on a fact, and the fact on a program that shows it: those of test/vendor/ run in `make check`. To
 * add a vendor: see shim/DEVICES.md.
 *
 * Pure and constant: any thread, no OpenCL calls. */
#ifndef CW_VENDOR_TRAITS_H
#define CW_VENDOR_TRAITS_H

#include <stdbool.h>
#include <stdint.h>

#include <CL/cl.h>

enum cw_vendor_trait {
    /* A buffer with CL_MEM_USE_HOST_PTR works on the host's bytes, at their address: contexts of several
     * such devices share one memory and nothing is ever copied. Without it commands are native. (PoCL:
     * test/vendor/shared_address.c) */
    CW_VENDOR_ZERO_COPY_HOST_PTR = 1 << 0,
    /* The program sees the results in memory that it gave with CL_MEM_USE_HOST_PTR at every synchronisation,
     * also without a map. (PoCL: the same program; NVIDIA's driver keeps a copy on the device) */
    CW_VENDOR_HOST_PTR_COHERENT = 1 << 1,
    /* Two launches of one kernel at once, one with and one without an offset, abort the process
     * (workers/exclusion.c). (PoCL 3.1: test/vendor/offset_kinds_abort.c) */
    CW_VENDOR_OFFSET_KINDS_ABORT = 1 << 2,
    /* A queue takes commands whose wait lists name events of other devices that are not over yet. Without it
     * its queues get ready commands only. (PoCL 3.1 hangs: test/vendor/user_event_hangs.c) */
    CW_VENDOR_WAIT_LISTS = 1 << 3,
    /* clSetUserEventStatus returns when a kernel waits for the event. (PoCL's `basic` hangs, `pthread` does
     * not: the same program) */
    CW_VENDOR_USER_EVENTS = 1 << 4,
    /* Kernels of several queues of one device overlap, each with its own part of the device. (NVIDIA: 8
     * small kernels take .62 ms on 8 queues and 4.68 ms on one) */
    CW_VENDOR_STREAMS = 1 << 5,
    /* Kernels run inside clEnqueueNDRangeKernel, on the calling thread. (PoCL's `basic`:
     * test/vendor/basic_synchronous.c) */
    CW_VENDOR_IN_CALL = 1 << 6,
    /* Programs and kernels are compiled in this process, kernels at their first launch, by a compiler of
     * which there is one for all devices: builds/ prepares, isolates and keeps its work.
     * (PoCL: test/vendor/one_compiler.c) */
    CW_VENDOR_COMPILES_IN_PROCESS = 1 << 7,
    /* The code generator fuses multiplies with additions across the source's expressions, so a
     * rewritten kernel may round otherwise. (NVIDIA: ptxas -fmad; PoCL's clang decides by expression) */
    CW_VENDOR_FUSES_IN_BACKEND = 1 << 8,
    /* A mapped CL_MEM_ALLOC_HOST_PTR buffer is pinned memory, for all contexts of the process: transfers
     * from and to it run at the link's speed and do not hold the caller. (NVIDIA: 55 GB/s, pageable 10) */
    CW_VENDOR_PINNED = 1 << 9,
    /* The platform lists further devices when a variable of the environment asks for them (device_env.h).
     * (PoCL: test/vendor/devices_by_driver.c) */
    CW_VENDOR_HIDDEN_DEVICES = 1 << 10,
    /* Waits for a command end when its callbacks have returned; one that waits for the waiting thread hangs.
     * (PoCL 3.1: test/vendor/calls_back_first.c; NVIDIA calls back on a thread of its own) */
    CW_VENDOR_CALLS_BACK_FIRST = 1 << 11,
    /* The driver moves a buffer between devices of one context at a small part of the link's speed, and not
     * at all where it is migrated with CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED. (NVIDIA: 256 MiB in 240 ms;
     * read, migrated without contents and written: 10 ms) */
    CW_VENDOR_MIGRATES_SLOWLY = 1 << 12,
    /* Its devices work on memories of their own; those of one name compute the same bits, so another one may
     * help the program's own (--devices gpu). */
    CW_VENDOR_OWN_MEMORY = 1 << 13,
    /* A build without -cl-std has the language CW_CL_LANGUAGE_3 (cl_language.h), by the vendor's version.
     * (PoCL from 4.0 on: test/vendor/default_language.c) */
    CW_VENDOR_LANGUAGE_3 = 1 << 14,
    /* A sub-buffer counts its maps, has its content size and is in use by itself, not by its parent. By the
     * vendor's version. (PoCL from 7.0 on: test/vendor/separate_parts.c) */
    CW_VENDOR_SEPARATE_PARTS = 1 << 15
};

struct cw_vendor_traits {
    const char *name;     /* for people */
    const char *platform; /* CL_PLATFORM_NAME; NULL: of any */
    cl_device_type type;  /* bits of CL_DEVICE_TYPE, of which a device has one; 0: any */
    enum cw_vendor_form { CW_VENDOR_ANY, CW_VENDOR_BASIC, CW_VENDOR_DRESSED } form;
    uint32_t traits; /* enum cw_vendor_trait, or-ed */
};

/* A device as a vendor describes it. Borrowed strings. */
struct cw_vendor_device {
    const char *platform, *device;                 /* CL_PLATFORM_NAME, CL_DEVICE_NAME */
    const char *platform_version, *device_version; /* CL_PLATFORM_VERSION, CL_DEVICE_VERSION; NULL: unknown */
    cl_device_type type;
    bool dressed; /* it is shown as an emulated DSP */
};

/* The first row that fits; never NULL. */
const struct cw_vendor_traits *cw_vendor_traits_find(const struct cw_vendor_device *d);

/* The traits of its row, and those of its version. */
uint32_t cw_vendor_traits_of(const struct cw_vendor_device *d);

/* Some device of a platform of that name has the trait. */
bool cw_vendor_traits_some(const char *platform, enum cw_vendor_trait trait);

/* CL_DEVICE_NAME is of PoCL's driver `basic`, which newer versions call cpu-minimal. */
bool cw_vendor_traits_is_basic(const char *device);

#endif
