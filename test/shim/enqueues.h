/* enqueues.h - every enqueueing function that returns a status, as X-macros, for the tests' witnesses.
 *
 * X(entry point, command type, (parameters), (arguments)). Names that rows share: q the queue; b blocking or
 * not; p the program's memory; n, w, e the wait list and the event (all but ENQUEUES_OLD). */
#ifndef TEST_ENQUEUES_H
#define TEST_ENQUEUES_H

#define WAITS cl_uint n, const cl_event *w, cl_event *e

/* what the program reads through; all can block */
#define ENQUEUES_READING(X)                                                                                  \
    X(ReadBuffer, READ_BUFFER,                                                                               \
      (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t s, void *p, WAITS),                         \
      (q, m, b, o, s, p, n, w, e))                                                                           \
    X(ReadBufferRect, READ_BUFFER_RECT,                                                                      \
      (cl_command_queue q, cl_mem m, cl_bool b, const size_t *x, const size_t *y, const size_t *z, size_t i, \
       size_t j, size_t k, size_t l, void *p, WAITS),                                                        \
      (q, m, b, x, y, z, i, j, k, l, p, n, w, e))                                                            \
    X(ReadImage, READ_IMAGE,                                                                                 \
      (cl_command_queue q, cl_mem m, cl_bool b, const size_t *x, const size_t *y, size_t i, size_t j,        \
       void *p, WAITS),                                                                                      \
      (q, m, b, x, y, i, j, p, n, w, e))                                                                     \
    X(SVMMemcpy, SVM_MEMCPY, (cl_command_queue q, cl_bool b, void *d, const void *p, size_t s, WAITS),       \
      (q, b, d, p, s, n, w, e))                                                                              \
    X(SVMMap, SVM_MAP, (cl_command_queue q, cl_bool b, cl_map_flags f, void *p, size_t s, WAITS),            \
      (q, b, f, p, s, n, w, e))

/* can block, read nothing */
#define ENQUEUES_WRITING(X)                                                                                  \
    X(WriteBuffer, WRITE_BUFFER,                                                                             \
      (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t s, const void *p, WAITS),                   \
      (q, m, b, o, s, p, n, w, e))                                                                           \
    X(WriteBufferRect, WRITE_BUFFER_RECT,                                                                    \
      (cl_command_queue q, cl_mem m, cl_bool b, const size_t *x, const size_t *y, const size_t *z, size_t i, \
       size_t j, size_t k, size_t l, const void *p, WAITS),                                                  \
      (q, m, b, x, y, z, i, j, k, l, p, n, w, e))                                                            \
    X(WriteImage, WRITE_IMAGE,                                                                               \
      (cl_command_queue q, cl_mem m, cl_bool b, const size_t *x, const size_t *y, size_t i, size_t j,        \
       const void *p, WAITS),                                                                                \
      (q, m, b, x, y, i, j, p, n, w, e))

/* never block */
#define ENQUEUES_OTHER(X)                                                                                    \
    X(CopyBuffer, COPY_BUFFER,                                                                               \
      (cl_command_queue q, cl_mem m, cl_mem d, size_t o, size_t t, size_t s, WAITS),                         \
      (q, m, d, o, t, s, n, w, e))                                                                           \
    X(FillBuffer, FILL_BUFFER,                                                                               \
      (cl_command_queue q, cl_mem m, const void *p, size_t z, size_t o, size_t s, WAITS),                    \
      (q, m, p, z, o, s, n, w, e))                                                                           \
    X(CopyBufferRect, COPY_BUFFER_RECT,                                                                      \
      (cl_command_queue q, cl_mem m, cl_mem d, const size_t *x, const size_t *y, const size_t *z, size_t i,  \
       size_t j, size_t k, size_t l, WAITS),                                                                 \
      (q, m, d, x, y, z, i, j, k, l, n, w, e))                                                               \
    X(CopyImage, COPY_IMAGE,                                                                                 \
      (cl_command_queue q, cl_mem m, cl_mem d, const size_t *x, const size_t *y, const size_t *z, WAITS),    \
      (q, m, d, x, y, z, n, w, e))                                                                           \
    X(FillImage, FILL_IMAGE,                                                                                 \
      (cl_command_queue q, cl_mem m, const void *p, const size_t *x, const size_t *y, WAITS),                \
      (q, m, p, x, y, n, w, e))                                                                              \
    X(CopyImageToBuffer, COPY_IMAGE_TO_BUFFER,                                                               \
      (cl_command_queue q, cl_mem m, cl_mem d, const size_t *x, const size_t *y, size_t o, WAITS),           \
      (q, m, d, x, y, o, n, w, e))                                                                           \
    X(CopyBufferToImage, COPY_BUFFER_TO_IMAGE,                                                               \
      (cl_command_queue q, cl_mem m, cl_mem d, size_t o, const size_t *x, const size_t *y, WAITS),           \
      (q, m, d, o, x, y, n, w, e))                                                                           \
    X(UnmapMemObject, UNMAP_MEM_OBJECT, (cl_command_queue q, cl_mem m, void *p, WAITS), (q, m, p, n, w, e))  \
    X(MigrateMemObjects, MIGRATE_MEM_OBJECTS,                                                                \
      (cl_command_queue q, cl_uint c, const cl_mem *m, cl_mem_migration_flags f, WAITS),                     \
      (q, c, m, f, n, w, e))                                                                                 \
    X(NDRangeKernel, NDRANGE_KERNEL,                                                                         \
      (cl_command_queue q, cl_kernel k, cl_uint d, const size_t *x, const size_t *y, const size_t *z,        \
       WAITS),                                                                                               \
      (q, k, d, x, y, z, n, w, e))                                                                           \
    X(Task, TASK, (cl_command_queue q, cl_kernel k, WAITS), (q, k, n, w, e))                                 \
    X(NativeKernel, NATIVE_KERNEL,                                                                           \
      (cl_command_queue q, void(CL_CALLBACK * f)(void *), void *a, size_t s, cl_uint c, const cl_mem *m,     \
       const void **l, WAITS),                                                                               \
      (q, f, a, s, c, m, l, n, w, e))                                                                        \
    X(MarkerWithWaitList, MARKER, (cl_command_queue q, WAITS), (q, n, w, e))                                 \
    X(BarrierWithWaitList, BARRIER, (cl_command_queue q, WAITS), (q, n, w, e))                               \
    X(SVMFree, SVM_FREE,                                                                                     \
      (cl_command_queue q, cl_uint c, void **p,                                                              \
       void(CL_CALLBACK * f)(cl_command_queue, cl_uint, void **, void *), void *d, WAITS),                   \
      (q, c, p, f, d, n, w, e))                                                                              \
    X(SVMMemFill, SVM_MEMFILL, (cl_command_queue q, void *d, const void *p, size_t z, size_t s, WAITS),      \
      (q, d, p, z, s, n, w, e))                                                                              \
    X(SVMUnmap, SVM_UNMAP, (cl_command_queue q, void *p, WAITS), (q, p, n, w, e))                            \
    X(SVMMigrateMem, SVM_MIGRATE_MEM,                                                                        \
      (cl_command_queue q, cl_uint c, const void **p, const size_t *s, cl_mem_migration_flags f, WAITS),     \
      (q, c, p, s, f, n, w, e))

/* of OpenCL 1.0, without wait list */
#define ENQUEUES_OLD(X)                                                                                      \
    X(Marker, MARKER, (cl_command_queue q, cl_event * e), (q, e))                                            \
    X(Barrier, BARRIER, (cl_command_queue q), (q))                                                           \
    X(WaitForEvents, BARRIER, (cl_command_queue q, cl_uint n, const cl_event *w), (q, n, w))

#define ENQUEUES(X) ENQUEUES_READING(X) ENQUEUES_WRITING(X) ENQUEUES_OTHER(X) ENQUEUES_OLD(X)

#endif
