/* stream_settings.c - see streams/stream_settings.h. */
#include "stream_settings.h"

#include <string.h>

#include "../../door/dispatch.h"
#include "../../door/log.h"

struct cw_stream_settings cw_stream_settings = {.off = true};

void cw_stream_settings_start(const struct cw_options *options)
{
    cw_stream_settings.off = !strcmp(options->streams, "off");
    cw_stream_settings.force = !strcmp(options->streams, "force");
    cw_stream_settings.chaos = !strncmp(options->policy, "chaos", 5);
    cw_stream_settings.renames = strcmp(options->rename, "off") != 0;
    cw_stream_settings.seed = (uint64_t)options->seed;
}

/* `force` takes PoCL's CPU, also where --set staging=force has made a device with a memory of its own of it.
 * A dressed DSP's times are modelled: what it runs has to pass by device/. */
static bool fits(const struct cw_cl_device *d)
{
    return cw_device_has(d, CW_VENDOR_STREAMS) ||
           (cw_stream_settings.force && !d->dsp &&
            (cw_device_has(d, CW_VENDOR_ZERO_COPY_HOST_PTR) || cw_device_has(d, CW_VENDOR_PINNED)));
}

void cw_stream_settings_refuse(const struct cw_cl_device *d, const char *why)
{
    char platform[128] = "?";

    if (!cw_stream_settings.force)
        return;
    cw_next.clGetPlatformInfo(d->platform, CL_PLATFORM_NAME, sizeof platform, platform, NULL);
    cw_log_warning("--set streams=force: queues on %s (%s) get no streams: %s", d->name, platform, why);
}

bool cw_stream_settings_take(const struct cw_context_devices *devices)
{
    if (!devices || !devices->homes)
        return false;
    for (size_t i = 0; i < devices->homes; i++) {
        const struct cw_cl_device *d = &devices->device[i];
        if (!fits(d)) {
            cw_stream_settings_refuse(
                d, d->dsp ? "the times of an emulated DSP are modelled, one command at a time"
                          : "clweave has streams for NVIDIA GPUs and PoCL's CPU devices only");
            return false;
        }
    }
    if (cw_stream_settings.off)
        cw_stream_settings.wanted = true;
    return !cw_stream_settings.off;
}

bool cw_stream_settings_seats(const struct cw_context_devices *devices)
{
    for (size_t i = 0; i < devices->homes && !cw_stream_settings.force; i++)
        if (!cw_device_has(&devices->device[i], CW_VENDOR_MIGRATES_SLOWLY))
            return false;
    return true;
}
