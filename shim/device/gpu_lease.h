/* gpu_lease.h - processes of one user under `--devices gpu` do not help themselves to each other's GPUs, as
 * the ranks of one job on one machine.
 *
 * Two lock files for each GPU, in $XDG_RUNTIME_DIR or else /tmp: a process locks one, shared, for a GPU of
 * its own contexts, and the other one, alone, for a GPU that helps it. The locks go with the process. No
 * function waits for a lock: a program whose lock another process refuses goes on without it, and a GPU whose
 * lock is refused does not help. Where there can be no files nothing is leased, and GPUs help. Any thread; no
 * function changes errno. */
#ifndef CW_GPU_LEASE_H
#define CW_GPU_LEASE_H

#include <stdbool.h>

enum { CW_GPU_LEASE_NAME = 40 };

/* The program uses the GPU of that name (letters and digits, fewer than CW_GPU_LEASE_NAME). */
void cw_gpu_lease_use(const char *name);

/* It is to help this process. False: it helps another one, or a program of another process uses it. */
bool cw_gpu_lease_help(const char *name);

/* A program of another process uses the GPU, which helps this one, by now. Looks no more often than every
 * tenth of a second. */
bool cw_gpu_lease_is_lost(const char *name);

/* In the child of a fork: the parent keeps its leases. */
void cw_gpu_lease_after_fork(void);

#endif
