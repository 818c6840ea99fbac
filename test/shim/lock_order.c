/* lock_order.c - takes locks as its argument says, in a right order and in wrong ones:
 * shim/door/lock_order.h. */
#include "../../shim/door/dispatch.h"
#include "../../shim/door/lock_order.h"

#include <string.h>

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER, run = PTHREAD_MUTEX_INITIALIZER,
                       file = PTHREAD_MUTEX_INITIALIZER,
                       turn[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t queue = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, other = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&order, STREAM_ORDER)
CW_LOCK_RANK(&run, RUN)
CW_LOCK_RANK(&file, LOG_FILE)
CW_LOCK_RANK(&queue, STREAM_QUEUE)

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static struct cw_dispatch vendor;

static cl_int flush(cl_command_queue q)
{
    (void)q;
    return CL_SUCCESS;
}

static cl_int info(cl_event event, cl_event_info name, size_t room, void *to, size_t *bytes)
{
    (void)event, (void)name, (void)room, (void)to, (void)bytes;
    return CL_SUCCESS;
}

static void take(pthread_mutex_t *a, pthread_mutex_t *b, pthread_mutex_t *c)
{
    pthread_mutex_lock(a);
    pthread_mutex_lock(b);
    pthread_mutex_lock(c);
    pthread_mutex_unlock(a);
    pthread_mutex_unlock(c);
    pthread_mutex_unlock(b);
}

static void *signals(void *unused)
{
    pthread_mutex_lock(&run);
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&run);
    return unused;
}

static void waits(void)
{
    pthread_t thread;

    pthread_mutex_lock(&run);
    pthread_create(&thread, NULL, signals, NULL);
    pthread_cond_wait(&cond, &run);
    pthread_mutex_unlock(&run);
    pthread_join(thread, NULL);
    take(&order, &run, &file);
}

static void ask(pthread_mutex_t *with)
{
    pthread_mutex_lock(with);
    vendor.clGetEventInfo(NULL, 0, 0, NULL, NULL);
    pthread_mutex_unlock(with);
}

static void call(pthread_mutex_t *with)
{
    pthread_mutex_lock(with);
    vendor.clFlush(NULL);
    pthread_mutex_unlock(with);
}

static void in_order(void)
{
    take(&order, &run, &file);
    take(&order, &other, &run); /* that one has no row */
    take(&other, &order, &run);
}

static void again(void)
{
    take(&queue, &queue, &run);
}

static void tried(void)
{
    pthread_mutex_trylock(&order);
    take(&queue, &run, &file);
}

static void calls(void)
{
    call(&queue);
}

static void asks(void)
{
    ask(&run);
}

static void out_of_order(void)
{
    take(&run, &queue, &file);
}

static void equal(void)
{
    take(&turn[0], &turn[1], &file);
}

static void tries(void)
{
    pthread_mutex_lock(&run);
    pthread_mutex_trylock(&queue);
}

static void waits_with_another(void)
{
    pthread_mutex_lock(&run);
    pthread_mutex_lock(&file);
    pthread_cond_wait(&cond, &run);
}

static void calls_back(void)
{
    call(&run);
}

static void asks_with_none(void)
{
    ask(&file);
}

static const struct {
    const char *name;
    void (*act)(void);
} cases[] = {
#define CASE(name) {#name, name},
    CASE(in_order) CASE(again) CASE(waits) CASE(tried) CASE(calls) CASE(asks) CASE(out_of_order) CASE(equal)
        CASE(tries) CASE(waits_with_another) CASE(calls_back) CASE(asks_with_none)};

int main(int argc, char **argv)
{
    cw_lock_order_add(&turn[0], CW_LOCK_TURN);
    cw_lock_order_add(&turn[1], CW_LOCK_TURN);
    vendor = (struct cw_dispatch){.clFlush = flush, .clGetEventInfo = info};
    cw_lock_order_watch(&vendor);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && !strcmp(argv[1], cases[i].name)) {
            cases[i].act();
            return 0;
        }
    return 2;
}
