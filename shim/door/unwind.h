/* unwind.h - walks the calling thread's stack.
 *
 * libunwind is loaded privately at the first walk, never linked: preloaded into a program, a linked libunwind
 * would replace the _Unwind_* functions that the program's C++ exceptions use, and would cost every process
 * that never makes an OpenCL call 0.1 ms. It reads the stack by process_vm_readv(), so that it uses no
 * descriptor of the process; where the kernel refuses that, glibc's backtrace() walks. */
#ifndef CW_UNWIND_H
#define CW_UNWIND_H

/* Stores at most `max` return addresses in `frames`, innermost first (the first lie in this library), and
 * returns how many; 0 when the stack cannot be walked. Thread-safe; preserves errno. */
int cw_unwind(void **frames, int max);

#endif
