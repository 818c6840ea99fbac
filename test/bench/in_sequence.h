/* in_sequence.h - for gcc -include: a public program that waits after every launch enqueues them in sequence
 * instead, by its own source as it is. What it reads at the end, blocking, comes after all of them
 * (groups.bench). */
#include <CL/cl.h>
#define clFinish(queue) clFlush(queue)
