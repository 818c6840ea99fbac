/* known_binaries.c - see programs/known_binaries.h. */
#include "known_binaries.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../analyzer/io/file_store.h"
#include "../../analyzer/io/folders.h"
#include "../../analyzer/kernels/source/cl_source.h"
#include "../../analyzer/kernels/source/vendor_compiler.h"
#include "../../analyzer/settings/options.h"
#include "../door/lock.h"

#define KIND         "binary 3"
#define STORE        "footprints"
#define DEVICE_BYTES 1400
#define BUILT        'b'
#define LINKED       'l'

/* ---- builds */

struct cw_known_build *cw_known_build_new(const char *source, const char *options, bool linked)
{
    size_t length = strlen(options) + 1;
    struct cw_known_build *b = malloc(sizeof *b + length + (source ? strlen(source) + 1 : 0));

    if (!b)
        return NULL;
    memcpy(b->options, options, length);
    b->source = source ? strcpy(b->options + length, source) : NULL;
    b->linked = linked;
    b->refs = 1;
    return b;
}

static cw_lock lock; /* of records, and of references */

void cw_known_build_drop(struct cw_known_build *b)
{
    bool last;

    if (!b)
        return;
    cw_lock_take(&lock);
    last = !--b->refs;
    cw_lock_free(&lock);
    if (last)
        free(b);
}

struct cw_known_build *cw_known_build_read(const cw_known_latest *at)
{
    struct cw_known_build *b;

    cw_lock_take(&lock);
    b = *at;
    if (b)
        b->refs++;
    cw_lock_free(&lock);
    return b;
}

void cw_known_build_set(cw_known_latest *at, struct cw_known_build *b)
{
    struct cw_known_build *before;

    cw_lock_take(&lock);
    before = *at;
    *at = b;
    cw_lock_free(&lock);
    cw_known_build_drop(before);
}

bool cw_known_build_is_whole(cl_program program, cl_uint n)
{
    cl_uint all = 0;

    return !n ||
           (cw_next.clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof all, &all, NULL) == CL_SUCCESS &&
            n == all);
}

void cw_known_binaries_after_fork(void)
{
    cw_lock_free(&lock); /* a thread that does not exist here may have held it */
}

/* ---- the store */

static struct {
    pthread_once_t once;
    bool used, below_cache; /* it lies in the user's cache folder */
    struct cw_file_store files;
} store = {.once = PTHREAD_ONCE_INIT};

static void open_below_cache(void)
{
    char folder[PATH_MAX - sizeof STORE] = "", path[PATH_MAX];
    struct cw_error err = {0};

    if (!store.below_cache || cw_cache_folder(folder, sizeof folder, &err) != CW_OK)
        return;
    snprintf(path, sizeof path, "%s/" STORE, folder);
    cw_file_store_init(&store.files, path);
}

void cw_known_binaries_start(const struct cw_options *options)
{
    const char *history = options->history, *slash = strrchr(history, '/');
    char path[PATH_MAX];

    store.used = strcmp(history, "off") && strcmp(options->footprints, "off");
    store.below_cache = !*history;
    if (!*history)
        return;
    snprintf(path, sizeof path, "%.*s" STORE, slash ? (int)(slash - history) + 1 : 0, history);
    cw_file_store_init(&store.files, path);
}

static bool is_open(void)
{
    if (store.used)
        pthread_once(&store.once, open_below_cache);
    return store.used && *store.files.folder;
}

/* Fills *id, the caller's to finish, also where it is false: the device is not known. A part of a device has
 * the compiler of the whole. */
static bool identify(struct cw_identity *id, cl_device_id device, const unsigned char *binary, size_t bytes)
{
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS(cw_next.);
    char text[DEVICE_BYTES] = "";
    cl_device_id parent;
    bool good = binary && bytes;

    while (cw_next.clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL) ==
               CL_SUCCESS &&
           parent)
        device = parent;
    good = good && cw_vendor_describe(&calls, device, text, sizeof text);
    cw_identity_begin(id, KIND);
    cw_identity_text(id, text);
    if (good)
        cw_identity_add(id, binary, bytes);
    return good && !id->failed;
}

/* ---- binaries that a program fetches */

/* Another build of the text would be the same program: it has no date in it, and reads no file. */
static bool is_whole(const char *source, const char *options)
{
    static const char *const dating[] = {"__DATE__", "__TIME__", "__TIMESTAMP__", NULL};
    struct cw_cl_source s;
    bool whole = cw_cl_source_init(&s, source, options) && !s.has_include && !cw_cl_may_name(&s, dating);

    cw_cl_source_finish(&s);
    return whole;
}

/* The source as the vendor has it, the caller's to free; NULL: none, or there is a NUL in it, behind which
 * some vendors read and others do not. */
static char *source_of(cl_program program)
{
    size_t bytes = 0;
    char *text = NULL;

    if (cw_next.clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &bytes) == CL_SUCCESS && bytes > 1 &&
        (text = calloc(1, bytes + 1)) &&
        cw_next.clGetProgramInfo(program, CL_PROGRAM_SOURCE, bytes, text, NULL) == CL_SUCCESS &&
        strlen(text) + 1 >= bytes)
        return text;
    free(text);
    return NULL;
}

/* A letter, the options, the source, each text with its NUL. */
static void keep(const struct cw_known_build *b, cl_device_id device, const unsigned char *binary,
                 size_t bytes)
{
    const size_t options = strlen(b->options) + 1, source = strlen(b->source) + 1;
    struct cw_identity id;
    char *text = malloc(1 + options + source);

    if (text) {
        *text = b->linked ? LINKED : BUILT;
        memcpy(memcpy(text + 1, b->options, options) + options, b->source, source);
    }
    if (identify(&id, device, binary, bytes) && text)
        cw_file_store_write(&store.files, &id, text, 1 + options + source);
    cw_identity_finish(&id);
    free(text);
}

/* `b`: with its source. */
static void keep_all(const struct cw_known_build *b, cl_program program, size_t capacity,
                     unsigned char *const *binaries)
{
    cl_device_id devices[CW_KNOWN_BINARIES_DEVICES];
    size_t bytes[CW_KNOWN_BINARIES_DEVICES], size = 0, sizes = 0;

    if (cw_next.clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &size) != CL_SUCCESS ||
        cw_next.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, bytes, &sizes) !=
            CL_SUCCESS ||
        size / sizeof *devices != sizes / sizeof *bytes || capacity < sizes / sizeof *bytes)
        return; /* which binary is of which device is not certain */
    for (size_t i = 0; i < sizes / sizeof *bytes; i++)
        keep(b, devices[i], binaries[i], bytes[i]);
}

void cw_known_binaries_fetched(const struct cw_known_build *b, cl_program program, size_t capacity,
                               const void *to)
{
    char *source = !b || b->source ? NULL : source_of(program);
    struct cw_known_build *whole = NULL;

    if (b && is_open() && !getenv("POCL_EXTRA_BUILD_FLAGS")) {
        if (!b->source && source)
            b = whole = cw_known_build_new(source, b->options, false);
        if (b && b->source && is_whole(b->source, b->options))
            keep_all(b, program, capacity / sizeof(void *), to);
    }
    cw_known_build_drop(whole);
    free(source);
}

cl_int cw_known_binaries_fetch(const cw_known_latest *at, __typeof__(clGetProgramInfo) *ask,
                               cl_program program, size_t capacity, void *to, size_t *bytes)
{
    struct cw_known_build *b = cw_known_build_read(at), *after;
    cl_int err = ask(program, CL_PROGRAM_BINARIES, capacity, to, bytes);
    int saved = errno;

    after = cw_known_build_read(at);
    if (b && b == after && err == CL_SUCCESS)
        cw_known_binaries_fetched(b, program, capacity, to);
    cw_known_build_drop(b);
    cw_known_build_drop(after);
    errno = saved;
    return err;
}

/* ---- binaries that a program brings */

/* The build that one binary is from; NULL: not known. */
static struct cw_known_build *find(cl_device_id device, const unsigned char *binary, size_t bytes)
{
    struct cw_known_build *b = NULL;
    struct cw_identity id;
    size_t length = 0;
    char *text = identify(&id, device, binary, bytes) ? cw_file_store_read(&store.files, &id, &length) : NULL;

    cw_identity_finish(&id);
    if (length > 2 && !text[length - 1] && strlen(text) + 1 < length)
        b = cw_known_build_new(text + strlen(text) + 1, text + 1, *text == LINKED);
    free(text);
    return b;
}

static bool is_same(const struct cw_known_build *a, const struct cw_known_build *b)
{
    return a->linked == b->linked && !strcmp(a->source, b->source) && !strcmp(a->options, b->options);
}

struct cw_known_build *cw_known_binaries_find(cl_uint n, const cl_device_id *devices, const size_t *bytes,
                                              const unsigned char *const *binaries)
{
    struct cw_known_build *first = NULL, *other;
    int saved = errno;
    bool good = n && is_open();

    for (cl_uint i = 0; good && i < n; i++) {
        other = find(devices[i], binaries[i], bytes[i]);
        good = other && (!first || is_same(first, other));
        if (!first)
            first = other;
        else
            cw_known_build_drop(other);
    }
    errno = saved;
    if (good)
        return first;
    cw_known_build_drop(first);
    return NULL;
}
