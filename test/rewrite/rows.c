/* rows.c - kernels in their form for rows against the kernels as they are, byte by byte.
 *
 *   rows FILE [SEED [LAUNCHES [KERNEL]]]
 *
 * Every kernel of FILE takes (global const float *in, global float *out, int w, int h, uint u, long g, short
 * s, int p, int o, int bx, int by, int bz) and writes element o + ((z - bz) * 64 + y - by) * p + x - bx of
 * out at most, (x, y, z) its global id. Each is launched LAUNCHES times (6) with random ranges, offsets and
 * arguments: as it is, then rewritten in tiles whose rows are of random length. ROWS_ONLY=" k1 k2 ": these
 * alone. ROWS_BREAK=TEXT=>OTHER replaces TEXT in the rewritten source first: then bytes must differ. Prints
 * how many kernels have that form, and one line for each that differs; exit 1 for those, or when none has it.
 */
#include "../../analyzer/kernels/rewrite/rewrite.h"
#include "../../analyzer/kernels/rows/rewrite_rows.h"

#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KERNELS = 512, PITCH = 160, PAD = 4096, ELEMENTS = 2 * PAD + PITCH * 64 * 3 };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_mem in, out;
/* What x86 makes of 0 / 0: all NaNs are that one, but where one is negated. */
static const union {
    uint32_t u;
    float f;
} nan_of_x86 = {0xffc00000u};
static float before[ELEMENTS], expected[ELEMENTS], got[ELEMENTS];
static uint64_t state = 88172645463325252u;

static size_t below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state >> 11) % n;
}

static void must(int ok, const char *what)
{
    if (ok)
        return;
    printf("rows: %s failed\n", what);
    exit(2);
}

static char *read_file(const char *path)
{
    static char text[1 << 21];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

    must(f && n > 0 && n < sizeof text - 1, "reading the source");
    fclose(f);
    text[n] = '\0';
    return text;
}

static cl_program build(const char *source)
{
    cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    static char log[1 << 16];

    if (clBuildProgram(p, 1, &device, "-w", NULL, NULL) == CL_SUCCESS)
        return p;
    clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    printf("%s\n", log);
    must(0, "building");
    return NULL;
}

/* The rewritten source, after ROWS_BREAK. */
static const char *broken(const char *source)
{
    const char *rule = getenv("ROWS_BREAK"), *arrow = rule ? strstr(rule, "=>") : NULL, *at;
    char *text, what[200];

    if (!arrow)
        return source;
    snprintf(what, sizeof what, "%.*s", (int)(arrow - rule), rule);
    must(strstr(source, what) != NULL, "finding what ROWS_BREAK names");
    text = calloc(4, strlen(source) + 1);
    for (; (at = strstr(source, what)); source = at + strlen(what))
        sprintf(text + strlen(text), "%.*s%s", (int)(at - source), source, arrow + 2);
    return strcat(text, source);
}

struct launch {
    cl_uint dims;
    size_t global[3], local[3], offset[3];
    cl_int w, h;
    cl_uint u;
    cl_long g;
    cl_short s;
};

static cl_int near(size_t around, size_t offset)
{
    return (cl_int)(offset + around) + (cl_int)below(7) - 3;
}

/* Local sizes are compiled for, each: `local` is the same for all launches of a kernel. */
static struct launch draw(const size_t local[3])
{
    static const size_t offsets[] = {0, 0, 0, 1, 5, 250, 65500, 2147482900};
    static const cl_uint odd[] = {0, 1, 2, 0xffffffffu, 0xfffffffeu, 0x7fffffffu, 0x80000000u};
    struct launch l = {.dims = 1 + (cl_uint)below(3)};

    for (cl_uint d = 0; d < 3; d++) {
        bool used = d < l.dims;
        l.local[d] = used ? local[d] : 1;
        l.global[d] = used ? l.local[d] * (1 + below((d == 1       ? 24
                                                      : d == 2     ? 3
                                                      : l.dims > 1 ? 150
                                                                   : 700) /
                                                     l.local[d]))
                           : 1;
        l.offset[d] = used ? offsets[below(d ? 6 : 8)] : 0;
    }
    l.w = near(below(4) ? l.global[0] : below(l.global[0] + 1), l.offset[0]);
    l.h = near(l.global[1], l.offset[1]);
    l.u = below(3) ? (cl_uint)near(l.global[0], l.offset[0]) : odd[below(7)];
    l.g = below(3) ? near(l.global[0], l.offset[0]) : (cl_long)odd[below(7)] - (cl_long)odd[below(7)];
    l.s = (cl_short)(below(3) ? (cl_uint)near(l.global[0], l.offset[0]) : odd[below(7)]);
    return l;
}

static void arguments(cl_kernel k, const struct launch *l)
{
    cl_int p = PITCH, o = PAD, b[3] = {(cl_int)l->offset[0], (cl_int)l->offset[1], (cl_int)l->offset[2]};

    must(!clSetKernelArg(k, 0, sizeof in, &in) && !clSetKernelArg(k, 1, sizeof out, &out) &&
             !clSetKernelArg(k, 2, 4, &l->w) && !clSetKernelArg(k, 3, 4, &l->h) &&
             !clSetKernelArg(k, 4, 4, &l->u) && !clSetKernelArg(k, 5, 8, &l->g) &&
             !clSetKernelArg(k, 6, 2, &l->s) && !clSetKernelArg(k, 7, 4, &p) &&
             !clSetKernelArg(k, 8, 4, &o) && !clSetKernelArg(k, 9, 4, &b[0]) &&
             !clSetKernelArg(k, 10, 4, &b[1]) && !clSetKernelArg(k, 11, 4, &b[2]),
         "setting arguments");
}

static void run(cl_kernel k, const struct launch *l, bool rows)
{
    size_t cut = rows ? below(l->dims) : 0, groups = l->global[cut] / l->local[cut], next;

    arguments(k, l);
    must(!clEnqueueWriteBuffer(queue, out, CL_TRUE, 0, sizeof before, before, 0, NULL, NULL), "writing");
    if (!rows)
        must(!clEnqueueNDRangeKernel(queue, k, l->dims, l->offset, l->global, l->local, 0, NULL, NULL),
             "launching");
    for (size_t group = 0; rows && group < groups; group = next) {
        size_t first[3] = {0}, global[3] = {l->global[0], l->global[1], l->global[2]}, one[3] = {1, 1, 1};
        struct cw_rewrite_tile tile;
        cl_int2 size;
        next = below(2) ? groups : group + 1 + below(groups - group);
        first[cut] = group;
        global[cut] = (next - group) * l->local[cut];
        cw_rewrite_tile_fill(&tile, l->dims, l->global, l->local, l->offset, first);
        size.s[0] = (cl_int)global[0];
        size.s[1] = (cl_int)(below(2) ? global[0] : 1 + below(global[0]));
        global[0] = (size_t)((size.s[0] + size.s[1] - 1) / size.s[1]);
        must(!clSetKernelArg(k, 12, sizeof tile, &tile) && !clSetKernelArg(k, 13, sizeof size, &size),
             "hidden arguments");
        must(!clEnqueueNDRangeKernel(queue, k, l->dims, NULL, global, one, 0, NULL, NULL), "launching rows");
    }
    must(!clFinish(queue) && !clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL),
         "reading");
}

static bool same(cl_kernel a, cl_kernel b, const char *name, const size_t local[3])
{
    struct launch l = draw(local);

    run(a, &l, false);
    memcpy(expected, got, sizeof got);
    run(b, &l, true);
    if (!memcmp(got, expected, sizeof got))
        return true;
    for (size_t i = 0; i < ELEMENTS; i++)
        if (memcmp(&got[i], &expected[i], sizeof *got)) {
            printf("DIFFERS %s: element %zu is %a, not %a; (%zu %zu %zu)/(%zu %zu %zu)+(%zu %zu %zu) w %d h "
                   "%d u %u g %lld "
                   "s %d\n",
                   name, i, got[i], expected[i], l.global[0], l.global[1], l.global[2], l.local[0],
                   l.local[1], l.local[2], l.offset[0], l.offset[1], l.offset[2], l.w, l.h, l.u,
                   (long long)l.g, l.s);
            break;
        }
    return false;
}

static void open_device(void)
{
    cl_platform_id platform;
    cl_int e;

    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) {
        printf("no OpenCL device\n");
        exit(77);
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &e);
    in = clCreateBuffer(context, CL_MEM_READ_ONLY, sizeof before, NULL, &e);
    out = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof before, NULL, &e);
    for (int i = 0; i < 2 * ELEMENTS; i++)
        (i < ELEMENTS ? expected : before)[i % ELEMENTS] =
            below(8) ? (float)below(1000003) / 997.0f : nan_of_x86.f;
    must(!clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, sizeof expected, expected, 0, NULL, NULL), "writing");
}

static int is_wanted(const char *kernel)
{
    const char *only = getenv("ROWS_ONLY");
    char word[300];

    snprintf(word, sizeof word, " %s ", kernel);
    return !only || strstr(only, word) != NULL;
}

int main(int argc, char **argv)
{
    static char names[1 << 16];
    const char *name[MAX_KERNELS];
    struct cw_rewrite_unit unit = {argc > 1 ? read_file(argv[1]) : "", NULL};
    struct cw_rewrite_in request = {
        .forms = &cw_rewrite_rows_forms, .unit = &unit, .units = 1, .kernel = name};
    struct cw_rewrite_out result;
    size_t rows = 0, bad = 0, launches = argc > 3 ? (size_t)atoi(argv[3]) : 6;
    cl_program a, b;

    state ^= (argc > 2 ? strtoull(argv[2], NULL, 0) : 1) * 0x9E3779B97F4A7C15u;
    open_device();
    a = build(unit.source);
    clGetProgramInfo(a, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL);
    for (char *t = strtok(names, ";"); t && request.kernels < MAX_KERNELS; t = strtok(NULL, ";"))
        name[request.kernels++] = t;
    must(cw_rewrite(&request, &result, NULL) == CW_OK && result.source, "rewriting");
    b = build(broken(result.source[0]));
    for (size_t k = 0; k < request.kernels; k++) {
        char form[300];
        const size_t local[3] = {1 + below(9), below(2) ? 1 + below(3) : 1, 1 + below(8) / 7};
        cl_kernel one, other;
        bool good = true;
        cl_int e;
        if (!result.kernel[k].rows || !is_wanted(name[k]) || (argc > 4 && strcmp(argv[4], name[k])))
            continue;
        rows++;
        snprintf(form, sizeof form, CW_REWRITE_ROWS "%s", name[k]);
        one = clCreateKernel(a, name[k], &e);
        other = clCreateKernel(b, form, &e);
        must(one && other, "making a kernel");
        for (size_t i = 0; i < launches && good; i++)
            good = same(one, other, name[k], local);
        bad += !good;
        clReleaseKernel(one);
        clReleaseKernel(other);
    }
    printf("%zu kernels, %zu in rows, %zu differ\n", request.kernels, rows, bad);
    return bad || !rows;
}
