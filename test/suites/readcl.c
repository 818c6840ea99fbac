/* readcl.c - libreadcl.so: an OpenCL layer that notes what the program reads back. See readcl.h. */
#include "readcl.h"

#include "../shim/enqueues.h"

#include <CL/cl_layer.h>
#include <stdlib.h>
#include <string.h>

const struct _cl_icd_dispatch *rd_next;
static struct _cl_icd_dispatch table;

/* ---- where a command's bytes arrive */

/* A rectangle in the program's memory; zero pitches as the specification fills them in. */
static struct rd_area rectangle(const void *start, const size_t *origin, const size_t *region,
                                size_t row_pitch, size_t slice_pitch)
{
    row_pitch = row_pitch ? row_pitch : region[0];
    slice_pitch = slice_pitch ? slice_pitch : row_pitch * region[1];
    return (struct rd_area){(const char *)start + origin[2] * slice_pitch + origin[1] * row_pitch + origin[0],
                            region[0],
                            region[1],
                            row_pitch,
                            region[2],
                            slice_pitch};
}

/* Pixels in the program's memory. The layers of a 1D image array lie slice_pitch apart. */
static struct rd_area pixels(cl_mem image, const void *start, const size_t *region, size_t row_pitch,
                             size_t slice_pitch)
{
    size_t element = 1;
    cl_mem_object_type type = 0;
    rd_next->clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, NULL);
    rd_next->clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, NULL);
    if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY && slice_pitch)
        row_pitch = slice_pitch;
    row_pitch = row_pitch ? row_pitch : element * region[0];
    slice_pitch = slice_pitch && type != CL_MEM_OBJECT_IMAGE1D_ARRAY ? slice_pitch : row_pitch * region[1];
    return (struct rd_area){start, element * region[0], region[1], row_pitch, region[2], slice_pitch};
}

#define AREA_ReadBuffer     rd_bytes(p, s)
#define AREA_ReadBufferRect rectangle(p, y, z, k, l)
#define AREA_ReadImage      pixels(m, p, y, i, j)
#define AREA_SVMMemcpy      rd_bytes(d, s)
#define AREA_SVMMap         rd_bytes(p, f &CL_MAP_READ ? s : 0)

/* ---- after a call that enqueued */

/* A command that reads into `area`. */
static void after_read(struct rd_line line, const char *call, cl_command_queue q, cl_bool blocking,
                       const struct rd_area *area, cl_uint n, const cl_event *w, cl_event *e)
{
    uint64_t place = rd_enqueued(q, e ? *e : NULL, false, n, w);
    if (blocking) {
        rd_place_finished(q, place);
        rd_arrived(line, call, area);
    } else
        rd_pending(line, call, area, q, place);
}

#define X(entry, type, params, args)                                                                         \
    static cl_int CL_API_CALL read_##entry params                                                            \
    {                                                                                                        \
        struct rd_line line = rd_line();                                                                     \
        cl_int status = rd_next->clEnqueue##entry args;                                                      \
        rd_status(line, "clEnqueue" #entry, status);                                                         \
        if (status == CL_SUCCESS) {                                                                          \
            struct rd_area area = AREA_##entry;                                                              \
            after_read(line, "clEnqueue" #entry, q, b, &area, n, w, e);                                      \
        }                                                                                                    \
        return status;                                                                                       \
    }
ENQUEUES_READING(X)
#undef X

#define X(entry, type, params, args)                                                                         \
    static cl_int CL_API_CALL read_##entry params                                                            \
    {                                                                                                        \
        struct rd_line line = rd_line();                                                                     \
        cl_int status = rd_next->clEnqueue##entry args;                                                      \
        rd_status(line, "clEnqueue" #entry, status);                                                         \
        if (status == CL_SUCCESS) {                                                                          \
            uint64_t place = rd_enqueued(q, e ? *e : NULL, false, n, w);                                     \
            if (b)                                                                                           \
                rd_place_finished(q, place);                                                                 \
        }                                                                                                    \
        return status;                                                                                       \
    }
ENQUEUES_WRITING(X)
#undef X

#define COVERS(type)                                                                                         \
    ((CL_COMMAND_##type == CL_COMMAND_MARKER || CL_COMMAND_##type == CL_COMMAND_BARRIER) && n == 0)
#define X(entry, type, params, args)                                                                         \
    static cl_int CL_API_CALL read_##entry params                                                            \
    {                                                                                                        \
        struct rd_line line = rd_line();                                                                     \
        cl_int status = rd_next->clEnqueue##entry args;                                                      \
        rd_status(line, "clEnqueue" #entry, status);                                                         \
        if (status == CL_SUCCESS)                                                                            \
            rd_enqueued(q, e ? *e : NULL, COVERS(type), n, w);                                               \
        return status;                                                                                       \
    }
ENQUEUES_OTHER(X)
#undef X

static cl_int CL_API_CALL read_Marker(cl_command_queue q, cl_event *e)
{
    struct rd_line line = rd_line();
    cl_int status = rd_next->clEnqueueMarker(q, e);
    rd_status(line, "clEnqueueMarker", status);
    if (status == CL_SUCCESS)
        rd_enqueued(q, *e, true, 0, NULL);
    return status;
}

static void *CL_API_CALL read_MapBuffer(cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags f, size_t o,
                                        size_t s, cl_uint n, const cl_event *w, cl_event *e, cl_int *err)
{
    struct rd_line line = rd_line();
    cl_int status;
    void *p = rd_next->clEnqueueMapBuffer(q, m, b, f, o, s, n, w, e, &status);
    rd_status(line, "clEnqueueMapBuffer", status);
    if (err)
        *err = status;
    if (p) {
        struct rd_area area = rd_bytes(p, f & CL_MAP_READ ? s : 0);
        after_read(line, "clEnqueueMapBuffer", q, b, &area, n, w, e);
    }
    return p;
}

static void *CL_API_CALL read_MapImage(cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags f,
                                       const size_t *x, const size_t *y, size_t *r, size_t *s, cl_uint n,
                                       const cl_event *w, cl_event *e, cl_int *err)
{
    struct rd_line line = rd_line();
    cl_int status;
    void *p = rd_next->clEnqueueMapImage(q, m, b, f, x, y, r, s, n, w, e, &status);
    rd_status(line, "clEnqueueMapImage", status);
    if (err)
        *err = status;
    if (p) {
        struct rd_area area = f & CL_MAP_READ ? pixels(m, p, y, *r, s ? *s : 0) : rd_bytes(p, 0);
        after_read(line, "clEnqueueMapImage", q, b, &area, n, w, e);
    }
    return p;
}

/* What is unmapped may be gone, or written by others, when the program can know that it was there. */
static cl_int CL_API_CALL read_Unmap(cl_command_queue q, cl_mem m, void *p, cl_uint n, const cl_event *w,
                                     cl_event *e)
{
    cl_int status = read_UnmapMemObject(q, m, p, n, w, e);
    if (status == CL_SUCCESS)
        rd_unmapped(p);
    return status;
}

static cl_int CL_API_CALL read_UnmapSVM(cl_command_queue q, void *p, cl_uint n, const cl_event *w,
                                        cl_event *e)
{
    cl_int status = read_SVMUnmap(q, p, n, w, e);
    if (status == CL_SUCCESS)
        rd_unmapped(p);
    return status;
}

/* ---- what tells the program that something is complete */

static cl_int CL_API_CALL read_Finish(cl_command_queue q)
{
    struct rd_line line = rd_line();
    cl_int status = rd_next->clFinish(q);
    rd_status(line, "clFinish", status);
    if (status == CL_SUCCESS)
        rd_queue_finished(q);
    return status;
}

static cl_int CL_API_CALL read_Flush(cl_command_queue q)
{
    struct rd_line line = rd_line();
    cl_int status = rd_next->clFlush(q);
    rd_status(line, "clFlush", status);
    return status;
}

static cl_int CL_API_CALL read_WaitForEvents(cl_uint n, const cl_event *w)
{
    struct rd_line line = rd_line();
    cl_int status = rd_next->clWaitForEvents(n, w);
    rd_status(line, "clWaitForEvents", status);
    for (cl_uint i = 0; status == CL_SUCCESS && i < n; i++)
        rd_event_finished(w[i]);
    return status;
}

static cl_int CL_API_CALL read_GetEventInfo(cl_event e, cl_event_info what, size_t size, void *value,
                                            size_t *needed)
{
    cl_int state = CL_QUEUED, status = rd_next->clGetEventInfo(e, what, size, value, needed);
    if (status == CL_SUCCESS && what == CL_EVENT_COMMAND_EXECUTION_STATUS && value) {
        memcpy(&state, value, sizeof state);
        if (state == CL_COMPLETE)
            rd_event_finished(e);
    }
    return status;
}

struct callback {
    void(CL_CALLBACK *function)(cl_event, cl_int, void *);
    void *data;
    struct rd_line line;
};

static void CL_CALLBACK called_back(cl_event e, cl_int status, void *data)
{
    struct callback c = *(struct callback *)data;
    free(data);
    if (status < 0)
        rd_status(c.line, "callback", status);
    if (status == CL_COMPLETE)
        rd_event_finished(e);
    c.function(e, status, c.data);
}

static cl_int CL_API_CALL read_SetEventCallback(cl_event e, cl_int type,
                                                void(CL_CALLBACK *function)(cl_event, cl_int, void *),
                                                void *data)
{
    struct callback *c = function ? malloc(sizeof *c) : NULL;
    struct rd_line line = rd_line();
    if (c)
        *c = (struct callback){function, data, line};
    cl_int status = rd_next->clSetEventCallback(e, type, c ? called_back : NULL, c);
    if (status != CL_SUCCESS)
        free(c);
    rd_status(line, "clSetEventCallback", status);
    return status;
}

static cl_command_queue CL_API_CALL read_CreateQueue(cl_context c, cl_device_id d,
                                                     cl_command_queue_properties p, cl_int *err)
{
    cl_command_queue q = rd_next->clCreateCommandQueue(c, d, p, err);
    if (q)
        rd_queue_made(q);
    return q;
}

static cl_command_queue CL_API_CALL read_CreateQueueWith(cl_context c, cl_device_id d,
                                                         const cl_queue_properties *p, cl_int *err)
{
    cl_command_queue q = rd_next->clCreateCommandQueueWithProperties(c, d, p, err);
    if (q)
        rd_queue_made(q);
    return q;
}

/* ---- the layer */

#define EXPORT __attribute__((visibility("default")))

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value, size_t *needed)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char name[] = "readcl";
    size_t bytes = what == CL_LAYER_API_VERSION ? sizeof version : sizeof name;
    if (what != CL_LAYER_API_VERSION && what != CL_LAYER_NAME)
        return CL_INVALID_VALUE;
    if (needed)
        *needed = bytes;
    if (value && size < bytes)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, what == CL_LAYER_API_VERSION ? (const void *)&version : name, bytes);
    return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target, cl_uint *given,
                                      const cl_icd_dispatch **layer)
{
    if (entries < sizeof table / sizeof(void *) || !given || !layer)
        return CL_INVALID_VALUE;
    rd_next = target;
    table = *target;
#define X(entry, type, params, args) table.clEnqueue##entry = read_##entry;
    ENQUEUES_READING(X)
    ENQUEUES_WRITING(X)
    ENQUEUES_OTHER(X)
#undef X
    table.clEnqueueUnmapMemObject = read_Unmap;
    table.clEnqueueSVMUnmap = read_UnmapSVM;
    table.clEnqueueMarker = read_Marker;
    table.clEnqueueMapBuffer = read_MapBuffer;
    table.clEnqueueMapImage = read_MapImage;
    table.clFinish = read_Finish;
    table.clFlush = read_Flush;
    table.clWaitForEvents = read_WaitForEvents;
    table.clGetEventInfo = read_GetEventInfo;
    table.clSetEventCallback = read_SetEventCallback;
    if (getenv("READCL_FRESH")) {
        table.clCreateBuffer = rd_fresh_buffer;
        table.clCreateBufferWithProperties = rd_fresh_buffer_with;
    }
    table.clCreateCommandQueue = read_CreateQueue;
    table.clCreateCommandQueueWithProperties = read_CreateQueueWith;
    *given = sizeof table / sizeof(void *);
    *layer = &table;
    return CL_SUCCESS;
}
