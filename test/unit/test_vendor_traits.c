/* Rows of vendors: which one a device has, and that a device that no row fits has no traits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_device_has_its_row),
        cmocka_unit_test(unknown_devices_have_no_traits),
        cmocka_unit_test(traits_that_run_mode_asks_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
