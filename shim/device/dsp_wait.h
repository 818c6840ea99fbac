/* dsp_wait.h - holds a thread until an emulated DSP is done, to the microsecond.
 *
 * Threads of ordinary priority wake up to 50 us late by the kernel's leave (timer slack), and another 30 to
 * 100 us late where the processor, or the virtual machine, slept meanwhile: 15 % of a command of half a
 * millisecond. So the slack is set to nothing for the wait, and the last of it is spent awake where a
 * processor can be spared. */
#ifndef CW_DSP_WAIT_H
#define CW_DSP_WAIT_H

#include <stdatomic.h>
#include <stdint.h>

/* Returns at `ns` of CLOCK_MONOTONIC, or soon after *stopped, a private futex, became other than 0 and was
 * woken. */
void cw_dsp_wait(_Atomic uint32_t *stopped, uint64_t ns);

/* The same, all of it asleep: other threads' processor time is measured meanwhile. */
void cw_dsp_wait_asleep(uint64_t ns);

#endif
