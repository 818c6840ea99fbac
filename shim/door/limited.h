/* limited.h - limits of the process under which run mode does nothing. */
#ifndef CW_LIMITED_H
#define CW_LIMITED_H

#include <stdbool.h>

/* True when the process's address space, data or processor time is limited (ulimit -v, -d, -t). The program
 * may need all of it: threads, helper devices and a compiler take from the same amount, and LLVM aborts when
 * it gets no memory. How much the program will need cannot be known, so no amount that is left is enough. Any
 * thread; three system calls. */
bool cw_limited(void);

#endif
