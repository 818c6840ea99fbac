/* device_list.h - the helpers that CLWEAVE_DEVICES (--devices) asks for.
 *
 *   LIST  = "" | "none" | "all" | ITEM {"," ITEM}
 *   ITEM  = "cpu" ["/pace=" PACE] | "sub" [":" N] | "basic" [":" N] | "dsp" [":" N] | "gpu" [":" N] | FAR |
 *           "far-home"; each at most once, but FAR
 *   FAR   = "far" [":" N] {"/" ("cap=" SIZE | "gbps=" RATE | "us=" TIME | "speed=" SPEED)}
 *
 * "" lets clweave choose, "none" asks for no helper: commands are reordered, but stay on the program's own
 * devices, which are always there. "all" asks for all of basic, dsp, cpu and gpu. "cpu": the CPU of another
 * platform helps a GPU of the program's; a CPU of the program's is there anyway. With PACE each launch
 * there takes PACE times the processor time of all its threads, in which the processors are free for
 * others. "sub": N equal sub-devices of the program's CPU; "basic": N devices of PoCL's driver of that
 * name; without N as many as the machine has processors. "dsp": the first N of the emulated DSPs help,
 * without N all of them. "gpu": N other GPUs of the vendor, of the same name as the program's one, help it,
 * or N GPUs of other platforms a CPU of the program's; without N all of them. "far": N devices as `basic`,
 * but with a memory of their own each, to and from which bytes are copied: it holds SIZE bytes (with K, M
 * or G: of 1024), a copy takes TIME microseconds and a nanosecond for each RATE bytes. Without them the
 * memory is as large as the host's, and a copy takes as long as PoCL needs for it. A launch takes its
 * processor time, times PACE, over SPEED, so with a PACE the devices are SPEED times as fast as the
 * program's own; without it no launch is faster than PoCL. Devices that differ have an item each; then each
 * item has N. A kind that a list does not name does not help. */
#ifndef CW_DEVICE_LIST_H
#define CW_DEVICE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "../../sched/status.h"

enum {
    CW_HELPERS_MAX = 64, /* of a kind */
    CW_FAR_MAX = 31,     /* of "far": a mask has a bit for each memory */
    CW_FAR_ITEMS = 8     /* of "far" in one list */
};

struct cw_far_memory {
    uint64_t capacity;   /* bytes; 0: no limit */
    double bytes_per_ns; /* of a copy; 0: not modelled */
    double latency_ns;   /* of a copy; 0: not modelled */
};

/* Far devices that are alike: an item of the list. */
struct cw_far_devices {
    unsigned n; /* as cw_device_list.far */
    struct cw_far_memory memory;
    double speed; /* the program's own device: 1; 0: not modelled */
};

struct cw_device_list {
    bool given;                         /* false: "" */
    bool cpu;                           /* of another platform than a GPU of the program's */
    unsigned sub, basic, dsp, gpu, far; /* how many; CW_HELPERS_ALL: as many as there are */
    struct cw_far_devices far_item[CW_FAR_ITEMS];
    unsigned far_items;
    double pace;   /* wall time of a launch at home over its processor time; 0: not modelled */
    bool far_home; /* the program's own CPU counts as a device with a memory of its own, and the first far
                      one's link; for tests */
};

#define CW_HELPERS_ALL (~0u)

enum { CW_DEVICE_LIST_TEXT = 640 };

/* The item of far device `i`, of those that the list asks for; the last one for others. */
const struct cw_far_devices *cw_device_list_far_of(const struct cw_device_list *list, unsigned i);

/* Wall time of a launch on a device of `far` over its processor time; 0: not modelled. */
double cw_device_list_far_pace(const struct cw_device_list *list, const struct cw_far_devices *far);

/* The far devices in words, in `text`, which is returned; "": the list has none. `processors`: of the
 * machine. */
const char *cw_device_list_far(const struct cw_device_list *list, unsigned processors,
                               char text[CW_DEVICE_LIST_TEXT]);

/* Reads `text`. CW_ERR_INVALID names the wrong word and the possible ones. */
enum cw_status cw_device_list_parse(const char *text, struct cw_device_list *list, struct cw_error *err);

#endif
