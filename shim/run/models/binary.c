/* binary.c - see models/binary.h. */
#include "binary.h"

#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/kernels/source/code_text.h"
#include "../../../analyzer/kernels/source/vendor_compiler.h"
#include "../../builds/isolated_compiler.h"
#include "../../builds/later_builds.h"
#include "../../builds/source.h"

#define BUILD_KIND   "build of a source 1"
#define DEVICE_BYTES 1400

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
    return cw_code_text(binaries[0], bytes[0]);
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
