/* exit.h - where the end of run mode is registered, so that it comes before the ends of the vendors'
 * libraries. */
#ifndef CW_EXIT_H
#define CW_EXIT_H

/* Called once by start(). `at_exit` is to run at exit and quick_exit, `thread_ends` when the process's first
 * thread ends. */
void cw_exit_start(void (*at_exit)(void), void (*thread_ends)(void));

/* The vendor may have woken up a part of itself: the end of run mode is to come before the handlers that it
 * has registered so far. Any thread. */
void cw_exit_register(void);

#endif
