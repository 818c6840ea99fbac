/* Rows of vendors: which one a device has, and that a device that no row fits has no traits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../analyzer/kernels/source/cl_language.h"
#include "../../shim/device/vendor_traits.h"

static const char pocl[] = "Portable Computing Language", nvidia[] = "NVIDIA CUDA";

static const struct cw_vendor_traits *find(const char *platform, const char *device, cl_device_type type,
                                           bool dressed)
{
    return cw_vendor_traits_find(
        &(struct cw_vendor_device){.platform = platform, .device = device, .type = type, .dressed = dressed});
}

static void each_device_has_its_row(void **state)
{
    const struct {
        const char *platform, *device;
        cl_device_type type;
        bool dressed;
        const char *name;
    } cases[] = {
        {pocl, "pthread-haswell-Some CPU", CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT, false, "PoCL CPU"},
        {pocl, "cpu-haswell-Some CPU", CL_DEVICE_TYPE_CPU, false, "PoCL CPU"},
        {pocl, "basic-haswell-Some CPU", CL_DEVICE_TYPE_CPU, false, "PoCL basic"},
        {pocl, "cpu-minimal-haswell-Some CPU", CL_DEVICE_TYPE_CPU, false, "PoCL basic"},
        {pocl, "basic-haswell-Some CPU", CL_DEVICE_TYPE_CPU, true, "emulated DSP"},
        {pocl, "Some GPU", CL_DEVICE_TYPE_GPU, false, "unknown"},
        {nvidia, "NVIDIA H100", CL_DEVICE_TYPE_GPU, false, "NVIDIA"},
        {"Oclgrind", "Oclgrind Simulator", CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU, false, "unknown"},
        {"Another", "basic", CL_DEVICE_TYPE_CPU, true, "unknown"},
        {"", "", 0, false, "unknown"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(find(cases[i].platform, cases[i].device, cases[i].type, cases[i].dressed)->name,
                            cases[i].name);
}

static void unknown_devices_have_no_traits(void **state)
{
    (void)state;
    assert_int_equal(find("Another", "GPU", CL_DEVICE_TYPE_GPU, false)->traits, 0);
    assert_false(cw_vendor_traits_some("Another", CW_VENDOR_HIDDEN_DEVICES));
}

/* Commands are managed where buffers are the host's own bytes; helpers are PoCL's. */
static void traits_that_run_mode_asks_for(void **state)
{
    const uint32_t cpu = find(pocl, "pthread", CL_DEVICE_TYPE_CPU, false)->traits;
    const uint32_t basic = find(pocl, "basic", CL_DEVICE_TYPE_CPU, false)->traits;
    const uint32_t dsp = find(pocl, "basic", CL_DEVICE_TYPE_CPU, true)->traits;
    const uint32_t gpu = find(nvidia, "GPU", CL_DEVICE_TYPE_GPU, false)->traits;

    (void)state;
    assert_true(cpu & basic & dsp & CW_VENDOR_ZERO_COPY_HOST_PTR);
    assert_false(gpu & CW_VENDOR_ZERO_COPY_HOST_PTR);
    assert_true(basic & dsp & CW_VENDOR_IN_CALL);
    assert_false((cpu | gpu) & CW_VENDOR_IN_CALL);
    assert_true(gpu & CW_VENDOR_FUSES_IN_BACKEND);
    assert_false((cpu | basic | dsp) & CW_VENDOR_FUSES_IN_BACKEND);
    assert_true(cw_vendor_traits_some(pocl, CW_VENDOR_HIDDEN_DEVICES));
    assert_false(cw_vendor_traits_some(nvidia, CW_VENDOR_HIDDEN_DEVICES));
}

/* The language of a build without -cl-std, by versions. */
static void languages(void **state)
{
    static const struct {
        const char *platform, *version, *device;
        int language;
    } cases[] = {
        {pocl, "OpenCL 3.0 PoCL 3.1+debian  Linux, LLVM 15.0.6", "OpenCL 3.0 PoCL HSTR: pthread", 120},
        {pocl, "OpenCL 3.0 PoCL 3.0", "OpenCL 3.0 PoCL HSTR: pthread", 120},
        {pocl, "OpenCL 3.0 PoCL 4.0+debian", "OpenCL 3.0 PoCL HSTR: cpu", 300},
        {pocl, "OpenCL 3.0 PoCL 6.0+debian  Linux, LLVM 18.1.8", "OpenCL 3.0 PoCL HSTR: cpu", 300},
        {pocl, "OpenCL 3.0 PoCL 7.1", "OpenCL 3.0 PoCL HSTR: cpu", 300},
        {pocl, "OpenCL 3.0 PoCL 10.0", "OpenCL 3.0 PoCL HSTR: cpu", 300},
        {pocl, "OpenCL 2.0 pocl 1.8  Linux", "OpenCL 2.0 pocl HSTR: pthread", 300},
        {pocl, "OpenCL 1.2 pocl 1.4", "OpenCL 1.2 pocl HSTR: pthread", 120},
        {pocl, "OpenCL 3.0 something", "OpenCL 3.0", 300},
        {pocl, NULL, NULL, 300},
        {nvidia, "OpenCL 3.0 CUDA 12.4", "OpenCL 3.0 CUDA", 120},
        {"rusticl", "OpenCL 3.0 ", "OpenCL 3.0 ", 120},
        {"Oclgrind", "OpenCL 3.0 (Oclgrind 21.10)", "OpenCL 3.0 (Oclgrind 21.10)", 120},
        {"Clover", "OpenCL 1.1 Mesa 22.3", "OpenCL 1.1 Mesa 22.3", 120},
        {NULL, NULL, NULL, 120},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_vendor_device d = {.platform = cases[i].platform ? cases[i].platform : "",
                                     .device = "",
                                     .platform_version = cases[i].version,
                                     .device_version = cases[i].device};

        assert_int_equal(cw_cl_language_default(cases[i].platform, cases[i].version, cases[i].device),
                         cases[i].language);
        assert_int_equal(!!(cw_vendor_traits_of(&d) & CW_VENDOR_LANGUAGE_3), cases[i].language == 300);
    }
}

/* Which object counts the maps of a sub-buffer, by versions. */
static void parts(void **state)
{
    static const struct {
        const char *platform, *version;
        bool separate;
    } cases[] = {
        {pocl, "OpenCL 3.0 PoCL 3.1+debian  Linux, LLVM 15.0.6", false},
        {pocl, "OpenCL 3.0 PoCL 6.0+debian  Linux, LLVM 18.1.8", false},
        {pocl, "OpenCL 3.0 PoCL 7.0", true},
        {pocl, "OpenCL 3.0 PoCL 7.1+debian", true},
        {pocl, "OpenCL 3.0 PoCL 10.0", true},
        {nvidia, "OpenCL 3.0 CUDA 12.4", false},
        {"rusticl", "OpenCL 3.0 ", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct cw_vendor_device d = {
            .platform = cases[i].platform, .device = "", .platform_version = cases[i].version};

        assert_int_equal(!!(cw_vendor_traits_of(&d) & CW_VENDOR_SEPARATE_PARTS), cases[i].separate);
    }
}

static void languages_of_builds(void **state)
{
    char *options;

    (void)state;
    assert_int_equal(cw_cl_language(NULL, CW_CL_LANGUAGE_3), CW_CL_LANGUAGE_3);
    assert_int_equal(cw_cl_language("-w", CW_CL_LANGUAGE_1), CW_CL_LANGUAGE_1);
    assert_int_equal(cw_cl_language("-cl-std=CL1.1 -w", CW_CL_LANGUAGE_3), CW_CL_LANGUAGE_1);
    assert_int_equal(cw_cl_language("-cl-std=CL2.0", CW_CL_LANGUAGE_1), CW_CL_LANGUAGE_3);
    assert_int_equal(cw_cl_language("-cl-std=CL1.2 -cl-std=CL3.0", CW_CL_LANGUAGE_1), CW_CL_LANGUAGE_3);
    options = cw_cl_language_options("-w", CW_CL_LANGUAGE_3);
    assert_string_equal(options, "-w -cl-std=CL3.0");
    free(options);
    options = cw_cl_language_options("-cl-std=CL1.2", CW_CL_LANGUAGE_3);
    assert_string_equal(options, "-cl-std=CL1.2");
    free(options);
    options = cw_cl_language_options(NULL, CW_CL_LANGUAGE_1);
    assert_string_equal(options, "");
    free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_device_has_its_row),
        cmocka_unit_test(unknown_devices_have_no_traits),
        cmocka_unit_test(traits_that_run_mode_asks_for),
        cmocka_unit_test(languages),
        cmocka_unit_test(parts),
        cmocka_unit_test(languages_of_builds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
