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

#endif
