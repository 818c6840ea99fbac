/* common.h - what the vendor-quirk programs share.
 *
 * Each program shows one behaviour of PoCL 3.1 (or of the ocl-icd loader) that clweave's design rests on. It
 * prints what it saw and exits 0 when the behaviour is as written down, 1 when it changed (the design must be
 * looked at again), 77 when this is another implementation, or a machine that cannot show it. None judges by
 * measured time; where a hang is the behaviour, a child process is given a limit and killed. */
#ifndef VENDOR_COMMON_H
#define VENDOR_COMMON_H

#include "../apps/common.h"

#define VENDOR_MOST_DEVICES 4

struct vendor {
    cl_platform_id platform;
    cl_uint count;
    cl_device_id devices[VENDOR_MOST_DEVICES];
    cl_context context; /* of all devices */
    cl_program program; /* built for all devices, NULL without a source */
};

/* Starts PoCL with POCL_DEVICES=`devices` (space-separated drivers), makes a context of all of them and
 * builds `source` (NULL: none) with `options`. Exits with 77 unless the platform is PoCL 3.1 with as many
 * devices as named. Must be the process's first use of OpenCL, because PoCL reads the variable once. */
void vendor_open(struct vendor *v, const char *devices, const char *source, const char *options);
void vendor_close(struct vendor *v);

/* Index of the first device of driver `driver`, by its name: PoCL orders devices by driver, not as
 * POCL_DEVICES names them. Ends the program with status 1 when there is none. */
cl_uint vendor_find(const struct vendor *v, const char *driver);

/* In-order queue of device `i`; first kernel called `name`; buffer over `host` (USE_HOST_PTR) or of its own
 * (NULL). */
cl_command_queue vendor_queue(const struct vendor *v, cl_uint i);
cl_kernel vendor_kernel(const struct vendor *v, const char *name);
cl_mem vendor_buffer(const struct vendor *v, size_t bytes, void *host);

/* Prints the sentence, preceded by "as written down: " or "CHANGED: ". vendor_status() is 1 after any
 * CHANGED. */
void vendor_expect(bool as_written, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int vendor_status(void);

/* Ends the program with status 77 and the reason as last line. */
_Noreturn void vendor_skip(const char *why);

/* Runs body(data) in a child process and exits it with what body returns. Returns the child's exit status,
 * 128 + n when signal n ended it, VENDOR_HUNG when it had to be killed after `limit_s` seconds. A child that
 * skips makes this process skip. Call it before any OpenCL call of this process. */
#define VENDOR_HUNG 1000
int vendor_in_child(int (*body)(void *), void *data, unsigned limit_s);

/* Execution status of `e` (CL_COMPLETE is 0, errors are negative). */
cl_int vendor_event_status(cl_event e);

#endif
