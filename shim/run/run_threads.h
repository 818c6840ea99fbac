/* run_threads.h - threads of run mode. */
#ifndef CW_RUN_THREADS_H
#define CW_RUN_THREADS_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread that no signal of the program reaches. False, with a message, when there can be none. */
bool cw_run_thread(pthread_t *thread, void *(*body)(void *), void *data);

/* Stop and join; the lock is not held, and nothing new may come. */
void cw_run_lanes_stop(void);
void cw_run_threads_stop(void);
void cw_run_callbacks_stop(void);

#endif
