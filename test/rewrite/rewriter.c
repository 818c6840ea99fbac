/* rewriter.c - developer's view of the rewriter.
 *
 *   rewriter show FILE [build options]     the rewritten source on standard output, verdicts on standard
 * error rewriter build FILE [build options]    builds the original and the rewritten source on the first
 * OpenCL device
 *
 * `build` prints one line per file, "FILE: original fails", "FILE: refused: REASON" or "FILE: rewritten N
 * kernels", then one line per kernel; exit 1 when the rewritten source does not build, or a kernel's
 * arguments are not what rewrite.h promises. CLWEAVE_PREPROCESS (a command: reads FILE and options, prints
 * text) is tried when the source is refused. */
#include "../../analyzer/kernels/source/header_files.h"
#include "../../analyzer/kernels/rewrite/rewrite.h"
#include "../../analyzer/kernels/rows/rewrite_rows.h"

#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_context context;
static cl_device_id device;

static char *read_stream(FILE *f)
{
    size_t size = 0, capacity = 1 << 16;
    char *text = malloc(capacity + 1);

    while (text && f && !feof(f)) {
        size += fread(text + size, 1, capacity - size, f);
        if (size == capacity)
            text = realloc(text, (capacity *= 2) + 1);
    }
    if (!text || !f || ferror(f))
        exit(2);
    text[size] = '\0';
    return text;
}

static void open_device(void)
{
    cl_platform_id platform;

    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) {
        printf("no OpenCL device\n");
        exit(77);
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
}

static cl_program build(const char *source, const char *options, bool say)
{
    cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    static char log[1 << 16];

    if (p && clBuildProgram(p, 1, &device, options, NULL, NULL) == CL_SUCCESS)
        return p;
    if (say &&
        clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL) == CL_SUCCESS)
        fprintf(stderr, "%s\n", log);
    clReleaseProgram(p);
    return NULL;
}

/* The kernels' names of a built program; returns their number. */
static size_t kernels_of(cl_program p, const char **name, size_t capacity)
{
    static char text[1 << 16];
    size_t count = 0;

    clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL);
    for (char *t = strtok(text, ";"); t && count < capacity; t = strtok(NULL, ";"))
        name[count++] = t;
    return count;
}

static cl_uint arguments(cl_program p, const char *name)
{
    cl_int e;
    cl_kernel k = clCreateKernel(p, name, &e);
    cl_uint n = 0;

    if (e || clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL))
        return 9999;
    clReleaseKernel(k);
    return n;
}

static char *preprocess(const char *file, const char *options)
{
    const char *command = getenv("CLWEAVE_PREPROCESS");
    char line[3 * 8192];
    FILE *f;
    char *text;

    if (!command)
        return NULL;
    snprintf(line, sizeof line, "%s %s '%s'", command, options, file);
    f = popen(line, "r");
    text = f ? read_stream(f) : NULL;
    if (!f || pclose(f)) {
        free(text);
        return NULL;
    }
    return text;
}

static const char *read_header(void *files, size_t unit, const char *name, const char *includer)
{
    (void)unit;
    return cw_header_files_read(files, name, includer);
}

static int check_kernels(const struct cw_rewrite_in *in, const struct cw_rewrite_out *out, cl_program a,
                         cl_program b)
{
    int status = 0;

    for (size_t k = 0; k < in->kernels; k++) {
        cl_uint more = out->kernel[k].verdict == CW_REWRITE_DONE, n = arguments(a, in->kernel[k]);
        bool ok = out->kernel[k].verdict == CW_REWRITE_REFUSED || arguments(b, in->kernel[k]) == n + more;
        printf("  %s: %s%s%s%s\n", in->kernel[k], cw_rewrite_verdict_name(out->kernel[k].verdict),
               out->kernel[k].reason ? ": " : "", out->kernel[k].reason ? out->kernel[k].reason : "",
               ok ? "" : " BUT HAS THE WRONG ARGUMENTS");
        status |= !ok;
    }
    return status;
}

static int build_both(const char *file, struct cw_rewrite_unit *unit, char *options)
{
    const char *name[1024], *how = "";
    struct cw_header_files headers;
    struct cw_rewrite_in in = {.forms = &cw_rewrite_rows_forms,
                               .unit = unit,
                               .units = 1,
                               .kernel = name,
                               .read_header = read_header,
                               .context = &headers};
    struct cw_rewrite_out out;
    cl_program a, b;
    char *with_w = malloc(strlen(options) + 8), *text;

    sprintf(with_w, "%s -w", options);
    open_device();
    a = build(unit->source, options, getenv("VERBOSE") != NULL);
    if (!a) {
        printf("%s: original fails\n", file);
        return 0;
    }
    in.kernels = kernels_of(a, name, 1024);
    if (!cw_header_files_init(&headers, options))
        return 2;
    if (cw_rewrite(&in, &out, NULL) != CW_OK)
        return 2;
    if (!out.source && (text = preprocess(file, options))) {
        printf("%s: as it is refused: %s\n", file, out.reason);
        unit->source = text;
        how = " (preprocessed)";
        cw_rewrite_finish(&out);
        if (cw_rewrite(&in, &out, NULL) != CW_OK)
            return 2;
    }
    if (!out.source) {
        printf("%s: refused%s: %s\n", file, how, out.reason);
        return 0;
    }
    b = build(out.source[0], with_w, true);
    printf("%s: rewritten%s %zu kernels%s\n", file, how, in.kernels, b ? "" : " BUT DOES NOT BUILD");
    return b ? check_kernels(&in, &out, a, b) : 1;
}

int main(int argc, char **argv)
{
    struct cw_rewrite_unit unit;
    struct cw_rewrite_out out;
    char options[8192] = "";
    FILE *f;

    if (argc < 3)
        return 2;
    f = fopen(argv[2], "r");
    for (int i = 3; i < argc; i++)
        snprintf(options + strlen(options), sizeof options - strlen(options), "%s%s", i > 3 ? " " : "",
                 argv[i]);
    unit = (struct cw_rewrite_unit){read_stream(f), options};
    if (!strcmp(argv[1], "build"))
        return build_both(argv[2], &unit, options);
    if (cw_rewrite(&(struct cw_rewrite_in){.unit = &unit, .units = 1}, &out, NULL) != CW_OK)
        return 2;
    if (out.source)
        fputs(out.source[0], stdout);
    else
        fprintf(stderr, "refused: %s\n", out.reason);
    return out.source ? 0 : 1;
}
