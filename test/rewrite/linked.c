/* linked.c - programs compiled apart, with a header, and linked: rewritten together they run in tiles as the
 * originals run whole. */
#include "../../analyzer/kernels/source/header_files.h"
#include "../../analyzer/kernels/rewrite/rewrite.h"
#include "../../analyzer/kernels/rows/rewrite_rows.h"

#include "opencl.h"

enum { ITEMS = 96, LOCAL = 8, OFFSET = 5 };

static const char *const source[2] = {
    "#include \"share.h\"\n"
    "kernel void k(global ulong *out) { PLACE(out) = far_away(3) + near_by(); }\n",
    "#include \"share.h\"\n"
    "ulong far_away(int n) { return get_group_id(0) * 1000 + get_num_groups(0) * 100000 + n + N; }\n",
};
static const char header[] = "#ifndef SHARE\n#define SHARE\n"
                             "#define PLACE(p) p[get_global_id(0) - get_global_offset(0)]\n"
                             "ulong far_away(int n);\n"
                             "static inline ulong near_by(void) { return get_global_id(0) * 7; }\n"
                             "#endif\n";

static cl_program compile_and_link(const char *const *text, bool with_header)
{
    static const char *const options[2] = {"-w", "-w -DN=4"}, *name = "share.h", *share = header;
    cl_program part[2], include, whole;
    cl_int e;

    include = clCreateProgramWithSource(context, 1, &share, NULL, &e);
    for (int i = 0; i < 2; i++) {
        part[i] = clCreateProgramWithSource(context, 1, (const char **)&text[i], NULL, &e);
        check(e, "program");
        check(clCompileProgram(part[i], 1, &device, options[i], with_header, with_header ? &include : NULL,
                               with_header ? &name : NULL, NULL, NULL),
              "compile");
    }
    whole = clLinkProgram(context, 1, &device, NULL, 2, part, NULL, NULL, &e);
    if (e != CL_SUCCESS && whole) {
        static char log[8192];
        clGetProgramBuildInfo(whole, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(e, with_header ? "link as it was" : "link rewritten");
    return whole;
}

static const char *read_header(void *files, size_t unit, const char *name, const char *includer)
{
    (void)unit;
    return cw_header_files_read(files, name, includer);
}

static void run(cl_kernel k, cl_ulong *result, bool tiles)
{
    static const size_t cuts[] = {0, 1, 5, 9, ITEMS / LOCAL};
    static const int order[] = {2, 0, 3, 1};
    size_t global = ITEMS, local = LOCAL, offset = OFFSET;
    cl_int e;
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * sizeof *result, NULL, &e);

    check(e, "buffer");
    check(clSetKernelArg(k, 0, sizeof out, &out), "argument");
    for (int i = 0; i < (tiles ? 4 : 1); i++) {
        struct cw_rewrite_tile tile;
        size_t first = cuts[order[i]], items = (cuts[order[i] + 1] - first) * LOCAL;
        cw_rewrite_tile_fill(&tile, 1, &global, &local, &offset, &first);
        if (tiles)
            check(clSetKernelArg(k, 1, sizeof tile, &tile), "hidden argument");
        check(clEnqueueNDRangeKernel(queue, k, 1, tiles ? NULL : &offset, tiles ? &items : &global, &local, 0,
                                     NULL, NULL),
              "launch");
    }
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, ITEMS * sizeof *result, result, 0, NULL, NULL), "read");
}

int main(void)
{
    struct cw_rewrite_unit unit[2] = {{source[0], "-w"}, {source[1], "-w -DN=4"}};
    const char *name = "k";
    struct cw_header_files files;
    struct cw_rewrite_in in = {.forms = &cw_rewrite_rows_forms,
                               .unit = unit,
                               .units = 2,
                               .kernel = &name,
                               .kernels = 1,
                               .read_header = read_header,
                               .context = &files};
    struct cw_rewrite_out out;
    cl_ulong whole[ITEMS], cut[ITEMS];
    cl_int e;

    if (!open_device())
        return 77;
    if (!cw_header_files_init(&files, NULL) || !cw_header_files_add(&files, "share.h", header) ||
        cw_rewrite(&in, &out, NULL) != CW_OK)
        return 1;
    if (!out.source || out.kernel[0].verdict != CW_REWRITE_DONE) {
        printf("refused: %s\n", out.reason);
        return 1;
    }
    run(clCreateKernel(compile_and_link(source, true), name, &e), whole, false);
    run(clCreateKernel(compile_and_link((const char *const *)out.source, false), name, &e), cut, true);
    for (int i = 0; i < ITEMS; i++)
        if (whole[i] != cut[i]) {
            printf("item %d: %llu whole, %llu in tiles\n", i, (unsigned long long)whole[i],
                   (unsigned long long)cut[i]);
            return 1;
        }
    if (whole[8] != 1000 + 1200000 + 7 + 13 * 7) {
        printf("the original itself: %llu\n", (unsigned long long)whole[8]);
        return 1;
    }
    cw_rewrite_finish(&out);
    cw_header_files_finish(&files);
    return 0;
}
