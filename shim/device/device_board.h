/* device_board.h - which devices of PoCL the program may see, which are ours, which are dressed.
 *
 * PoCL lists its devices by driver: the `basic` ones that device_env.h has asked for come first. The first of
 * them are helpers, the last ones become DSPs. */
#ifndef CW_DEVICE_BOARD_H
#define CW_DEVICE_BOARD_H

#include "device.h"

#include "../../analyzer/settings/device_list.h"

enum { CW_DEVICES_MAX = 512 };

struct cw_board {
    cl_platform_id platform; /* PoCL's; NULL: there is no PoCL */
    bool filtered;           /* the vendor's list has hidden devices or DSPs */
    unsigned n_own;          /* devices that bare shows */
    unsigned n_hidden, n_dsp;
    cl_device_id own[CW_DEVICES_MAX];
    cl_device_id hidden[CW_HELPERS_MAX];
    cl_device_id dsp[CW_HELPERS_MAX];
    double helpers_ns; /* time of PoCL's start for the hidden ones, about */
    char why[256];     /* why devices that were asked for are not there; "" */
};

/* The board, found at the first call by asking PoCL for its devices; constant from then on. NULL: this call
 * comes from within PoCL's own start (hwloc's OpenCL plug-in), and must pass. Not to be called before the
 * program asks for devices or contexts: it starts PoCL. */
const struct cw_board *cw_device_board(void);

/* The number of DSPs that the settings ask for; 0 in all other modes. Set once, by cw_device_start. */
extern unsigned cw_board_dsps_wanted;

/* Index of a dressed DSP, -1 for any other device. Only looks: a device handle exists after the board was
 * found. */
int cw_device_board_dsp(cl_device_id device);

void cw_device_board_after_fork(void);

/* ---- context_devices.c */

/* The choice of helpers; once, by cw_device_start. */
void cw_context_devices_configure(const struct cw_device_list *list);
void cw_context_devices_after_fork(void);

#endif
