/* instruction.h - the work that run mode itself gives to vendors, as data: an instruction is one command.
 * Workers, tiles and memories make them; instruction.c alone hands them to the vendor, with planted faults
 * (core/fault.h). Any thread, lock not held. */
#ifndef CW_RUN_INSTRUCTION_H
#define CW_RUN_INSTRUCTION_H

#include "types.h"

struct cw_run_instruction {
    enum cw_run_instruction_kind {
        CW_RUN_I_GIVE,  /* bytes of host memory go to a buffer of the device */
        CW_RUN_I_FETCH, /* bytes of the buffer come to host memory */
        CW_RUN_I_SAVE,  /* a fetch from a device that has failed: it may never end */
        CW_RUN_I_MERGE, /* a fetch of bytes that join others (tiles/tile_merge.c) */
        CW_RUN_I_RUN,   /* a launch */
        CW_RUN_I_TILE   /* a part of one */
    } kind;
    bool first; /* a launch: the vendor may have to compile, so it is not paced (device/pace.h) */
    const struct cw_run_context_device *place; /* has the queues */
    union {
        struct {
            cl_mem memory;
            size_t low, bytes; /* [low, low + bytes) of it */
            void *host;
        };
        struct {
            cl_kernel kernel; /* its arguments are set */
            const struct cw_run_ndrange *range;
        };
    };
};

/* Hands it to the vendor, whose answer is returned. The caller has the device's turn (core/context_device.h).
 * *event, unless NULL, stays as it is where the vendor makes none. */
cl_int cw_run_instruction_begin(const struct cw_run_instruction *i, cl_event *event);

/* Waits for the command, unless there is none, and releases *event, which becomes NULL. */
cl_int cw_run_instruction_wait(cl_event *event);

/* Makes `n` transfers, one after another, each in its device's turn, until all are over or one has failed.
 * CL_DEVICE_NOT_AVAILABLE also where a device has failed before. *begun_ns, unless NULL: when the last turn
 * came. */
cl_int cw_run_instruction_transfer(const struct cw_run_instruction *i, uint32_t n, uint64_t *begun_ns);

#endif
