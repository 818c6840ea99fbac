/* mode_run.c - recording and scheduling. Until the executor exists every command goes to the program's own
 * device. */
#include "device.h"

#include "log.h"

#pragma GCC diagnostic ignored "-Woverride-init"

#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    static ret pass_##name params                                                                            \
    {                                                                                                        \
        return cw_native.name args;                                                                          \
    }
#include "api.inc"

static const struct cw_dispatch hooks = {
#define CW_API(ret, name, since, fail, handle, params, args) .name = pass_##name,
#include "api.inc"
#define HOOK(name) .name = cw_device_hook_##name,
    CW_DEVICE_HOOKS(HOOK)};

static void stop(void)
{
    char text[256];

    if (cw_device_describe(text, sizeof text))
        cw_log_info("%s", text);
}

const struct cw_mode cw_mode_run = {.name = "run", .hooks = &hooks, .start = cw_device_start, .stop = stop};
