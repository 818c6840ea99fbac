/* common.h - what the sample programs share: a device, a queue, a program, checked calls, a hash of what came
 * back.
 *
 * The samples are plain OpenCL programs. They know nothing of clweave; each verifies its own result against
 * plain C and prints one line, "<name>: OK hash=<16 hex digits>", where the hash covers every byte that the
 * program read back, in program order. Same device, same arguments: same line, always.
 *
 * APP_PLATFORM and APP_DEVICE (indices from 0, default 0) choose the device; with APP_SUBDEVICE it is a
 * sub-device of one compute unit of that one. With APP_SOURCES=folder a sample leaves its source there as
 * <name>.cl, and does nothing else. Exit status: 0 verified; 1 wrong result or an OpenCL error
 * (message on stderr); 77 the device lacks a feature that the sample is about.
 *
 * Every function ends the program with a message and status 1 when OpenCL reports an error. Thread-safety: a
 * struct app belongs to one thread; functions that take it as const may be called from several. */
#ifndef APP_COMMON_H
#define APP_COMMON_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct app {
    const char *name; /* borrowed */
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    uint64_t hash; /* FNV-1a 64 of everything that was read back so far */
    bool ok;       /* no expectation failed so far */
};

/* Ends the program with a message unless `err` is CL_SUCCESS. */
#define APP_CHECK(err) app_check((err), __FILE__, __LINE__)
void app_check(cl_int err, const char *file, int line);

/* Chooses the device, makes the context, a queue with `properties`, and builds `source` (NULL: no program).
 */
void app_open(struct app *a, const char *name, cl_command_queue_properties properties, const char *source);

/* Releases everything that app_open made, prints the result line, returns the exit status. */
int app_close(struct app *a);

/* Ends the program with status 77 and `why` as the last line. */
_Noreturn void app_skip(const char *name, const char *why);

/* Makers; the caller releases what they return. `host` is CL_MEM_COPY/USE_HOST_PTR data or NULL. */
cl_command_queue app_queue(const struct app *a, cl_command_queue_properties properties);
cl_kernel app_kernel(const struct app *a, const char *name);
cl_mem app_buffer(const struct app *a, cl_mem_flags flags, size_t bytes, void *host);
cl_mem app_sub_buffer(cl_mem parent, cl_mem_flags flags, size_t offset_bytes, size_t bytes);

/* Releases `count` memory objects / events. */
void app_release_mems(cl_mem *mems, size_t count);
void app_release_events(cl_event *events, size_t count);

/* Sets the arguments of `kernel` in order. One letter of `types` each: m cl_mem, i int, u unsigned, f float
 * (given as a double), s cl_sampler, l bytes of local memory (size_t). */
void app_args(cl_kernel kernel, const char *types, ...);

/* Enqueues `kernel` over n, or width x height, work-items. `local` 0 leaves the local size to the
 * implementation; else it is the size in every dimension. Events may be NULL / 0. */
void app_run(cl_command_queue queue, cl_kernel kernel, size_t n, size_t local, cl_uint waits,
             const cl_event *wait_list, cl_event *event);
void app_run_2d(cl_command_queue queue, cl_kernel kernel, size_t width, size_t height, size_t local);

/* Blocking read of bytes [offset, offset + bytes) of `buffer` into `to`, added to the hash. */
void app_read(struct app *a, cl_mem buffer, size_t offset_bytes, size_t bytes, void *to);

/* Adds bytes that the program got back to the hash. */
void app_hash(struct app *a, const void *data, size_t bytes);

/* Notes a failure, with a message on stderr, unless `holds`. Only the first failures are printed. Returns
 * `holds`. */
bool app_expect(struct app *a, bool holds, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Fails, naming the first difference, unless got[0..count) equals want[0..count); the float form allows 1e-5
 * relative. */
void app_expect_words(struct app *a, const char *what, const uint32_t *got, const uint32_t *want,
                      size_t count);
void app_expect_floats(struct app *a, const char *what, const float *got, const float *want, size_t count);

/* The i-th command line argument as a number in [low, high]; `standard` when it is absent; ends the program
 * with a usage message when it is anything else. */
size_t app_size(int argc, char **argv, int i, size_t standard, size_t low, size_t high);

/* malloc that ends the program instead of returning NULL. */
void *app_alloc(size_t bytes);

/* The next number of a small deterministic generator (xorshift32); *state must not be 0. */
uint32_t app_random(uint32_t *state);

#endif
