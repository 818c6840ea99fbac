/* define_program.c - the log's description of programs and their builds. */
#include <errno.h>
#include <stdlib.h>

#include "../../analyzer/kernels/source/code_text.h"
#include "../../analyzer/kernels/source/header_files.h"
#include "../../analyzer/kernels/source/spirv.h"
#include "../../analyzer/record/trace.h"
#include "../programs/known_binaries.h"
#include "../programs/program_exchange.h"
#include "recorder.h"

enum { BUILD_LOG_BYTES = 16384 }; /* of a build's log that are kept */

/* The source as the vendor has it; NULL: none. Free the result. */
static char *source_of(cl_program program)
{
    size_t bytes = 0;
    char *source = NULL;

    if (cw_traced.clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &bytes) != CL_SUCCESS || bytes <= 1)
        return NULL;
    source = calloc(1, bytes + 1);
    if (!source)
        cw_log_stop("out of memory");
    if (source && cw_traced.clGetProgramInfo(program, CL_PROGRAM_SOURCE, bytes, source, NULL) == CL_SUCCESS)
        return source;
    free(source);
    return NULL;
}

/* A program record; hash and source from the vendor where the kind is that of sources. Takes `source`, that
 * of a binary. */
static void write_program(struct cw_rec *r, struct cw_object *o, cl_program program, uint32_t kind,
                          uint64_t hash, char *source, const cl_program *inputs, cl_uint count)
{
    cl_context context;
    cl_uint i;

    QUERY(clGetProgramInfo, program, CL_PROGRAM_CONTEXT, context);
    o->owner = context;
    if (kind == CW_PROGRAM_SOURCE)
        source = source_of(program);
    if (source && kind == CW_PROGRAM_SOURCE)
        hash = cw_define_hash(CW_FNV_START, source, strlen(source));
    else if (kind == CW_PROGRAM_SOURCE)
        kind = CW_PROGRAM_BINARY; /* found by a handle that we did not see made */
    cw_rec_u(r, o->id);
    cw_rec_u(r, kind);
    cw_rec_u(r, cw_known_id(context, CW_LOG_O_CONTEXT));
    cw_log_rec_bytes(r, &hash, sizeof hash);
    cw_rec_u(r, source && !cw_recorder.no_sources);
    if (source && !cw_recorder.no_sources)
        cw_log_rec_string(r, source);
    free(source);
    cw_rec_u(r, count);
    for (i = 0; i < count; i++)
        cw_rec_u(r, cw_known_id(inputs[i], CW_LOG_O_PROGRAM));
    cw_log_rec_commit(r, CW_LOG_PROGRAM);
}

void cw_define_describe_program(struct cw_rec *r, struct cw_object *o, cl_program program)
{
    write_program(r, o, program, CW_PROGRAM_SOURCE, 0, NULL, NULL, 0);
}

static void write_replaced(uint32_t id)
{
    const uint64_t hash = cw_program_exchange_replaced();
    struct cw_rec r;

    cw_log_rec_begin(&r);
    cw_rec_u(&r, id);
    cw_log_rec_bytes(&r, &hash, sizeof hash);
    cw_log_rec_commit(&r, CW_LOG_INJECTED);
}

static void define(cl_program program, uint32_t kind, uint64_t hash, char *source, const cl_program *inputs,
                   cl_uint count)
{
    struct cw_object *o = program ? cw_object_insert(program, CW_LOG_O_PROGRAM) : NULL;
    struct cw_rec r;
    int saved = errno;

    if (o) {
        cw_log_rec_begin(&r);
        write_program(&r, o, program, kind, hash, source, inputs, count);
        if (cw_program_exchange_replaced())
            write_replaced(o->id);
    }
    errno = saved;
}

void cw_define_program(cl_program program, uint32_t kind, uint64_t hash, const cl_program *inputs,
                       cl_uint count)
{
    define(program, kind, hash, NULL, inputs, count);
}

void cw_define_il(cl_program program, const void *il, size_t n)
{
    int saved = errno;
    char *text =
        !cw_recorder.no_sources && cw_spirv_is(il, n) && n <= CW_SPIRV_BYTES_MAX ? cw_code_text(il, n) : NULL;
    bool bytes = cw_recorder.capture_data && !text;

    errno = saved;
    define(program, CW_PROGRAM_IL, cw_define_hash(CW_FNV_START, il, n), text, NULL, 0);
    if (bytes)
        cw_define_bytes(program, il, n);
}

void cw_define_constant(cl_program program, cl_uint id, size_t n, const void *value)
{
    struct cw_object *o = cw_known(program, CW_LOG_O_PROGRAM);
    struct cw_rec r;

    if (!o)
        return;
    cw_log_rec_begin(&r);
    cw_rec_u(&r, o->id);
    cw_rec_u(&r, id);
    cw_rec_u(&r, n);
    cw_log_rec_bytes(&r, value, n);
    cw_log_rec_commit(&r, CW_LOG_CONSTANT);
}

/* The source beside a binary in pyopencl's cache, the caller's to free; NULL: none. */
static char *pyopencl_source(const unsigned char *binary, size_t bytes)
{
    struct cw_pyopencl_cache cache = {binary, bytes, NULL};

    if (cw_pyopencl_cache_may_have(binary, bytes))
        cw_pyopencl_cache_search(&cache);
    return cache.source;
}

void cw_define_binary(cl_program program, cl_uint n, const cl_device_id *devices, const size_t *bytes,
                      const unsigned char *const *binaries)
{
    struct cw_known_build *b =
        cw_recorder.no_sources ? NULL : cw_known_binaries_find(n, devices, bytes, binaries);
    char *source = b ? strdup(b->source) : NULL;
    struct cw_object *o;
    uint64_t hash = 0;
    int saved = errno;

    if (!b && n == 1 && !cw_recorder.no_sources)
        source = pyopencl_source(binaries[0], bytes[0]);
    for (cl_uint i = 0; i < n && !hash; i++)
        if (binaries[i] && bytes[i])
            hash = cw_define_hash(CW_FNV_START, binaries[i], bytes[i]);
    errno = saved;
    define(program, CW_PROGRAM_BINARY, hash, source, NULL, 0);
    o = cw_object_find(program, CW_LOG_O_PROGRAM);
    if (o)
        cw_known_build_set(&o->build, b);
    else
        cw_known_build_drop(b);
}

/* One that was made of a known binary stays of the build that this is from. */
static bool is_of_binary(struct cw_object *o)
{
    struct cw_known_build *b = cw_known_build_read(&o->build);
    bool is = b && b->source;

    cw_known_build_drop(b);
    return is;
}

void cw_define_build_begins(cl_program program)
{
    struct cw_object *o = cw_object_find(program, CW_LOG_O_PROGRAM);

    if (o && !is_of_binary(o))
        cw_known_build_set(&o->build, NULL);
}

void cw_define_built(cl_program program, const char *options)
{
    struct cw_object *o = cw_object_find(program, CW_LOG_O_PROGRAM);

    if (o && !is_of_binary(o))
        cw_known_build_set(&o->build, cw_known_build_new(NULL, options ? options : "", false));
}

cl_int cw_define_fetch(cl_program program, size_t capacity, void *to, size_t *bytes)
{
    static const cw_known_latest none;
    const struct cw_object *o = cw_recorder.no_sources ? NULL : cw_object_find(program, CW_LOG_O_PROGRAM);

    return cw_known_binaries_fetch(o ? &o->build : &none, cw_traced.clGetProgramInfo, program, capacity, to,
                                   bytes);
}

/* The source of a build with the headers in it, stored as a blob, where it may have some: another day the
 * files may be others. Nothing where it is not certain, or sources are not recorded. */
static void encode_joined(struct cw_rec *r, cl_program program, const char *options,
                          const struct cw_define_headers *headers)
{
    char *source = cw_recorder.no_sources ? NULL : source_of(program), *text = NULL;
    char **texts = calloc(headers->count + 1, sizeof *texts);
    uint64_t offset = 0;
    bool known = source && texts && cw_joined_source_is_needed(source, options);

    for (cl_uint i = 0; known && i < headers->count; i++)
        known = (texts[i] = source_of(headers->programs[i]));
    if (known)
        text = cw_joined_source_given(source, options, headers->names, (const char *const *)texts,
                                      headers->count, NULL);
    if (text && cw_log_blob(text, strlen(text), &offset)) {
        cw_rec_u(r, strlen(text));
        cw_rec_u(r, offset);
    } else {
        cw_rec_u(r, 0);
    }
    for (cl_uint i = 0; texts && i < headers->count; i++)
        free(texts[i]);
    free(texts);
    free(source);
    free(text);
}

void cw_define_build(cl_program program, const char *options, const struct cw_define_headers *headers)
{
    struct cw_object *o = cw_known(program, CW_LOG_O_PROGRAM);
    struct cw_known_build *b = o ? cw_known_build_read(&o->build) : NULL;
    struct cw_rec r;
    int saved = errno;

    if (!o)
        return;
    cw_log_rec_begin(&r);
    cw_rec_u(&r, o->id);
    cw_log_rec_string(&r, b && b->source ? b->options : options);
    cw_known_build_drop(b);
    if (cw_recorder.capture_data && headers)
        encode_joined(&r, program, options, headers);
    else
        cw_rec_u(&r, 0);
    cw_log_rec_commit(&r, CW_LOG_PROGRAM_BUILD);
    errno = saved;
}

/* The devices of `program`; *count = 0 and NULL on failure. Free the result. */
cl_device_id *cw_define_program_devices(cl_program program, size_t *count)
{
    cl_device_id *devices = NULL;
    size_t bytes = 0;

    if (cw_traced.clGetProgramInfo(program, CL_PROGRAM_DEVICES, 0, NULL, &bytes) == CL_SUCCESS && bytes)
        devices = calloc(1, bytes);
    if (devices &&
        cw_traced.clGetProgramInfo(program, CL_PROGRAM_DEVICES, bytes, devices, NULL) != CL_SUCCESS) {
        free(devices);
        devices = NULL;
    }
    *count = devices ? bytes / sizeof *devices : 0;
    return devices;
}

/* What the compiler said for `device`; NULL for nothing. Free the result. */
static char *build_log(cl_program program, cl_device_id device)
{
    size_t bytes = 0;
    char *text = NULL;

    if (cw_traced.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) ==
            CL_SUCCESS &&
        bytes > 1)
        text = calloc(1, bytes + 1);
    if (text && (cw_traced.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, text, NULL) !=
                     CL_SUCCESS ||
                 !text[0])) {
        free(text);
        text = NULL;
    }
    return text;
}

void cw_define_build_log(cl_program program, bool failed)
{
    struct cw_object *o = cw_known(program, CW_LOG_O_PROGRAM);
    int saved = errno;
    cl_device_id *devices = NULL;
    char *text = NULL;
    size_t count = 0;
    struct cw_rec r;

    if (o)
        devices = cw_define_program_devices(program, &count);
    for (size_t i = 0; i < count && !text; i++)
        text = build_log(program, devices[i]);
    if (text) {
        text[strnlen(text, BUILD_LOG_BYTES)] = '\0';
        cw_log_rec_begin(&r);
        cw_rec_u(&r, o->id);
        cw_log_rec_string(&r, text);
        cw_rec_u(&r, !failed);
        cw_log_rec_commit(&r, CW_LOG_BUILD_LOG);
    }
    free(text);
    free(devices);
    errno = saved;
}

void cw_define_bytes(cl_program program, const void *bytes, size_t n)
{
    struct cw_object *o = cw_known(program, CW_LOG_O_PROGRAM);
    uint64_t offset;
    struct cw_rec r;

    if (!o || !cw_log_blob(bytes, n, &offset))
        return;
    cw_log_rec_begin(&r);
    cw_rec_u(&r, o->id);
    cw_rec_u(&r, n);
    cw_rec_u(&r, offset);
    cw_log_rec_commit(&r, CW_LOG_PROGRAM_BYTES);
}
