/* device_early.h - PoCL starts before the loader counts its devices.
 *
 * PoCL reads POCL_DEVICES when its devices are first asked for. Where several vendors are installed, ocl-icd
 * asks for them while it starts: it orders platforms by how many GPUs, CPUs and devices they have. That would
 * be too soon for device_env.h, and with the variable shown PoCL would count for more than bare, which
 * changes the order, and with it the meaning of "the first platform" and of a NULL platform. So before the
 * loader starts we load PoCL as it will, ask it for its devices ourselves with the variable shown, and let
 * its table answer as bare until our own hooks do.
 *
 * Not reached: a program that finds the loader by dlopen. Its first call is seen too late.
 */
#ifndef CW_DEVICE_EARLY_H
#define CW_DEVICE_EARLY_H

/* Before the loader starts. Does nothing unless device_env.h wants devices, the loader will find several
 * vendors of which one is called libpocl, and PoCL is not loaded yet. Once, before any other thread can call
 * PoCL. */
void cw_device_early_begin(void);

/* Our hooks filter from now on (device_board.h): PoCL's table is its own again. Under the board's lock. */
void cw_device_early_end(void);

#endif
