/* sources.c - programs with a detail that says nothing about most of their kernels: a length that counts
 * the NUL, assembly or output that is not compiled or is another kernel's, questions to the compiler,
 * options.
 *
 * sources [CASE...]: without one all cases. Each launches `k` eight times on each of two buffers, and
 * `other`, where the case has it, once between. No byte is zero at first: a launch that sees zeros in
 * their place shows. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "common.h"

#define N     4096u
#define STEPS 16u

#define K "kernel void k(global uint *x, uint v) { uint i = get_global_id(0); x[i] = x[i] * 31 + v + i; }\n"
#define MUCH                                                                                                 \
    "kernel void k(global float *x, uint v) { uint i = get_global_id(0); x[i] = x[i] * 0.7f + v + i; }\n"
#define OTHER(body) "kernel void other(global uint *x, uint v) { " body " x[get_global_id(0)] ^= v; }\n"

enum { STRINGS = 3 };

/* The lengths count the NUL of each string; there is `other`; `k` is enqueued by clEnqueueTask. */
enum { NUL = 1, OTHER_TOO = 2, TASK = 4 };

static const struct {
    const char *name;
    int how;
    const char *options, *text[STRINGS];
} cases[] = {
    {"nul", NUL, "", {K}},
    {"nuls", NUL, "", {K, "this is no kernel\n", "nor this\n"}},
    {"parts", OTHER_TOO, "", {"#define V v\n", K, OTHER("v += V;")}},
    {"dead_asm", 0, "", {"#if 0\nvoid f(void) { asm volatile(\"none\"); }\n#endif\n" K}},
    {"never_printf", 0, "", {"#ifdef NEVER\n#define SAY(x) printf(x)\n#else\n#define SAY(x)\n#endif\n" K}},
    {"uncalled",
     0,
     "",
     {"void f(void) { __asm__ volatile(\"nop\"); }\nvoid g(int i) { printf(\"%d\\n\", i); }\n", K}},
    {"loud", OTHER_TOO, "", {OTHER("if (get_global_id(0) == 0) printf(\"other %u\\n\", v);") K}},
    {"assembly", OTHER_TOO, "", {OTHER("__asm__ volatile(\"\" ::: \"memory\");") K}},
    {"dated", OTHER_TOO, "", {OTHER("v += sizeof __DATE__ + (__TIME__[0] > '2');") K}},
    {"undated", 0, "", {"#ifdef NEVER\nconstant char built[] = __DATE__ __TIME__;\n#endif\n" K}},
    {"variable",
     OTHER_TOO,
     "-cl-std=CL2.0",
     {"global uint calls;\n" OTHER("if (get_global_id(0) == 0) v += 0 * calls++;") K}},
    {"counted",
     OTHER_TOO,
     "-cl-std=CL2.0",
     {"global uint calls;\nvoid count(void) { atomic_inc(&calls); }\n",
      "kernel void k(global uint *x, uint v) { uint i = get_global_id(0); count(); x[i] = x[i] * 31 + v + i; "
      "}\n",
      OTHER("v += calls;")}},
    {"handed",
     OTHER_TOO,
     "-cl-std=CL2.0",
     {"global uint calls;\nglobal uint *constant table[] = {0, &calls};\n",
      OTHER("v += 0 * (uint)(ulong)table[v & 1];") K}},
    {"stamped",
     OTHER_TOO,
     "",
     {"#define S_(x) #x\n#define S(x) S_(x)\n" OTHER("v += S(__TIME__)[2] > '9';") K}},
    {"expands",
     0,
     "-DA=noinline",
     {"#if __has_attribute(A)\n#define AT (i ^ 64)\n#else\n#define AT i\n#endif\n",
      "kernel void k(global uint *x, uint v) { uint i = get_global_id(0); x[AT] = x[AT] * 31 + v + i; }\n"}},
    {"says",
     OTHER_TOO,
     "",
     {"#define SAY(...) if (!i) printf(__VA_ARGS__)\n" OTHER(""),
      "kernel void k(global uint *x, uint v) { uint i = get_global_id(0); SAY(\"k %u\\n\", v); x[i] += v; "
      "}\n"}},
    {"inlined",
     OTHER_TOO,
     "",
     {"inline uint f(uint v) { __asm__(\"\" : \"+r\"(v)); return v; }\n" OTHER(""),
      "kernel void k(global uint *x, uint v) { uint i = get_global_id(0); x[i] += f(v); }\n"}},
    {"headless", 0, "", {"#ifdef NEVER\n#include \"is_not_there.h\"\n#endif\n" K}},
    {"builtin",
     0,
     "",
     {"#if __has_builtin(__builtin_popcount)\n#define P __builtin_popcount(v)\n#else\n#define P "
      "popcount(v)\n#endif\n",
      "#if __has_builtin(__builtin_amdgcn_global_atomic_fadd_f32)\n#error none\n#endif\n",
      "kernel void k(global uint *x, uint v) { uint i = get_global_id(0); x[i] = x[i] * 31 + P + i; }\n"}},
    {"feature",
     0,
     "",
     {"#ifdef __has_attribute\n#if __has_attribute(always_inline) && !__has_feature(none) && "
      "!__has_extension(none)\n"
      "__attribute__((always_inline))\n#endif\n#endif\n",
      "uint f(uint v) { return 3 * v; }\n",
      "kernel void k(global uint *x, uint v) { uint i = get_global_id(0); x[i] = x[i] * 31 + f(v) + i; }\n"}},
    {"splice",
     0,
     "-w",
     {"#define TWICE(x) \\ \n  (2 * (x))\n// a comment goes on \\\t\n here\n"
      "kernel void k(global uint *x, uint v) { uint i = get_glo\\ \t\nbal_id(0); x[i] = x[i] * 31 + TWICE(v) "
      "+ i; }\n"}},
    {"pragma",
     0,
     "",
     {"#pragma GCC diagnostic ignored \"-Wall\"\n#pragma clang diagnostic push\n#pragma vendor none\n",
      "#pragma OPENCL FP_CONTRACT OFF\n",
      "kernel void k(global uint *x, uint v) { uint i = get_global_id(0);\n#pragma unroll 2\n"
      "for (int n = 0; n < 5; n++) x[i] = x[i] * 31 + v + i; }\n"}},
    {"cl_option",
     0,
     "-DCL_DEVICE_CPU -DCL_WIDTH=4 -D__OWN__=1",
     {"#ifdef CL_DEVICE_CPU\n#define V (v + CL_WIDTH)\n#else\n#define V v\n#endif\n#if __OWN__\n"
      "kernel void k(global uint *x, uint v) { uint i = get_global_id(0); x[i] = x[i] * 31 + V + i; "
      "}\n#endif\n"}},
    {"task", TASK, "", {K}},
    {"relaxed", 0, "-cl-fast-relaxed-math", {K}}, /* without a number that could vary */
    {"rounds",
     0,
     "-cl-fast-relaxed-math",
     {"kernel void k(global uint *x, uint v) { uint i = get_global_id(0); "
      "x[i] = x[i] * 31 + (uint)((float)(v & 255) * 3.0f) + i; }\n"}},
    {"mad", 0, "-cl-mad-enable", {MUCH}},
    {"plain_options", 0, "-cl-single-precision-constant -cl-kernel-arg-info -w -Werror -I . -I.", {MUCH}},
};

/* NULL: the vendor does not take it (PoCL 7: variables of program scope), which is said. */
static cl_program create(const struct app *a, size_t at)
{
    const char *text[STRINGS];
    size_t length[STRINGS];
    cl_uint n = 0;
    cl_program p;
    cl_int err;

    for (; n < STRINGS && cases[at].text[n]; n++) {
        text[n] = cases[at].text[n];
        length[n] = strlen(text[n]) + (cases[at].how & NUL ? 1 : 0);
    }
    p = clCreateProgramWithSource(a->context, n, text, length, &err);
    APP_CHECK(err);
    err = clBuildProgram(p, 1, &a->device, cases[at].options, NULL, NULL);
    if (err == CL_SUCCESS)
        return p;
    printf("%s: error %d\n", cases[at].name, err);
    APP_CHECK(clReleaseProgram(p));
    return NULL;
}

static cl_kernel kernel(cl_program p, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(p, name, &err);

    APP_CHECK(err);
    return k;
}

static void use(struct app *a, size_t at)
{
    static uint32_t got[2][N];
    cl_program p = create(a, at);
    cl_kernel k, other;
    cl_mem x[2];

    if (!p)
        return;
    k = kernel(p, "k");
    other = cases[at].how & OTHER_TOO ? kernel(p, "other") : NULL;
    for (int i = 0; i < 2; i++)
        x[i] = app_buffer(a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof got[i],
                          memset(got[i], 0x41, sizeof got[i]));
    for (uint32_t v = 0; v < STEPS; v++) {
        app_args(k, "mu", x[v % 2], v);
        if (cases[at].how & TASK)
            APP_CHECK(clEnqueueTask(a->queue, k, 0, NULL, NULL));
        else
            app_run(a->queue, k, N, 64, 0, NULL, NULL);
        if (!other || v != STEPS / 2)
            continue;
        app_args(other, "mu", x[0], v);
        app_run(a->queue, other, N, 64, 0, NULL, NULL);
    }
    for (int i = 0; i < 2; i++) {
        app_read(a, x[i], 0, sizeof got[i], got[i]);
        APP_CHECK(clReleaseMemObject(x[i]));
    }
    printf("%s: hash %016llx\n", cases[at].name, (unsigned long long)a->hash);
    if (other)
        APP_CHECK(clReleaseKernel(other));
    APP_CHECK(clReleaseKernel(k));
    APP_CHECK(clReleaseProgram(p));
}

static bool is_asked_for(const char *name, int argc, char **argv)
{
    bool found = argc < 2;

    for (int i = 1; i < argc; i++)
        found |= !strcmp(argv[i], name);
    return found;
}

int main(int argc, char **argv)
{
    struct app a;

    app_open(&a, "sources", 0, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (is_asked_for(cases[i].name, argc, argv))
            use(&a, i);
    return app_close(&a);
}
