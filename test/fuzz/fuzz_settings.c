/* fuzz_settings.c - settings as people write them: the library's options, device lists, faults of DSPs,
 * policies, ratios. The first byte chooses the option. */
#include "../../analyzer/settings/device_list.h"
#include "../../analyzer/plan/platform_file.h"
#include "../../analyzer/settings/options.h"
#include "../../sched/adaptive.h"
#include "../../sched/policy.h"
#include "../../shim/device/dsp_clock.h"
#include "harness.h"

static void set_option(uint8_t which, const char *text)
{
    size_t n = 0;
    char described[300], path[200];
    struct cw_options o;
    struct cw_error err = {0};

    while (cw_option_table[n].name)
        n++;
    FUZZ_PROMISE(cw_options_init(&o, &err) == CW_OK, "%s", err.text);
    if (cw_options_set(&o, &cw_option_table[which % n], text, &err) == CW_OK)
        (void)cw_settings_check(&cw_option_table[which % n], text, &err);
    (void)cw_options_describe(&o, described, sizeof described);
    cw_options_finish(&o);
    (void)cw_options_expand(text, "program", 1, path, sizeof path, &err);
    (void)cw_options_callsites(text);
    (void)cw_options_log_level(text);
}

static void read_words(const char *text)
{
    struct cw_device_list list;
    struct cw_policy_config config;
    struct cw_dsp_faults faults[4];
    double ratio[CW_ADAPTIVE_DEVICES];
    uint32_t devices;
    struct cw_error err = {0};

    (void)cw_device_list_parse(text, &list, &err);
    (void)cw_policy_parse(&config, text, &err);
    if (cw_dsp_faults_read(text, 4, faults, &err) == CW_OK)
        for (int i = 0; i < 4; i++)
            FUZZ_PROMISE(cw_dsp_faults_end(&faults[i], 5, 500) >= 5, "a command ends before it begins");
    (void)cw_adaptive_read_ratio(text, ratio, &devices, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(size ? data + 1 : data, size ? size - 1 : 0);

    set_option(size ? data[0] : 0, text);
    read_words(text);
    free(text);
    return 0;
}
