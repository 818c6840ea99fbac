/* staged_images.c - transfers between the program's memory and images: all types, formats, pitches, parts,
 * blocking or not, gated, refused, beside other threads and maps, into memory that was never touched; their
 * events.
 * `staged_images SEED`: other random transfers.
 * `staged_images each`: each random transfer is looked at before the next one.
 * `staged_images large`: of so many bytes that pinned memory pays. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "common.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    TRANSFERS = 14,
    BATCH = 5,
    FORMATS = 64,
    ROUNDS = 30,
    SIDE = 64,
    LARGE = 2048,
    LARGE_ROUNDS = 12,
    PAGES = 48
};

static struct app a;
static int batch = BATCH; /* random transfers that are under way together */

/* An image, and what is in it, without gaps. */
struct picture {
    cl_mem mem, buffer;
    cl_image_desc desc;
    size_t pixel, extent[3];
    uint8_t *model;
};

static size_t bytes_of(const struct picture *p)
{
    return p->pixel * p->extent[0] * p->extent[1] * p->extent[2];
}

static bool make(struct picture *p, cl_mem_flags flags, const cl_image_format *format,
                 cl_mem_object_type type, uint32_t *seed)
{
    bool array = type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    bool flat = type == CL_MEM_OBJECT_IMAGE1D || type == CL_MEM_OBJECT_IMAGE1D_BUFFER ||
                type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    bool deep = type == CL_MEM_OBJECT_IMAGE3D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    cl_int err;

    *p = (struct picture){.extent = {flat && !array ? 3001 : 61,
                                     flat && !array ? 1
                                     : array        ? 7
                                                    : 29,
                                     deep ? 5 : 1}};
    p->desc = (cl_image_desc){.image_type = type,
                              .image_width = p->extent[0],
                              .image_height = flat ? 0 : p->extent[1],
                              .image_depth = type == CL_MEM_OBJECT_IMAGE3D ? p->extent[2] : 0,
                              .image_array_size = array ? p->extent[deep ? 2 : 1] : 0};
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
        p->desc.mem_object = p->buffer = app_buffer(&a, CL_MEM_READ_WRITE, p->extent[0] * 16, NULL);
    p->mem = clCreateImage(a.context, flags, format, &p->desc, NULL, &err);
    if (!p->mem) {
        if (p->buffer)
            app_release_mems(&p->buffer, 1);
        return false;
    }
    APP_CHECK(clGetImageInfo(p->mem, CL_IMAGE_ELEMENT_SIZE, sizeof p->pixel, &p->pixel, NULL));
    p->model = app_alloc(bytes_of(p));
    for (size_t i = 0; i < bytes_of(p); i++)
        p->model[i] = (uint8_t)app_random(seed);
    APP_CHECK(clEnqueueWriteImage(a.queue, p->mem, CL_TRUE, (size_t[3]){0}, p->extent, 0, 0, p->model, 0,
                                  NULL, NULL));
    return true;
}

static void let_go(struct picture *p)
{
    app_release_mems(&p->mem, 1);
    if (p->buffer)
        app_release_mems(&p->buffer, 1);
    free(p->model);
}

/* ---- random transfers against a model */

static struct pending {
    uint8_t *host, *want;
    size_t bytes;
} pending[BATCH];
static int num_pending;

static void settle(struct picture *p)
{
    uint8_t *all = app_alloc(bytes_of(p));

    APP_CHECK(
        clEnqueueReadImage(a.queue, p->mem, CL_TRUE, (size_t[3]){0}, p->extent, 0, 0, all, 0, NULL, NULL));
    APP_CHECK(clFinish(a.queue));
    app_expect(&a, !memcmp(all, p->model, bytes_of(p)), "an image of type %x, pixels of %zu bytes differs",
               p->desc.image_type, p->pixel);
    free(all);
    for (int i = 0; i < num_pending; i++) {
        struct pending *x = &pending[i];
        app_expect(&a, !memcmp(x->host, x->want, x->bytes),
                   "host memory of type %x, pixels of %zu bytes differs", p->desc.image_type, p->pixel);
        app_hash(&a, x->host, x->bytes);
        free(x->host), free(x->want);
    }
    num_pending = 0;
}

/* The host's pitches as the program gives them, 0 where it leaves them to the vendor, and as they are. */
struct pitches {
    size_t row, slice, rows, slices;
};

static struct pitches any_pitches(const struct picture *p, const size_t *region, uint32_t *seed)
{
    bool deep =
        p->desc.image_type == CL_MEM_OBJECT_IMAGE3D || p->desc.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    struct pitches of = {.rows = region[0] * p->pixel};

    if (app_random(seed) % 2)
        of.row = of.rows = (region[0] + app_random(seed) % 9) * p->pixel;
    of.slices = of.rows * region[1];
    if (deep && app_random(seed) % 2)
        of.slice = of.slices = of.slices + app_random(seed) % 40 * p->pixel;
    return of;
}

static void transfer(struct picture *p, uint32_t *seed)
{
    bool write = app_random(seed) % 2, blocking = app_random(seed) % 2;
    struct pending *x = &pending[num_pending++];
    size_t origin[3], region[3], *e = p->extent;
    struct pitches h;

    for (int d = 0; d < 3; d++) {
        region[d] = app_random(seed) % 3 ? 1 + app_random(seed) % e[d] : e[d];
        origin[d] = app_random(seed) % (e[d] - region[d] + 1);
    }
    h = any_pitches(p, region, seed);
    x->bytes = h.slices * region[2];
    x->host = app_alloc(x->bytes), x->want = app_alloc(x->bytes);
    for (size_t i = 0; i < x->bytes; i++)
        x->want[i] = x->host[i] = (uint8_t)app_random(seed);
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++) {
            uint8_t *in = p->model + (((origin[2] + z) * e[1] + origin[1] + y) * e[0] + origin[0]) * p->pixel,
                    *out = x->want + z * h.slices + y * h.rows;
            memcpy(write ? in : out, write ? out : in, region[0] * p->pixel);
        }
    if (write)
        APP_CHECK(clEnqueueWriteImage(a.queue, p->mem, blocking, origin, region, h.row, h.slice, x->host, 0,
                                      NULL, NULL));
    else
        APP_CHECK(clEnqueueReadImage(a.queue, p->mem, blocking, origin, region, h.row, h.slice, x->host, 0,
                                     NULL, NULL));
}

static void random_transfers(cl_mem_flags flags, const cl_image_format *format, cl_mem_object_type type,
                             uint32_t *seed)
{
    struct picture p;

    if (!make(&p, flags, format, type, seed))
        return;
    for (int i = 0; i < TRANSFERS; i++) {
        transfer(&p, seed);
        if (num_pending == batch)
            settle(&p);
    }
    settle(&p);
    let_go(&p);
}

/* All formats of two dimensions, and every fifth of the other types. */
static void forms(uint32_t seed)
{
    static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE2D,        CL_MEM_OBJECT_IMAGE1D,
                                               CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                               CL_MEM_OBJECT_IMAGE2D_ARRAY,  CL_MEM_OBJECT_IMAGE3D};
    cl_image_format formats[FORMATS];
    cl_uint n = 0;

    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        APP_CHECK(clGetSupportedImageFormats(a.context, CL_MEM_READ_WRITE, types[t], FORMATS, formats, &n));
        n = n < FORMATS ? n : FORMATS;
        for (cl_uint i = 0; i < n; i += t ? 5 : 1)
            random_transfers(i % 3 ? CL_MEM_READ_WRITE : CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                             &formats[i], types[t], &seed);
    }
}

static const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8};
static const size_t zero[3];

/* Whole pictures of SIDE x SIDE pixels. */
static const size_t whole[3] = {SIDE, SIDE, 1};
enum { BYTES = SIDE * SIDE * 4 };

static cl_mem square(cl_mem_flags flags, void *bytes)
{
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    cl_int err;
    cl_mem m = clCreateImage(a.context, CL_MEM_READ_WRITE | flags, &rgba, &desc, bytes, &err);

    APP_CHECK(err);
    return m;
}

static cl_int write_all(cl_command_queue q, cl_mem m, cl_bool blocking, const void *x, cl_uint n,
                        const cl_event *list, cl_event *e)
{
    return clEnqueueWriteImage(q, m, blocking, zero, whole, 0, 0, x, n, list, e);
}

static cl_int read_all(cl_command_queue q, cl_mem m, cl_bool blocking, void *x, cl_uint n,
                       const cl_event *list, cl_event *e)
{
    return clEnqueueReadImage(q, m, blocking, zero, whole, 0, 0, x, n, list, e);
}

/* ---- a gate of the program's: transfers of other queues go on, later commands of this one wait */

static void gated(void)
{
    cl_command_queue other = app_queue(&a, 0);
    cl_mem m = square(0, NULL), n = square(0, NULL);
    uint8_t *x = app_alloc(BYTES), *y = app_alloc(BYTES), *z = app_alloc(BYTES);
    cl_event gate, events[2];
    cl_int err;

    for (size_t i = 0; i < BYTES; i++)
        x[i] = (uint8_t)(i * 7);
    memset(y, 0, BYTES);
    gate = clCreateUserEvent(a.context, &err);
    APP_CHECK(err);
    APP_CHECK(write_all(a.queue, m, CL_FALSE, x, 1, &gate, &events[0]));
    APP_CHECK(read_all(a.queue, m, CL_FALSE, y, 0, NULL, &events[1]));
    APP_CHECK(clFlush(a.queue));
    APP_CHECK(write_all(other, n, CL_TRUE, x, 0, NULL, NULL));
    APP_CHECK(read_all(other, n, CL_FALSE, z, 0, NULL, NULL));
    APP_CHECK(clFinish(other));
    app_expect(&a, !memcmp(x, z, BYTES), "the other queue's pixels differ");
    app_expect(&a, rm_status(events[0]) > CL_COMPLETE && rm_status(events[1]) > CL_COMPLETE && !y[1],
               "a gated transfer is over");
    APP_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    APP_CHECK(clWaitForEvents(1, &events[1]));
    app_expect(&a, rm_status(events[0]) == CL_COMPLETE && !memcmp(x, y, BYTES), "the gated pixels differ");
    app_release_events((cl_event[]){gate, events[0], events[1]}, 3);
    app_release_mems((cl_mem[]){m, n}, 2);
    APP_CHECK(clReleaseCommandQueue(other));
    free(x), free(y), free(z);
}

/* ---- events: command, queue, times, callbacks */

static _Atomic int called;

static void CL_CALLBACK is_over(cl_event event, cl_int status, void *data)
{
    (void)event;
    if (status == CL_COMPLETE && !data)
        atomic_fetch_add(&called, 1);
}

static void look(cl_event e, cl_command_type type, cl_command_queue queue)
{
    cl_ulong ns[4] = {0};
    cl_command_type is = 0;
    cl_command_queue of = NULL;

    for (cl_uint i = 0; i < 4; i++)
        APP_CHECK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED + i, sizeof *ns, &ns[i], NULL));
    app_expect(&a, ns[0] <= ns[1] && ns[1] <= ns[2] && ns[2] <= ns[3], "times are not in order");
    APP_CHECK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof is, &is, NULL));
    APP_CHECK(clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof of, &of, NULL));
    app_expect(&a, is == type && of == queue, "command %x", is);
}

static void events(void)
{
    cl_command_queue queue = app_queue(&a, CL_QUEUE_PROFILING_ENABLE);
    cl_mem m = square(0, NULL);
    uint8_t *x = app_alloc(BYTES), *y = app_alloc(BYTES);
    cl_event e[2];

    memset(x, 3, BYTES);
    for (int blocking = 0; blocking < 2; blocking++) {
        atomic_store(&called, 0);
        APP_CHECK(write_all(queue, m, (cl_bool)blocking, x, 0, NULL, &e[0]));
        APP_CHECK(read_all(queue, m, (cl_bool)blocking, y, 1, &e[0], &e[1]));
        for (int i = 0; i < 2; i++)
            APP_CHECK(clSetEventCallback(e[i], CL_COMPLETE, is_over, NULL));
        APP_CHECK(clWaitForEvents(2, e));
        look(e[0], CL_COMMAND_WRITE_IMAGE, queue);
        look(e[1], CL_COMMAND_READ_IMAGE, queue);
        RM_WAIT(atomic_load(&called) >= 2);
        app_expect(&a, atomic_load(&called) == 2, "%d callbacks", atomic_load(&called));
        app_release_events(e, 2);
    }
    app_release_mems(&m, 1);
    APP_CHECK(clReleaseCommandQueue(queue));
    free(x), free(y);
}

/* ---- calls that are wrong */

static void refused(void)
{
    cl_mem m = square(0, NULL), hidden = square(CL_MEM_HOST_NO_ACCESS, NULL),
           buffer = app_buffer(&a, CL_MEM_READ_WRITE, BYTES, NULL);
    const size_t last[3] = {SIDE - 1, SIDE - 1, 0}, two[3] = {2, 1, 1}, none[3] = {SIDE, 0, 1},
                 deep[3] = {SIDE, SIDE, 2};
    uint8_t *x = app_alloc(BYTES * 2);

    memset(x, 1, BYTES * 2);
    printf("beyond the end: %d\n",
           clEnqueueWriteImage(a.queue, m, CL_TRUE, last, two, 0, 0, x, 0, NULL, NULL));
    printf("two slices: %d\n", clEnqueueReadImage(a.queue, m, CL_TRUE, zero, deep, 0, 0, x, 0, NULL, NULL));
    printf("no rows: %d\n", clEnqueueReadImage(a.queue, m, CL_TRUE, zero, none, 0, 0, x, 0, NULL, NULL));
    printf("short rows: %d\n",
           clEnqueueWriteImage(a.queue, m, CL_TRUE, zero, whole, SIDE * 4 - 4, 0, x, 0, NULL, NULL));
    printf("no memory: %d\n", read_all(a.queue, m, CL_FALSE, NULL, 0, NULL, NULL));
    printf("no origin: %d\n", clEnqueueReadImage(a.queue, m, CL_TRUE, NULL, whole, 0, 0, x, 0, NULL, NULL));
    printf("no region: %d\n", clEnqueueReadImage(a.queue, m, CL_TRUE, zero, NULL, 0, 0, x, 0, NULL, NULL));
    printf("no list: %d\n", write_all(a.queue, m, CL_FALSE, x, 1, NULL, NULL));
    printf("not for hosts: %d\n", read_all(a.queue, hidden, CL_TRUE, x, 0, NULL, NULL));
    printf("no image: %d, %d\n", write_all(a.queue, NULL, CL_TRUE, x, 0, NULL, NULL),
           write_all(a.queue, buffer, CL_TRUE, x, 0, NULL, NULL));
    app_release_mems((cl_mem[]){m, hidden, buffer}, 3);
    free(x);
}

/* ---- several threads on one queue: a write is whole for any read */

static cl_mem shared;
static _Atomic int mixed;

static void *writes(void *number)
{
    uint8_t *x = app_alloc(BYTES);
    cl_event e;

    memset(x, (int)(intptr_t)number, BYTES);
    for (int i = 0; i < ROUNDS; i++) {
        APP_CHECK(write_all(a.queue, shared, i % 2, x, 0, NULL, &e));
        if (i % 4 == 0)
            APP_CHECK(clWaitForEvents(1, &e));
        app_release_events(&e, 1);
    }
    APP_CHECK(clFinish(a.queue));
    free(x);
    return NULL;
}

static void *reads(void *blocking)
{
    uint8_t *y = app_alloc(BYTES);
    cl_event e;

    for (int i = 0; i < ROUNDS; i++) {
        APP_CHECK(read_all(a.queue, shared, blocking != NULL, y, 0, NULL, &e));
        APP_CHECK(clWaitForEvents(1, &e));
        app_release_events(&e, 1);
        if (memcmp(y, y + 1, BYTES - 1))
            atomic_fetch_add(&mixed, 1);
    }
    free(y);
    return NULL;
}

static void threads(void)
{
    uint8_t *x = app_alloc(BYTES);
    pthread_t thread[4];

    memset(x, 0, BYTES);
    shared = square(CL_MEM_COPY_HOST_PTR, x);
    for (int i = 0; i < 4; i++)
        if (pthread_create(&thread[i], NULL, i < 2 ? writes : reads,
                           (void *)(intptr_t)(i < 2 ? i + 1 : i - 2)))
            exit(1);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    app_expect(&a, !atomic_load(&mixed), "%d reads saw parts of two writes", atomic_load(&mixed));
    app_release_mems(&shared, 1);
    free(x);
}

/* ---- maps: of another image meanwhile, whose memory transfers read, and of the image itself */

static void mapped(cl_mem_flags flags)
{
    cl_mem m = square(flags, NULL), other = square(flags, NULL);
    uint8_t *x = app_alloc(BYTES), *y = app_alloc(BYTES), *in;
    size_t row = 0;
    cl_int err;

    for (size_t i = 0; i < BYTES; i++)
        x[i] = (uint8_t)(i * 5 + flags);
    APP_CHECK(write_all(a.queue, other, CL_FALSE, x, 0, NULL, NULL));
    in =
        clEnqueueMapImage(a.queue, other, CL_TRUE, CL_MAP_READ, zero, whole, &row, NULL, 0, NULL, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clEnqueueWriteImage(a.queue, m, CL_FALSE, zero, whole, row, 0, in, 0, NULL, NULL));
    APP_CHECK(read_all(a.queue, m, CL_TRUE, y, 0, NULL, NULL));
    app_expect(&a, !memcmp(x, y, BYTES), "pixels written from a map differ");
    APP_CHECK(clEnqueueUnmapMemObject(a.queue, other, in, 0, NULL, NULL));
    in = clEnqueueMapImage(a.queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, zero, whole, &row, NULL, 0, NULL,
                           NULL, &err);
    APP_CHECK(err);
    for (size_t i = 0; i < SIDE; i++)
        app_expect(&a, !memcmp(in + i * row, x + i * SIDE * 4, SIDE * 4), "row %zu of a map differs", i);
    memset(in, 7, SIDE * 4);
    memset(x, 7, SIDE * 4);
    APP_CHECK(clEnqueueUnmapMemObject(a.queue, m, in, 0, NULL, NULL));
    APP_CHECK(read_all(a.queue, m, CL_TRUE, y, 0, NULL, NULL));
    app_expect(&a, !memcmp(x, y, BYTES), "pixels written through a map differ");
    app_hash(&a, y, BYTES);
    app_release_mems((cl_mem[]){m, other}, 2);
    free(x), free(y);
}

/* ---- reads into memory that was never touched: other bytes stay, and pages that no row reaches */

static int page_count(const uint8_t *at, size_t pages, size_t page)
{
    unsigned char in[PAGES * 4];
    int n = 0;

    if (mincore((void *)(uintptr_t)at, pages * page, in))
        exit(1);
    for (size_t i = 0; i < pages; i++)
        n += in[i] & 1;
    return n;
}

static int file_of(size_t bytes)
{
    char name[] = "/tmp/staged_images.XXXXXX";
    int fd = mkstemp(name);
    uint8_t *x = app_alloc(bytes);

    memset(x, 0x5a, bytes);
    if (fd < 0 || unlink(name) || write(fd, x, bytes) != (ssize_t)bytes)
        exit(1);
    free(x);
    return fd;
}

/* Rows of four pages, with `gap` pages between them, from the middle of a page on, whose other half has bytes
 * of the program's. */
static void untouched(int flags, size_t gap, bool blocking)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), wide = page, row = page * (4 + gap),
           high = PAGES / (4 + gap);
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = wide, .image_height = high};
    const size_t region[3] = {wide, high, 1};
    int fd = flags & MAP_ANONYMOUS ? -1 : file_of((PAGES + 1) * page),
        other = flags & MAP_ANONYMOUS ? 0 : 0x5a, wrong = 0;
    uint8_t *x = app_alloc(wide * high * 4),
            *all = mmap(NULL, (PAGES + 1) * page, PROT_READ | PROT_WRITE, flags, fd, 0), *to = all + page / 2;
    cl_int err;
    cl_mem m;

    madvise(all, (PAGES + 1) * page, MADV_NOHUGEPAGE);
    memset(all, 0x5a, page / 2);
    memset(x, 9, wide * high * 4);
    m = clCreateImage(a.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &rgba, &desc, x, &err);
    APP_CHECK(err);
    APP_CHECK(clEnqueueReadImage(a.queue, m, blocking, zero, region, row, 0, to, 0, NULL, NULL));
    APP_CHECK(clFinish(a.queue));
    if (flags & MAP_ANONYMOUS && gap > 1)
        app_expect(&a, page_count(all, PAGES + 1, page) == (int)high * 5, "%d pages are there",
                   page_count(all, PAGES + 1, page));
    for (size_t i = 0; i < (PAGES + 1) * page; i++) {
        size_t y = i < page / 2 ? high : (i - page / 2) / row, at = i < page / 2 ? 0 : (i - page / 2) % row;
        wrong += all[i] != (i < page / 2 ? 0x5a : y < high && at < wide * 4 ? 9 : other);
    }
    app_expect(&a, !wrong, "%d bytes differ in memory that was not touched", wrong);
    app_release_mems(&m, 1);
    munmap(all, (PAGES + 1) * page);
    if (fd >= 0)
        close(fd);
    free(x);
}

/* Another thread counts in the gaps between rows. */
static uint8_t *counters;
static size_t counters_apart;
static _Atomic bool counted;

static void *count(void *unused)
{
    while (!atomic_load(&counted))
        for (size_t i = 0; i < SIDE; i++)
            __atomic_fetch_add((uint32_t *)(void *)(counters + i * counters_apart), 1, __ATOMIC_RELAXED);
    return unused;
}

static void beside_counts(void)
{
    size_t row = SIDE * 4 + 64, bytes = SIDE * row, before;
    uint8_t *x = app_alloc(BYTES), *all;
    int lost = 0, wrong = 0;
    pthread_t thread;
    cl_mem m;

    memset(x, 4, BYTES);
    m = square(CL_MEM_COPY_HOST_PTR, x);
    for (int round = 0; round < ROUNDS; round++) {
        all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        counters = all + SIDE * 4, counters_apart = row;
        atomic_store(&counted, false);
        if (pthread_create(&thread, NULL, count, NULL))
            exit(1);
        APP_CHECK(clEnqueueReadImage(a.queue, m, CL_TRUE, zero, whole, row, 0, all, 0, NULL, NULL));
        atomic_store(&counted, true);
        pthread_join(thread, NULL);
        for (size_t y = 0; y < SIDE; y++) {
            before = *(uint32_t *)(void *)(counters + (y ? y - 1 : y) * row);
            lost += *(uint32_t *)(void *)(counters + y * row) != before;
            wrong += !!memcmp(all + y * row, x, SIDE * 4);
        }
        munmap(all, bytes);
    }
    app_expect(&a, !lost && !wrong, "%d counts beside a read are lost, %d rows differ", lost, wrong);
    app_release_mems(&m, 1);
    free(x);
}

static void never_touched(void)
{
    static const size_t gaps[] = {0, 1, 7};

    for (int i = 0; i < 3; i++)
        for (int blocking = 0; blocking < 2; blocking++) {
            untouched(MAP_PRIVATE | MAP_ANONYMOUS, gaps[i], blocking);
            untouched(MAP_PRIVATE, gaps[i], blocking);
            untouched(MAP_SHARED, gaps[i], blocking);
        }
    beside_counts();
}

static void large(void)
{
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = LARGE, .image_height = LARGE};
    size_t region[3] = {LARGE, LARGE, 1}, bytes = (size_t)LARGE * LARGE * 4;
    uint8_t *x = app_alloc(bytes), *y = app_alloc(bytes);
    uint32_t seed = 3;
    cl_int err;
    cl_mem m = clCreateImage(a.context, CL_MEM_READ_WRITE, &rgba, &desc, NULL, &err);

    APP_CHECK(err);
    for (size_t i = 0; i < bytes; i++)
        x[i] = (uint8_t)app_random(&seed);
    for (int i = 0; i < LARGE_ROUNDS; i++) {
        x[app_random(&seed) % bytes]++;
        memset(y, 0, bytes);
        APP_CHECK(clEnqueueWriteImage(a.queue, m, CL_TRUE, zero, region, 0, 0, x, 0, NULL, NULL));
        APP_CHECK(clEnqueueReadImage(a.queue, m, CL_TRUE, zero, region, 0, 0, y, 0, NULL, NULL));
        app_expect(&a, !memcmp(x, y, bytes), "round %d: other bytes", i);
        rm_sleep_ms(3); /* a thread that is to pin memory gets its time */
    }
    app_release_mems(&m, 1);
    free(x), free(y);
}

int main(int argc, char **argv)
{
    cl_bool images = CL_FALSE;

    app_open(&a, "staged_images", 0, NULL);
    APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
    if (!images)
        app_skip("staged_images", "the device has no images");
    if (argc > 1 && !strcmp(argv[1], "large")) {
        large();
        return app_close(&a);
    }
    batch = argc > 1 && !strcmp(argv[1], "each") ? 1 : BATCH;
    forms(argc > 1 ? 17 + (uint32_t)atoi(argv[1]) : 17);
    mapped(0);
    mapped(CL_MEM_ALLOC_HOST_PTR);
    gated();
    events();
    refused();
    threads();
    never_touched();
    return app_close(&a);
}
