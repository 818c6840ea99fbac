/* binary.c - see models/binary.h. */
#include "binary.h"

#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/kernels/source/vendor_compiler.h"
#include "../../builds/isolated_compiler.h"
#include "../../builds/later_builds.h"
#include "../../builds/macros.h"
#include "../../builds/source.h"
#include "program_models.h"

#define KIND           "binary 2"
#define BUILD_KIND     "build of a source 1"
#define IDENTITY_BYTES 4096
#define DEVICE_BYTES   1400

static bool identity_of(const struct cw_context_devices *devices, char text[IDENTITY_BYTES])
{
    struct cw_run_compilers c = {.n = 0};

    for (size_t i = 0; i < devices->n; i++)
        if (!cw_macros_compilers_add(&c, devices->device[i].device))
            return false;
    return cw_macros_compilers_identity(&c, text, IDENTITY_BYTES);
}

/* Of a binary: all of its bytes, and the compilers. The caller's to finish. */
static struct cw_identity name_binary(const char *compilers, const unsigned char *binary, size_t bytes)
{
    struct cw_identity id;

    cw_identity_begin(&id, KIND);
    cw_identity_text(&id, compilers);
    cw_identity_add(&id, binary, bytes);
    return id;
}

void cw_binary_keep(const struct cw_run_program *p, const char *source, const char *options, cl_uint n,
                    const size_t *bytes, unsigned char *const *binaries)
{
    size_t length = strlen(source) + strlen(options) + 2;
    char compilers[IDENTITY_BYTES], *text;

    if (getenv("POCL_EXTRA_BUILD_FLAGS") || !identity_of(p->context->devices, compilers))
        return;
    text = malloc(length);
    if (text)
        memcpy(stpcpy(text, options) + 1, source, strlen(source) + 1);
    for (cl_uint i = 0; text && i < n; i++)
        if (binaries[i] && bytes[i]) {
            struct cw_identity id = name_binary(compilers, binaries[i], bytes[i]);

            cw_file_store_write(cw_run_program_models_store(), &id, text, length);
            cw_identity_finish(&id);
        }
    free(text);
}

/* The build options that one binary came from, the source behind their NUL; the caller's to free. NULL: not
 * known. */
static char *find_one(const char *compilers, const unsigned char *binary, size_t bytes)
{
    struct cw_identity id = name_binary(compilers, binary, bytes);
    size_t length = 0;
    char *text = cw_file_store_read(cw_run_program_models_store(), &id, &length);

    cw_identity_finish(&id);
    if (text && !text[length - 1] && strlen(text) + 1 < length)
        return text;
    free(text);
    return NULL;
}

bool cw_binary_find(const struct cw_context_devices *devices, cl_uint n, const size_t *bytes,
                    const unsigned char *const *binaries, char **source, char **options)
{
    char compilers[IDENTITY_BYTES];
    bool good = n > 0 && identity_of(devices, compilers);

    *source = *options = NULL;
    for (cl_uint i = 0; good && i < n; i++) {
        char *o = binaries[i] && bytes[i] ? find_one(compilers, binaries[i], bytes[i]) : NULL;
        const char *s = o ? o + strlen(o) + 1 : NULL;

        good = o;
        if (good && i == 0) {
            *source = strdup(s);
            *options = strdup(o);
            good = *source && *options;
        } else if (good) {
            good = !strcmp(*source, s) && !strcmp(*options, o);
        }
        free(o);
    }
    if (good)
        return true;
    free(*source);
    free(*options);
    *source = *options = NULL;
    return false;
}

char *cw_binary_text(cl_uint n, const size_t *bytes, const unsigned char *const *binaries, bool *demands,
                     unsigned char build[CW_POCL_BINARY_BUILD])
{
    struct cw_pocl_binary b;

    for (cl_uint i = 0; i < n; i++)
        if (!binaries[i] || bytes[i] != bytes[0] || memcmp(binaries[i], binaries[0], bytes[0]) != 0)
            return NULL;
    if (!n || !cw_pocl_binary_read(&b, binaries[0], bytes[0]))
        return NULL;
    *demands = b.demands;
    memcpy(build, b.build, CW_POCL_BINARY_BUILD);
    return cw_pocl_binary_text(binaries[0], bytes[0]);
}

bool cw_binary_is_of(cl_device_id device, const char *source, const char *options,
                     const unsigned char build[CW_POCL_BINARY_BUILD])
{
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS(cw_next.);
    char text[DEVICE_BYTES];
    struct cw_request q = {.kind = CW_REQUEST_PROGRAM, .device = text, .source = source, .options = options};
    struct cw_pocl_binary made;
    unsigned char *binary;
    size_t bytes;
    bool is;

    if (cw_source_is_dated(source, options ? options : "") ||
        !cw_vendor_describe_driver(&calls, device, text, sizeof text))
        return false;
    q.units = cw_isolated_compiler_units(device);
    cw_run_helper_cache_identity(&q.result, BUILD_KIND, text);
    cw_identity_number(&q.result, q.units);
    cw_identity_text(&q.result, options);
    cw_identity_text(&q.result, source);
    binary = cw_helper_cache_read(&q.result, &bytes);
    if (!binary)
        cw_later_builds_ask(&q);
    is = binary && cw_pocl_binary_read(&made, binary, bytes) &&
         !memcmp(made.build, build, CW_POCL_BINARY_BUILD);
    free(binary);
    cw_identity_finish(&q.result);
    return is;
}
