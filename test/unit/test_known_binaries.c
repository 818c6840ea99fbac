/* From a binary to the build that it is from: the same bytes of the same device and driver, and nothing else.
 * The vendor is the test's: two devices, and a program with a binary for each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../shim/programs/known_binaries.c"

struct cw_dispatch cw_next;

#define SOURCE  "kernel void k(global int *x) { x[0] = N; }"
#define OPTIONS "-DN=3"

static struct {
    const char *driver, *source;
    size_t source_bytes, devices, binaries; /* of the program, as it answers */
    size_t bytes[2];
} vendor;
static char first[] = "first device", second[] = "second device", part[] = "a part of the second";
static unsigned char code[2][64];
static char cache[] = "/tmp/clweave-known-XXXXXX";

static cl_int answer(const void *text, size_t bytes, size_t capacity, void *to, size_t *size)
{
    if (size)
        *size = bytes;
    if (to && capacity < bytes)
        return CL_INVALID_VALUE;
    if (to)
        memcpy(to, text, bytes);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t capacity, void *to,
                                      size_t *size)
{
    const cl_device_id parent = (void *)device == part ? (cl_device_id)second : NULL;
    const char *text = name == CL_DRIVER_VERSION ? vendor.driver : (const char *)device;

    if (name == CL_DEVICE_PARENT_DEVICE)
        return answer(&parent, sizeof parent, capacity, to, size);
    if (name == CL_DEVICE_PLATFORM)
        return CL_INVALID_VALUE;
    return answer(text, strlen(text) + 1, capacity, to, size);
}

static cl_int CL_API_CALL program_info(cl_program program, cl_program_info name, size_t capacity, void *to,
                                       size_t *size)
{
    const cl_device_id devices[2] = {(cl_device_id)first, (cl_device_id)second};
    const cl_uint n = (cl_uint)vendor.devices;

    (void)program;
    switch (name) {
    case CL_PROGRAM_SOURCE:
        return answer(vendor.source, vendor.source_bytes, capacity, to, size);
    case CL_PROGRAM_DEVICES:
        return answer(devices, vendor.devices * sizeof *devices, capacity, to, size);
    case CL_PROGRAM_NUM_DEVICES:
        return answer(&n, sizeof n, capacity, to, size);
    case CL_PROGRAM_BINARY_SIZES:
        return answer(vendor.bytes, vendor.binaries * sizeof *vendor.bytes, capacity, to, size);
    default:
        return CL_INVALID_VALUE;
    }
}

static void set_source(const char *text)
{
    vendor.source = text;
    vendor.source_bytes = strlen(text) + 1;
}

/* Each test has a store of its own, and a program for two devices. */
static int setup(void **state)
{
    static int number;
    struct cw_options options = {.footprints = (char *)"auto"};
    char history[100];

    (void)state;
    vendor = (__typeof__(vendor)){.driver = "1", .devices = 2, .binaries = 2, .bytes = {40, 64}};
    set_source(SOURCE);
    for (int i = 0; i < 64; i++)
        code[0][i] = code[1][i] = (unsigned char)(i * 7);
    code[1][5] = 0;
    snprintf(history, sizeof history, "%s/%d.db", cache, number);
    options.history = history;
    cw_known_binaries_start(&options);
    snprintf(store.files.folder, sizeof store.files.folder, "store%d", number++);
    return 0;
}

static int open_cache(void **state)
{
    (void)state;
    cw_next.clGetDeviceInfo = device_info;
    cw_next.clGetProgramInfo = program_info;
    return mkdtemp(cache) ? 0 : -1;
}

static int remove_cache(void **state)
{
    char command[100];

    (void)state;
    snprintf(command, sizeof command, "rm -r %s", cache);
    return system(command);
}

static void fetch(struct cw_known_build *b)
{
    unsigned char *const to[2] = {code[0], code[1]};

    cw_known_binaries_fetched(b, NULL, vendor.binaries * sizeof *to, to);
    cw_known_build_drop(b);
}

/* The build of the binaries of `n` devices from `at` on, as one text; "": none. Until the next call. */
static const char *found(int at, cl_uint n)
{
    static char text[500];
    const cl_device_id devices[2] = {(cl_device_id)first, (cl_device_id)second};
    const unsigned char *const binaries[2] = {code[0], code[1]};
    struct cw_known_build *b = cw_known_binaries_find(n, devices + at, vendor.bytes + at, binaries + at);

    *text = '\0';
    if (b)
        snprintf(text, sizeof text, "%s%s %s", b->linked ? "linked " : "", b->options, b->source);
    cw_known_build_drop(b);
    return text;
}

static void the_same_bytes(void **state)
{
    (void)state;
    assert_string_equal(found(0, 2), "");
    fetch(cw_known_build_new(NULL, OPTIONS, false));
    assert_string_equal(found(0, 2), OPTIONS " " SOURCE);
    assert_string_equal(found(0, 1), OPTIONS " " SOURCE); /* a subset of the devices */
    assert_string_equal(found(1, 1), OPTIONS " " SOURCE);
    fetch(cw_known_build_new("a source with its headers", "", true));
    assert_string_equal(found(0, 2), "linked  a source with its headers");
}

static void other_bytes(void **state)
{
    (void)state;
    fetch(cw_known_build_new(NULL, OPTIONS, false));
    for (int i = 0; i < 2; i++) {
        vendor.bytes[0] += i ? 1 : -1; /* cut short; something behind it */
        assert_string_equal(found(0, 1), "");
        assert_string_equal(found(0, 2), "");
        vendor.bytes[0] = 40;
    }
    code[0][39] ^= 1;
    assert_string_equal(found(0, 1), "");
    code[0][39] ^= 1;
    vendor.bytes[0] = 0;
    assert_string_equal(found(0, 1), "");
}

static void other_drivers_and_devices(void **state)
{
    const size_t bytes = 64;
    const cl_device_id devices[3] = {(cl_device_id)first, (cl_device_id)second, (cl_device_id)part};
    const unsigned char *const binary = code[1];
    struct cw_known_build *b[3];

    (void)state;
    fetch(cw_known_build_new(NULL, OPTIONS, false));
    for (int i = 0; i < 3; i++) {
        b[i] = cw_known_binaries_find(1, &devices[i], &bytes, &binary);
        cw_known_build_drop(b[i]);
    }
    assert_null(b[0]);
    assert_non_null(b[1]);
    assert_non_null(b[2]); /* a part of a device has its compiler */
    vendor.driver = "2";
    assert_string_equal(found(0, 2), "");
}

/* Two sources may have one binary: the later one stands for it. Devices whose builds differ have none. */
static void two_sources(void **state)
{
    (void)state;
    fetch(cw_known_build_new(NULL, OPTIONS, false));
    vendor.devices = vendor.binaries = 1;
    fetch(cw_known_build_new("another source", "", false));
    assert_string_equal(found(0, 1), " another source");
    assert_string_equal(found(1, 1), OPTIONS " " SOURCE);
    assert_string_equal(found(0, 2), "");
}

/* Nothing is kept where the build is not known for certain. */
static void in_doubt(void **state)
{
    static const char *const texts[] = {"/* */ kernel void k(void) { int x = sizeof __DATE__; }",
                                        "#include \"a.h\"\nkernel void k(void) {}",
                                        "kernel void k(void) {} \0 more"};

    (void)state;
    fetch(NULL);
    assert_string_equal(found(0, 2), "");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        set_source(texts[i]);
        vendor.source_bytes += i == 2 ? 6 : 0; /* a NUL in it */
        fetch(cw_known_build_new(NULL, OPTIONS, false));
        assert_string_equal(found(0, 2), "");
    }
    set_source("");
    fetch(cw_known_build_new(NULL, OPTIONS, false));
    assert_string_equal(found(0, 2), "");
    set_source(SOURCE);
    vendor.binaries = 1; /* of which device? */
    fetch(cw_known_build_new(NULL, OPTIONS, false));
    assert_string_equal(found(0, 1), "");
    setenv("POCL_EXTRA_BUILD_FLAGS", "-DN=4", 1);
    vendor.binaries = 2;
    fetch(cw_known_build_new(NULL, OPTIONS, false));
    unsetenv("POCL_EXTRA_BUILD_FLAGS");
    assert_string_equal(found(0, 2), "");
}

/* A thread reads a record's build while another one replaces it. */
static void records(void **state)
{
    cw_known_latest at = NULL;
    struct cw_known_build *b;

    (void)state;
    assert_null(cw_known_build_read(&at));
    cw_known_build_set(&at, cw_known_build_new(NULL, OPTIONS, false));
    b = cw_known_build_read(&at);
    cw_known_build_set(&at, NULL);
    assert_string_equal(b->options, OPTIONS);
    cw_known_build_drop(b);
    vendor.devices = 2;
    assert_true(cw_known_build_is_whole(NULL, 0));
    assert_true(cw_known_build_is_whole(NULL, 2));
    assert_false(cw_known_build_is_whole(NULL, 1));
}

static void switched_off(void **state)
{
    struct cw_options options = {.footprints = (char *)"auto", .history = (char *)"off"};

    (void)state;
    fetch(cw_known_build_new(NULL, OPTIONS, false));
    cw_known_binaries_start(&options);
    assert_string_equal(found(0, 2), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_same_bytes, setup),
        cmocka_unit_test_setup(other_bytes, setup),
        cmocka_unit_test_setup(other_drivers_and_devices, setup),
        cmocka_unit_test_setup(two_sources, setup),
        cmocka_unit_test_setup(in_doubt, setup),
        cmocka_unit_test_setup(records, setup),
        cmocka_unit_test_setup(switched_off, setup),
    };

    return cmocka_run_group_tests(tests, open_cache, remove_cache);
}
