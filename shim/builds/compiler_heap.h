/* compiler_heap.h - the heap as a compiler would have left it.
 *
 * A process that has built a program has some megabytes of freed memory, whose pages are there already;
 * its next buffers lie in it. Where the build cache answers no compiler has run, every page of
 * these buffers is touched for the first time in the middle of the program's first commands, a microsecond or
 * two each, and short commands take half as long again. */
#ifndef CW_COMPILER_HEAP_H
#define CW_COMPILER_HEAP_H

#define CW_RUN_HEAP_BYTES (2u << 20) /* free after PoCL 3.1 has built a program of a few lines */

/* Makes so much of it ready in the calling thread's arena, the first time that it is called in a process.
 * Half a millisecond of the 30 that a build takes at least. Any thread, no lock; errno stays. */
void cw_compiler_heap_warm(void);

#endif
