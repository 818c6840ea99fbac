/* staging_pool.c - one buffer, mapped for as long as its context lives. */
#include "staging_pool.h"

#include "../core/fault.h"
#include "../core/recount.h"

#define CELLS 1024u

static struct {
    struct cw_run_staging_context *context; /* NULL: there is no pool */
    cl_command_queue queue;                 /* that maps it */
    cl_mem memory;
    uint8_t *base, *cells;
    size_t chunk;
    uint32_t users;
    bool making, refused, leaving;
    uint32_t free_cells;
    uint16_t free_cell[CELLS];
} pool;
static pthread_mutex_t *const lock = &cw_run_staging_objects_lock;

/* Lock not held. */
static void release(cl_command_queue queue, cl_mem memory, void *base)
{
    if (base) {
        cw_next.clEnqueueUnmapMemObject(queue, memory, base, 0, NULL, NULL);
        cw_next.clFinish(queue);
    }
    if (memory)
        cw_next.clReleaseMemObject(memory);
    if (queue)
        cw_run_staging_objects_release_queue(queue);
}

/* Lock held, given up. */
static void dissolve(void)
{
    struct cw_run_staging_context *c = pool.context;
    cl_command_queue queue = pool.queue;
    cl_mem memory = pool.memory;
    uint8_t *base = pool.base;

    cw_run_recount_begins();
    c->hidden -= 2;
    pool.context = NULL;
    pool.leaving = false;
    pthread_mutex_unlock(lock);
    release(queue, memory, base);
    cw_run_recount_ends();
}

static bool make(struct cw_run_staging_context *c, cl_device_id device, size_t bytes, cl_command_queue *queue,
                 cl_mem *memory, uint8_t **base)
{
    cl_int err;

    *queue = cw_run_staging_objects_make_queue(c->handle, device);
    *memory = *queue ? cw_next.clCreateBuffer(c->handle, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes,
                                              NULL, &err)
                     : NULL;
    *base = *memory ? cw_next.clEnqueueMapBuffer(*queue, *memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                                 bytes, 0, NULL, NULL, &err)
                    : NULL;
    if (*base)
        return true;
    release(*queue, *memory, NULL);
    return false;
}

bool cw_run_staging_pool_make(struct cw_run_staging_context *c, cl_device_id device, size_t chunk,
                              unsigned seats)
{
    size_t chunks = 2 * chunk * seats;
    cl_command_queue queue;
    cl_mem memory;
    uint8_t *base;
    bool made;

    pthread_mutex_lock(lock);
    made = pool.context || pool.making || pool.refused || c->ended;
    pool.making |= !made;
    pthread_mutex_unlock(lock);
    if (made)
        return false;
    cw_run_recount_begins();
    made = !cw_run_fault_asks_now(CW_RUN_FAULT_UNPINNED) &&
           make(c, device, chunks + (size_t)CELLS * CW_RUN_STAGING_CELL, &queue, &memory, &base);
    pthread_mutex_lock(lock);
    pool.making = false;
    pool.refused = !made;
    if (!made) {
        pthread_mutex_unlock(lock);
        cw_run_recount_ends();
        return false;
    }
    pool.context = c;
    pool.queue = queue;
    pool.memory = memory;
    pool.base = base;
    pool.chunk = chunk;
    pool.cells = base + chunks;
    pool.free_cells = CELLS;
    for (uint32_t i = 0; i < CELLS; i++)
        pool.free_cell[i] = (uint16_t)i;
    c->hidden += 2;
    if (c->ended)
        dissolve();
    else
        pthread_mutex_unlock(lock);
    cw_run_recount_ends();
    return true;
}

bool cw_run_staging_pool_enter(void)
{
    bool there;

    pthread_mutex_lock(lock);
    there = pool.context && !pool.leaving;
    pool.users += there;
    pthread_mutex_unlock(lock);
    return there;
}

void cw_run_staging_pool_exit(void)
{
    pthread_mutex_lock(lock);
    pool.users--;
    if (pool.leaving && !pool.users)
        dissolve();
    else
        pthread_mutex_unlock(lock);
}

bool cw_run_staging_pool_is_wanted(void)
{
    bool wanted;

    pthread_mutex_lock(lock);
    wanted = !pool.context && !pool.making && !pool.refused;
    pthread_mutex_unlock(lock);
    return wanted;
}

uint8_t *cw_run_staging_pool_chunk(unsigned seat, unsigned k)
{
    return pool.base + (2 * seat + k) * pool.chunk;
}

uint8_t *cw_run_staging_pool_cell(void)
{
    uint8_t *cell = NULL;

    pthread_mutex_lock(lock);
    if (pool.free_cells)
        cell = pool.cells + (size_t)pool.free_cell[--pool.free_cells] * CW_RUN_STAGING_CELL;
    pthread_mutex_unlock(lock);
    return cell;
}

void cw_run_staging_pool_cell_free(uint8_t *cell)
{
    pthread_mutex_lock(lock);
    pool.free_cell[pool.free_cells++] = (uint16_t)((size_t)(cell - pool.cells) / CW_RUN_STAGING_CELL);
    pthread_mutex_unlock(lock);
}

void cw_run_staging_pool_leave(struct cw_run_staging_context *c)
{
    pthread_mutex_lock(lock);
    if (pool.context == c && !pool.users) {
        dissolve();
        return;
    }
    pool.leaving |= pool.context == c;
    pthread_mutex_unlock(lock);
}

/* The child does not use it. */
void cw_run_staging_pool_after_fork(void)
{
    pool.context = NULL;
    pool.refused = true;
}
