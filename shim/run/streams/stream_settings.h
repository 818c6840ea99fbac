/* stream_settings.h - which contexts are streamed, and how. */
#ifndef CW_STREAM_SETTINGS_H
#define CW_STREAM_SETTINGS_H

#include <stdatomic.h>

#include "../../../analyzer/settings/options.h"
#include "../../device/device.h"

struct cw_stream_settings {
    atomic_bool off;    /* true from some moment on: no new contexts */
    bool force;         /* also on PoCL, and without asking whether it pays: for tests */
    bool chaos;         /* streams are chosen by lot */
    bool renames;       /* buffers may have versions (streams/stream_version.h) */
    uint64_t seed;      /* of the lots */
    atomic_bool wanted; /* a context could be streamed, and is not, as --set streams is off */
};
/* Constant after cw_stream_settings_start(), but for `off` and `wanted`. */
extern struct cw_stream_settings cw_stream_settings;

void cw_stream_settings_start(const struct cw_options *options);

/* A context of this device is not streamed, and why: says so once, where --set streams is force. */
void cw_stream_settings_refuse(const struct cw_cl_device *d, const char *why);

/* A context with these devices is streamed. */
bool cw_stream_settings_take(const struct cw_context_devices *devices);
/* The driver moves buffers slowly between these devices. */
bool cw_stream_settings_seats(const struct cw_context_devices *devices);

#endif
