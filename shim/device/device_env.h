/* device_env.h - asking PoCL for devices that the program did not ask for.
 *
 * PoCL reads POCL_DEVICES when its devices are first asked for. Setting a variable then would race with other
 * threads' getenv, and leaving it set would show it to the program and to its children. So the constructor,
 * when the process has one thread, puts a variable called CLWV_DEVICES into the environment, in a buffer of
 * ours, and while PoCL reads, four bytes of that buffer are POCL: one store, no change of the environment's
 * structure.
 *
 * Children inherit CLWV_DEVICES, which means nothing to anybody; their own constructor replaces it. A child
 * that is started by another thread within the microseconds to milliseconds of PoCL's start inherits
 * POCL_DEVICES: if it is under clweave it knows our value by the two blanks at its end, else it sees more
 * devices. */
#ifndef CW_DEVICE_ENV_H
#define CW_DEVICE_ENV_H

#include <stdbool.h>

enum cw_device_env {
    CW_DEVICE_ENV_NONE,  /* nothing was prepared: no helpers and no DSPs are wanted, or the mode is not run */
    CW_DEVICE_ENV_OURS,  /* PoCL is asked for cw_device_env_basics() devices more */
    CW_DEVICE_ENV_USERS, /* the user has set POCL_DEVICES, which holds */
    CW_DEVICE_ENV_LATE   /* loaded as a layer into a process with several threads: too late to set anything */
};

enum cw_device_env cw_device_env_state(void);

/* Processors that this process may use, CW_HELPERS_MAX at most. */
unsigned cw_device_env_processors(void);

/* How many `basic` devices PoCL is asked for. */
unsigned cw_device_env_basics(void);

/* No devices but PoCL's own, after all. Does nothing once the variable was shown: the devices exist. */
void cw_device_env_forget(void);

/* So many at most. Likewise. */
void cw_device_env_limit(unsigned most);

/* Shows the variable to PoCL, hides it again. Between the two the caller makes PoCL read it. */
void cw_device_env_show(void);
void cw_device_env_hide(void);

/* PoCL starts before the loader counts its devices.
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

/* Before the loader starts. Does nothing unless device_env.h wants devices, the loader will find several
 * vendors of which one is called libpocl, and PoCL is not loaded yet. Once, before any other thread can call
 * PoCL. */
void cw_device_early_begin(void);

/* Our hooks filter from now on (device_board.h): PoCL's table is its own again. Under the board's lock. */
void cw_device_early_end(void);

#endif
