/* awake.c - preloaded into bare runs that are to show what a program varies in by itself: whoever waits on a
 * condition looks again soon instead of sleeping. Waits may end without a cause (POSIX, pthread_cond_wait);
 * then all threads of a device's pool take part in a launch that otherwise the first one awake may do alone,
 * nearly always, and its work-groups run side by side. */
#include <pthread.h>
#include <sched.h>

__attribute__((visibility("default"))) int pthread_cond_wait(pthread_cond_t *restrict condition,
                                                             pthread_mutex_t *restrict mutex)
{
    (void)condition;
    pthread_mutex_unlock(mutex);
    sched_yield();
    return pthread_mutex_lock(mutex);
}
