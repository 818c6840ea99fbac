/* ir.c - see ir.h.
 *
 * clang runs as a child: a crash or a hang of it is an error message here. Optimisation is off in clang
 * and chosen in cw_ir_canonicalise, because passes that exploit undefined behaviour would describe another
 * program than the one that runs: -fwrapv keeps signed overflow defined (vendors may well wrap), and accesses
 * to global and constant memory are made volatile, so that none is dropped, merged or moved past a condition.
 */
#include "ir.h"

#include "access.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FIXED_ARGUMENTS = 40 };

static bool begins(const char *s, const char *with)
{
    return !strncmp(s, with, strlen(with));
}

static enum cw_status keep(struct cw_ir_options *o, const char *option, struct cw_error *err)
{
    if (o->n == o->capacity) {
        int capacity = o->capacity ? 2 * o->capacity : 16;
        const char **pass = realloc(o->pass, (size_t)capacity * sizeof *pass);
        if (!pass)
            return cw_error_set(err, CW_ERR_NOMEM, "out of memory for build options");
        o->pass = pass;
        o->capacity = capacity;
    }
    o->pass[o->n++] = option;
    return CW_OK;
}

enum cw_status cw_ir_add_option(struct cw_ir_options *o, const char *option, struct cw_error *err)
{
    static const char *const dropped[] = {"-cl-", "-nv-", "-w", "-W", "-g", "-O", "-s"};
    const char *last = o->n ? o->pass[o->n - 1] : "";
    if (option[0] != '-') {
        if (!strcmp(last, "-D") || !strcmp(last, "-U") || !strcmp(last, "-I"))
            return keep(o, option, err);
        return cw_error_set(err, CW_ERR_INVALID, "'%s' is neither a build option nor the only source file",
                            option);
    }
    if (!strcmp(option, "-x"))
        return cw_error_set(err, CW_ERR_UNSUPPORTED,
                            "build option -x: programs built from SPIR are not read here");
    if (begins(option, "-cl-std=")) {
        if (o->std && strcmp(o->std, option))
            return cw_error_set(err, CW_ERR_UNSUPPORTED, "build options %s and %s: compilers differ", o->std,
                                option);
        o->std = option;
        return CW_OK;
    }
    if (begins(option, "-D") || begins(option, "-U") || begins(option, "-I") ||
        !strcmp(option, "-cl-single-precision-constant"))
        return keep(o, option, err);
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
        if (begins(option, dropped[i]))
            return CW_OK;
    return cw_error_set(err, CW_ERR_UNSUPPORTED,
                        "build option '%s' is not known; what it does to the kernels is not either", option);
}

void cw_ir_options_finish(struct cw_ir_options *o)
{
    free(o->pass);
    memset(o, 0, sizeof *o);
}

/* The first line that says "error:", else the first line. */
static void first_error(const char *text, char *out, size_t size)
{
    const char *at = strstr(text, "error:");
    while (at && at > text && at[-1] != '\n')
        at--;
    at = at ? at : text;
    snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
}

static enum cw_status check_time(const struct cw_child_output *out, struct cw_error *err)
{
    struct rlimit l = {0};

    if (out->exit_status != 128 + SIGXCPU)
        return CW_OK;
    getrlimit(RLIMIT_CPU, &l);
    return cw_error_set(err, CW_ERR_LIMIT, CW_IR_NO_TIME, (long)l.rlim_cur);
}

enum { SHORT_HEADER = 1, SYNTAX_TREE = 2 };

/* clang's command line, NULL-ended, but for argv[0]: FIXED_ARGUMENTS and o->n words at most. */
static void make_arguments(const struct cw_ir_options *o, const char *path, int how, const char **argv)
{
    static const char *const tree[] = {"-fsyntax-only", "-Xclang", "-ast-dump=json", NULL};
    static const char *const code[] = {"-emit-llvm", "-c", "-o", "-", NULL};
    static const char *const fixed[] = {
        "-x",
        "cl",
        "-target",
        "spir64",
        "-O1",
        "-Xclang",
        "-disable-llvm-passes",
        "-fwrapv",
        "-fno-strict-aliasing",
        "-cl-kernel-arg-info",
        "-Xclang",
        "-fpreserve-vec3-type",
        "-Xclang",
        "-cl-ext=+all",
        "-w",
        "-fno-crash-diagnostics",
        "-fno-color-diagnostics",
        "-fno-caret-diagnostics",
        "-Xclang",
        "-finclude-default-header",
    };
    int n = 1;

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        argv[n++] = fixed[i];
    for (const char *const *word = how & SYNTAX_TREE ? tree : code; *word; word++)
        argv[n++] = *word;
    argv[n++] = o->std ? o->std : "-cl-std=CL1.2";
    if (how & SHORT_HEADER) {
        argv[n++] = "-Xclang";
        argv[n++] = "-fdeclare-opencl-builtins";
    }
    for (int i = 0; i < o->n; i++)
        argv[n++] = o->pass[i];
    argv[n++] = path;
    argv[n] = NULL;
}

static enum cw_status run_clang(const struct cw_ir_options *o, const char *path, int how,
                                struct cw_child_output *out, struct cw_error *err)
{
    const char *named = secure_getenv("CLWEAVE_CLANG");
    const char *const candidates[] = {named && *named ? named : "clang-" CW_IR_LLVM, "clang", NULL};
    const char **argv = malloc((FIXED_ARGUMENTS + (size_t)o->n) * sizeof *argv);
    enum cw_status status;

    if (!argv)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for build options");
    make_arguments(o, path, how, argv);
    status = cw_child_run(candidates, argv, out, err);
    free(argv);
    return status == CW_OK ? check_time(out, err) : status;
}

static bool version_fits(LLVMModuleRef m, struct cw_error *err)
{
    if (m)
        return true;
    cw_error_set(err, CW_ERR_VERSION,
                 "clang writes IR that LLVM " LLVM_VERSION_STRING " cannot read; name a clang of "
                 "that version in CLWEAVE_CLANG");
    return false;
}

enum cw_status cw_ir_refused(const char *program, const char *path, const struct cw_child_output *out,
                             struct cw_error *err)
{
    char line[300];

    if (check_time(out, err) != CW_OK)
        return CW_ERR_LIMIT;
    if (out->exit_status == 128 + SIGKILL) /* as where memory is out */
        return cw_error_set(err, CW_ERR_IO, "%s was killed", program);
    first_error(out->err.data, line, sizeof line);
    return cw_error_set(err, CW_ERR_FORMAT, "%s refuses %s: %s", program, path,
                        *line ? line : "it says nothing");
}

enum cw_status cw_ir_compile(const struct cw_ir_options *o, const char *path, LLVMContextRef *context,
                             LLVMModuleRef *module, struct cw_error *err)
{
    struct cw_child_output out = {0};
    /* Generated declarations load three times faster than the header; the header knows a few functions more.
     * Standard input can be read only once, and is not worth keeping for that. */
    enum cw_status s = run_clang(o, path, SHORT_HEADER, &out, err);
    if (s == CW_OK && out.exit_status != 0 && strcmp(path, "-")) {
        cw_child_output_finish(&out);
        s = run_clang(o, path, 0, &out, err);
    }
    char line[300];
    if (s == CW_OK && out.exit_status != 0) {
        first_error(out.err.data, line, sizeof line);
        s = cw_error_set(err, CW_ERR_FORMAT, "%s does not compile: %s", path, line);
    }
    if (s == CW_OK) {
        LLVMMemoryBufferRef b = LLVMCreateMemoryBufferWithMemoryRangeCopy(out.out.data, out.out.n, "kernel");
        *context = LLVMContextCreate();
        *module = NULL;
        if (LLVMParseBitcodeInContext2(*context, b, module))
            *module = NULL;
        LLVMDisposeMemoryBuffer(b);
        if (!version_fits(*module, err)) {
            LLVMContextDispose(*context);
            s = CW_ERR_VERSION;
        }
    }
    cw_child_output_finish(&out);
    return s;
}

enum cw_status cw_ir_syntax_tree(const struct cw_ir_options *o, const char *text, size_t length,
                                 struct cw_bytes *tree, struct cw_error *err)
{
    struct cw_child_output out = {0};
    char path[64];
    int fd = memfd_create("clweave", 0); /* clang inherits it */
    enum cw_status s = CW_OK;

    memset(tree, 0, sizeof *tree);
    if (fd < 0 || write(fd, text, length) != (ssize_t)length)
        s = cw_error_set(err, CW_ERR_IO, "cannot hand a source to clang");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (s == CW_OK)
        s = run_clang(o, path, SHORT_HEADER | SYNTAX_TREE, &out, err);
    if (s == CW_OK && out.exit_status != 0)
        s = cw_error_set(err, CW_ERR_FORMAT, "clang has no syntax tree of the source");
    if (s == CW_OK) {
        *tree = out.out;
        out.out = (struct cw_bytes){0};
    }
    cw_child_output_finish(&out);
    if (fd >= 0)
        close(fd);
    return s;
}

/* Where a pointer comes from by casts and offsets alone. */
static LLVMValueRef origin(LLVMValueRef pointer)
{
    for (;;) {
        LLVMOpcode op = LLVMIsAInstruction(pointer)    ? LLVMGetInstructionOpcode(pointer)
                        : LLVMIsAConstantExpr(pointer) ? LLVMGetConstOpcode(pointer)
                                                       : LLVMRet;
        if (op != LLVMGetElementPtr && op != LLVMBitCast && op != LLVMAddrSpaceCast)
            return pointer;
        pointer = LLVMGetOperand(pointer, 0);
    }
}

/* `flat`: of a module whose address spaces say nothing. */
static bool is_buffer(LLVMValueRef pointer, bool flat)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    LLVMValueRef from = flat ? origin(pointer) : NULL;
    return space == 1 || space == 2 || (from && !LLVMIsAAllocaInst(from) && !LLVMIsAGlobalVariable(from));
}

static unsigned watched_kind(LLVMValueRef v)
{
    static const char name[] = "clweave.volatile";
    return LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(v)), name, sizeof name - 1);
}

/* All accesses become volatile: these were before. */
static void mark_watched(LLVMValueRef load)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(load));
    if (LLVMGetVolatile(load))
        LLVMSetMetadata(load, watched_kind(load), LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0)));
}

bool cw_ir_is_watched(LLVMValueRef load)
{
    return LLVMHasMetadata(load) && LLVMGetMetadata(load, watched_kind(load));
}

/* llvm-spirv gives calls their functions' attributes. */
static void may_inline(LLVMValueRef call)
{
    static const char name[] = "noinline";
    LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex,
                                    LLVMGetEnumAttributeKindForName(name, sizeof name - 1));
}

static void keep_accesses(LLVMValueRef f)
{
    bool flat = cw_bitcode_is_flat(LLVMGetGlobalParent(f));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
            LLVMOpcode op = LLVMGetInstructionOpcode(v);
            if (op == LLVMCall)
                may_inline(v);
            if (op == LLVMLoad)
                mark_watched(v);
            if ((op == LLVMLoad && is_buffer(LLVMGetOperand(v, 0), flat)) ||
                (op == LLVMStore && is_buffer(LLVMGetOperand(v, 1), flat)))
                LLVMSetVolatile(v, 1);
        }
}

static void inline_always(LLVMValueRef f)
{
    static const char *const remove[] = {"noinline", "optnone"};
    for (size_t i = 0; i < sizeof remove / sizeof *remove; i++)
        LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                                       LLVMGetEnumAttributeKindForName(remove[i], strlen(remove[i])));
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(c, kind, 0));
}

LLVMValueRef cw_ir_element(LLVMValueRef vector, unsigned i)
{
#if LLVM_VERSION_MAJOR < 15
    return LLVMGetElementAsConstant(vector, i);
#else
    return LLVMGetAggregateElement(vector, i);
#endif
}

/* LLVM 18 ends the process when one pass over a function leaves something to combine, unless told not to. */
#if LLVM_VERSION_MAJOR < 18
#define COMBINE "instcombine"
#else
#define COMBINE "instcombine<no-verify-fixpoint>"
#endif

enum cw_status cw_ir_canonicalise(LLVMModuleRef module, struct cw_error *err)
{
    static const char passes[] = "always-inline,function(sroa,early-cse," COMBINE ",simplifycfg,sroa," COMBINE
                                 ",simplifycfg,loop-simplify)";
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        keep_accesses(f);
        inline_always(f);
    }
    LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
    LLVMErrorRef e = LLVMRunPasses(module, passes, NULL, o);
    LLVMDisposePassBuilderOptions(o);
    if (!e)
        return CW_OK;
    char *text = LLVMGetErrorMessage(e);
    enum cw_status s = cw_error_set(err, CW_ERR_INVALID, "LLVM refuses its passes: %s", text);
    LLVMDisposeErrorMessage(text);
    return s;
}
