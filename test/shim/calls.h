/* calls.h - calls every function of the API table with recognisable arguments. Made from the table itself, so
 * that a new row is tested without another line.
 *
 * Arguments are numbers that differ per position (a swap shows), objects of a real context, or addresses of
 * slots in a region whose address is the same in every run. Where a call would be senseless (a NULL wait list
 * with a count of 2), the parameter's name decides. */
#ifndef CALLS_H
#define CALLS_H

#include "../../shim/door/dispatch.h"
#include "../stub/map.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define REGION       ((char *)0x7e9000000000) /* also free under the sanitizers */
#define SLOT_BYTES   4096
#define SLOTS        32
#define REGION_BYTES ((size_t)SLOT_BYTES * SLOTS)

/* One object of each kind. */
struct objects {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem mem;
    cl_program program;
    cl_kernel kernel;
    cl_event event;
    cl_sampler sampler;
};

enum type {
    NUMBER,
    POINTER,
    PLATFORM,
    DEVICE,
    CONTEXT,
    QUEUE,
    MEM,
    PROGRAM,
    KERNEL,
    EVENT,
    SAMPLER,
    EVENTS,
    MEMS,
    DEVICES,
    PROGRAMS,
    STRINGS,
    BINARIES,
    STRING,
    SIZES,
    PROPERTIES,
    FORMAT,
    DESC,
    POINTERS
};

#define TYPE_OF(x)                                                                                           \
    _Generic((x), cl_int: NUMBER, cl_uint: NUMBER, long: NUMBER, unsigned long: NUMBER, long long: NUMBER,   \
             unsigned long long: NUMBER, cl_platform_id: PLATFORM, cl_device_id: DEVICE, cl_context: CONTEXT,\
             cl_command_queue: QUEUE, cl_mem: MEM, cl_program: PROGRAM, cl_kernel: KERNEL, cl_event: EVENT,  \
             cl_sampler: SAMPLER, const cl_event *: EVENTS, const cl_mem *: MEMS,                            \
             const cl_device_id *: DEVICES, const cl_program *: PROGRAMS, const char **: STRINGS,            \
             const unsigned char **: BINARIES, const char *: STRING, const size_t *: SIZES,                  \
             const cl_context_properties *: PROPERTIES, const cl_image_format *: FORMAT,                     \
             const cl_image_desc *: DESC, void **: POINTERS, const void **: POINTERS, default: POINTER)

static const struct {
    const char *parameter;
    uint64_t value;
} sensible[] = {
    {"num_events_in_wait_list", 2},
    {"num_events", 2},
    {"num_devices", 1},
    {"num_entries", 1},
    {"work_dim", 3},
    {"count", 1},
    {"num_mem_objects", 2},
    {"num_objects", 2},
    {"num_svm_pointers", 2},
    {"num_input_headers", 1},
    {"num_input_programs", 1},
    {"num_kernels", 1},
    {"param_value_size", 8},
    {"arg_size", 8},
    {"arg_index", 0},
    {"pattern_size", 4},
    {"command_exec_callback_type", CL_COMPLETE},
    {"execution_status", 0},
    {"length", 8},
    {"num_sema_objects", 0},
    {"cb_args", 64},
};

static struct objects objects;
static bool no_results; /* out-parameters that a program may leave out are NULL */

/* Writes at `slot` and returns the slot. */
static uint64_t put(char *slot, const void *bytes, size_t n)
{
    memcpy(slot, bytes, n);
    return (uintptr_t)slot;
}

#define PUT_TWO(x) put(slot, (const void *[]){x, x, NULL}, 3 * sizeof(void *))

static uint64_t value_for(enum type type, const char *parameter, unsigned index)
{
    char *slot = REGION + SLOT_BYTES * index;
    static const char text[] = "text";
    const cl_context_properties platform[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)objects.platform,
                                              0};
    for (size_t i = 0; type == NUMBER && i < sizeof sensible / sizeof *sensible; i++)
        if (!strcmp(sensible[i].parameter, parameter))
            return sensible[i].value;
    /* lists of properties that are not a context's: empty */
    if (type != NUMBER && type != PROPERTIES && strstr(parameter, "properties"))
        return put(slot, (uint64_t[4]){0}, 32);
    if (no_results && type == POINTER &&
        (!strcmp(parameter, "event") || !strcmp(parameter, "errcode_ret") || !strncmp(parameter, "num_", 4) ||
         !strcmp(parameter, "param_value_size_ret") || !strncmp(parameter, "pfn_", 4)))
        return 0;
    switch (type) {
    case NUMBER:
        return 0x100 + index;
    case PLATFORM:
        return (uintptr_t)objects.platform;
    case DEVICE:
        return (uintptr_t)objects.device;
    case CONTEXT:
        return (uintptr_t)objects.context;
    case QUEUE:
        return (uintptr_t)objects.queue;
    case MEM:
        return (uintptr_t)objects.mem;
    case PROGRAM:
        return (uintptr_t)objects.program;
    case KERNEL:
        return (uintptr_t)objects.kernel;
    case EVENT:
        return (uintptr_t)objects.event;
    case SAMPLER:
        return (uintptr_t)objects.sampler;
    case EVENTS:
        return PUT_TWO(objects.event);
    case MEMS:
        return PUT_TWO(objects.mem);
    case DEVICES:
        return PUT_TWO(objects.device);
    case PROGRAMS:
        return PUT_TWO(objects.program);
    case STRINGS:
    case BINARIES:
        memcpy(slot + 64, text, sizeof text);
        return PUT_TWO(slot + 64);
    case STRING:
        return put(slot, text, sizeof text);
    case SIZES:
        return put(slot, (size_t[]){4, 4, 2, 0, 0}, 5 * sizeof(size_t));
    case PROPERTIES:
        return put(slot, platform, sizeof platform);
    case FORMAT:
        return put(slot, &(cl_image_format){CL_RGBA, CL_UNORM_INT8}, sizeof(cl_image_format));
    case DESC:
        return put(slot,
                   &(cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4},
                   sizeof(cl_image_desc));
    case POINTERS:
        return PUT_TWO(slot + 64);
    case POINTER:
        return (uintptr_t)slot;
    }
    return 0;
}

static void region_map(void)
{
    if (mmap(REGION, REGION_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
             -1, 0) != (void *)REGION)
        abort();
}

/* FNV-1a of the whole region: any change of an out-parameter, or beside one, shows. */
static uint64_t region_hash(void)
{
    uint64_t h = 0xcbf29ce484222325;
    for (size_t i = 0; i < REGION_BYTES; i++)
        h = (h ^ (unsigned char)REGION[i]) * 0x100000001b3;
    return h;
}

/* Inside a function that has a row's parameters: gives each its value. */
#define FILL(x) x = (__typeof__(x))(uintptr_t)value_for(TYPE_OF(x), #x, index++);
#define FILL_ALL(...)                                                                                        \
    do {                                                                                                     \
        unsigned index = 0;                                                                                  \
        memset(REGION, 0xab, REGION_BYTES);                                                                  \
        MAP(FILL, __VA_ARGS__)                                                                               \
        (void)index;                                                                                         \
    } while (0)

#define ZERO(x)        , 0
#define DROP_1(a, ...) __VA_ARGS__
#define DROP(...)      DROP_1(__VA_ARGS__)
#define ZEROS(...)     DROP(0 MAP(ZERO, __VA_ARGS__))
#define WORD(x)        , (uint64_t)(uintptr_t)(x)

/* Writes "name args" in hexadecimal, as the null driver does. */
static void print_call(FILE *to, const char *name, unsigned platform, const uint64_t *args, size_t n)
{
    fprintf(to, platform ? "%s@%u" : "%s", name, platform);
    for (size_t i = 0; i < n; i++)
        fprintf(to, " %llx", (unsigned long long)args[i]);
    fputc('\n', to);
}
#define PRINT_CALL(to, name, platform, ...)                                                                  \
    do {                                                                                                     \
        const uint64_t words[] = {0 MAP(WORD, __VA_ARGS__)};                                                 \
        print_call(to, name, platform, words + 1, sizeof words / sizeof *words - 1);                         \
    } while (0)

#endif
